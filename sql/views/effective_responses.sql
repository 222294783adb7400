-- The response of each request that counts: the earliest, by time, then by exchange.
CREATE OR REPLACE VIEW effective_responses AS
SELECT
    responses.request_key,
    responses.response_sha256,
    responses.status,
    responses.finish_reason,
    responses.attempt_key
FROM responses
LEFT JOIN superseded_responses
    ON
        responses.request_key = superseded_responses.request_key
        AND responses.attempt_key = superseded_responses.attempt_key
WHERE superseded_responses.attempt_key IS NULL;
COMMENT ON VIEW effective_responses IS 'One row per generation request that has a final reply';
COMMENT ON COLUMN effective_responses.request_key IS 'The request';
COMMENT ON COLUMN effective_responses.response_sha256 IS 'sha256 of its text';
COMMENT ON COLUMN effective_responses.status IS 'answered, empty or refused';
COMMENT ON COLUMN effective_responses.finish_reason IS 'As the provider gave it';
COMMENT ON COLUMN effective_responses.attempt_key IS 'The exchange it came from';
