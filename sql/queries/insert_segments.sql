-- Adds segments in the transaction that inserts its rows. $rows: a JSON list of their columns.
INSERT INTO segments (
    segment,
    rows_n,
    sha256,
    ingested_at
)
SELECT
    new.segment,
    new.rows_n,
    new.sha256,
    new.ingested_at
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "segment": "VARCHAR",
            "rows_n": "INTEGER",
            "sha256": "VARCHAR",
            "ingested_at": "TIMESTAMP"
        }]'
    ), recursive := TRUE)
) AS new;
