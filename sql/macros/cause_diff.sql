-- Two runs' delta_all by cause. cause_diff('run a', 'run b'): one row per cause that occurs among the tasks of both.
-- A part is the difference of two rounded running sums, so the parts add up to delta_all to the last digit, each within 10^-9 of its own.
CREATE OR REPLACE MACRO cause_diff(run_a, run_b) AS TABLE
WITH by_cause AS (
    SELECT
        cause,
        MAX(class_id) AS class_id,
        COUNT(*) AS tasks_n,
        COUNT(CASE WHEN delta <> 0 THEN 1 END) AS moved_n,
        COUNT(*) - COUNT(delta) AS unjudged_n,
        COALESCE(SUM(delta), 0) AS delta_sum
    FROM TASK_DIFF(run_a, run_b)
    WHERE
        status_a IS NOT NULL
        AND status_b IS NOT NULL
    GROUP BY cause
),

running AS (
    SELECT
        by_cause.*,
        SUM(by_cause.delta_sum) OVER (
            ORDER BY by_cause.cause
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS sum_so_far,
        SUM(by_cause.tasks_n) OVER () AS all_n,
        SUM(by_cause.unjudged_n) OVER () AS all_unjudged_n
    FROM by_cause
)

SELECT
    cause,
    class_id,
    tasks_n,
    moved_n,
    delta_sum,
    CASE
        WHEN all_unjudged_n = 0
            THEN CAST(SIGNED_RATIO(sum_so_far, all_n) - SIGNED_RATIO(sum_so_far - delta_sum, all_n) AS DECIMAL(18, 9))
    END AS part
FROM running;
COMMENT ON MACRO TABLE cause_diff IS 'cause_diff(run a, run b): one row per cause, with its part of delta_all'; -- noqa: PRS
