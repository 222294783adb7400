-- The configs that a run is made of. $run_id.
SELECT
    configs.kind,
    configs.fingerprint,
    configs.body
FROM runs
INNER JOIN configs
    ON
        (configs.kind = 'route' AND runs.route_fingerprint = configs.fingerprint)
        OR (configs.kind = 'decoding_policy' AND runs.decoding_policy_fingerprint = configs.fingerprint)
        OR (configs.kind = 'caps' AND runs.caps_fingerprint = configs.fingerprint)
        OR (configs.kind = 'cap_rule' AND runs.cap_rule_fingerprint = configs.fingerprint)
        OR (configs.kind = 'prompt_template' AND runs.prompt_template_fingerprint = configs.fingerprint)
        OR (configs.kind = 'retry_policy' AND runs.retry_policy_fingerprint = configs.fingerprint)
        OR (configs.kind = 'judge_template' AND runs.judge_template_fingerprint = configs.fingerprint)
        OR (configs.kind = 'panel' AND runs.panel_fingerprint = configs.fingerprint)
        OR (configs.kind = 'panel_policy' AND runs.panel_policy_fingerprint = configs.fingerprint)
WHERE runs.run_id = $run_id
ORDER BY configs.kind;
