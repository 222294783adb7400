-- The noise between two replicates of one run. $run_a, $run_b.
SELECT *
FROM RERUN_NOISE($run_a, $run_b);
