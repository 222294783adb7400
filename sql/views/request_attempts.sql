-- How often each request was tried.
CREATE OR REPLACE VIEW request_attempts AS
SELECT
    request_key,
    COUNT(*) AS attempts_n,
    MIN(started_at) AS first_at,
    MAX(ended_at) AS last_at
FROM attempts
GROUP BY request_key;
COMMENT ON VIEW request_attempts IS 'One row per request that was sent at least once';
COMMENT ON COLUMN request_attempts.request_key IS 'The request';
COMMENT ON COLUMN request_attempts.attempts_n IS 'HTTP exchanges, all commands together';
COMMENT ON COLUMN request_attempts.first_at IS 'Start of the first exchange, UTC';
COMMENT ON COLUMN request_attempts.last_at IS 'End of the last exchange, UTC';
