-- The task scores of a claim beside those of a run. $claim_sha256, $run_id.
SELECT
    COALESCE(claimed.task_id, found.task_id) AS task_id,
    claimed.task_id IS NOT NULL AS is_claimed,
    claimed.score AS claimed,
    found.status,
    found.final_score AS found
FROM (
    SELECT
        task_id,
        score
    FROM claim_tasks
    WHERE claim_sha256 = $claim_sha256
) AS claimed
FULL OUTER JOIN (
    SELECT
        task_id,
        status,
        final_score
    FROM task_scores
    WHERE run_id = $run_id
) AS found
    ON claimed.task_id = found.task_id
ORDER BY task_id;
