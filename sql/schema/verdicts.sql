-- What a version of the parser made of a judge reply.
CREATE TABLE IF NOT EXISTS verdicts (
    request_key VARCHAR NOT NULL,
    attempt_key VARCHAR NOT NULL,
    reply_sha256 VARCHAR NOT NULL,
    parser_version VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    reason VARCHAR,
    total DECIMAL(18, 9),
    points_awarded JSON,
    points_count_matches BOOLEAN,
    total_matches_points BOOLEAN,
    ended_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE verdicts IS 'One row per reply and parser version';
COMMENT ON COLUMN verdicts.request_key IS 'The judge request';
COMMENT ON COLUMN verdicts.attempt_key IS 'The reply, by its exchange';
COMMENT ON COLUMN verdicts.reply_sha256 IS 'sha256 of the reply text';
COMMENT ON COLUMN verdicts.parser_version IS 'Version of the parser';
COMMENT ON COLUMN verdicts.status IS 'ok or unparsed';
COMMENT ON COLUMN verdicts.reason IS 'Why the reply is unparsed';
COMMENT ON COLUMN verdicts.total IS 'The total that the judge gave; NULL unless ok';
COMMENT ON COLUMN verdicts.points_awarded IS 'The points that the judge listed, as a list; NULL where it listed none';
COMMENT ON COLUMN verdicts.points_count_matches IS 'Whether there are as many points as criteria';
COMMENT ON COLUMN verdicts.total_matches_points IS 'Whether the total is the sum of the points';
COMMENT ON COLUMN verdicts.ended_at IS 'When the reply was received, UTC; the earliest ok verdict counts';
