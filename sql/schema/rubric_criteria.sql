-- The criteria of a task in the order that judges see (protocol section 4).
CREATE TABLE IF NOT EXISTS rubric_criteria (
    task_sha256 VARCHAR NOT NULL,
    position INTEGER NOT NULL,
    points DECIMAL(18, 9) NOT NULL,
    correct_criterion VARCHAR NOT NULL
);
COMMENT ON TABLE rubric_criteria IS 'One row per task and criterion';
COMMENT ON COLUMN rubric_criteria.task_sha256 IS 'The task';
COMMENT ON COLUMN rubric_criteria.position IS '1 for the first criterion, P1 in the judge prompt';
COMMENT ON COLUMN rubric_criteria.points IS 'Points for this criterion';
COMMENT ON COLUMN rubric_criteria.correct_criterion IS 'The criterion, whole; judges see its first 260 characters';
