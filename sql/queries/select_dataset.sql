-- One dataset. $dataset_sha256.
SELECT
    dataset_sha256,
    tasks_n,
    name
FROM datasets
WHERE dataset_sha256 = $dataset_sha256;
