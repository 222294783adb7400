-- Each judge of the panel on each answered task of a run, with its total where there is one.
CREATE OR REPLACE VIEW judge_totals AS
SELECT
    run_tasks.run_id,
    run_tasks.model,
    run_tasks.task_id,
    run_tasks.task_sha256,
    run_tasks.response_sha256,
    panel_judges.judge_fingerprint,
    judge_requests.request_key,
    effective_verdicts.reply_sha256,
    effective_verdicts.total,
    effective_verdicts.total_matches_points,
    effective_verdicts.points_count_matches,
    task_points.points_possible
FROM run_tasks
INNER JOIN runs
    ON run_tasks.run_id = runs.run_id
INNER JOIN panel_judges
    ON runs.panel_fingerprint = panel_judges.panel_fingerprint
INNER JOIN task_points
    ON run_tasks.task_sha256 = task_points.task_sha256
LEFT JOIN judge_requests
    ON
        run_tasks.run_id = judge_requests.run_id
        AND run_tasks.task_id = judge_requests.task_id
        AND run_tasks.response_sha256 = judge_requests.response_sha256
        AND panel_judges.judge_fingerprint = judge_requests.judge_fingerprint
LEFT JOIN effective_verdicts
    ON judge_requests.request_key = effective_verdicts.request_key
WHERE run_tasks.status = 'answered';
COMMENT ON VIEW judge_totals IS 'One row per run, answered task and judge of its panel';
COMMENT ON COLUMN judge_totals.run_id IS 'The run';
COMMENT ON COLUMN judge_totals.model IS 'Model name as sent';
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
