-- Each judge on each answered task of a run (protocol section 4).
CREATE OR REPLACE VIEW judge_scores AS
WITH reply_counts AS (
    SELECT
        judge_requests.run_id,
        judge_requests.request_key,
        COUNT(DISTINCT judge_replies.attempt_key) AS tries
    FROM judge_requests
    INNER JOIN judge_replies
        ON judge_requests.request_key = judge_replies.request_key
    GROUP BY
        judge_requests.run_id,
        judge_requests.request_key
),

sharing AS (
    SELECT
        judge_requests.run_id,
        judge_requests.request_key,
        COUNT(DISTINCT others.run_id) AS runs_n
    FROM judge_requests
    INNER JOIN judge_requests AS others
        ON judge_requests.request_key = others.request_key
    GROUP BY
        judge_requests.run_id,
        judge_requests.request_key
)

SELECT
    judge_totals.run_id,
    judge_totals.model,
    judge_totals.task_id,
    panel_judge_names.judge,
    judge_totals.judge_fingerprint,
    judge_totals.class_id,
    CASE
        WHEN judge_totals.total IS NOT NULL THEN 'ok'
        WHEN reply_counts.tries > 0 THEN 'unparsed'
        WHEN failed_requests.request_key IS NOT NULL THEN 'failed'
        ELSE 'missing'
    END AS status,
    judge_totals.total,
    judge_totals.points_possible,
    EXACT_RATIO(judge_totals.total, judge_totals.points_possible) AS score,
    judge_totals.reply_sha256,
    judge_totals.request_key,
    COALESCE(reply_counts.tries, 0) AS tries,
    judge_totals.total_matches_points,
    judge_totals.points_count_matches,
    COALESCE(sharing.runs_n, 0) AS verdict_shared_n
FROM judge_totals
INNER JOIN runs
    ON judge_totals.run_id = runs.run_id
INNER JOIN panel_judge_names
    ON
        runs.panel_fingerprint = panel_judge_names.panel_fingerprint
        AND judge_totals.judge_fingerprint = panel_judge_names.judge_fingerprint
LEFT JOIN reply_counts
    ON
        judge_totals.run_id = reply_counts.run_id
        AND judge_totals.request_key = reply_counts.request_key
LEFT JOIN failed_requests
    ON judge_totals.request_key = failed_requests.request_key
LEFT JOIN sharing
    ON
        judge_totals.run_id = sharing.run_id
        AND judge_totals.request_key = sharing.request_key;
COMMENT ON VIEW judge_scores IS 'One row per run, answered task and judge of its panel';
COMMENT ON COLUMN judge_scores.run_id IS 'The run';
COMMENT ON COLUMN judge_scores.model IS 'Model name as sent';
COMMENT ON COLUMN judge_scores.task_id IS 'The task id';
COMMENT ON COLUMN judge_scores.judge IS 'Name of the judge within the panel';
COMMENT ON COLUMN judge_scores.judge_fingerprint IS 'The judge';
COMMENT ON COLUMN judge_scores.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN judge_scores.status IS 'ok, unparsed (replies, none readable), failed (asked, no reply) or missing (never asked)';
COMMENT ON COLUMN judge_scores.total IS 'The total that the judge gave; NULL unless ok';
COMMENT ON COLUMN judge_scores.points_possible IS 'Sum of the points of the rubric';
COMMENT ON COLUMN judge_scores.score IS 'total / points_possible, exact, rounded once to 9 decimals, half away from zero';
COMMENT ON COLUMN judge_scores.reply_sha256 IS 'The reply that counts';
COMMENT ON COLUMN judge_scores.request_key IS 'The judge request';
COMMENT ON COLUMN judge_scores.tries IS 'Replies of this judge for this answer, readable or not';
COMMENT ON COLUMN judge_scores.total_matches_points IS 'Whether the total is the sum of the points listed; NULL where none are';
COMMENT ON COLUMN judge_scores.points_count_matches IS 'Whether there are as many points as criteria; NULL where none are';
COMMENT ON COLUMN judge_scores.verdict_shared_n IS 'Runs that share this judge request since the judge prompt is the same';
