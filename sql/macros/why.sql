-- Where a task's score comes from: one row per piece of evidence, in the order in which one led to the next.
CREATE OR REPLACE MACRO why(the_run, the_task) AS TABLE
WITH asked AS MATERIALIZED (
    SELECT
        run_id,
        task_id,
        prompt_sha256,
        request_key
    FROM run_requests
    WHERE
        run_id = the_run
        AND task_id = the_task
),

state AS (
    SELECT
        status,
        document_chars,
        cap_chars,
        cap_source,
        response_sha256
    FROM task_states
    WHERE
        run_id = the_run
        AND task_id = the_task
),

judged AS MATERIALIZED (
    SELECT
        judge_scores.judge,
        judge_scores.status,
        judge_scores.total,
        judge_scores.request_key,
        judge_scores.reply_sha256,
        judge_requests.prompt_sha256
    FROM judge_scores
    LEFT JOIN judge_requests
        ON
            judge_scores.run_id = judge_requests.run_id
            AND judge_scores.task_id = judge_requests.task_id
            AND judge_scores.request_key = judge_requests.request_key
            AND judge_scores.judge_fingerprint = judge_requests.judge_fingerprint
    WHERE
        judge_scores.run_id = the_run
        AND judge_scores.task_id = the_task
),

pieces AS (
    SELECT
        1 AS step,
        'document' AS piece,
        '' AS judge,
        CAST(NULL AS VARCHAR) AS status,
        CAST(NULL AS DECIMAL(18, 9)) AS value,
        state.document_chars || ' characters, cap ' || state.cap_chars || ' (' || state.cap_source || ')' AS detail,
        CAST(NULL AS TIMESTAMP) AS at,
        CAST(NULL AS VARCHAR) AS sha256,
        CAST(NULL AS VARCHAR) AS request_key,
        CAST(NULL AS VARCHAR) AS attempt_key
    FROM state
    UNION ALL
    SELECT
        2 AS step,
        'prompt' AS piece,
        '' AS judge,
        NULL AS status,
        NULL AS value,
        NULL AS detail,
        NULL AS at,
        asked.prompt_sha256 AS sha256,
        asked.request_key,
        NULL AS attempt_key
    FROM asked
    WHERE asked.request_key IS NOT NULL
    UNION ALL
    SELECT
        3 AS step,
        'attempt' AS piece,
        '' AS judge,
        COALESCE(attempts.error, 'ok') AS status,
        NULL AS value,
        'HTTP ' || COALESCE(CAST(attempts.status AS VARCHAR), 'no response')
        || COALESCE(', ' || attempts.error_detail, '')
        || COALESCE(', request id ' || (attempts.headers ->> '$."x-request-id"'), '') AS detail,
        attempts.started_at AS at,
        NULL AS sha256,
        attempts.request_key,
        attempts.attempt_key
    FROM asked
    INNER JOIN attempts
        ON asked.request_key = attempts.request_key
    UNION ALL
    SELECT
        4 AS step,
        'response' AS piece,
        '' AS judge,
        responses.status,
        NULL AS value,
        'finish_reason ' || COALESCE(responses.finish_reason, 'unsaid')
        || COALESCE(', served by ' || responses.served_model, '') AS detail,
        responses.ended_at AS at,
        responses.response_sha256 AS sha256,
        responses.request_key,
        responses.attempt_key
    FROM asked
    INNER JOIN effective_responses
        ON asked.request_key = effective_responses.request_key
    INNER JOIN responses
        ON
            effective_responses.request_key = responses.request_key
            AND effective_responses.attempt_key = responses.attempt_key
    UNION ALL
    SELECT
        5 AS step,
        'judge prompt' AS piece,
        judged.judge,
        NULL AS status,
        NULL AS value,
        NULL AS detail,
        NULL AS at,
        judged.prompt_sha256 AS sha256,
        judged.request_key,
        NULL AS attempt_key
    FROM judged
    UNION ALL
    SELECT
        6 AS step,
        'judge attempt' AS piece,
        judged.judge,
        COALESCE(attempts.error, verdicts.status, 'ok') AS status,
        verdicts.total AS value,
        'HTTP ' || COALESCE(CAST(attempts.status AS VARCHAR), 'no response')
        || COALESCE(', ' || attempts.error_detail, '')
        || COALESCE(', ' || verdicts.reason, '')
        || COALESCE(', request id ' || (attempts.headers ->> '$."x-request-id"'), '') AS detail,
        attempts.started_at AS at,
        verdicts.reply_sha256 AS sha256,
        attempts.request_key,
        attempts.attempt_key
    FROM judged
    INNER JOIN attempts
        ON judged.request_key = attempts.request_key
    LEFT JOIN ledger_meta AS parser
        ON parser.name = 'parser_version'
    LEFT JOIN verdicts
        ON
            attempts.request_key = verdicts.request_key
            AND attempts.attempt_key = verdicts.attempt_key
            AND parser.value = verdicts.parser_version
    UNION ALL
    SELECT
        7 AS step,
        'verdict' AS piece,
        judged.judge,
        judged.status,
        judged.total AS value,
        'the earliest valid reply' AS detail,
        NULL AS at,
        judged.reply_sha256 AS sha256,
        judged.request_key,
        NULL AS attempt_key
    FROM judged
    UNION ALL
    SELECT
        8 AS step,
        'score' AS piece,
        '' AS judge,
        status,
        final_score AS value,
        judges_done || ' of ' || judges_required || ' judges' AS detail,
        NULL AS at,
        NULL AS sha256,
        NULL AS request_key,
        NULL AS attempt_key
    FROM task_scores
    WHERE
        run_id = the_run
        AND task_id = the_task
)

SELECT
    pieces.step,
    pieces.piece,
    pieces.judge,
    pieces.status,
    pieces.value,
    pieces.detail,
    pieces.at,
    pieces.sha256,
    pieces.request_key,
    pieces.attempt_key
FROM pieces
ORDER BY
    CASE WHEN pieces.step BETWEEN 5 AND 7 THEN 5 ELSE pieces.step END,
    pieces.judge,
    pieces.step,
    pieces.at;
COMMENT ON MACRO TABLE why IS 'Of a run id and a task id: one row per piece of evidence behind the score'; -- noqa: PRS
