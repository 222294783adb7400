-- One task of a run: what was asked, what came back, and the score. $run_id, $task_id.
SELECT
    run_tasks.status AS answer_status,
    run_tasks.document_chars,
    run_tasks.cap_chars,
    run_tasks.cap_source,
    run_tasks.is_cjk,
    run_requests.prompt_sha256,
    run_tasks.request_key,
    run_tasks.response_sha256,
    run_tasks.finish_reason,
    run_tasks.attempts_n,
    task_scores.status,
    task_scores.final_score
FROM run_tasks
INNER JOIN run_requests
    ON
        run_tasks.run_id = run_requests.run_id
        AND run_tasks.task_id = run_requests.task_id
INNER JOIN task_scores
    ON
        run_tasks.run_id = task_scores.run_id
        AND run_tasks.task_id = task_scores.task_id
WHERE
    run_tasks.run_id = $run_id
    AND run_tasks.task_id = $task_id;
