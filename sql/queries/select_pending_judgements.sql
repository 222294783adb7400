-- The judges of a run's panel that have no verdict on an answered task yet. $run_id.
SELECT
    judge_totals.task_id,
    judge_totals.judge_fingerprint,
    judge_totals.request_key,
    judge_totals.response_sha256
FROM judge_totals
WHERE
    judge_totals.run_id = $run_id
    AND judge_totals.total IS NULL
ORDER BY
    judge_totals.task_id,
    judge_totals.judge_fingerprint;
