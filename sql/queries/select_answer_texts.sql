-- The text of each answer of a run. $run_id.
SELECT DISTINCT
    run_tasks.task_id,
    run_tasks.response_sha256,
    responses.text
FROM run_tasks
INNER JOIN responses
    ON
        run_tasks.request_key = responses.request_key
        AND run_tasks.response_sha256 = responses.response_sha256
WHERE
    run_tasks.run_id = $run_id
    AND run_tasks.status = 'answered';
