-- The exchanges behind a run's verdicts, their raw bytes. $run_id, $task_id (NULL: all).
SELECT
    judge_requests.task_id,
    judge_requests.judge_fingerprint,
    judge_requests.response_sha256,
    attempts.attempt_key,
    attempts.status,
    attempts.headers,
    attempts.body,
    attempts.error,
    attempts.ended_at
FROM judge_requests
INNER JOIN attempts
    ON judge_requests.request_key = attempts.request_key
WHERE
    judge_requests.run_id = $run_id
    AND ($task_id IS NULL OR judge_requests.task_id = $task_id);
