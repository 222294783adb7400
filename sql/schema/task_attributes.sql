-- Fields of a task that the protocol does not know; never sent to a model or judge.
CREATE TABLE IF NOT EXISTS task_attributes (
    task_sha256 VARCHAR NOT NULL,
    attributes_sha256 VARCHAR NOT NULL,
    attributes JSON NOT NULL,
    recorded_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE task_attributes IS 'One row per task and distinct set of attributes';
COMMENT ON COLUMN task_attributes.task_sha256 IS 'The task';
COMMENT ON COLUMN task_attributes.attributes_sha256 IS 'Fingerprint of the attributes';
COMMENT ON COLUMN task_attributes.attributes IS 'The fields as JSON: language, gold answer, clues and whatever else the dataset holds';
COMMENT ON COLUMN task_attributes.recorded_at IS 'When they were imported, UTC; the latest count';
