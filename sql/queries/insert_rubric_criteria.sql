-- Adds the rubric criteria that are not there yet. $rows: a JSON list of their columns.
INSERT INTO rubric_criteria (
    task_sha256,
    position,
    points,
    correct_criterion
)
SELECT
    new.task_sha256,
    new.position,
    new.points,
    new.correct_criterion
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "task_sha256": "VARCHAR",
            "position": "INTEGER",
            "points": "DECIMAL(18,9)",
            "correct_criterion": "VARCHAR"
        }]'
    ), recursive := TRUE)
) AS new
WHERE
    NOT EXISTS (
        SELECT 1
        FROM rubric_criteria AS old
        WHERE
            old.task_sha256 = new.task_sha256
            AND old.position = new.position
    );
