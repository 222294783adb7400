-- What a run would ask. $run_id.
SELECT
    task_id,
    request_key
FROM run_requests
WHERE run_id = $run_id;
