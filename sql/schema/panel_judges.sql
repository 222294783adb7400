-- The judges of a panel (protocol section 4).
CREATE TABLE IF NOT EXISTS panel_judges (
    panel_fingerprint VARCHAR NOT NULL,
    judge_fingerprint VARCHAR NOT NULL,
    model VARCHAR NOT NULL,
    base_url VARCHAR NOT NULL
);
COMMENT ON TABLE panel_judges IS 'One row per panel and judge';
COMMENT ON COLUMN panel_judges.panel_fingerprint IS 'The panel';
COMMENT ON COLUMN panel_judges.judge_fingerprint IS 'The judge: base URL, model and parameters as sent';
COMMENT ON COLUMN panel_judges.model IS 'Model name of the judge as sent';
COMMENT ON COLUMN panel_judges.base_url IS 'Address of the judge, without user part';
