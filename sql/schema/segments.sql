-- Journal segments that were ingested, so that none is lost or counted twice.
CREATE TABLE IF NOT EXISTS segments (
    segment VARCHAR NOT NULL,
    rows_n INTEGER NOT NULL,
    sha256 VARCHAR NOT NULL,
    ingested_at TIMESTAMP NOT NULL,
    PRIMARY KEY (segment)
);
COMMENT ON TABLE segments IS 'One row per ingested journal segment';
COMMENT ON COLUMN segments.segment IS 'Name of the segment';
COMMENT ON COLUMN segments.rows_n IS 'Exchanges in it';
COMMENT ON COLUMN segments.sha256 IS 'sha256 of its bytes';
COMMENT ON COLUMN segments.ingested_at IS 'When it was ingested, UTC';
