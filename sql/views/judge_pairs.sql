-- Each two judges of a panel: by how much one is milder than the other, on the tasks that the whole panel scored. Errors clustered by document.
CREATE OR REPLACE VIEW judge_pairs AS
WITH by_document AS (
    SELECT
        one.class_id,
        one.panel_fingerprint,
        one.judge AS judge_a,
        other.judge AS judge_b,
        one.document_sha256,
        COUNT(*) AS tasks_n,
        SUM(one.score - other.score) AS difference_sum
    FROM panel_verdicts AS one
    INNER JOIN panel_verdicts AS other
        ON
            one.run_id = other.run_id
            AND one.task_id = other.task_id
            AND one.judge < other.judge
    GROUP BY
        one.class_id,
        one.panel_fingerprint,
        one.judge,
        other.judge,
        one.document_sha256
),

totals AS (
    SELECT
        class_id,
        panel_fingerprint,
        judge_a,
        judge_b,
        SUM(tasks_n) AS n,
        COUNT(*) AS documents_n,
        SUM(difference_sum) AS difference_sum
    FROM by_document
    GROUP BY
        class_id,
        panel_fingerprint,
        judge_a,
        judge_b
)

SELECT
    totals.class_id,
    totals.panel_fingerprint,
    totals.judge_a,
    totals.judge_b,
    MAX(totals.n) AS n,
    MAX(totals.documents_n) AS documents_n,
    SIGNED_RATIO(MAX(totals.difference_sum), MAX(totals.n)) AS mean_difference,
    CLUSTERED_SE(
        SUM(
            POWER(
                CAST(by_document.difference_sum AS DOUBLE) / totals.n
                - by_document.tasks_n * CAST(totals.difference_sum AS DOUBLE) / POWER(totals.n, 2),
                2
            )
        ),
        COUNT(*)
    ) AS mean_difference_se
FROM by_document
INNER JOIN totals
    ON
        by_document.class_id = totals.class_id
        AND by_document.panel_fingerprint = totals.panel_fingerprint
        AND by_document.judge_a = totals.judge_a
        AND by_document.judge_b = totals.judge_b
GROUP BY
    totals.class_id,
    totals.panel_fingerprint,
    totals.judge_a,
    totals.judge_b;
COMMENT ON VIEW judge_pairs IS 'One row per class, panel and pair of its judges';
COMMENT ON COLUMN judge_pairs.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN judge_pairs.panel_fingerprint IS 'The panel';
COMMENT ON COLUMN judge_pairs.judge_a IS 'The judge whose name sorts first';
COMMENT ON COLUMN judge_pairs.judge_b IS 'The other';
COMMENT ON COLUMN judge_pairs.n IS 'Tasks scored by the whole panel, summed over runs';
COMMENT ON COLUMN judge_pairs.documents_n IS 'Distinct documents of those tasks';
COMMENT ON COLUMN judge_pairs.mean_difference IS 'Mean of judge_a minus judge_b: positive where judge_a is the milder';
COMMENT ON COLUMN judge_pairs.mean_difference_se IS 'Its standard error, clustered by document';
