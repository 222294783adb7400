-- The figures of every run.
SELECT
    run_id,
    overall,
    scored_overall
FROM run_scores;
