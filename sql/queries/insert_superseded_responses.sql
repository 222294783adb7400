-- Notes which responses to some requests do not count: all but the earliest, by time, then by exchange. $keys: a JSON list of
-- request keys.
INSERT INTO superseded_responses (
    request_key,
    attempt_key
)
SELECT
    ordered.request_key,
    ordered.attempt_key
FROM (
    SELECT
        responses.request_key,
        responses.attempt_key,
        ROW_NUMBER() OVER (
            PARTITION BY responses.request_key
            ORDER BY responses.ended_at, responses.attempt_key
        ) AS place
    FROM responses
    WHERE responses.request_key IN (SELECT UNNEST(FROM_JSON($keys, '["VARCHAR"]')))
) AS ordered
WHERE
    ordered.place > 1
    AND NOT EXISTS (
        SELECT 1
        FROM superseded_responses AS old
        WHERE
            old.request_key = ordered.request_key
            AND old.attempt_key = ordered.attempt_key
    );
