-- What became of each task of a run (protocol sections 2, 3 and 5).
CREATE OR REPLACE VIEW run_tasks AS
SELECT
    run_requests.run_id,
    runs.model,
    run_requests.task_id,
    run_requests.task_sha256,
    documents.chars AS document_chars,
    documents.cjk_head_n > 20 AS is_cjk,
    run_requests.cap_chars,
    run_requests.cap_source,
    CASE
        WHEN documents.chars > run_requests.cap_chars THEN 'out_of_context'
        WHEN effective_responses.status IS NOT NULL THEN effective_responses.status
        WHEN request_attempts.attempts_n > 0 THEN 'failed'
        ELSE 'missing'
    END AS status,
    run_requests.request_key,
    effective_responses.response_sha256,
    effective_responses.finish_reason,
    COALESCE(request_attempts.attempts_n, 0) AS attempts_n
FROM run_requests
INNER JOIN runs
    ON run_requests.run_id = runs.run_id
INNER JOIN tasks
    ON run_requests.task_sha256 = tasks.task_sha256
INNER JOIN documents
    ON tasks.document_sha256 = documents.document_sha256
LEFT JOIN effective_responses
    ON run_requests.request_key = effective_responses.request_key
LEFT JOIN request_attempts
    ON run_requests.request_key = request_attempts.request_key;
COMMENT ON VIEW run_tasks IS 'One row per run and task of its dataset';
COMMENT ON COLUMN run_tasks.run_id IS 'The run';
COMMENT ON COLUMN run_tasks.model IS 'Model name as sent';
COMMENT ON COLUMN run_tasks.task_id IS 'The task id';
COMMENT ON COLUMN run_tasks.task_sha256 IS 'The task';
COMMENT ON COLUMN run_tasks.document_chars IS 'Length of the document in characters';
COMMENT ON COLUMN run_tasks.is_cjk IS 'Whether the cjk cap applies';
COMMENT ON COLUMN run_tasks.cap_chars IS 'The cap in characters that applies';
COMMENT ON COLUMN run_tasks.cap_source IS 'protocol, config, probed or default';
COMMENT ON COLUMN run_tasks.status IS 'out_of_context, answered, empty, refused, failed (asked, no usable reply yet) or missing (never asked)';
COMMENT ON COLUMN run_tasks.request_key IS 'The request; NULL where out of context';
COMMENT ON COLUMN run_tasks.response_sha256 IS 'The response that counts; NULL where there is none';
COMMENT ON COLUMN run_tasks.finish_reason IS 'As the provider gave it';
COMMENT ON COLUMN run_tasks.attempts_n IS 'HTTP exchanges for this request';
