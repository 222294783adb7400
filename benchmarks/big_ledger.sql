-- One answer to each request of each run, one reply and verdict of each judge, and an HTTP exchange behind each.
CREATE TEMP TABLE answered AS
SELECT
    run_requests.run_id,
    run_requests.task_id,
    run_requests.task_sha256,
    run_requests.request_key,
    'Answer of ' || runs.model || ' to ' || run_requests.task_id || '. ' || REPEAT('It names the item and the year. ', 8) AS text,
    TIMESTAMP '2026-01-01' + TO_SECONDS(ROW_NUMBER() OVER ()) AS ended_at
FROM run_requests
INNER JOIN runs
    ON run_requests.run_id = runs.run_id;

INSERT INTO responses
SELECT
    request_key,
    SHA256(text),
    'answered',
    text,
    'stop',
    'bench',
    NULL,
    NULL,
    NULL,
    1000,
    100,
    NULL,
    ended_at,
    SHA256('answer ' || request_key)
FROM answered;

INSERT INTO attempts
SELECT
    SHA256('answer ' || request_key),
    request_key,
    'answer',
    ended_at - INTERVAL 1 SECOND,
    ended_at,
    200,
    '{}',
    ENCODE('{"model":"bench","choices":[{"finish_reason":"stop","message":{"content":"' || text || '"}}]}'),
    NULL,
    NULL
FROM answered;

INSERT INTO prompts
SELECT
    SHA256('judge prompt ' || answered.request_key),
    'judge',
    runs.judge_template_fingerprint,
    answered.task_sha256,
    SHA256(answered.text),
    1000
FROM answered
INNER JOIN runs
    ON answered.run_id = runs.run_id;

CREATE TEMP TABLE judged AS
SELECT
    answered.run_id,
    answered.task_id,
    panel_judges.judge_fingerprint,
    SHA256(answered.text) AS response_sha256,
    SHA256('judge prompt ' || answered.request_key) AS prompt_sha256,
    SHA256(panel_judges.judge_fingerprint || answered.request_key) AS request_key,
    answered.ended_at,
    HASH(answered.request_key || panel_judges.judge_fingerprint) % 61 AS first_points,
    HASH(panel_judges.judge_fingerprint || answered.request_key) % 41 AS second_points
FROM answered
INNER JOIN runs
    ON answered.run_id = runs.run_id
INNER JOIN panel_judges
    ON runs.panel_fingerprint = panel_judges.panel_fingerprint;

CREATE TEMP TABLE replied AS
SELECT
    *,
    '{"points_awarded":[' || first_points || ',' || second_points || '],"total":' || (first_points + second_points) || '}' AS text
FROM judged;

INSERT INTO judge_requests
SELECT
    run_id,
    task_id,
    judge_fingerprint,
    response_sha256,
    prompt_sha256,
    request_key
FROM replied;

INSERT INTO judge_replies
SELECT
    request_key,
    SHA256(text),
    text,
    'stop',
    'bench',
    NULL,
    NULL,
    NULL,
    1000,
    20,
    NULL,
    ended_at,
    SHA256('judge ' || request_key)
FROM replied;

INSERT INTO attempts
SELECT
    SHA256('judge ' || request_key),
    request_key,
    'judge',
    ended_at,
    ended_at,
    200,
    '{}',
    ENCODE('{"model":"bench","choices":[{"finish_reason":"stop","message":{"content":"' || REPLACE(text, '"', '\"') || '"}}]}'),
    NULL,
    NULL
FROM replied;

INSERT INTO verdicts
SELECT
    replied.request_key,
    SHA256('judge ' || replied.request_key),
    SHA256(replied.text),
    parser.value,
    'ok',
    NULL,
    replied.first_points + replied.second_points,
    '["' || replied.first_points || '", "' || replied.second_points || '"]',
    TRUE,
    TRUE,
    replied.ended_at
FROM replied
INNER JOIN ledger_meta AS parser
    ON parser.name = 'parser_version';
