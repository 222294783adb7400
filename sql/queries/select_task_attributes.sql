-- The latest attributes of each task of a dataset. $dataset_sha256.
SELECT
    task_attributes.task_sha256,
    ARG_MAX(task_attributes.attributes_sha256, task_attributes.recorded_at) AS attributes_sha256
FROM task_attributes
INNER JOIN dataset_tasks
    ON task_attributes.task_sha256 = dataset_tasks.task_sha256
WHERE dataset_tasks.dataset_sha256 = $dataset_sha256
GROUP BY task_attributes.task_sha256;
