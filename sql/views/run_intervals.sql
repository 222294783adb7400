-- The interval of each run's two figures: standard error clustered by document, t with one degree of freedom less than documents.
-- Miller 2024, arXiv 2411.00640. Fewer than five documents give no interval.
CREATE OR REPLACE VIEW run_intervals AS
WITH by_document AS (
    SELECT
        run_id,
        document_sha256,
        COUNT(*) AS tasks_n,
        COUNT(panel_score) AS scored_n,
        SUM(final_score) AS final_sum,
        SUM(panel_score) AS panel_sum
    FROM task_results
    GROUP BY
        run_id,
        document_sha256
),

totals AS (
    SELECT
        run_id,
        SUM(tasks_n) AS tasks_n,
        SUM(scored_n) AS scored_n,
        SUM(final_sum) AS final_sum,
        SUM(panel_sum) AS panel_sum
    FROM by_document
    GROUP BY run_id
),

errors AS (
    SELECT
        by_document.run_id,
        COUNT(*) AS documents_n,
        COUNT(by_document.panel_sum) AS scored_documents_n,
        CLUSTERED_SE(
            SUM(
                POWER(
                    CAST(by_document.final_sum AS DOUBLE) / totals.tasks_n
                    - by_document.tasks_n * CAST(totals.final_sum AS DOUBLE) / POWER(totals.tasks_n, 2),
                    2
                )
            ),
            COUNT(*)
        ) AS overall_se,
        CLUSTERED_SE(
            SUM(
                POWER(
                    CAST(by_document.panel_sum AS DOUBLE) / totals.scored_n
                    - by_document.scored_n * CAST(totals.panel_sum AS DOUBLE) / POWER(totals.scored_n, 2),
                    2
                )
            ),
            COUNT(by_document.panel_sum)
        ) AS scored_se
    FROM by_document
    INNER JOIN totals
        ON by_document.run_id = totals.run_id
    GROUP BY by_document.run_id
)

SELECT
    run_scores.run_id,
    run_scores.model,
    run_scores.class_id,
    run_scores.tasks_n,
    errors.documents_n,
    run_scores.overall,
    CASE WHEN run_scores.unjudged_n = 0 THEN errors.overall_se END AS overall_se,
    CAST(run_scores.overall - T_QUANTILE_975(errors.documents_n - 1) * errors.overall_se AS DECIMAL(18, 9)) AS overall_low,
    CAST(run_scores.overall + T_QUANTILE_975(errors.documents_n - 1) * errors.overall_se AS DECIMAL(18, 9)) AS overall_high,
    run_scores.scored_n,
    errors.scored_documents_n,
    run_scores.scored_overall,
    errors.scored_se,
    CAST(run_scores.scored_overall - T_QUANTILE_975(errors.scored_documents_n - 1) * errors.scored_se AS DECIMAL(18, 9)) AS scored_low,
    CAST(run_scores.scored_overall + T_QUANTILE_975(errors.scored_documents_n - 1) * errors.scored_se AS DECIMAL(18, 9)) AS scored_high
FROM run_scores
INNER JOIN errors
    ON run_scores.run_id = errors.run_id;
COMMENT ON VIEW run_intervals IS 'One row per run';
COMMENT ON COLUMN run_intervals.run_id IS 'The run';
COMMENT ON COLUMN run_intervals.model IS 'Model name as sent';
COMMENT ON COLUMN run_intervals.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN run_intervals.tasks_n IS 'Tasks of the dataset';
COMMENT ON COLUMN run_intervals.documents_n IS 'Distinct documents of these tasks: the clusters';
COMMENT ON COLUMN run_intervals.overall IS 'All-N; NULL while an answered task lacks a judge';
COMMENT ON COLUMN run_intervals.overall_se IS 'Its standard error, clustered by document; of task sampling, not of asking again';
COMMENT ON COLUMN run_intervals.overall_low IS 'Lower 95 % limit; NULL for fewer than five documents';
COMMENT ON COLUMN run_intervals.overall_high IS 'Upper 95 % limit; NULL for fewer than five documents';
COMMENT ON COLUMN run_intervals.scored_n IS 'Tasks scored by the whole panel';
COMMENT ON COLUMN run_intervals.scored_documents_n IS 'Distinct documents of those tasks';
COMMENT ON COLUMN run_intervals.scored_overall IS 'Scored: mean over those tasks';
COMMENT ON COLUMN run_intervals.scored_se IS 'Its standard error, clustered by document';
COMMENT ON COLUMN run_intervals.scored_low IS 'Lower 95 % limit; NULL for fewer than five documents';
COMMENT ON COLUMN run_intervals.scored_high IS 'Upper 95 % limit; NULL for fewer than five documents';
