-- What of a run's identity is no config. $run_id.
SELECT
    dataset_sha256,
    replicate,
    judge_replicate,
    is_imported
FROM runs
WHERE run_id = $run_id;
