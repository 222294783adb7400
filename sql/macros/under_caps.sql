-- The figures of a run under another pair of caps. under_caps('run', en cap, cjk cap); a NULL cap leaves that one as it was.
-- Calls nobody: a task that would newly be in context is unknown, neither zero nor guessed, so figures become bounds (Manski 2003).
CREATE OR REPLACE MACRO under_caps(of_run, en_cap, cjk_cap) AS TABLE
WITH recapped AS (
    SELECT
        run_id,
        status,
        panel_score,
        document_chars > COALESCE(CASE WHEN is_cjk THEN cjk_cap ELSE en_cap END, cap_chars) AS is_out
    FROM task_results
    WHERE run_id = of_run
),

sums AS (
    SELECT
        run_id,
        COUNT(*) AS tasks_n,
        COUNT(CASE WHEN is_out THEN 1 END) AS out_of_context_n,
        COUNT(CASE WHEN is_out AND status <> 'out_of_context' THEN 1 END) AS newly_out_n,
        COUNT(CASE WHEN NOT is_out AND status = 'out_of_context' THEN 1 END) AS unknown_n,
        COUNT(CASE WHEN NOT is_out AND status = 'unjudged' THEN 1 END) AS unjudged_n,
        COUNT(CASE WHEN NOT is_out THEN panel_score END) AS scored_n,
        COALESCE(SUM(CASE WHEN NOT is_out THEN panel_score END), 0) AS score_sum
    FROM recapped
    GROUP BY run_id
)

SELECT
    run_scores.run_id,
    run_scores.model,
    run_scores.class_id || ' under caps ' || COALESCE(CAST(en_cap AS VARCHAR), 'as run')
    || ' / ' || COALESCE(CAST(cjk_cap AS VARCHAR), 'as run') AS class_id,
    sums.tasks_n,
    sums.out_of_context_n,
    sums.newly_out_n,
    sums.unknown_n,
    sums.unjudged_n,
    sums.scored_n,
    CASE WHEN sums.unknown_n = 0 THEN EXACT_RATIO(sums.score_sum, sums.scored_n) END AS scored_overall,
    EXACT_RATIO(sums.score_sum, sums.scored_n + sums.unknown_n) AS scored_overall_lo,
    EXACT_RATIO(sums.score_sum + sums.unknown_n, sums.scored_n + sums.unknown_n) AS scored_overall_hi,
    CASE WHEN sums.unknown_n + sums.unjudged_n = 0 THEN EXACT_RATIO(sums.score_sum, sums.tasks_n) END AS overall,
    EXACT_RATIO(sums.score_sum, sums.tasks_n) AS overall_lo,
    EXACT_RATIO(sums.score_sum + sums.unknown_n + sums.unjudged_n, sums.tasks_n) AS overall_hi,
    run_scores.overall AS overall_as_run,
    run_scores.scored_overall AS scored_overall_as_run
FROM sums
INNER JOIN run_scores
    ON sums.run_id = run_scores.run_id;
COMMENT ON MACRO TABLE under_caps IS 'under_caps(run, en cap, cjk cap): one row, the figures or their bounds under other caps'; -- noqa: PRS
