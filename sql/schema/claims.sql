-- Figures that somebody published, to be compared with what the evidence gives.
CREATE TABLE IF NOT EXISTS claims (
    claim_sha256 VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    run_id VARCHAR,
    model VARCHAR,
    figures JSON NOT NULL,
    recorded_at TIMESTAMP NOT NULL,
    PRIMARY KEY (claim_sha256)
);
COMMENT ON TABLE claims IS 'One row per published result';
COMMENT ON COLUMN claims.claim_sha256 IS 'sha256 of the file';
COMMENT ON COLUMN claims.name IS 'Name of the file';
COMMENT ON COLUMN claims.run_id IS 'The run that it says it is, or that the user named; NULL where unsaid';
COMMENT ON COLUMN claims.model IS 'The model that it says it is about; NULL where unsaid';
COMMENT ON COLUMN claims.figures IS 'The figures claimed, by their names in run_scores, with the digits they were written with';
COMMENT ON COLUMN claims.recorded_at IS 'When it was brought in, UTC';
