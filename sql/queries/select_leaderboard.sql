-- The leaderboard, class by class, the best first.
SELECT *
FROM leaderboard
ORDER BY
    class_id,
    rank NULLS LAST,
    overall DESC NULLS LAST,
    run_id;
