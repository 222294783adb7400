-- What the ledger itself is: versions and digests, replaced when views are installed.
CREATE TABLE IF NOT EXISTS ledger_meta (
    name VARCHAR NOT NULL,
    value VARCHAR NOT NULL,
    PRIMARY KEY (name)
);
COMMENT ON TABLE ledger_meta IS 'Facts about this ledger file; the only table whose rows are replaced';
COMMENT ON COLUMN ledger_meta.name IS 'schema_version, sql_digest, parser_version, aggregation_fingerprint, created_at or tool_version';
COMMENT ON COLUMN ledger_meta.value IS 'The value, as text';
