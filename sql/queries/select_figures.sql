-- The figures of a run. $run_id.
SELECT *
FROM run_scores
WHERE run_id = $run_id;
