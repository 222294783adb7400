-- The difference of two runs by cause. $run_a, $run_b.
SELECT *
FROM CAUSE_DIFF($run_a, $run_b)
ORDER BY cause;
