-- What each run's class is made of, one policy a row: where two classes differ is a join (protocol section 5, last rule).
CREATE OR REPLACE VIEW class_dimensions AS
WITH dimensions AS (
    SELECT
        run_id,
        'dataset' AS dimension,
        dataset_sha256 AS fingerprint
    FROM runs
    UNION ALL
    SELECT
        run_id,
        'prompt_template' AS dimension,
        prompt_template_fingerprint AS fingerprint
    FROM runs
    UNION ALL
    SELECT
        run_id,
        'decoding_policy' AS dimension,
        decoding_policy_fingerprint AS fingerprint
    FROM runs
    UNION ALL
    SELECT
        run_id,
        'cap_rule' AS dimension,
        cap_rule_fingerprint AS fingerprint
    FROM runs
    UNION ALL
    SELECT
        run_id,
        'retry_policy' AS dimension,
        retry_policy_fingerprint AS fingerprint
    FROM runs
    UNION ALL
    SELECT
        run_id,
        'judge_template' AS dimension,
        judge_template_fingerprint AS fingerprint
    FROM runs
    UNION ALL
    SELECT
        run_id,
        'panel_policy' AS dimension,
        panel_policy_fingerprint AS fingerprint
    FROM runs
    UNION ALL
    SELECT
        run_id,
        'verdict_parser' AS dimension,
        parser_version AS fingerprint
    FROM run_classes
    UNION ALL
    SELECT
        run_id,
        'aggregation' AS dimension,
        aggregation_fingerprint AS fingerprint
    FROM run_classes
)

SELECT
    dimensions.run_id,
    run_classes.class_id,
    dimensions.dimension,
    dimensions.fingerprint
FROM dimensions
INNER JOIN run_classes
    ON dimensions.run_id = run_classes.run_id;
COMMENT ON VIEW class_dimensions IS 'One row per run and policy of its class';
COMMENT ON COLUMN class_dimensions.run_id IS 'The run';
COMMENT ON COLUMN class_dimensions.class_id IS 'Its class';
COMMENT ON COLUMN class_dimensions.dimension IS 'dataset, prompt_template, decoding_policy, cap_rule, retry_policy, judge_template, panel_policy, verdict_parser or aggregation';
COMMENT ON COLUMN class_dimensions.fingerprint IS 'What must be equal for scores to be compared';
