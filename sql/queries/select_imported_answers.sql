-- The answers of an imported run, which have no exchange behind them. $run_id, $task_id (NULL: all).
SELECT
    run_requests.task_id,
    responses.status,
    responses.text
FROM run_requests
INNER JOIN runs
    ON
        run_requests.run_id = runs.run_id
        AND runs.is_imported
INNER JOIN responses
    ON run_requests.request_key = responses.request_key
WHERE
    run_requests.run_id = $run_id
    AND ($task_id IS NULL OR run_requests.task_id = $task_id);
