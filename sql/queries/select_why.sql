-- The evidence behind a task's score. $run_id, $task_id.
SELECT *
FROM WHY($run_id, $task_id);
