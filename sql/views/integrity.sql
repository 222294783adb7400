-- Evidence that contradicts itself: rows whose hash is not that of their text, or that hang in the air.
CREATE OR REPLACE VIEW integrity AS
SELECT
    'documents' AS subject,
    document_sha256 AS row_key,
    'the text has another hash' AS problem
FROM documents
WHERE SHA256(text) <> document_sha256
UNION ALL
SELECT
    'responses' AS subject,
    request_key AS row_key,
    'the text has another hash' AS problem
FROM responses
WHERE SHA256(text) <> response_sha256
UNION ALL
SELECT
    'judge_replies' AS subject,
    request_key AS row_key,
    'the text has another hash' AS problem
FROM judge_replies
WHERE SHA256(text) <> reply_sha256
UNION ALL
SELECT
    'configs' AS subject,
    runs.run_id AS row_key,
    'the run names a config that is not there' AS problem
FROM runs
WHERE
    (
        SELECT COUNT(*)
        FROM configs
        WHERE
            configs.fingerprint IN (
                runs.route_fingerprint, runs.caps_fingerprint, runs.cap_rule_fingerprint, runs.prompt_template_fingerprint,
                runs.retry_policy_fingerprint, runs.judge_template_fingerprint, runs.panel_fingerprint
            )
    ) < 7
UNION ALL
SELECT
    'run_requests' AS subject,
    run_requests.run_id || ' ' || run_requests.task_id AS row_key,
    'the task or its document is not there' AS problem
FROM run_requests
LEFT JOIN tasks
    ON run_requests.task_sha256 = tasks.task_sha256
LEFT JOIN documents
    ON tasks.document_sha256 = documents.document_sha256
WHERE documents.document_sha256 IS NULL
UNION ALL
SELECT
    'run_requests' AS subject,
    runs.run_id AS row_key,
    'the run has not one row for each task of its dataset' AS problem
FROM runs
INNER JOIN datasets
    ON runs.dataset_sha256 = datasets.dataset_sha256
LEFT JOIN run_requests
    ON runs.run_id = run_requests.run_id
GROUP BY
    runs.run_id,
    datasets.tasks_n
HAVING COUNT(DISTINCT run_requests.task_id) <> datasets.tasks_n OR COUNT(run_requests.task_id) <> datasets.tasks_n
UNION ALL
SELECT
    'responses' AS subject,
    responses.request_key AS row_key,
    'no HTTP exchange behind a response that is not imported' AS problem
FROM responses
INNER JOIN run_requests
    ON responses.request_key = run_requests.request_key
INNER JOIN runs
    ON
        run_requests.run_id = runs.run_id
        AND NOT runs.is_imported
WHERE
    NOT EXISTS (
        SELECT 1
        FROM attempts
        WHERE attempts.attempt_key = responses.attempt_key
    )
UNION ALL
SELECT
    'judge_replies' AS subject,
    judge_replies.request_key AS row_key,
    'no HTTP exchange behind a judge reply' AS problem
FROM judge_replies
WHERE
    NOT EXISTS (
        SELECT 1
        FROM attempts
        WHERE attempts.attempt_key = judge_replies.attempt_key
    )
UNION ALL
SELECT
    'verdicts' AS subject,
    verdicts.request_key AS row_key,
    'no judge reply behind a verdict' AS problem
FROM verdicts
WHERE
    NOT EXISTS (
        SELECT 1
        FROM judge_replies
        WHERE
            judge_replies.attempt_key = verdicts.attempt_key
            AND judge_replies.reply_sha256 = verdicts.reply_sha256
    )
UNION ALL
SELECT
    'verdicts' AS subject,
    request_key AS row_key,
    'two verdicts count on one request' AS problem
FROM effective_verdicts
GROUP BY request_key
HAVING COUNT(*) > 1
UNION ALL
SELECT
    'responses' AS subject,
    request_key AS row_key,
    'two responses count for one request' AS problem
FROM effective_responses
GROUP BY request_key
HAVING COUNT(*) > 1
UNION ALL
SELECT
    'attempts' AS subject,
    attempt_key AS row_key,
    'the same HTTP exchange twice' AS problem
FROM attempts
GROUP BY attempt_key
HAVING COUNT(*) > 1;
COMMENT ON VIEW integrity IS 'One row per contradiction in the evidence; none in a sound ledger';
COMMENT ON COLUMN integrity.subject IS 'The table';
COMMENT ON COLUMN integrity.row_key IS 'Which of its rows';
COMMENT ON COLUMN integrity.problem IS 'What is wrong';
