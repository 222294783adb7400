-- How much more each judge favours its own family over the others than the other judges do: severity taken out, paired by task (protocol section 4).
-- A task counts where models of both kinds were scored on it. No measurable bias needs both equivalence limits within a margin that you name.
CREATE OR REPLACE VIEW family_bias AS
WITH by_task AS (
    SELECT
        class_id,
        judge,
        task_id,
        document_sha256,
        MAX(judge_family) AS judge_family,
        AVG(CASE WHEN is_own_family THEN bias END) AS own_bias,
        AVG(CASE WHEN NOT is_own_family THEN bias END) AS other_bias
    FROM verdict_bias
    GROUP BY
        class_id,
        judge,
        task_id,
        document_sha256
),

by_document AS (
    SELECT
        class_id,
        judge,
        document_sha256,
        MAX(judge_family) AS judge_family,
        COUNT(*) AS tasks_n,
        SUM(own_bias - other_bias) AS bias_sum
    FROM by_task
    WHERE
        own_bias IS NOT NULL
        AND other_bias IS NOT NULL
    GROUP BY
        class_id,
        judge,
        document_sha256
),

totals AS (
    SELECT
        class_id,
        judge,
        MAX(judge_family) AS judge_family,
        SUM(tasks_n) AS tasks_n,
        COUNT(*) AS documents_n,
        SUM(bias_sum) / SUM(tasks_n) AS bias
    FROM by_document
    GROUP BY
        class_id,
        judge
),

errors AS (
    SELECT
        totals.class_id,
        totals.judge,
        CLUSTERED_SE(
            SUM(POWER((by_document.bias_sum - by_document.tasks_n * totals.bias) / totals.tasks_n, 2)), COUNT(*)
        ) AS standard_error
    FROM by_document
    INNER JOIN totals
        ON
            by_document.class_id = totals.class_id
            AND by_document.judge = totals.judge
    GROUP BY
        totals.class_id,
        totals.judge
)

SELECT
    totals.class_id,
    totals.judge,
    totals.judge_family,
    totals.tasks_n,
    totals.documents_n,
    CAST(totals.bias AS DECIMAL(18, 9)) AS bias,
    errors.standard_error,
    CAST(totals.bias - T_QUANTILE_95(totals.documents_n - 1) * errors.standard_error AS DECIMAL(18, 9)) AS equivalence_low,
    CAST(totals.bias + T_QUANTILE_95(totals.documents_n - 1) * errors.standard_error AS DECIMAL(18, 9)) AS equivalence_high
FROM totals
INNER JOIN errors
    ON
        totals.class_id = errors.class_id
        AND totals.judge = errors.judge;
COMMENT ON VIEW family_bias IS 'One row per class and judge of a declared family whose own and other families were scored on the same tasks';
COMMENT ON COLUMN family_bias.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN family_bias.judge IS 'Name of the judge within the panel';
COMMENT ON COLUMN family_bias.judge_family IS 'Its family';
COMMENT ON COLUMN family_bias.tasks_n IS 'Tasks on which models of its own and of other families were scored';
COMMENT ON COLUMN family_bias.documents_n IS 'Distinct documents of those tasks';
COMMENT ON COLUMN family_bias.bias IS 'Mean over those tasks of its bias for its own family less its bias for the others';
COMMENT ON COLUMN family_bias.standard_error IS 'Its standard error, clustered by document';
COMMENT ON COLUMN family_bias.equivalence_low IS 'Lower one-sided 95 % limit; NULL for fewer than five documents';
COMMENT ON COLUMN family_bias.equivalence_high IS 'Upper one-sided 95 % limit; NULL for fewer than five documents';
