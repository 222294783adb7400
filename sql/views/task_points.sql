-- What a rubric is worth: the sum that a judge total is divided by (protocol section 4).
CREATE OR REPLACE VIEW task_points AS
SELECT
    task_sha256,
    SUM(points) AS points_possible,
    COUNT(*) AS criteria_n
FROM rubric_criteria
GROUP BY task_sha256;
COMMENT ON VIEW task_points IS 'One row per task';
COMMENT ON COLUMN task_points.task_sha256 IS 'The task';
COMMENT ON COLUMN task_points.points_possible IS 'Sum of the points of its rubric';
COMMENT ON COLUMN task_points.criteria_n IS 'Number of criteria';
