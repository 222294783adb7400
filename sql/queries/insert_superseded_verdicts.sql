-- Notes which valid verdicts on some requests do not count: all but the earliest, by time, then by exchange. $keys: a JSON
-- list of request keys.
INSERT INTO superseded_verdicts (
    request_key,
    attempt_key,
    parser_version
)
SELECT
    ordered.request_key,
    ordered.attempt_key,
    ordered.parser_version
FROM (
    SELECT
        verdicts.request_key,
        verdicts.attempt_key,
        verdicts.parser_version,
        ROW_NUMBER() OVER (
            PARTITION BY verdicts.request_key, verdicts.parser_version
            ORDER BY verdicts.ended_at, verdicts.attempt_key
        ) AS place
    FROM verdicts
    WHERE
        verdicts.status = 'ok'
        AND verdicts.request_key IN (SELECT UNNEST(FROM_JSON($keys, '["VARCHAR"]')))
) AS ordered
WHERE
    ordered.place > 1
    AND NOT EXISTS (
        SELECT 1
        FROM superseded_verdicts AS old
        WHERE
            old.attempt_key = ordered.attempt_key
            AND old.parser_version = ordered.parser_version
    );
