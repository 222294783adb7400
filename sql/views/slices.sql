-- The figures of each run by language, length of the document and any scalar field of the tasks, computed as run_scores does (protocol section 5).
-- A field of the dataset by the name of a computed one (is_cjk, language, length_bin) takes its place, so no task is twice in an attribute.
-- A task without the field is in no slice of it.
CREATE OR REPLACE VIEW slices AS
WITH computed AS (
    SELECT DISTINCT
        task_sha256,
        'is_cjk' AS attribute,
        CASE WHEN is_cjk THEN 'cjk' ELSE 'en' END AS value
    FROM task_results
    UNION ALL
    SELECT DISTINCT
        task_sha256,
        'language' AS attribute,
        CASE WHEN is_cjk THEN 'cjk' ELSE 'en' END AS value
    FROM task_results
    UNION ALL
    SELECT DISTINCT
        task_sha256,
        'length_bin' AS attribute,
        CASE
            WHEN document_chars < 10000 THEN 'under 10k'
            WHEN document_chars < 100000 THEN '10k to 100k'
            WHEN document_chars < 1000000 THEN '100k to 1M'
            ELSE '1M and over'
        END AS value
    FROM task_results
),

labels AS (
    SELECT
        task_sha256,
        attribute,
        value
    FROM task_values
    UNION ALL
    SELECT
        computed.task_sha256,
        computed.attribute,
        computed.value
    FROM computed
    WHERE
        NOT EXISTS (
            SELECT 1
            FROM task_values
            WHERE
                task_values.task_sha256 = computed.task_sha256
                AND task_values.attribute = computed.attribute
        )
),

sliced AS (
    SELECT
        task_results.run_id,
        task_results.model,
        task_results.class_id,
        labels.attribute,
        labels.value,
        task_results.status,
        task_results.panel_score
    FROM task_results
    INNER JOIN labels
        ON task_results.task_sha256 = labels.task_sha256
),

sums AS (
    SELECT
        sliced.run_id,
        sliced.model,
        sliced.class_id,
        sliced.attribute,
        sliced.value,
        COUNT(*) AS tasks_n,
        COUNT(sliced.panel_score) AS scored_n,
        COALESCE(SUM(sliced.panel_score), 0) AS score_sum,
        COUNT(CASE WHEN sliced.status = 'out_of_context' THEN 1 END) AS out_of_context_n,
        COUNT(CASE WHEN sliced.status = 'empty' THEN 1 END) AS empty_n,
        COUNT(CASE WHEN sliced.status = 'refused' THEN 1 END) AS refused_n,
        COUNT(CASE WHEN sliced.status = 'failed' THEN 1 END) AS failed_n,
        COUNT(CASE WHEN sliced.status = 'missing' THEN 1 END) AS missing_n,
        COUNT(CASE WHEN sliced.status = 'unjudged' THEN 1 END) AS unjudged_n
    FROM sliced
    GROUP BY
        sliced.run_id,
        sliced.model,
        sliced.class_id,
        sliced.attribute,
        sliced.value
)

SELECT
    run_id,
    model,
    class_id,
    attribute,
    value,
    tasks_n,
    EXACT_RATIO(score_sum, scored_n) AS scored_overall,
    scored_n,
    CASE WHEN unjudged_n = 0 THEN EXACT_RATIO(score_sum, tasks_n) END AS all_tasks_overall,
    CASE WHEN unjudged_n = 0 THEN EXACT_RATIO(score_sum, tasks_n) END AS overall,
    EXACT_RATIO(score_sum, tasks_n) AS overall_lo,
    EXACT_RATIO(score_sum + unjudged_n, tasks_n) AS overall_hi,
    out_of_context_n,
    empty_n,
    refused_n,
    failed_n,
    missing_n,
    unjudged_n,
    failed_n + missing_n + unjudged_n = 0 AS complete
FROM sums;
COMMENT ON VIEW slices IS 'One row per run, attribute and value';
COMMENT ON COLUMN slices.run_id IS 'The run';
COMMENT ON COLUMN slices.model IS 'Model name as sent';
COMMENT ON COLUMN slices.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN slices.attribute IS 'language, length_bin, is_cjk (cjk or en, by the protocol), or a field of the dataset';
COMMENT ON COLUMN slices.value IS 'Its value, as text';
COMMENT ON COLUMN slices.tasks_n IS 'Tasks with this value';
COMMENT ON COLUMN slices.scored_overall IS 'Scored: mean over those that the whole panel scored';
COMMENT ON COLUMN slices.scored_n IS 'Number of those tasks';
COMMENT ON COLUMN slices.all_tasks_overall IS 'All-N over these tasks; NULL while an answered one lacks a judge';
COMMENT ON COLUMN slices.overall IS 'The same figure as all_tasks_overall';
COMMENT ON COLUMN slices.overall_lo IS 'The same if every unjudged task got 0';
COMMENT ON COLUMN slices.overall_hi IS 'The same if every unjudged task got 1';
COMMENT ON COLUMN slices.out_of_context_n IS 'Tasks whose document is over the cap';
COMMENT ON COLUMN slices.empty_n IS 'Tasks with empty output';
COMMENT ON COLUMN slices.refused_n IS 'Tasks that were refused';
COMMENT ON COLUMN slices.failed_n IS 'Tasks asked without a usable reply yet';
COMMENT ON COLUMN slices.missing_n IS 'Tasks never asked';
COMMENT ON COLUMN slices.unjudged_n IS 'Answered tasks that lack a judge';
COMMENT ON COLUMN slices.complete IS 'Nothing failed, missing or unjudged';
