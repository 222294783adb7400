-- What became of each task of a run, with its model and how often it was asked (protocol sections 2, 3 and 5).
CREATE OR REPLACE VIEW run_tasks AS
SELECT
    task_states.run_id,
    runs.model,
    task_states.task_id,
    task_states.task_sha256,
    task_states.document_chars,
    task_states.is_cjk,
    task_states.cap_chars,
    task_states.cap_source,
    task_states.status,
    task_states.request_key,
    task_states.response_sha256,
    task_states.finish_reason,
    COALESCE(request_attempts.attempts_n, 0) AS attempts_n
FROM task_states
INNER JOIN runs
    ON task_states.run_id = runs.run_id
LEFT JOIN request_attempts
    ON task_states.request_key = request_attempts.request_key;
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
