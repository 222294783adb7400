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
WHERE
    verdicts.status = 'ok'
    AND NOT EXISTS (
        SELECT 1
        FROM verdicts AS earlier
        WHERE
            earlier.request_key = verdicts.request_key
            AND earlier.status = 'ok'
            AND earlier.parser_version = verdicts.parser_version
            AND (
                earlier.ended_at < verdicts.ended_at
                OR (
                    earlier.ended_at = verdicts.ended_at
                    AND earlier.attempt_key < verdicts.attempt_key
                )
            )
    );
COMMENT ON VIEW effective_verdicts IS 'One row per judge request that has a verdict';
COMMENT ON COLUMN effective_verdicts.request_key IS 'The judge request';
COMMENT ON COLUMN effective_verdicts.reply_sha256 IS 'sha256 of the reply';
COMMENT ON COLUMN effective_verdicts.attempt_key IS 'The exchange it came from';
COMMENT ON COLUMN effective_verdicts.total IS 'The total that the judge gave';
COMMENT ON COLUMN effective_verdicts.total_matches_points IS 'Whether the total is the sum of the points listed';
COMMENT ON COLUMN effective_verdicts.points_count_matches IS 'Whether there are as many points as criteria';
