-- Every run, the newest first.
SELECT
    run_scores.run_id,
    run_scores.label,
    run_scores.model,
    run_scores.class_id,
    runs.created_at,
    runs.is_imported,
    run_scores.tasks_n,
    run_scores.scored_n,
    run_scores.failed_n + run_scores.missing_n + run_scores.unjudged_n AS left_n,
    run_scores.complete,
    run_scores.overall
FROM run_scores
INNER JOIN runs
    ON run_scores.run_id = runs.run_id
ORDER BY
    runs.created_at DESC,
    run_scores.run_id;
