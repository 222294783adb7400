-- Gives each class of the ledger a bit, for the analysis of one query; the two lowest bits are reserved.
CREATE TEMP TABLE __wt_runs AS
SELECT
    run_id,
    class_id,
    CAST(1 AS HUGEINT) << CAST(DENSE_RANK() OVER (ORDER BY class_id) + 1 AS HUGEINT) AS mask
FROM run_classes;
