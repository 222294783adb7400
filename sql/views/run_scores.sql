-- The figures of each run: Scored and All-N (protocol section 5).
CREATE OR REPLACE VIEW run_scores AS
WITH sums AS (
    SELECT
        run_id,
        COUNT(*) AS tasks_n,
        COUNT(panel_score) AS scored_n,
        COALESCE(SUM(panel_score), 0) AS score_sum,
        COUNT(CASE WHEN status = 'out_of_context' THEN 1 END) AS out_of_context_n,
        COUNT(CASE WHEN status = 'empty' THEN 1 END) AS empty_n,
        COUNT(CASE WHEN status = 'refused' THEN 1 END) AS refused_n,
        COUNT(CASE WHEN status = 'failed' THEN 1 END) AS failed_n,
        COUNT(CASE WHEN status = 'missing' THEN 1 END) AS missing_n,
        COUNT(CASE WHEN status = 'unjudged' THEN 1 END) AS unjudged_n
    FROM task_scores
    GROUP BY run_id
),

figures AS (
    SELECT
        sums.*,
        EXACT_RATIO(sums.score_sum, sums.scored_n) AS scored_overall,
        EXACT_RATIO(sums.score_sum, sums.tasks_n) AS overall_lo,
        EXACT_RATIO(sums.score_sum + sums.unjudged_n, sums.tasks_n) AS overall_hi
    FROM sums
)

SELECT
    figures.run_id,
    current_labels.label,
    runs.model,
    run_classes.class_id,
    figures.tasks_n,
    figures.scored_overall,
    figures.scored_n,
    CASE WHEN figures.unjudged_n = 0 THEN figures.overall_lo END AS all_tasks_overall,
    CASE WHEN figures.unjudged_n = 0 THEN figures.overall_lo END AS overall,
    figures.overall_lo,
    figures.overall_hi,
    figures.out_of_context_n,
    figures.empty_n,
    figures.refused_n,
    figures.failed_n,
    figures.missing_n,
    figures.unjudged_n,
    figures.failed_n + figures.missing_n + figures.unjudged_n = 0 AS complete
FROM figures
INNER JOIN runs
    ON figures.run_id = runs.run_id
INNER JOIN run_classes
    ON figures.run_id = run_classes.run_id
LEFT JOIN current_labels
    ON figures.run_id = current_labels.run_id;
COMMENT ON VIEW run_scores IS 'One row per run';
COMMENT ON COLUMN run_scores.run_id IS 'The run';
COMMENT ON COLUMN run_scores.label IS 'Its latest label';
COMMENT ON COLUMN run_scores.model IS 'Model name as sent';
COMMENT ON COLUMN run_scores.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN run_scores.tasks_n IS 'Tasks of the dataset, the denominator of All-N';
COMMENT ON COLUMN run_scores.scored_overall IS 'Scored: mean of panel_score over the tasks scored by the whole panel';
COMMENT ON COLUMN run_scores.scored_n IS 'Number of those tasks';
COMMENT ON COLUMN run_scores.all_tasks_overall IS 'All-N: sum of final_score / tasks_n; NULL while an answered task lacks a judge';
COMMENT ON COLUMN run_scores.overall IS 'The same figure as all_tasks_overall';
COMMENT ON COLUMN run_scores.overall_lo IS 'All-N if every unjudged task got 0';
COMMENT ON COLUMN run_scores.overall_hi IS 'All-N if every unjudged task got 1';
COMMENT ON COLUMN run_scores.out_of_context_n IS 'Tasks whose document is over the cap: zero, never sent';
COMMENT ON COLUMN run_scores.empty_n IS 'Tasks with empty output: zero';
COMMENT ON COLUMN run_scores.refused_n IS 'Tasks that were refused: zero';
COMMENT ON COLUMN run_scores.failed_n IS 'Tasks asked without a usable reply yet: zero, resumable';
COMMENT ON COLUMN run_scores.missing_n IS 'Tasks never asked: zero, resumable';
COMMENT ON COLUMN run_scores.unjudged_n IS 'Answered tasks that lack a judge';
COMMENT ON COLUMN run_scores.complete IS 'Nothing failed, missing or unjudged';
