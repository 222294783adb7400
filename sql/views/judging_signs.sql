-- What a run's judge replies tell that a reader of its figures should know.
CREATE OR REPLACE VIEW judging_signs AS
WITH reply_counts AS (
    SELECT
        judge_replies.request_key,
        COUNT(*) AS replies_n,
        COUNT(CASE WHEN verdicts.status = 'ok' THEN 1 END) AS valid_n,
        MIN(judge_replies.served_model) AS served_model,
        MAX(judge_replies.served_model) AS last_served_model
    FROM judge_replies
    INNER JOIN ledger_meta AS parser
        ON parser.name = 'parser_version'
    INNER JOIN verdicts
        ON
            judge_replies.request_key = verdicts.request_key
            AND judge_replies.attempt_key = verdicts.attempt_key
            AND parser.value = verdicts.parser_version
    GROUP BY judge_replies.request_key
),

judge_counts AS (
    SELECT
        judge_totals.run_id,
        panel_judges.model AS judge,
        COUNT(CASE WHEN NOT judge_totals.total_matches_points THEN 1 END) AS contradictions_n,
        COUNT(CASE WHEN reply_counts.replies_n > 1 AND judge_totals.total IS NOT NULL THEN 1 END) AS several_tries_n,
        COUNT(CASE WHEN reply_counts.valid_n > 1 THEN 1 END) AS several_valid_n,
        COALESCE(SUM(reply_counts.replies_n), 0) AS replies_n,
        COALESCE(SUM(reply_counts.replies_n - reply_counts.valid_n), 0) AS unparsed_n,
        COUNT(
            CASE
                WHEN
                    reply_counts.served_model <> panel_judges.model
                    OR reply_counts.last_served_model <> panel_judges.model
                    THEN 1
            END
        ) AS other_model_n,
        MAX(CASE WHEN reply_counts.served_model <> panel_judges.model THEN reply_counts.served_model END) AS other_model
    FROM judge_totals
    INNER JOIN runs
        ON judge_totals.run_id = runs.run_id
    INNER JOIN panel_judges
        ON
            runs.panel_fingerprint = panel_judges.panel_fingerprint
            AND judge_totals.judge_fingerprint = panel_judges.judge_fingerprint
    LEFT JOIN reply_counts
        ON judge_totals.request_key = reply_counts.request_key
    GROUP BY
        judge_totals.run_id,
        panel_judges.model
)

SELECT
    run_id,
    'total_contradicts_points' AS dimension,
    judge AS subject,
    contradictions_n || ' verdicts' AS sign
FROM judge_counts
WHERE contradictions_n > 0
UNION ALL
SELECT
    run_id,
    'several_tries' AS dimension,
    judge AS subject,
    several_tries_n || ' verdicts' AS sign
FROM judge_counts
WHERE several_tries_n > 0
UNION ALL
SELECT
    run_id,
    'several_valid_verdicts' AS dimension,
    judge AS subject,
    several_valid_n || ' requests' AS sign
FROM judge_counts
WHERE several_valid_n > 0
UNION ALL
SELECT
    run_id,
    'unparsed_rate' AS dimension,
    judge AS subject,
    unparsed_n || ' of ' || replies_n || ' replies' AS sign
FROM judge_counts
WHERE 50 * unparsed_n > replies_n
UNION ALL
SELECT
    run_id,
    'judge_served_model' AS dimension,
    judge AS subject,
    other_model_n || ' replies from ' || COALESCE(other_model, 'another model') AS sign
FROM judge_counts
WHERE other_model_n > 0;
COMMENT ON VIEW judging_signs IS 'One row per run, judge and finding';
COMMENT ON COLUMN judging_signs.run_id IS 'The run';
COMMENT ON COLUMN judging_signs.dimension IS 'The kind of finding, explained in finding_words';
COMMENT ON COLUMN judging_signs.subject IS 'The judge';
COMMENT ON COLUMN judging_signs.sign IS 'What was seen';
