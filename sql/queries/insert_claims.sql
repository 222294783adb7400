-- Adds the published results that are not there yet. $rows: a JSON list of their columns.
INSERT INTO claims (
    claim_sha256,
    name,
    run_id,
    model,
    figures,
    recorded_at
)
SELECT
    new.claim_sha256,
    new.name,
    new.run_id,
    new.model,
    new.figures,
    new.recorded_at
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "claim_sha256": "VARCHAR",
            "name": "VARCHAR",
            "run_id": "VARCHAR",
            "model": "VARCHAR",
            "figures": "JSON",
            "recorded_at": "TIMESTAMP"
        }]'
    ), recursive := TRUE)
) AS new
WHERE
    NOT EXISTS (
        SELECT 1
        FROM claims AS old
        WHERE
            old.claim_sha256 = new.claim_sha256
    );
