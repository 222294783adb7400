-- Responses that do not count, since an earlier one to the same request does: the few exceptions, so that views need not look
-- for the earliest of each request.
CREATE TABLE IF NOT EXISTS superseded_responses (
    request_key VARCHAR NOT NULL,
    attempt_key VARCHAR NOT NULL
);
COMMENT ON TABLE superseded_responses IS 'One row per response that an earlier one to the same request precedes';
COMMENT ON COLUMN superseded_responses.request_key IS 'The request';
COMMENT ON COLUMN superseded_responses.attempt_key IS 'The exchange of the response that does not count';
