-- The policies of each class by the names that findings give them, with its bit, after number_classes.
SELECT DISTINCT
    numbered.mask,
    classes.aggregation_fingerprint AS aggregation,
    runs.cap_rule_fingerprint AS cap_rule,
    runs.dataset_sha256 AS dataset,
    runs.decoding_policy_fingerprint AS decoding_policy,
    runs.judge_template_fingerprint AS judge_template,
    runs.panel_policy_fingerprint AS panel_policy,
    runs.prompt_template_fingerprint AS prompt_template,
    runs.retry_policy_fingerprint AS retry_policy,
    classes.parser_version AS verdict_parser
FROM __wt_runs AS numbered
INNER JOIN runs
    ON numbered.run_id = runs.run_id
INNER JOIN run_classes AS classes
    ON numbered.run_id = classes.run_id;
