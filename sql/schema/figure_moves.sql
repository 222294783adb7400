-- What a new verdict parser or new aggregation views did to figures that were there before.
CREATE TABLE IF NOT EXISTS figure_moves (
    run_id VARCHAR NOT NULL,
    parser_version_before VARCHAR NOT NULL,
    parser_version VARCHAR NOT NULL,
    aggregation_before VARCHAR NOT NULL,
    aggregation VARCHAR NOT NULL,
    overall_before DECIMAL(18, 9),
    overall DECIMAL(18, 9),
    scored_overall_before DECIMAL(18, 9),
    scored_overall DECIMAL(18, 9),
    recorded_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE figure_moves IS 'One row per run and change of parser or aggregation that moved its figures';
COMMENT ON COLUMN figure_moves.run_id IS 'The run';
COMMENT ON COLUMN figure_moves.parser_version_before IS 'Version of the verdict parser before';
COMMENT ON COLUMN figure_moves.parser_version IS 'Version of the verdict parser after';
COMMENT ON COLUMN figure_moves.aggregation_before IS 'Fingerprint of the aggregation views before';
COMMENT ON COLUMN figure_moves.aggregation IS 'Fingerprint of the aggregation views after';
COMMENT ON COLUMN figure_moves.overall_before IS 'All-N before; NULL where it was';
COMMENT ON COLUMN figure_moves.overall IS 'All-N after';
COMMENT ON COLUMN figure_moves.scored_overall_before IS 'Scored before';
COMMENT ON COLUMN figure_moves.scored_overall IS 'Scored after';
COMMENT ON COLUMN figure_moves.recorded_at IS 'When, UTC';
