-- Two replicates of one run: the noise of asking again, apart from the sampling of tasks. rerun_noise('run a', 'run b').
-- Rerun: a task's noise variance is half its squared difference, independent between tasks (Brennan 2001). Sampling: the variance of
-- the mean of both runs, clustered by document, less the rerun noise that is left in that mean. Both are errors of one run's All-N.
CREATE OR REPLACE MACRO rerun_noise(run_a, run_b) AS TABLE
WITH paired AS (
    SELECT
        class_id,
        document_sha256,
        delta,
        (CAST(score_a AS DOUBLE) + CAST(score_b AS DOUBLE)) / 2 AS middle
    FROM TASK_DIFF(run_a, run_b)
    WHERE delta IS NOT NULL
),

totals AS (
    SELECT
        MAX(class_id) AS class_id,
        COUNT(*) AS tasks_n,
        COUNT(CASE WHEN delta <> 0 THEN 1 END) AS moved_n,
        AVG(middle) AS middle_mean,
        SUM(POWER(CAST(delta AS DOUBLE), 2)) / 2 / POWER(COUNT(*), 2) AS rerun_variance
    FROM paired
),

by_document AS (
    SELECT
        paired.document_sha256,
        SUM(paired.middle - totals.middle_mean) / MAX(totals.tasks_n) AS deviation
    FROM paired
    CROSS JOIN totals
    GROUP BY paired.document_sha256
),

middle_errors AS (
    SELECT
        COUNT(*) AS documents_n,
        CASE WHEN COUNT(*) > 1 THEN SUM(POWER(deviation, 2)) * COUNT(*) / (COUNT(*) - 1) END AS middle_variance
    FROM by_document
)

SELECT
    run_a AS run_id_a,
    run_b AS run_id_b,
    totals.class_id,
    totals.tasks_n,
    totals.moved_n,
    middle_errors.documents_n,
    CAST(SQRT(totals.rerun_variance) AS DECIMAL(18, 9)) AS rerun_se,
    CASE
        WHEN middle_errors.middle_variance > totals.rerun_variance / 2
            THEN CAST(SQRT(middle_errors.middle_variance - totals.rerun_variance / 2) AS DECIMAL(18, 9))
        WHEN middle_errors.middle_variance IS NOT NULL THEN CAST(0 AS DECIMAL(18, 9))
    END AS sampling_se
FROM totals
CROSS JOIN middle_errors
WHERE totals.tasks_n > 0;
COMMENT ON MACRO TABLE rerun_noise IS 'rerun_noise(run a, run b): one row for two replicates of one run'; -- noqa: PRS
