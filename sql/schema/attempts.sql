-- Every HTTP exchange, successful or not.
CREATE TABLE IF NOT EXISTS attempts (
    attempt_key VARCHAR NOT NULL,
    request_key VARCHAR NOT NULL,
    purpose VARCHAR NOT NULL,
    started_at TIMESTAMP NOT NULL,
    ended_at TIMESTAMP NOT NULL,
    status INTEGER,
    headers JSON NOT NULL,
    body BLOB NOT NULL,
    error VARCHAR,
    error_detail VARCHAR
);
COMMENT ON TABLE attempts IS 'One row per HTTP exchange';
COMMENT ON COLUMN attempts.attempt_key IS 'Hash over request, start, status, body and error';
COMMENT ON COLUMN attempts.request_key IS 'The request';
COMMENT ON COLUMN attempts.purpose IS 'answer or judge';
COMMENT ON COLUMN attempts.started_at IS 'When the request was sent, UTC';
COMMENT ON COLUMN attempts.ended_at IS 'When the exchange was over, UTC';
COMMENT ON COLUMN attempts.status IS 'HTTP status; NULL where no response came';
COMMENT ON COLUMN attempts.headers IS 'Response headers by allow-list: date, request id, retry-after, rate limits, content type';
COMMENT ON COLUMN attempts.body IS 'The body exactly as received after content decoding, keys of the user blacked out; empty where none came';
COMMENT ON COLUMN attempts.error IS 'Short code of what went wrong; NULL for a chat completion';
COMMENT ON COLUMN attempts.error_detail IS 'The error in words';
