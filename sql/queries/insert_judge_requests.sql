-- Adds the judge requests that are not there yet. $rows: a JSON list of their columns.
INSERT INTO judge_requests (
    run_id,
    task_id,
    judge_fingerprint,
    response_sha256,
    prompt_sha256,
    request_key
)
SELECT
    new.run_id,
    new.task_id,
    new.judge_fingerprint,
    new.response_sha256,
    new.prompt_sha256,
    new.request_key
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "run_id": "VARCHAR",
            "task_id": "VARCHAR",
            "judge_fingerprint": "VARCHAR",
            "response_sha256": "VARCHAR",
            "prompt_sha256": "VARCHAR",
            "request_key": "VARCHAR"
        }]'
    ), recursive := TRUE)
) AS new
WHERE
    NOT EXISTS (
        SELECT 1
        FROM judge_requests AS old
        WHERE
            old.run_id = new.run_id
            AND old.task_id = new.task_id
            AND old.judge_fingerprint = new.judge_fingerprint
            AND old.response_sha256 = new.response_sha256
    );
