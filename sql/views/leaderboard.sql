-- Runs with their rank among the complete runs of their class; a model that sits on its own panel has none.
CREATE OR REPLACE VIEW leaderboard AS
WITH on_own_panel AS (
    SELECT DISTINCT runs.run_id
    FROM runs
    INNER JOIN panel_judges
        ON
            runs.panel_fingerprint = panel_judges.panel_fingerprint
            AND runs.model = panel_judges.model
),

ranked AS (
    SELECT
        run_scores.run_id,
        RANK() OVER (
            PARTITION BY run_scores.class_id
            ORDER BY run_scores.overall DESC
        ) AS place
    FROM run_scores
    WHERE
        run_scores.complete
        AND NOT EXISTS (
            SELECT 1
            FROM on_own_panel
            WHERE on_own_panel.run_id = run_scores.run_id
        )
)

SELECT
    ranked.place AS rank,
    run_scores.label,
    run_scores.model,
    run_scores.class_id,
    run_scores.overall,
    run_scores.scored_overall,
    run_scores.scored_n,
    run_scores.tasks_n,
    run_scores.all_tasks_overall,
    run_scores.overall_lo,
    run_scores.overall_hi,
    run_scores.out_of_context_n,
    run_scores.empty_n,
    run_scores.refused_n,
    run_scores.failed_n,
    run_scores.missing_n,
    run_scores.unjudged_n,
    run_scores.complete,
    run_scores.run_id
FROM run_scores
LEFT JOIN ranked
    ON run_scores.run_id = ranked.run_id;
COMMENT ON VIEW leaderboard IS 'One row per run';
COMMENT ON COLUMN leaderboard.rank IS 'Place by overall among the complete runs of the class, ties share; NULL unless complete, and for a model that judges itself';
COMMENT ON COLUMN leaderboard.label IS 'Its latest label';
COMMENT ON COLUMN leaderboard.model IS 'Model name as sent';
COMMENT ON COLUMN leaderboard.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN leaderboard.overall IS 'All-N: every task is in the denominator; NULL while an answered task lacks a judge';
COMMENT ON COLUMN leaderboard.scored_overall IS 'Scored: mean over the tasks scored by the whole panel';
COMMENT ON COLUMN leaderboard.scored_n IS 'Number of those tasks';
COMMENT ON COLUMN leaderboard.tasks_n IS 'Tasks of the dataset';
COMMENT ON COLUMN leaderboard.all_tasks_overall IS 'The same figure as overall';
COMMENT ON COLUMN leaderboard.overall_lo IS 'All-N if every unjudged task got 0';
COMMENT ON COLUMN leaderboard.overall_hi IS 'All-N if every unjudged task got 1';
COMMENT ON COLUMN leaderboard.out_of_context_n IS 'Tasks whose document is over the cap';
COMMENT ON COLUMN leaderboard.empty_n IS 'Tasks with empty output';
COMMENT ON COLUMN leaderboard.refused_n IS 'Tasks that were refused';
COMMENT ON COLUMN leaderboard.failed_n IS 'Tasks asked without a usable reply yet';
COMMENT ON COLUMN leaderboard.missing_n IS 'Tasks never asked';
COMMENT ON COLUMN leaderboard.unjudged_n IS 'Answered tasks that lack a judge';
COMMENT ON COLUMN leaderboard.complete IS 'Nothing failed, missing or unjudged';
COMMENT ON COLUMN leaderboard.run_id IS 'The run';
