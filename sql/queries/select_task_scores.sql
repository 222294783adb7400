-- The score of each task of a run. $run_id.
SELECT
    task_id,
    status,
    final_score AS score,
    judges_required,
    judges_done
FROM task_scores
WHERE run_id = $run_id
ORDER BY task_id;
