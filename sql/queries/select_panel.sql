-- The judges of a run's panel. $run_id.
SELECT
    panel_judge_names.judge,
    panel_judge_names.judge_fingerprint,
    panel_judges.model,
    panel_judges.base_url,
    configs.body
FROM runs
INNER JOIN panel_judges
    ON runs.panel_fingerprint = panel_judges.panel_fingerprint
INNER JOIN panel_judge_names
    ON
        panel_judges.panel_fingerprint = panel_judge_names.panel_fingerprint
        AND panel_judges.judge_fingerprint = panel_judge_names.judge_fingerprint
INNER JOIN configs
    ON
        configs.kind = 'judge'
        AND panel_judges.judge_fingerprint = configs.fingerprint
WHERE runs.run_id = $run_id
ORDER BY panel_judge_names.judge;
