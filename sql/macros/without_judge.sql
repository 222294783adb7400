-- The figures of a run had one judge not sat on its panel. without_judge('run', 'judge'), the judge by its name in judge_scores.
-- Calls nobody. No row where the panel has no such judge. The class is another one, shared by runs that leave the same judge out.
CREATE OR REPLACE MACRO without_judge(of_run, left_out) AS TABLE
WITH panel AS (
    SELECT
        run_id,
        task_id,
        MAX(points_possible) AS points_possible,
        COUNT(*) - 1 AS judges_required,
        COUNT(CASE WHEN judge <> left_out THEN total END) AS judges_done,
        SUM(CASE WHEN judge <> left_out THEN total END) AS total_sum
    FROM judge_scores
    WHERE run_id = of_run
    GROUP BY
        run_id,
        task_id
),

sitting AS (
    SELECT runs.run_id
    FROM runs
    INNER JOIN panel_judge_names
        ON runs.panel_fingerprint = panel_judge_names.panel_fingerprint
    WHERE
        runs.run_id = of_run
        AND panel_judge_names.judge = left_out
),

rescored AS (
    SELECT
        task_scores.run_id,
        task_scores.task_id,
        task_scores.status,
        CASE
            WHEN panel.judges_required > 0 AND panel.judges_done = panel.judges_required
                THEN EXACT_RATIO(panel.total_sum, panel.points_possible * panel.judges_required)
        END AS panel_score
    FROM task_scores
    LEFT JOIN panel
        ON
            task_scores.run_id = panel.run_id
            AND task_scores.task_id = panel.task_id
    WHERE task_scores.run_id = of_run
),

sums AS (
    SELECT
        run_id,
        COUNT(*) AS tasks_n,
        COUNT(panel_score) AS scored_n,
        COALESCE(SUM(panel_score), 0) AS score_sum,
        COUNT(CASE WHEN status IN ('scored', 'unjudged') THEN 1 END) - COUNT(panel_score) AS unjudged_n
    FROM rescored
    GROUP BY run_id
)

SELECT
    run_scores.run_id,
    run_scores.model,
    run_scores.class_id || ' without ' || left_out AS class_id,
    left_out AS without,
    sums.tasks_n,
    EXACT_RATIO(sums.score_sum, sums.scored_n) AS scored_overall,
    sums.scored_n,
    CASE WHEN sums.unjudged_n = 0 THEN EXACT_RATIO(sums.score_sum, sums.tasks_n) END AS overall,
    EXACT_RATIO(sums.score_sum, sums.tasks_n) AS overall_lo,
    EXACT_RATIO(sums.score_sum + sums.unjudged_n, sums.tasks_n) AS overall_hi,
    sums.unjudged_n,
    run_scores.overall AS overall_as_run,
    run_scores.scored_overall AS scored_overall_as_run
FROM sums
INNER JOIN run_scores
    ON sums.run_id = run_scores.run_id
INNER JOIN sitting
    ON sums.run_id = sitting.run_id;
COMMENT ON MACRO TABLE without_judge IS 'without_judge(run, judge): one row, the figures had that judge not sat on the panel'; -- noqa: PRS
