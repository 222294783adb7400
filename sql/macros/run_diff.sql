-- Two runs in one row: three differences a - b, named apart, over the tasks of both. run_diff('run a', 'run b').
-- delta_all over all N (the headline), delta_common over the tasks scored in both, delta_scored of the two Scored (docs/statistics.md).
-- Errors are clustered by document; that of delta_scored is of its linearisation. Limits are 95 %, t with documents - 1; none for
-- fewer than five documents. detectable = 2.8 standard errors. delta_all = quality_part + coverage_part, exactly.
CREATE OR REPLACE MACRO run_diff(run_a, run_b) AS TABLE
WITH by_document AS (
    SELECT * FROM DOCUMENT_DIFF(run_a, run_b)
),

classes AS (
    SELECT
        MAX(CASE WHEN run_id = run_a THEN class_id END) AS class_a,
        MAX(CASE WHEN run_id = run_b THEN class_id END) AS class_b
    FROM run_classes
    WHERE run_id IN (run_a, run_b)
),

totals AS (
    SELECT
        SUM(tasks_n) AS tasks_n,
        SUM(unjudged_n) AS unjudged_n,
        SUM(delta_sum) AS delta_sum,
        SUM(least_sum) AS least_sum,
        SUM(most_sum) AS most_sum,
        SUM(common_n) AS common_n,
        SUM(common_sum) AS common_sum,
        SUM(scored_a_n) AS scored_a_n,
        SUM(scored_b_n) AS scored_b_n,
        SUM(scored_a_sum) AS scored_a_sum,
        SUM(scored_b_sum) AS scored_b_sum
    FROM by_document
),

errors AS (
    SELECT
        COUNT(*) AS documents_n,
        COUNT(CASE WHEN by_document.common_n > 0 THEN 1 END) AS common_documents_n,
        COUNT(CASE WHEN by_document.scored_a_n + by_document.scored_b_n > 0 THEN 1 END) AS scored_documents_n,
        SUM(
            POWER(
                CAST(by_document.delta_sum AS DOUBLE) / totals.tasks_n
                - by_document.tasks_n * CAST(totals.delta_sum AS DOUBLE) / POWER(totals.tasks_n, 2),
                2
            )
        ) AS all_squares,
        SUM(
            POWER(
                CAST(by_document.common_sum AS DOUBLE) / NULLIF(totals.common_n, 0)
                - by_document.common_n * CAST(totals.common_sum AS DOUBLE) / NULLIF(POWER(totals.common_n, 2), 0),
                2
            )
        ) AS common_squares,
        SUM(
            POWER(
                CAST(by_document.scored_a_sum AS DOUBLE) / NULLIF(totals.scored_a_n, 0)
                - by_document.scored_a_n * CAST(totals.scored_a_sum AS DOUBLE) / NULLIF(POWER(totals.scored_a_n, 2), 0)
                - CAST(by_document.scored_b_sum AS DOUBLE) / NULLIF(totals.scored_b_n, 0)
                + by_document.scored_b_n * CAST(totals.scored_b_sum AS DOUBLE) / NULLIF(POWER(totals.scored_b_n, 2), 0),
                2
            )
        ) AS scored_squares
    FROM by_document
    CROSS JOIN totals
),

figures AS (
    SELECT
        classes.class_a,
        classes.class_b,
        totals.tasks_n,
        totals.unjudged_n,
        errors.documents_n,
        totals.common_n,
        errors.common_documents_n,
        totals.scored_a_n,
        totals.scored_b_n,
        errors.scored_documents_n,
        CASE WHEN totals.unjudged_n = 0 THEN SIGNED_RATIO(totals.delta_sum, totals.tasks_n) END AS delta_all,
        SIGNED_RATIO(totals.least_sum, totals.tasks_n) AS delta_all_least,
        SIGNED_RATIO(totals.most_sum, totals.tasks_n) AS delta_all_most,
        CASE WHEN totals.unjudged_n = 0 THEN CLUSTERED_SE(errors.all_squares, errors.documents_n) END AS delta_all_se,
        T_QUANTILE_975(errors.documents_n - 1) AS all_t,
        SIGNED_RATIO(totals.common_sum, totals.common_n) AS delta_common,
        CLUSTERED_SE(errors.common_squares, errors.common_documents_n) AS delta_common_se,
        T_QUANTILE_975(errors.common_documents_n - 1) AS common_t,
        SIGNED_RATIO(
            totals.scored_a_sum * totals.scored_b_n - totals.scored_b_sum * totals.scored_a_n,
            totals.scored_a_n * totals.scored_b_n
        ) AS delta_scored,
        CLUSTERED_SE(errors.scored_squares, errors.scored_documents_n) AS delta_scored_se,
        T_QUANTILE_975(errors.scored_documents_n - 1) AS scored_t,
        CASE
            WHEN totals.unjudged_n = 0
                THEN SIGNED_RATIO(
                    (totals.scored_a_n + totals.scored_b_n)
                    * (totals.scored_a_sum * totals.scored_b_n - totals.scored_b_sum * totals.scored_a_n),
                    2 * totals.tasks_n * totals.scored_a_n * totals.scored_b_n
                )
        END AS quality_part
    FROM totals
    CROSS JOIN errors
    CROSS JOIN classes
    WHERE totals.tasks_n > 0
)

SELECT
    run_a AS run_id_a,
    run_b AS run_id_b,
    CASE WHEN class_a = class_b THEN class_a END AS class_id,
    class_a,
    class_b,
    tasks_n,
    unjudged_n,
    documents_n,
    delta_all,
    delta_all_least,
    delta_all_most,
    delta_all_se,
    CAST(delta_all - all_t * delta_all_se AS DECIMAL(18, 9)) AS delta_all_low,
    CAST(delta_all + all_t * delta_all_se AS DECIMAL(18, 9)) AS delta_all_high,
    CASE WHEN documents_n > 4 THEN CAST(2.8 * delta_all_se AS DECIMAL(18, 9)) END AS delta_all_detectable,
    common_n,
    common_documents_n,
    delta_common,
    delta_common_se,
    CAST(delta_common - common_t * delta_common_se AS DECIMAL(18, 9)) AS delta_common_low,
    CAST(delta_common + common_t * delta_common_se AS DECIMAL(18, 9)) AS delta_common_high,
    CASE WHEN common_documents_n > 4 THEN CAST(2.8 * delta_common_se AS DECIMAL(18, 9)) END AS delta_common_detectable,
    scored_a_n,
    scored_b_n,
    scored_documents_n,
    delta_scored,
    delta_scored_se,
    CAST(delta_scored - scored_t * delta_scored_se AS DECIMAL(18, 9)) AS delta_scored_low,
    CAST(delta_scored + scored_t * delta_scored_se AS DECIMAL(18, 9)) AS delta_scored_high,
    CASE WHEN scored_documents_n > 4 THEN CAST(2.8 * delta_scored_se AS DECIMAL(18, 9)) END AS delta_scored_detectable,
    quality_part,
    CAST(delta_all - quality_part AS DECIMAL(18, 9)) AS coverage_part
FROM figures;
COMMENT ON MACRO TABLE run_diff IS 'run_diff(run a, run b): one row; columns and formulas in docs/statistics.md'; -- noqa: PRS
