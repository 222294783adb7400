-- One route, one dataset, one panel, one replicate.
CREATE TABLE IF NOT EXISTS runs (
    run_id VARCHAR NOT NULL,
    dataset_sha256 VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    base_url VARCHAR NOT NULL,
    route_fingerprint VARCHAR NOT NULL,
    decoding_policy_fingerprint VARCHAR NOT NULL,
    caps_fingerprint VARCHAR NOT NULL,
    cap_rule_fingerprint VARCHAR NOT NULL,
    prompt_template_fingerprint VARCHAR NOT NULL,
    retry_policy_fingerprint VARCHAR NOT NULL,
    judge_template_fingerprint VARCHAR NOT NULL,
    panel_fingerprint VARCHAR NOT NULL,
    panel_policy_fingerprint VARCHAR NOT NULL,
    replicate INTEGER NOT NULL,
    judge_replicate INTEGER NOT NULL,
    is_imported BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL,
    PRIMARY KEY (run_id)
);
COMMENT ON TABLE runs IS 'One row per run';
COMMENT ON COLUMN runs.run_id IS 'First 12 hex digits over dataset, route, caps, prompt template, retry policy, panel and both replicates';
COMMENT ON COLUMN runs.dataset_sha256 IS 'The dataset';
COMMENT ON COLUMN runs.model IS 'Model name as sent';
COMMENT ON COLUMN runs.base_url IS 'Address of the model, without user part; empty for an imported run';
COMMENT ON COLUMN runs.route_fingerprint IS 'Base URL, model and parameters as sent';
COMMENT ON COLUMN runs.decoding_policy_fingerprint IS 'What of the decoding settings must be equal for scores to be compared';
COMMENT ON COLUMN runs.caps_fingerprint IS 'The effective cap pair';
COMMENT ON COLUMN runs.cap_rule_fingerprint IS 'The cap table, the CJK rule and any override of the table';
COMMENT ON COLUMN runs.prompt_template_fingerprint IS 'The answer prompt';
COMMENT ON COLUMN runs.retry_policy_fingerprint IS 'Which failures are retried, and how often';
COMMENT ON COLUMN runs.judge_template_fingerprint IS 'The judge prompt';
COMMENT ON COLUMN runs.panel_fingerprint IS 'The judges with their base URLs, in no order';
COMMENT ON COLUMN runs.panel_policy_fingerprint IS 'The judges without their base URLs, in no order';
COMMENT ON COLUMN runs.replicate IS '0, 1, 2 and so on: a deliberate repeat of generation';
COMMENT ON COLUMN runs.judge_replicate IS '0, 1, 2 and so on: a deliberate repeat of judging';
COMMENT ON COLUMN runs.is_imported IS 'Whether the answers were made elsewhere';
COMMENT ON COLUMN runs.created_at IS 'When this ledger first saw the run, UTC';
