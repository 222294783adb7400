-- Two runs task by task, what moved most first. $run_a, $run_b.
SELECT *
FROM TASK_DIFF($run_a, $run_b)
ORDER BY
    ABS(delta) DESC NULLS LAST,
    task_id;
