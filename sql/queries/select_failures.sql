-- Why requests of a run have no usable reply: the latest error of each, counted. $run_id.
WITH asked AS (
    SELECT request_key
    FROM run_tasks
    WHERE
        run_id = $run_id
        AND status = 'failed'
    UNION ALL
    SELECT request_key
    FROM judge_scores
    WHERE
        run_id = $run_id
        AND status = 'failed'
),

latest AS (
    SELECT
        attempts.purpose,
        attempts.error,
        attempts.error_detail,
        ROW_NUMBER() OVER (PARTITION BY attempts.request_key ORDER BY attempts.ended_at DESC) AS age
    FROM attempts
    INNER JOIN asked
        ON attempts.request_key = asked.request_key
)

SELECT
    purpose,
    error,
    MIN(error_detail) AS error_detail,
    COUNT(*) AS requests_n
FROM latest
WHERE age = 1
GROUP BY
    purpose,
    error
ORDER BY
    requests_n DESC,
    purpose,
    error;
