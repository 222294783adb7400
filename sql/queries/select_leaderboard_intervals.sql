-- The leaderboard with the 95 % limits of each figure, class by class, the best first.
SELECT
    leaderboard.*,
    run_intervals.overall_low,
    run_intervals.overall_high,
    run_intervals.scored_low,
    run_intervals.scored_high,
    run_intervals.documents_n
FROM leaderboard
INNER JOIN run_intervals
    ON leaderboard.run_id = run_intervals.run_id
ORDER BY
    leaderboard.class_id,
    leaderboard.rank NULLS LAST,
    leaderboard.overall DESC NULLS LAST,
    leaderboard.run_id;
