-- The name of each run: the latest label given, else none.
CREATE OR REPLACE VIEW current_labels AS
SELECT
    run_id,
    label
FROM (
    SELECT
        run_id,
        label,
        ROW_NUMBER() OVER (
            PARTITION BY run_id
            ORDER BY recorded_at DESC, label DESC
        ) AS age
    FROM run_labels
) AS named
WHERE age = 1;
COMMENT ON VIEW current_labels IS 'One row per run that has a label';
COMMENT ON COLUMN current_labels.run_id IS 'The run';
COMMENT ON COLUMN current_labels.label IS 'Its latest label';
