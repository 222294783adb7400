-- Adds the tasks that are not there yet. $rows: a JSON list of their columns.
INSERT INTO tasks (
    task_sha256,
    task_id,
    question,
    document_sha256
)
SELECT
    new.task_sha256,
    new.task_id,
    new.question,
    new.document_sha256
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "task_sha256": "VARCHAR",
            "task_id": "VARCHAR",
            "question": "VARCHAR",
            "document_sha256": "VARCHAR"
        }]'
    ), recursive := TRUE)
) AS new
WHERE
    NOT EXISTS (
        SELECT 1
        FROM tasks AS old
        WHERE old.task_sha256 = new.task_sha256
    );
