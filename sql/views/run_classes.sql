-- The class of each run: the policies that must be equal for scores to be compared (protocol section 5, last rule).
CREATE OR REPLACE VIEW run_classes AS
SELECT
    runs.run_id,
    LEFT(
        SHA256(
            '{"aggregation":"' || aggregation.value
            || '","cap_rule":"' || runs.cap_rule_fingerprint
            || '","dataset":"' || runs.dataset_sha256
            || '","decoding_policy":"' || runs.decoding_policy_fingerprint
            || '","judge_template":"' || runs.judge_template_fingerprint
            || '","panel_policy":"' || runs.panel_policy_fingerprint
            || '","prompt_template":"' || runs.prompt_template_fingerprint
            || '","retry_policy":"' || runs.retry_policy_fingerprint
            || '","verdict_parser":"' || parser.value
            || '"}'
        ), 12
    ) AS class_id,
    aggregation.value AS aggregation_fingerprint,
    parser.value AS parser_version
FROM runs
INNER JOIN ledger_meta AS aggregation
    ON aggregation.name = 'aggregation_fingerprint'
INNER JOIN ledger_meta AS parser
    ON parser.name = 'parser_version';
COMMENT ON VIEW run_classes IS 'One row per run: its class, computed by the reader since parser and aggregation are the reader is whoever opens the ledger';
COMMENT ON COLUMN run_classes.run_id IS 'The run';
COMMENT ON COLUMN run_classes.class_id IS 'First 12 hex digits of the sha256 of the canonical JSON of the policies';
COMMENT ON COLUMN run_classes.aggregation_fingerprint IS 'Hash of the SQL of the aggregation views, comments and white space aside';
COMMENT ON COLUMN run_classes.parser_version IS 'Version of the verdict parser';
