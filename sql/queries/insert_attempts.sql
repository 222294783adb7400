-- Adds attempts of a segment that was not ingested before. $rows: a JSON list of their columns.
INSERT INTO attempts (
    attempt_key,
    request_key,
    purpose,
    started_at,
    ended_at,
    status,
    headers,
    body,
    error,
    error_detail
)
SELECT
    new.attempt_key,
    new.request_key,
    new.purpose,
    new.started_at,
    new.ended_at,
    new.status,
    new.headers,
    FROM_BASE64(new.body) AS body,
    new.error,
    new.error_detail
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "attempt_key": "VARCHAR",
            "request_key": "VARCHAR",
            "purpose": "VARCHAR",
            "started_at": "TIMESTAMP",
            "ended_at": "TIMESTAMP",
            "status": "INTEGER",
            "headers": "JSON",
            "body": "VARCHAR",
            "error": "VARCHAR",
            "error_detail": "VARCHAR"
        }]'
    ), recursive := TRUE)
) AS new;
