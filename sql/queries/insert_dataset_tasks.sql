-- Adds the dataset tasks that are not there yet. $rows: a JSON list of their columns.
INSERT INTO dataset_tasks (
    dataset_sha256,
    task_id,
    task_sha256
)
SELECT
    new.dataset_sha256,
    new.task_id,
    new.task_sha256
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "dataset_sha256": "VARCHAR",
            "task_id": "VARCHAR",
            "task_sha256": "VARCHAR"
        }]'
    ), recursive := TRUE)
) AS new
WHERE
    NOT EXISTS (
        SELECT 1
        FROM dataset_tasks AS old
        WHERE
            old.dataset_sha256 = new.dataset_sha256
            AND old.task_id = new.task_id
    );
