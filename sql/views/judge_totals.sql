-- Each judge of the panel on each answered task of a run, with its total where there is one.
CREATE OR REPLACE VIEW judge_totals AS
SELECT
    task_states.run_id,
    runs.model,
    run_classes.class_id,
    task_states.task_id,
    task_states.task_sha256,
    task_states.response_sha256,
    panel_judges.judge_fingerprint,
    judge_requests.request_key,
    effective_verdicts.reply_sha256,
    effective_verdicts.total,
    effective_verdicts.total_matches_points,
    effective_verdicts.points_count_matches,
    task_points.points_possible
FROM task_states
INNER JOIN runs
    ON task_states.run_id = runs.run_id
INNER JOIN run_classes
    ON task_states.run_id = run_classes.run_id
INNER JOIN panel_judges
    ON runs.panel_fingerprint = panel_judges.panel_fingerprint
INNER JOIN task_points
    ON task_states.task_sha256 = task_points.task_sha256
LEFT JOIN judge_requests
    ON
        task_states.run_id = judge_requests.run_id
        AND task_states.task_id = judge_requests.task_id
        AND task_states.response_sha256 = judge_requests.response_sha256
        AND panel_judges.judge_fingerprint = judge_requests.judge_fingerprint
LEFT JOIN effective_verdicts
    ON judge_requests.request_key = effective_verdicts.request_key
WHERE task_states.status = 'answered';
COMMENT ON VIEW judge_totals IS 'One row per run, answered task and judge of its panel';
COMMENT ON COLUMN judge_totals.run_id IS 'The run';
COMMENT ON COLUMN judge_totals.model IS 'Model name as sent';
COMMENT ON COLUMN judge_totals.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN judge_totals.task_id IS 'The task id';
COMMENT ON COLUMN judge_totals.task_sha256 IS 'The task';
COMMENT ON COLUMN judge_totals.response_sha256 IS 'The answer that is graded';
COMMENT ON COLUMN judge_totals.judge_fingerprint IS 'The judge';
COMMENT ON COLUMN judge_totals.request_key IS 'The judge request; NULL where it was never planned';
COMMENT ON COLUMN judge_totals.reply_sha256 IS 'The reply that counts; NULL where there is no verdict';
COMMENT ON COLUMN judge_totals.total IS 'Its total; NULL where there is no verdict';
COMMENT ON COLUMN judge_totals.total_matches_points IS 'Whether the total is the sum of the points listed';
COMMENT ON COLUMN judge_totals.points_count_matches IS 'Whether there are as many points as criteria';
COMMENT ON COLUMN judge_totals.points_possible IS 'Sum of the points of the rubric';
