-- Valid verdicts that do not count, since an earlier one on the same request does: the few exceptions, so that views need not
-- look for the earliest of each request.
CREATE TABLE IF NOT EXISTS superseded_verdicts (
    request_key VARCHAR NOT NULL,
    attempt_key VARCHAR NOT NULL,
    parser_version VARCHAR NOT NULL
);
COMMENT ON TABLE superseded_verdicts IS 'One row per valid verdict that an earlier one on the same request, by the same parser, precedes';
COMMENT ON COLUMN superseded_verdicts.request_key IS 'The judge request';
COMMENT ON COLUMN superseded_verdicts.attempt_key IS 'The exchange of the verdict that does not count';
COMMENT ON COLUMN superseded_verdicts.parser_version IS 'Version of the parser that read it';
