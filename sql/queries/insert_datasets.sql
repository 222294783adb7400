-- Adds the datasets that are not there yet. $rows: a JSON list of their columns.
INSERT INTO datasets (
    dataset_sha256,
    tasks_n,
    name,
    imported_at
)
SELECT
    new.dataset_sha256,
    new.tasks_n,
    new.name,
    new.imported_at
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "dataset_sha256": "VARCHAR",
            "tasks_n": "INTEGER",
            "name": "VARCHAR",
            "imported_at": "TIMESTAMP"
        }]'
    ), recursive := TRUE)
) AS new
WHERE
    NOT EXISTS (
        SELECT 1
        FROM datasets AS old
        WHERE old.dataset_sha256 = new.dataset_sha256
    );
