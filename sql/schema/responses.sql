-- Answers of models: content, empty output and refusals (protocol sections 1, 2 and 5).
CREATE TABLE IF NOT EXISTS responses (
    request_key VARCHAR NOT NULL,
    response_sha256 VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    finish_reason VARCHAR,
    served_model VARCHAR,
    system_fingerprint VARCHAR,
    reasoning VARCHAR,
    refusal VARCHAR,
    prompt_tokens BIGINT,
    completion_tokens BIGINT,
    reasoning_tokens BIGINT,
    ended_at TIMESTAMP NOT NULL,
    attempt_key VARCHAR NOT NULL
);
COMMENT ON TABLE responses IS 'One row per final reply to a generation request';
COMMENT ON COLUMN responses.request_key IS 'The request; the earliest response of a request counts';
COMMENT ON COLUMN responses.response_sha256 IS 'sha256 of the text, UTF-8';
COMMENT ON COLUMN responses.status IS 'answered, empty or refused';
COMMENT ON COLUMN responses.text IS 'The content exactly as it came; empty where there was none';
COMMENT ON COLUMN responses.finish_reason IS 'As the provider gave it: stop, length and so on';
COMMENT ON COLUMN responses.served_model IS 'The model that the provider says it served';
COMMENT ON COLUMN responses.system_fingerprint IS 'The provider build, where it says one';
COMMENT ON COLUMN responses.reasoning IS 'Reasoning text that came beside the content; evidence, never the answer';
COMMENT ON COLUMN responses.refusal IS 'The refusal text, where there was one';
COMMENT ON COLUMN responses.prompt_tokens IS 'As the provider counted; NULL where it did not';
COMMENT ON COLUMN responses.completion_tokens IS 'As the provider counted; NULL where it did not';
COMMENT ON COLUMN responses.reasoning_tokens IS 'As the provider counted; NULL where it did not';
COMMENT ON COLUMN responses.ended_at IS 'When it was received, UTC';
COMMENT ON COLUMN responses.attempt_key IS 'The exchange it came from; for an imported answer, the hash of the file it came from';
