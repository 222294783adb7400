-- The family that a model or judge was last declared to be of; what users say, not what is proven.
CREATE OR REPLACE VIEW model_families AS
SELECT
    model,
    family,
    reasoning
FROM (
    SELECT
        model,
        family,
        reasoning,
        ROW_NUMBER() OVER (
            PARTITION BY model
            ORDER BY recorded_at DESC, family ASC
        ) AS age
    FROM model_declarations
) AS declared
WHERE age = 1;
COMMENT ON VIEW model_families IS 'One row per model that was declared';
COMMENT ON COLUMN model_families.model IS 'Model name as sent';
COMMENT ON COLUMN model_families.family IS 'Its family; NULL where not declared';
COMMENT ON COLUMN model_families.reasoning IS 'Whether it was declared a reasoning model; NULL where not declared';
