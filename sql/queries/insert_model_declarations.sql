-- Adds model declarations whose caller has checked that the declaration is new. $rows: a JSON list of their columns.
INSERT INTO model_declarations (
    model,
    family,
    reasoning,
    recorded_at
)
SELECT
    new.model,
    new.family,
    new.reasoning,
    new.recorded_at
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "model": "VARCHAR",
            "family": "VARCHAR",
            "reasoning": "BOOLEAN",
            "recorded_at": "TIMESTAMP"
        }]'
    ), recursive := TRUE)
) AS new;
