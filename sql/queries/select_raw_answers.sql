-- The exchanges behind a run's answers, their raw bytes, and what an imported run has in their place. $run_id, $task_id (NULL: all).
SELECT
    run_requests.task_id,
    attempts.attempt_key,
    attempts.status,
    attempts.headers,
    attempts.body,
    attempts.error,
    attempts.ended_at
FROM run_requests
INNER JOIN attempts
    ON run_requests.request_key = attempts.request_key
WHERE
    run_requests.run_id = $run_id
    AND ($task_id IS NULL OR run_requests.task_id = $task_id);
