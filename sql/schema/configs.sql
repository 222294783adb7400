-- Every ingredient of a run as canonical JSON, so that two runs differ by a join.
CREATE TABLE IF NOT EXISTS configs (
    fingerprint VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    body JSON NOT NULL,
    PRIMARY KEY (fingerprint, kind)
);
COMMENT ON TABLE configs IS 'One row per distinct config';
COMMENT ON COLUMN configs.fingerprint IS 'sha256 of the canonical JSON of the body';
COMMENT ON COLUMN configs.kind IS 'route, decoding_policy, caps, cap_rule, prompt_template, judge_template, retry_policy, judge, panel or panel_policy';
COMMENT ON COLUMN configs.body IS 'The config';
