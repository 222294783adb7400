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

eligible AS (
    SELECT
        run_scores.*,
        run_scores.complete AND on_own_panel.run_id IS NULL AS may_rank
    FROM run_scores
    LEFT JOIN on_own_panel
        ON run_scores.run_id = on_own_panel.run_id
),

ranked AS (
    SELECT
        eligible.*,
        RANK() OVER (
            PARTITION BY eligible.class_id, eligible.may_rank
            ORDER BY eligible.overall DESC
        ) AS place
    FROM eligible
)

SELECT
    CASE WHEN ranked.may_rank THEN ranked.place END AS rank,
    ranked.label,
    ranked.model,
    ranked.class_id,
    ranked.overall,
    ranked.scored_overall,
    ranked.scored_n,
    ranked.tasks_n,
    ranked.all_tasks_overall,
    ranked.overall_lo,
    ranked.overall_hi,
    ranked.out_of_context_n,
    ranked.empty_n,
    ranked.refused_n,
    ranked.failed_n,
    ranked.missing_n,
    ranked.unjudged_n,
    ranked.complete,
    ranked.run_id
FROM ranked;
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
