-- A run with its label and how many requests of it are written down. $run_id.
SELECT
    runs.run_id,
    current_labels.label,
    (
        SELECT COUNT(*)
        FROM run_requests
        WHERE run_requests.run_id = $run_id
    ) AS requests_n
FROM runs
LEFT JOIN current_labels
    ON runs.run_id = current_labels.run_id
WHERE runs.run_id = $run_id;
