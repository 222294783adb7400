-- The class of each judge request's verdict, after number_classes; 1, "not known", where runs of several classes share it.
CREATE TEMP VIEW __wt_requests AS
SELECT
    judge_requests.request_key,
    CASE
        WHEN COUNT(DISTINCT runs.mask) > 1 THEN CAST(1 AS HUGEINT)
        ELSE MIN(runs.mask)
    END AS mask
FROM judge_requests
INNER JOIN __wt_runs AS runs
    ON judge_requests.run_id = runs.run_id
GROUP BY judge_requests.request_key;
