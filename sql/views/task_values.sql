-- The scalar fields of tasks that the protocol does not know, out of JSON: the leaf that reads task_attributes.
-- Of several imports the latest counts. Texts of over 100 characters (gold answers, evidence) are no values to group by.
CREATE OR REPLACE VIEW task_values AS
WITH latest AS (
    SELECT
        task_sha256,
        attributes
    FROM (
        SELECT
            task_sha256,
            attributes,
            ROW_NUMBER() OVER (
                PARTITION BY task_sha256
                ORDER BY recorded_at DESC, attributes_sha256 ASC
            ) AS age
        FROM task_attributes
    ) AS imported
    WHERE age = 1
),

fields AS (
    SELECT
        latest.task_sha256,
        field.key AS attribute,
        field.type,
        latest.attributes ->> field.fullkey AS value
    FROM latest
    CROSS JOIN JSON_EACH(latest.attributes) AS field
    UNION ALL
    SELECT
        latest.task_sha256,
        'ground_truth.' || field.key AS attribute,
        field.type,
        latest.attributes ->> field.fullkey AS value
    FROM latest
    CROSS JOIN JSON_EACH(latest.attributes, '$.ground_truth') AS field
)

SELECT
    task_sha256,
    attribute,
    value
FROM fields
WHERE
    type NOT IN ('OBJECT', 'ARRAY', 'NULL')
    AND LENGTH(value) <= 100;
COMMENT ON VIEW task_values IS 'One row per task and scalar field';
COMMENT ON COLUMN task_values.task_sha256 IS 'The task';
COMMENT ON COLUMN task_values.attribute IS 'Name of the field; ground_truth.NAME for one inside ground_truth';
COMMENT ON COLUMN task_values.value IS 'Its value, as text';
