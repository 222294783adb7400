-- The classes that a name may mean: a class id, or the class of a run by id, beginning of one, or latest label. $name.
SELECT DISTINCT run_classes.class_id
FROM run_classes
LEFT JOIN current_labels
    ON run_classes.run_id = current_labels.run_id
WHERE
    $name <> ''
    AND (
        run_classes.class_id = $name
        OR STARTS_WITH(run_classes.run_id, $name)
        OR current_labels.label = $name
    );
