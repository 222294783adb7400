-- The datasets of a given number of tasks. $tasks_n.
SELECT
    dataset_sha256,
    name
FROM datasets
WHERE tasks_n = $tasks_n
ORDER BY dataset_sha256;
