-- Replies of judges, readable or not (protocol section 4).
CREATE TABLE IF NOT EXISTS judge_replies (
    request_key VARCHAR NOT NULL,
    reply_sha256 VARCHAR NOT NULL,
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
COMMENT ON TABLE judge_replies IS 'One row per reply of a judge';
COMMENT ON COLUMN judge_replies.request_key IS 'The judge request';
COMMENT ON COLUMN judge_replies.reply_sha256 IS 'sha256 of the text, UTF-8';
COMMENT ON COLUMN judge_replies.text IS 'The content exactly as it came; empty where there was none';
COMMENT ON COLUMN judge_replies.finish_reason IS 'As the provider gave it: stop, length and so on';
COMMENT ON COLUMN judge_replies.served_model IS 'The model that the provider says it served';
COMMENT ON COLUMN judge_replies.system_fingerprint IS 'The provider build, where it says one';
COMMENT ON COLUMN judge_replies.reasoning IS 'Reasoning text that came beside the content; evidence, never the answer';
COMMENT ON COLUMN judge_replies.refusal IS 'The refusal text, where there was one';
COMMENT ON COLUMN judge_replies.prompt_tokens IS 'As the provider counted; NULL where it did not';
COMMENT ON COLUMN judge_replies.completion_tokens IS 'As the provider counted; NULL where it did not';
COMMENT ON COLUMN judge_replies.reasoning_tokens IS 'As the provider counted; NULL where it did not';
COMMENT ON COLUMN judge_replies.ended_at IS 'When it was received, UTC';
COMMENT ON COLUMN judge_replies.attempt_key IS 'The exchange it came from; for an imported answer, the hash of the file it came from';
