-- What responses.json says of each task of a run. $run_id.
SELECT
    run_tasks.task_id,
    run_tasks.status,
    CASE WHEN run_tasks.response_sha256 IS NOT NULL THEN responses.text END AS response,
    responses.finish_reason,
    responses.prompt_tokens,
    responses.completion_tokens,
    responses.reasoning_tokens,
    run_requests.prompt_sha256
FROM run_tasks
INNER JOIN run_requests
    ON
        run_tasks.run_id = run_requests.run_id
        AND run_tasks.task_id = run_requests.task_id
LEFT JOIN effective_responses
    ON run_tasks.request_key = effective_responses.request_key
LEFT JOIN responses
    ON
        effective_responses.attempt_key = responses.attempt_key
        AND effective_responses.request_key = responses.request_key
WHERE run_tasks.run_id = $run_id
ORDER BY run_tasks.task_id;
