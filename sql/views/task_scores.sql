-- The score of each task of a run: the panel mean once every judge has succeeded (protocol sections 4 and 5).
CREATE OR REPLACE VIEW task_scores AS
WITH panel_sizes AS (
    SELECT
        panel_fingerprint,
        COUNT(*) AS judges_required
    FROM panel_judges
    GROUP BY panel_fingerprint
),

panel_sums AS (
    SELECT
        judge_requests.run_id,
        judge_requests.task_id,
        judge_requests.response_sha256,
        COUNT(effective_verdicts.total) AS judges_done,
        SUM(effective_verdicts.total) AS total_sum
    FROM judge_requests
    INNER JOIN effective_verdicts
        ON judge_requests.request_key = effective_verdicts.request_key
    GROUP BY
        judge_requests.run_id,
        judge_requests.task_id,
        judge_requests.response_sha256
),

panel_scores AS (
    SELECT
        task_states.run_id,
        runs.model,
        task_states.task_id,
        task_states.status,
        COALESCE(panel_sizes.judges_required, 0) AS judges_required,
        COALESCE(panel_sums.judges_done, 0) AS judges_done,
        CASE
            WHEN task_states.status = 'answered' AND panel_sums.judges_done = panel_sizes.judges_required
                THEN EXACT_RATIO(panel_sums.total_sum, task_points.points_possible * panel_sizes.judges_required)
        END AS panel_score
    FROM task_states
    INNER JOIN runs
        ON task_states.run_id = runs.run_id
    INNER JOIN task_points
        ON task_states.task_sha256 = task_points.task_sha256
    LEFT JOIN panel_sizes
        ON runs.panel_fingerprint = panel_sizes.panel_fingerprint
    LEFT JOIN panel_sums
        ON
            task_states.run_id = panel_sums.run_id
            AND task_states.task_id = panel_sums.task_id
            AND task_states.response_sha256 = panel_sums.response_sha256
)

SELECT
    panel_scores.run_id,
    panel_scores.model,
    panel_scores.task_id,
    run_classes.class_id,
    CASE
        WHEN panel_scores.status <> 'answered' THEN panel_scores.status
        WHEN panel_scores.panel_score IS NOT NULL THEN 'scored'
        ELSE 'unjudged'
    END AS status,
    panel_scores.judges_required,
    panel_scores.judges_done,
    panel_scores.panel_score,
    CASE
        WHEN panel_scores.status = 'answered' THEN panel_scores.panel_score
        ELSE CAST(0 AS DECIMAL(18, 9))
    END AS final_score
FROM panel_scores
INNER JOIN run_classes
    ON panel_scores.run_id = run_classes.run_id;
COMMENT ON VIEW task_scores IS 'One row per run and task of its dataset';
COMMENT ON COLUMN task_scores.run_id IS 'The run';
COMMENT ON COLUMN task_scores.model IS 'Model name as sent';
COMMENT ON COLUMN task_scores.task_id IS 'The task id';
COMMENT ON COLUMN task_scores.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN task_scores.status IS 'scored, unjudged, out_of_context, empty, refused, failed or missing';
COMMENT ON COLUMN task_scores.judges_required IS 'Judges on the panel';
COMMENT ON COLUMN task_scores.judges_done IS 'Judges with a verdict';
COMMENT ON COLUMN task_scores.panel_score IS 'Simple mean of the judges scores, exact, once the whole panel has succeeded';
COMMENT ON COLUMN task_scores.final_score IS 'panel_score where scored, 0 where the protocol fills zero, NULL while unjudged';
