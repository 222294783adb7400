-- How much higher each judge scores each family of models than the *other* judges of its panel do (protocol section 4).
-- Severity counts in every row; family_bias takes it out. That there is no bias needs both equivalence limits within a margin that you name
-- (two one-sided tests at 5 %, Schuirmann 1987), not a p-value above 0.05. Limits: t, errors clustered by document.
CREATE OR REPLACE VIEW judge_bias AS
WITH by_document AS (
    SELECT
        class_id,
        judge,
        COALESCE(model_family, 'undeclared') AS model_family,
        document_sha256,
        MAX(judge_family) AS judge_family,
        MAX(CASE WHEN is_own_family THEN 1 WHEN NOT is_own_family THEN 0 END) AS own_family,
        MAX(others_n) AS others_n,
        COUNT(*) AS tasks_n,
        SUM(bias_times_others) AS bias_sum
    FROM verdict_bias
    GROUP BY
        class_id,
        judge,
        COALESCE(model_family, 'undeclared'),
        document_sha256
),

totals AS (
    SELECT
        class_id,
        judge,
        model_family,
        MAX(judge_family) AS judge_family,
        MAX(own_family) = 1 AS is_own_family,
        SUM(tasks_n) AS n,
        COUNT(*) AS documents_n,
        SIGNED_RATIO(SUM(bias_sum), MAX(others_n) * SUM(tasks_n)) AS mean_difference,
        CAST(SUM(bias_sum) AS DOUBLE) / (MAX(others_n) * SUM(tasks_n)) AS mean_bias
    FROM by_document
    GROUP BY
        class_id,
        judge,
        model_family
),

errors AS (
    SELECT
        totals.class_id,
        totals.judge,
        totals.model_family,
        CLUSTERED_SE(
            SUM(
                POWER(
                    (CAST(by_document.bias_sum AS DOUBLE) / by_document.others_n - by_document.tasks_n * totals.mean_bias)
                    / totals.n,
                    2
                )
            ),
            COUNT(*)
        ) AS standard_error
    FROM by_document
    INNER JOIN totals
        ON
            by_document.class_id = totals.class_id
            AND by_document.judge = totals.judge
            AND by_document.model_family = totals.model_family
    GROUP BY
        totals.class_id,
        totals.judge,
        totals.model_family
)

SELECT
    totals.class_id,
    totals.judge,
    totals.judge_family,
    totals.model_family,
    totals.is_own_family,
    totals.n,
    totals.documents_n,
    totals.mean_difference,
    errors.standard_error,
    CAST(totals.mean_difference - T_QUANTILE_95(totals.documents_n - 1) * errors.standard_error AS DECIMAL(18, 9)) AS equivalence_low,
    CAST(totals.mean_difference + T_QUANTILE_95(totals.documents_n - 1) * errors.standard_error AS DECIMAL(18, 9)) AS equivalence_high
FROM totals
INNER JOIN errors
    ON
        totals.class_id = errors.class_id
        AND totals.judge = errors.judge
        AND totals.model_family = errors.model_family;
COMMENT ON VIEW judge_bias IS 'One row per class, judge and family of models';
COMMENT ON COLUMN judge_bias.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN judge_bias.judge IS 'Name of the judge within the panel';
COMMENT ON COLUMN judge_bias.judge_family IS 'Family of the judge; NULL where not declared';
COMMENT ON COLUMN judge_bias.model_family IS 'Family of the models it judged, or undeclared';
COMMENT ON COLUMN judge_bias.is_own_family IS 'Whether these are of its own family; NULL where either is not declared';
COMMENT ON COLUMN judge_bias.n IS 'Tasks scored by the whole panel, summed over the runs of this family';
COMMENT ON COLUMN judge_bias.documents_n IS 'Distinct documents of those tasks';
COMMENT ON COLUMN judge_bias.mean_difference IS 'Mean of its score minus the mean of the other judges';
COMMENT ON COLUMN judge_bias.standard_error IS 'Its standard error, clustered by document';
COMMENT ON COLUMN judge_bias.equivalence_low IS 'Lower one-sided 95 % limit; NULL for fewer than five documents';
COMMENT ON COLUMN judge_bias.equivalence_high IS 'Upper one-sided 95 % limit; NULL for fewer than five documents';
