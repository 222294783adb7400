-- How far the judges of a panel agree, within run: each run is centred on its own mean, so differences between models do not count as agreement.
-- Krippendorff (Hayes and Krippendorff 2007), interval data, complete panels; ICC(A,1) and ICC(A,k) (McGraw and Wong 1996).
CREATE OR REPLACE VIEW judge_agreement AS
WITH pooled AS (
    SELECT
        class_id,
        panel_fingerprint,
        judges_n,
        COUNT(*) AS runs_n,
        SUM(tasks_n) AS n,
        CAST(SUM(tasks_n) AS DOUBLE) / COUNT(*) AS tasks_per_run,
        SUM(within_squares) / NULLIF(SUM(tasks_n) * (judges_n - 1), 0) AS within_variance,
        SUM(total_squares) / NULLIF(SUM(tasks_n * judges_n - 1), 0) AS total_variance,
        SUM(task_squares) / NULLIF(SUM(tasks_n - 1), 0) AS task_mean_square,
        SUM(judge_squares) / NULLIF(COUNT(*) * (judges_n - 1), 0) AS judge_mean_square,
        SUM(rest_squares) / NULLIF(SUM(tasks_n - 1) * (judges_n - 1), 0) AS rest_mean_square
    FROM judge_variation
    GROUP BY
        class_id,
        panel_fingerprint,
        judges_n
)

SELECT
    class_id,
    panel_fingerprint,
    judges_n,
    runs_n,
    n,
    1 - within_variance / NULLIF(total_variance, 0) AS alpha,
    (task_mean_square - rest_mean_square)
    / NULLIF(
        task_mean_square
        + (judges_n - 1) * rest_mean_square
        + judges_n * (judge_mean_square - rest_mean_square) / tasks_per_run,
        0
    ) AS icc_single,
    (task_mean_square - rest_mean_square)
    / NULLIF(task_mean_square + (judge_mean_square - rest_mean_square) / tasks_per_run, 0) AS icc_mean
FROM pooled;
COMMENT ON VIEW judge_agreement IS 'One row per class and panel of at least one task that the whole panel scored';
COMMENT ON COLUMN judge_agreement.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN judge_agreement.panel_fingerprint IS 'The panel';
COMMENT ON COLUMN judge_agreement.judges_n IS 'Judges on the panel';
COMMENT ON COLUMN judge_agreement.runs_n IS 'Runs in this figure';
COMMENT ON COLUMN judge_agreement.n IS 'Tasks scored by the whole panel, summed over these runs';
COMMENT ON COLUMN judge_agreement.alpha IS 'Krippendorff alpha for interval data: 1 is full agreement, 0 is chance; NULL for one judge or without any variation';
COMMENT ON COLUMN judge_agreement.icc_single IS 'ICC(A,1): absolute agreement of one judge';
COMMENT ON COLUMN judge_agreement.icc_mean IS 'ICC(A,k): absolute agreement of the mean of the panel, which is the score';
