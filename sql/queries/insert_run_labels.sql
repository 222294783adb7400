-- Adds run labels whose caller has checked that the name is new. $rows: a JSON list of their columns.
INSERT INTO run_labels (
    run_id,
    label,
    recorded_at
)
SELECT
    new.run_id,
    new.label,
    new.recorded_at
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "run_id": "VARCHAR",
            "label": "VARCHAR",
            "recorded_at": "TIMESTAMP"
        }]'
    ), recursive := TRUE)
) AS new;
