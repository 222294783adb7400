-- A set of tasks, by content.
CREATE TABLE IF NOT EXISTS datasets (
    dataset_sha256 VARCHAR NOT NULL,
    tasks_n INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    imported_at TIMESTAMP NOT NULL,
    PRIMARY KEY (dataset_sha256)
);
COMMENT ON TABLE datasets IS 'One row per distinct dataset';
COMMENT ON COLUMN datasets.dataset_sha256 IS 'Hash of the task hashes in the order of their task ids';
COMMENT ON COLUMN datasets.tasks_n IS 'Number of tasks';
COMMENT ON COLUMN datasets.name IS 'The file name it was first imported from';
COMMENT ON COLUMN datasets.imported_at IS 'When it was first imported, UTC';
