-- What a run was made with, in words, out of the JSON of its configs and the texts of its replies: the leaf that run_cards stands on.
CREATE OR REPLACE VIEW run_settings AS
WITH panels AS (
    SELECT
        panel_judges.panel_fingerprint,
        STRING_AGG(
            panel_judge_names.judge || ' at ' || panel_judges.base_url || ' '
            || COALESCE(CAST(configs.body -> '$.parameters' AS VARCHAR), '{}'), '; '
            ORDER BY panel_judge_names.judge
        ) AS panel
    FROM panel_judges
    INNER JOIN panel_judge_names
        ON
            panel_judges.panel_fingerprint = panel_judge_names.panel_fingerprint
            AND panel_judges.judge_fingerprint = panel_judge_names.judge_fingerprint
    LEFT JOIN configs
        ON
            configs.kind = 'judge'
            AND panel_judges.judge_fingerprint = configs.fingerprint
    GROUP BY panel_judges.panel_fingerprint
),

served AS (
    SELECT DISTINCT
        run_requests.run_id,
        responses.served_model
    FROM run_requests
    INNER JOIN responses
        ON run_requests.request_key = responses.request_key
    WHERE responses.served_model IS NOT NULL
),

served_names AS (
    SELECT
        run_id,
        STRING_AGG(served_model, ', ' ORDER BY served_model) AS served_models
    FROM served
    GROUP BY run_id
),

cap_sources AS (
    SELECT
        run_id,
        MIN(cap_source) AS cap_source
    FROM run_requests
    GROUP BY run_id
)

SELECT
    runs.run_id,
    CAST(route.body -> '$.parameters' AS VARCHAR) AS decoding,
    CAST(caps.body ->> '$.en' AS BIGINT) AS cap_en,
    CAST(caps.body ->> '$.cjk' AS BIGINT) AS cap_cjk,
    cap_sources.cap_source,
    CAST(cap_rule.body -> '$.override' AS VARCHAR) AS cap_override,
    CAST(retry_policy.body AS VARCHAR) AS retry_policy,
    panels.panel,
    served_names.served_models
FROM runs
LEFT JOIN configs AS route
    ON
        route.kind = 'route'
        AND runs.route_fingerprint = route.fingerprint
LEFT JOIN configs AS caps
    ON
        caps.kind = 'caps'
        AND runs.caps_fingerprint = caps.fingerprint
LEFT JOIN configs AS cap_rule
    ON
        cap_rule.kind = 'cap_rule'
        AND runs.cap_rule_fingerprint = cap_rule.fingerprint
LEFT JOIN configs AS retry_policy
    ON
        retry_policy.kind = 'retry_policy'
        AND runs.retry_policy_fingerprint = retry_policy.fingerprint
LEFT JOIN panels
    ON runs.panel_fingerprint = panels.panel_fingerprint
LEFT JOIN served_names
    ON runs.run_id = served_names.run_id
LEFT JOIN cap_sources
    ON runs.run_id = cap_sources.run_id;
COMMENT ON VIEW run_settings IS 'One row per run';
COMMENT ON COLUMN run_settings.run_id IS 'The run';
COMMENT ON COLUMN run_settings.decoding IS 'The parameters as sent, JSON; NULL for an imported run, whose file does not say';
COMMENT ON COLUMN run_settings.cap_en IS 'Cap in characters for every document that is not CJK';
COMMENT ON COLUMN run_settings.cap_cjk IS 'Cap in characters for CJK documents';
COMMENT ON COLUMN run_settings.cap_source IS 'protocol, config, probed or default: where the caps come from';
COMMENT ON COLUMN run_settings.cap_override IS 'The caps that replace the table of the protocol for a model it lists, JSON; null where it stands';
COMMENT ON COLUMN run_settings.retry_policy IS 'Which failures are asked again, JSON';
COMMENT ON COLUMN run_settings.panel IS 'Each judge with its address and parameters';
COMMENT ON COLUMN run_settings.served_models IS 'The models that the provider says it served, each once; more than one is worth a question';
