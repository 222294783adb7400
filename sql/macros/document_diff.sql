-- Two runs document by document: the exact sums that differences, errors and sign-flip tests are made of. document_diff('run a', 'run b').
-- Only tasks of both runs. least_sum and most_sum are the sum of differences if every unjudged task had its worst and best score.
CREATE OR REPLACE MACRO document_diff(run_a, run_b) AS TABLE
SELECT
    document_sha256,
    COUNT(*) AS tasks_n,
    COUNT(*) - COUNT(delta) AS unjudged_n,
    COALESCE(SUM(delta), 0) AS delta_sum,
    SUM(COALESCE(score_a, 0) - COALESCE(score_b, 1)) AS least_sum,
    SUM(COALESCE(score_a, 1) - COALESCE(score_b, 0)) AS most_sum,
    COUNT(CASE WHEN status_a = 'scored' AND status_b = 'scored' THEN 1 END) AS common_n,
    COALESCE(SUM(CASE WHEN status_a = 'scored' AND status_b = 'scored' THEN delta END), 0) AS common_sum,
    COUNT(CASE WHEN status_a = 'scored' THEN 1 END) AS scored_a_n,
    COUNT(CASE WHEN status_b = 'scored' THEN 1 END) AS scored_b_n,
    COALESCE(SUM(CASE WHEN status_a = 'scored' THEN score_a END), 0) AS scored_a_sum,
    COALESCE(SUM(CASE WHEN status_b = 'scored' THEN score_b END), 0) AS scored_b_sum
FROM TASK_DIFF(run_a, run_b)
WHERE
    status_a IS NOT NULL
    AND status_b IS NOT NULL
GROUP BY document_sha256;
COMMENT ON MACRO TABLE document_diff IS 'document_diff(run a, run b): one row per document of the tasks of both runs'; -- noqa: PRS
