-- Which tasks a dataset holds.
CREATE TABLE IF NOT EXISTS dataset_tasks (
    dataset_sha256 VARCHAR NOT NULL,
    task_id VARCHAR NOT NULL,
    task_sha256 VARCHAR NOT NULL
);
COMMENT ON TABLE dataset_tasks IS 'One row per dataset and task';
COMMENT ON COLUMN dataset_tasks.dataset_sha256 IS 'The dataset';
COMMENT ON COLUMN dataset_tasks.task_id IS 'The task id, unique within the dataset';
COMMENT ON COLUMN dataset_tasks.task_sha256 IS 'The task';
