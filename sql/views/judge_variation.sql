-- How the scores of a panel vary within each run: the sums of squares of its two-way table, tasks by judges (McGraw and Wong 1996).
CREATE OR REPLACE VIEW judge_variation AS
WITH centred AS (
    SELECT
        run_id,
        model,
        task_id,
        class_id,
        panel_fingerprint,
        judges_n,
        CAST(score AS DOUBLE) AS score,
        AVG(CAST(score AS DOUBLE)) OVER (PARTITION BY run_id) AS run_mean,
        AVG(CAST(score AS DOUBLE)) OVER (PARTITION BY run_id, task_id) AS task_mean,
        AVG(CAST(score AS DOUBLE)) OVER (PARTITION BY run_id, judge) AS judge_mean
    FROM panel_verdicts
)

SELECT
    run_id,
    model,
    class_id,
    panel_fingerprint,
    MAX(judges_n) AS judges_n,
    COUNT(DISTINCT task_id) AS tasks_n,
    SUM(POWER(score - run_mean, 2)) AS total_squares,
    SUM(POWER(score - task_mean, 2)) AS within_squares,
    SUM(POWER(task_mean - run_mean, 2)) AS task_squares,
    SUM(POWER(judge_mean - run_mean, 2)) AS judge_squares,
    SUM(POWER(score - task_mean - judge_mean + run_mean, 2)) AS rest_squares
FROM centred
GROUP BY
    run_id,
    model,
    class_id,
    panel_fingerprint;
COMMENT ON VIEW judge_variation IS 'One row per run with a task that its whole panel scored';
COMMENT ON COLUMN judge_variation.run_id IS 'The run';
COMMENT ON COLUMN judge_variation.model IS 'Model name as sent';
COMMENT ON COLUMN judge_variation.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN judge_variation.panel_fingerprint IS 'The panel';
COMMENT ON COLUMN judge_variation.judges_n IS 'Judges on the panel';
COMMENT ON COLUMN judge_variation.tasks_n IS 'Tasks scored by the whole panel';
COMMENT ON COLUMN judge_variation.total_squares IS 'Sum of squares of all scores about their mean';
COMMENT ON COLUMN judge_variation.within_squares IS 'Sum of squares about the mean of the task';
COMMENT ON COLUMN judge_variation.task_squares IS 'Sum of squares between tasks';
COMMENT ON COLUMN judge_variation.judge_squares IS 'Sum of squares between judges';
COMMENT ON COLUMN judge_variation.rest_squares IS 'Sum of squares left when task and judge are taken out';
