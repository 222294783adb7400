-- What a run would ask, written before its first call.
CREATE TABLE IF NOT EXISTS run_requests (
    run_id VARCHAR NOT NULL,
    task_id VARCHAR NOT NULL,
    task_sha256 VARCHAR NOT NULL,
    cap_chars BIGINT NOT NULL,
    cap_source VARCHAR NOT NULL,
    prompt_sha256 VARCHAR,
    request_key VARCHAR
);
COMMENT ON TABLE run_requests IS 'One row per run and task of its dataset';
COMMENT ON COLUMN run_requests.run_id IS 'The run';
COMMENT ON COLUMN run_requests.task_id IS 'The task id';
COMMENT ON COLUMN run_requests.task_sha256 IS 'The task';
COMMENT ON COLUMN run_requests.cap_chars IS 'The cap in characters that applies to the document of this task';
COMMENT ON COLUMN run_requests.cap_source IS 'protocol, config, probed or default: where the cap comes from';
COMMENT ON COLUMN run_requests.prompt_sha256 IS 'The answer prompt; NULL where the document is out of context';
COMMENT ON COLUMN run_requests.request_key IS 'Key of the request; NULL where the document is out of context';
