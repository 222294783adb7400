-- The runs that a name may mean: an id, a unique beginning of one, or the latest label. $name.
SELECT
    runs.run_id,
    current_labels.label
FROM runs
LEFT JOIN current_labels
    ON runs.run_id = current_labels.run_id
WHERE
    runs.run_id = $name
    OR STARTS_WITH(runs.run_id, $name)
    OR current_labels.label = $name
ORDER BY runs.run_id;
