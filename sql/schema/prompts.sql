-- Every prompt by its ingredients; the view prompt_texts rebuilds the text.
CREATE TABLE IF NOT EXISTS prompts (
    prompt_sha256 VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    template_fingerprint VARCHAR NOT NULL,
    task_sha256 VARCHAR NOT NULL,
    response_sha256 VARCHAR,
    chars BIGINT NOT NULL
);
COMMENT ON TABLE prompts IS 'One row per distinct prompt and task';
COMMENT ON COLUMN prompts.prompt_sha256 IS 'sha256 of the prompt text, UTF-8';
COMMENT ON COLUMN prompts.kind IS 'answer (protocol section 1) or judge (protocol section 4)';
COMMENT ON COLUMN prompts.template_fingerprint IS 'The template in configs';
COMMENT ON COLUMN prompts.task_sha256 IS 'The task that gives question, document and rubric';
COMMENT ON COLUMN prompts.response_sha256 IS 'The response that a judge prompt holds; NULL for an answer prompt';
COMMENT ON COLUMN prompts.chars IS 'Length of the prompt in code points';
