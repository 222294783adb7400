-- Two runs in one row: the differences with their errors. $run_a, $run_b.
SELECT *
FROM RUN_DIFF($run_a, $run_b);
