-- Adds the task attributes that are not there yet. $rows: a JSON list of their columns.
INSERT INTO task_attributes (
    task_sha256,
    attributes_sha256,
    attributes,
    recorded_at
)
SELECT
    new.task_sha256,
    new.attributes_sha256,
    new.attributes,
    new.recorded_at
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "task_sha256": "VARCHAR",
            "attributes_sha256": "VARCHAR",
            "attributes": "JSON",
            "recorded_at": "TIMESTAMP"
        }]'
    ), recursive := TRUE)
) AS new
WHERE
    NOT EXISTS (
        SELECT 1
        FROM task_attributes AS old
        WHERE
            old.task_sha256 = new.task_sha256
            AND old.attributes_sha256 = new.attributes_sha256
    );
