-- Adds the configs that are not there yet. $rows: a JSON list of their columns.
INSERT INTO configs (
    fingerprint,
    kind,
    body
)
SELECT
    new.fingerprint,
    new.kind,
    new.body
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "fingerprint": "VARCHAR",
            "kind": "VARCHAR",
            "body": "JSON"
        }]'
    ), recursive := TRUE)
) AS new
WHERE
    NOT EXISTS (
        SELECT 1
        FROM configs AS old
        WHERE
            old.fingerprint = new.fingerprint
            AND old.kind = new.kind
    );
