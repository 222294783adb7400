-- The task scores of published results.
CREATE TABLE IF NOT EXISTS claim_tasks (
    claim_sha256 VARCHAR NOT NULL,
    task_id VARCHAR NOT NULL,
    score VARCHAR,
    PRIMARY KEY (claim_sha256, task_id)
);
COMMENT ON TABLE claim_tasks IS 'One row per published result and task';
COMMENT ON COLUMN claim_tasks.claim_sha256 IS 'The published result';
COMMENT ON COLUMN claim_tasks.task_id IS 'The task';
COMMENT ON COLUMN claim_tasks.score IS 'The score claimed, 0 to 1, with the digits it was written with; NULL where it says there is none';
