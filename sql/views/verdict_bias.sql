-- Each verdict's bias: its score minus the mean of the *other* judges on the same answer (protocol section 4).
-- Minus the mean of the whole panel would shrink it by 1 - 1 / judges.
CREATE OR REPLACE VIEW verdict_bias AS
SELECT
    panel_verdicts.run_id,
    panel_verdicts.model,
    panel_verdicts.task_id,
    panel_verdicts.class_id,
    panel_verdicts.document_sha256,
    panel_verdicts.judge,
    judges.family AS judge_family,
    contestants.family AS model_family,
    judges.family = contestants.family AS is_own_family,
    panel_verdicts.judges_n - 1 AS others_n,
    panel_verdicts.judges_n * panel_verdicts.score - panel_verdicts.panel_sum AS bias_times_others,
    CAST(panel_verdicts.judges_n * panel_verdicts.score - panel_verdicts.panel_sum AS DOUBLE)
    / (panel_verdicts.judges_n - 1) AS bias
FROM panel_verdicts
LEFT JOIN model_families AS judges
    ON panel_verdicts.judge_model = judges.model
LEFT JOIN model_families AS contestants
    ON panel_verdicts.model = contestants.model
WHERE panel_verdicts.judges_n > 1;
COMMENT ON VIEW verdict_bias IS 'One row per run, task scored by the whole panel, and judge; none for a panel of one';
COMMENT ON COLUMN verdict_bias.run_id IS 'The run';
COMMENT ON COLUMN verdict_bias.model IS 'Model name as sent';
COMMENT ON COLUMN verdict_bias.task_id IS 'The task id';
COMMENT ON COLUMN verdict_bias.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN verdict_bias.document_sha256 IS 'The document of the task';
COMMENT ON COLUMN verdict_bias.judge IS 'Name of the judge within the panel';
COMMENT ON COLUMN verdict_bias.judge_family IS 'Family of the judge; NULL where not declared';
COMMENT ON COLUMN verdict_bias.model_family IS 'Family of the model; NULL where not declared';
COMMENT ON COLUMN verdict_bias.is_own_family IS 'Whether these are the same; NULL where either is not declared';
COMMENT ON COLUMN verdict_bias.others_n IS 'The other judges of the panel';
COMMENT ON COLUMN verdict_bias.bias_times_others IS 'The bias times others_n, exact';
COMMENT ON COLUMN verdict_bias.bias IS 'The bias';
