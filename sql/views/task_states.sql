-- What became of each task of a run (protocol sections 2, 3 and 5): what figures are made of.
CREATE OR REPLACE VIEW task_states AS
SELECT
    run_requests.run_id,
    run_requests.task_id,
    run_requests.task_sha256,
    documents.chars AS document_chars,
    documents.cjk_head_n > 20 AS is_cjk,
    run_requests.cap_chars,
    run_requests.cap_source,
    CASE
        WHEN documents.chars > run_requests.cap_chars THEN 'out_of_context'
        WHEN effective_responses.status IS NOT NULL THEN effective_responses.status
        WHEN failed_requests.request_key IS NOT NULL THEN 'failed'
        ELSE 'missing'
    END AS status,
    run_requests.request_key,
    effective_responses.response_sha256,
    effective_responses.finish_reason
FROM run_requests
INNER JOIN tasks
    ON run_requests.task_sha256 = tasks.task_sha256
INNER JOIN documents
    ON tasks.document_sha256 = documents.document_sha256
LEFT JOIN effective_responses
    ON run_requests.request_key = effective_responses.request_key
LEFT JOIN failed_requests
    ON run_requests.request_key = failed_requests.request_key;
COMMENT ON VIEW task_states IS 'One row per run and task of its dataset';
COMMENT ON COLUMN task_states.run_id IS 'The run';
COMMENT ON COLUMN task_states.task_id IS 'The task id';
COMMENT ON COLUMN task_states.task_sha256 IS 'The task';
COMMENT ON COLUMN task_states.document_chars IS 'Length of the document in characters';
COMMENT ON COLUMN task_states.is_cjk IS 'Whether the cjk cap applies';
COMMENT ON COLUMN task_states.cap_chars IS 'The cap in characters that applies';
COMMENT ON COLUMN task_states.cap_source IS 'protocol, config, probed or default';
COMMENT ON COLUMN task_states.status IS 'out_of_context, answered, empty, refused, failed (asked, no usable reply yet) or missing (never asked)';
COMMENT ON COLUMN task_states.request_key IS 'The request; NULL where out of context';
COMMENT ON COLUMN task_states.response_sha256 IS 'The response that counts; NULL where there is none';
COMMENT ON COLUMN task_states.finish_reason IS 'As the provider gave it';
