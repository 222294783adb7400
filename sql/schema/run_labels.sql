-- Names that users gave to a run; the latest counts.
CREATE TABLE IF NOT EXISTS run_labels (
    run_id VARCHAR NOT NULL,
    label VARCHAR NOT NULL,
    recorded_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE run_labels IS 'One row per naming of a run';
COMMENT ON COLUMN run_labels.run_id IS 'The run';
COMMENT ON COLUMN run_labels.label IS 'The name';
COMMENT ON COLUMN run_labels.recorded_at IS 'When it was given, UTC';
