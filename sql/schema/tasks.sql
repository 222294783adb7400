-- A question on a document with its rubric (protocol section 4 for the rubric).
CREATE TABLE IF NOT EXISTS tasks (
    task_sha256 VARCHAR NOT NULL,
    task_id VARCHAR NOT NULL,
    question VARCHAR NOT NULL,
    document_sha256 VARCHAR NOT NULL,
    PRIMARY KEY (task_sha256)
);
COMMENT ON TABLE tasks IS 'One row per distinct task';
COMMENT ON COLUMN tasks.task_sha256 IS 'Hash of task id, question, document and rubric';
COMMENT ON COLUMN tasks.task_id IS 'The id that the dataset gives';
COMMENT ON COLUMN tasks.question IS 'The question text, whole';
COMMENT ON COLUMN tasks.document_sha256 IS 'The document that the question is about';
