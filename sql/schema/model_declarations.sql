-- What users declared about a model or judge; the latest counts.
CREATE TABLE IF NOT EXISTS model_declarations (
    model VARCHAR NOT NULL,
    family VARCHAR,
    reasoning BOOLEAN,
    recorded_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE model_declarations IS 'One row per declaration';
COMMENT ON COLUMN model_declarations.model IS 'Model name as sent';
COMMENT ON COLUMN model_declarations.family IS 'Model family, for family bias; NULL where not declared';
COMMENT ON COLUMN model_declarations.reasoning IS 'Whether it was declared a reasoning model; NULL where not declared';
COMMENT ON COLUMN model_declarations.recorded_at IS 'When it was declared, UTC';
