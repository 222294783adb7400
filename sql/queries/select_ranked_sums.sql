-- Each ranked run's scores summed by document, class by class, in a fixed order; t_975 is the limit of a single comparison.
SELECT
    leaderboard.class_id,
    leaderboard.run_id,
    leaderboard.overall,
    task_results.document_sha256,
    COUNT(*) AS tasks_n,
    SUM(task_results.final_score) AS score_sum,
    T_QUANTILE_975(run_intervals.documents_n - 1) AS t_975
FROM leaderboard
INNER JOIN run_intervals
    ON leaderboard.run_id = run_intervals.run_id
INNER JOIN task_results
    ON leaderboard.run_id = task_results.run_id
WHERE leaderboard.rank IS NOT NULL
GROUP BY
    leaderboard.class_id,
    leaderboard.run_id,
    leaderboard.overall,
    task_results.document_sha256,
    run_intervals.documents_n
ORDER BY
    leaderboard.class_id,
    leaderboard.run_id,
    task_results.document_sha256;
