-- The bit of each class by its id, after number_classes.
CREATE TEMP TABLE __wt_classes AS
SELECT DISTINCT
    class_id,
    mask
FROM __wt_runs;
