-- The verdict of each judge request that counts: the earliest ok one of the current parser, for good.
CREATE OR REPLACE VIEW effective_verdicts AS
SELECT
    verdicts.request_key,
    verdicts.reply_sha256,
    verdicts.attempt_key,
    verdicts.total,
    verdicts.total_matches_points,
    verdicts.points_count_matches
FROM verdicts
INNER JOIN ledger_meta AS parser
    ON
        parser.name = 'parser_version'
        AND verdicts.parser_version = parser.value
LEFT JOIN superseded_verdicts
    ON
        verdicts.attempt_key = superseded_verdicts.attempt_key
        AND verdicts.parser_version = superseded_verdicts.parser_version
WHERE
    verdicts.status = 'ok'
    AND superseded_verdicts.attempt_key IS NULL;
COMMENT ON VIEW effective_verdicts IS 'One row per judge request that has a verdict';
COMMENT ON COLUMN effective_verdicts.request_key IS 'The judge request';
COMMENT ON COLUMN effective_verdicts.reply_sha256 IS 'sha256 of the reply';
COMMENT ON COLUMN effective_verdicts.attempt_key IS 'The exchange it came from';
COMMENT ON COLUMN effective_verdicts.total IS 'The total that the judge gave';
COMMENT ON COLUMN effective_verdicts.total_matches_points IS 'Whether the total is the sum of the points listed';
COMMENT ON COLUMN effective_verdicts.points_count_matches IS 'Whether there are as many points as criteria';
