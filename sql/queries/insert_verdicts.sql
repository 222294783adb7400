-- Adds verdicts of replies that this parser has not read before. $rows: a JSON list of their columns.
INSERT INTO verdicts (
    request_key,
    attempt_key,
    reply_sha256,
    parser_version,
    status,
    reason,
    total,
    points_awarded,
    points_count_matches,
    total_matches_points,
    ended_at
)
SELECT
    new.request_key,
    new.attempt_key,
    new.reply_sha256,
    new.parser_version,
    new.status,
    new.reason,
    new.total,
    new.points_awarded,
    new.points_count_matches,
    new.total_matches_points,
    new.ended_at
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "request_key": "VARCHAR",
            "attempt_key": "VARCHAR",
            "reply_sha256": "VARCHAR",
            "parser_version": "VARCHAR",
            "status": "VARCHAR",
            "reason": "VARCHAR",
            "total": "DECIMAL(18,9)",
            "points_awarded": "JSON",
            "points_count_matches": "BOOLEAN",
            "total_matches_points": "BOOLEAN",
            "ended_at": "TIMESTAMP"
        }]'
    ), recursive := TRUE)
) AS new;
