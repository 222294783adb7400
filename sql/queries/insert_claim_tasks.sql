-- Adds the task scores of published results that are not there yet. $rows: a JSON list of their columns.
INSERT INTO claim_tasks (
    claim_sha256,
    task_id,
    score
)
SELECT
    new.claim_sha256,
    new.task_id,
    new.score
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "claim_sha256": "VARCHAR",
            "task_id": "VARCHAR",
            "score": "VARCHAR"
        }]'
    ), recursive := TRUE)
) AS new
WHERE
    NOT EXISTS (
        SELECT 1
        FROM claim_tasks AS old
        WHERE
            old.claim_sha256 = new.claim_sha256
            AND old.task_id = new.task_id
    );
