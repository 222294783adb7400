-- Adds the runs that are not there yet. $rows: a JSON list of their columns.
INSERT INTO runs (
    run_id,
    dataset_sha256,
    model,
    base_url,
    route_fingerprint,
    decoding_policy_fingerprint,
    caps_fingerprint,
    cap_rule_fingerprint,
    prompt_template_fingerprint,
    retry_policy_fingerprint,
    judge_template_fingerprint,
    panel_fingerprint,
    panel_policy_fingerprint,
    replicate,
    judge_replicate,
    is_imported,
    created_at
)
SELECT
    new.run_id,
    new.dataset_sha256,
    new.model,
    new.base_url,
    new.route_fingerprint,
    new.decoding_policy_fingerprint,
    new.caps_fingerprint,
    new.cap_rule_fingerprint,
    new.prompt_template_fingerprint,
    new.retry_policy_fingerprint,
    new.judge_template_fingerprint,
    new.panel_fingerprint,
    new.panel_policy_fingerprint,
    new.replicate,
    new.judge_replicate,
    new.is_imported,
    new.created_at
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "run_id": "VARCHAR",
            "dataset_sha256": "VARCHAR",
            "model": "VARCHAR",
            "base_url": "VARCHAR",
            "route_fingerprint": "VARCHAR",
            "decoding_policy_fingerprint": "VARCHAR",
            "caps_fingerprint": "VARCHAR",
            "cap_rule_fingerprint": "VARCHAR",
            "prompt_template_fingerprint": "VARCHAR",
            "retry_policy_fingerprint": "VARCHAR",
            "judge_template_fingerprint": "VARCHAR",
            "panel_fingerprint": "VARCHAR",
            "panel_policy_fingerprint": "VARCHAR",
            "replicate": "INTEGER",
            "judge_replicate": "INTEGER",
            "is_imported": "BOOLEAN",
            "created_at": "TIMESTAMP"
        }]'
    ), recursive := TRUE)
) AS new
WHERE
    NOT EXISTS (
        SELECT 1
        FROM runs AS old
        WHERE old.run_id = new.run_id
    );
