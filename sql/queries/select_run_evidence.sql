-- What a run's score is computed from beside replies: document, cap and rubric of each task. $run_id, $task_id (NULL: all).
SELECT
    run_requests.task_id,
    documents.chars AS document_chars,
    run_requests.cap_chars,
    run_requests.request_key,
    LIST(CAST(rubric_criteria.points AS VARCHAR) ORDER BY rubric_criteria.position) AS points
FROM run_requests
INNER JOIN tasks
    ON run_requests.task_sha256 = tasks.task_sha256
INNER JOIN documents
    ON tasks.document_sha256 = documents.document_sha256
INNER JOIN rubric_criteria
    ON run_requests.task_sha256 = rubric_criteria.task_sha256
WHERE
    run_requests.run_id = $run_id
    AND ($task_id IS NULL OR run_requests.task_id = $task_id)
GROUP BY
    run_requests.task_id,
    documents.chars,
    run_requests.cap_chars,
    run_requests.request_key
ORDER BY run_requests.task_id;
