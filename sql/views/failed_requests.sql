-- Requests that met an error at least once: those of them without a reply have failed.
CREATE OR REPLACE VIEW failed_requests AS
SELECT DISTINCT attempts.request_key
FROM attempts
WHERE attempts.error IS NOT NULL;
COMMENT ON VIEW failed_requests IS 'One row per request that met an error';
COMMENT ON COLUMN failed_requests.request_key IS 'The request';
