-- The published results that were brought in, the oldest first.
SELECT
    claim_sha256,
    name,
    run_id,
    model,
    figures
FROM claims
ORDER BY
    recorded_at,
    claim_sha256;
