-- The configs that a run is made of. $run_id.
SELECT
    configs.kind,
    configs.fingerprint,
    configs.body
FROM runs
INNER JOIN configs
    ON
        (configs.kind = 'route' AND configs.fingerprint = runs.route_fingerprint)
        OR (configs.kind = 'decoding_policy' AND configs.fingerprint = runs.decoding_policy_fingerprint)
        OR (configs.kind = 'caps' AND configs.fingerprint = runs.caps_fingerprint)
        OR (configs.kind = 'cap_rule' AND configs.fingerprint = runs.cap_rule_fingerprint)
        OR (configs.kind = 'prompt_template' AND configs.fingerprint = runs.prompt_template_fingerprint)
        OR (configs.kind = 'retry_policy' AND configs.fingerprint = runs.retry_policy_fingerprint)
        OR (configs.kind = 'judge_template' AND configs.fingerprint = runs.judge_template_fingerprint)
        OR (configs.kind = 'panel' AND configs.fingerprint = runs.panel_fingerprint)
        OR (configs.kind = 'panel_policy' AND configs.fingerprint = runs.panel_policy_fingerprint)
WHERE runs.run_id = $run_id
ORDER BY configs.kind;
