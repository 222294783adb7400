-- Adds the run requests that are not there yet. $rows: a JSON list of their columns.
INSERT INTO run_requests (
    run_id,
    task_id,
    task_sha256,
    cap_chars,
    cap_source,
    prompt_sha256,
    request_key
)
SELECT
    new.run_id,
    new.task_id,
    new.task_sha256,
    new.cap_chars,
    new.cap_source,
    new.prompt_sha256,
    new.request_key
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "run_id": "VARCHAR",
            "task_id": "VARCHAR",
            "task_sha256": "VARCHAR",
            "cap_chars": "BIGINT",
            "cap_source": "VARCHAR",
            "prompt_sha256": "VARCHAR",
            "request_key": "VARCHAR"
        }]'
    ), recursive := TRUE)
) AS new
WHERE
    NOT EXISTS (
        SELECT 1
        FROM run_requests AS old
        WHERE
            old.run_id = new.run_id
            AND old.task_id = new.task_id
    );
