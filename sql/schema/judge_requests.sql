-- Which judge request grades which answer of a run, written before the call.
CREATE TABLE IF NOT EXISTS judge_requests (
    run_id VARCHAR NOT NULL,
    task_id VARCHAR NOT NULL,
    judge_fingerprint VARCHAR NOT NULL,
    response_sha256 VARCHAR NOT NULL,
    prompt_sha256 VARCHAR NOT NULL,
    request_key VARCHAR NOT NULL
);
COMMENT ON TABLE judge_requests IS 'One row per run, task, judge and answer';
COMMENT ON COLUMN judge_requests.run_id IS 'The run';
COMMENT ON COLUMN judge_requests.task_id IS 'The task id';
COMMENT ON COLUMN judge_requests.judge_fingerprint IS 'The judge';
COMMENT ON COLUMN judge_requests.response_sha256 IS 'The answer that is graded';
COMMENT ON COLUMN judge_requests.prompt_sha256 IS 'The judge prompt';
COMMENT ON COLUMN judge_requests.request_key IS 'Key of the request; runs with the same answer share it';
