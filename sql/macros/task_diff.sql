-- Two runs task by task: what became of each task, by how much it moved, and why. Called by position: task_diff('run a', 'run b').
-- delta is score_a - score_b, NULL while either is unjudged. The causes, the first that holds: task of one run only, different
-- task (same id), status change, different answer, same answer, different verdict, none.
CREATE OR REPLACE MACRO task_diff(run_a, run_b) AS TABLE
WITH sides AS (
    SELECT
        task_results.*,
        run_tasks.response_sha256
    FROM task_results
    INNER JOIN run_tasks
        ON
            task_results.run_id = run_tasks.run_id
            AND task_results.task_id = run_tasks.task_id
    WHERE
        task_results.run_id IN (run_a, run_b)
        AND run_tasks.run_id IN (run_a, run_b)
),

side_a AS (
    SELECT * FROM sides
    WHERE run_id = run_a
),

side_b AS (
    SELECT * FROM sides
    WHERE run_id = run_b
),

given_verdicts AS (
    SELECT
        judge_totals.run_id,
        judge_totals.task_id,
        panel_judge_names.judge,
        judge_totals.total
    FROM judge_totals
    INNER JOIN runs
        ON judge_totals.run_id = runs.run_id
    INNER JOIN panel_judge_names
        ON
            runs.panel_fingerprint = panel_judge_names.panel_fingerprint
            AND judge_totals.judge_fingerprint = panel_judge_names.judge_fingerprint
    WHERE
        judge_totals.run_id IN (run_a, run_b)
        AND judge_totals.total IS NOT NULL
),

verdicts_a AS (
    SELECT * FROM given_verdicts
    WHERE run_id = run_a
),

verdicts_b AS (
    SELECT * FROM given_verdicts
    WHERE run_id = run_b
),

verdict_pairs AS (
    SELECT
        COALESCE(verdicts_a.task_id, verdicts_b.task_id) AS task_id,
        COUNT(*) = COUNT(CASE WHEN verdicts_a.total = verdicts_b.total THEN 1 END) AS same_verdicts
    FROM verdicts_a
    FULL OUTER JOIN verdicts_b
        ON
            verdicts_a.task_id = verdicts_b.task_id
            AND verdicts_a.judge = verdicts_b.judge
    GROUP BY COALESCE(verdicts_a.task_id, verdicts_b.task_id)
),

tasks_of_either AS (
    SELECT
        COALESCE(side_a.task_id, side_b.task_id) AS task_id,
        CASE WHEN side_a.class_id = side_b.class_id THEN side_a.class_id END AS class_id,
        COALESCE(side_a.document_sha256, side_b.document_sha256) AS document_sha256,
        COALESCE(side_a.document_chars, side_b.document_chars) AS document_chars,
        side_a.task_sha256 AS task_sha256_a,
        side_b.task_sha256 AS task_sha256_b,
        side_a.status AS status_a,
        side_b.status AS status_b,
        side_a.final_score AS score_a,
        side_b.final_score AS score_b,
        side_a.final_score - side_b.final_score AS delta,
        side_a.response_sha256 AS response_sha256_a,
        side_b.response_sha256 AS response_sha256_b
    FROM side_a
    FULL OUTER JOIN side_b
        ON side_a.task_id = side_b.task_id
)

SELECT
    tasks_of_either.task_id,
    tasks_of_either.class_id,
    tasks_of_either.document_sha256,
    tasks_of_either.document_chars,
    tasks_of_either.status_a,
    tasks_of_either.status_b,
    tasks_of_either.score_a,
    tasks_of_either.score_b,
    CAST(tasks_of_either.delta AS DECIMAL(18, 9)) AS delta,
    COALESCE(tasks_of_either.response_sha256_a = tasks_of_either.response_sha256_b, FALSE) AS same_answer,
    COALESCE(verdict_pairs.same_verdicts, TRUE) AS same_verdicts,
    CASE
        WHEN tasks_of_either.status_a IS NULL OR tasks_of_either.status_b IS NULL THEN 'task of one run only'
        WHEN tasks_of_either.task_sha256_a <> tasks_of_either.task_sha256_b THEN 'different task'
        WHEN tasks_of_either.status_a <> tasks_of_either.status_b THEN 'status change'
        WHEN
            COALESCE(tasks_of_either.response_sha256_a, '') <> COALESCE(tasks_of_either.response_sha256_b, '')
            THEN 'different answer'
        WHEN NOT COALESCE(verdict_pairs.same_verdicts, TRUE) THEN 'same answer, different verdict'
        ELSE 'none'
    END AS cause,
    tasks_of_either.response_sha256_a,
    tasks_of_either.response_sha256_b
FROM tasks_of_either
LEFT JOIN verdict_pairs
    ON tasks_of_either.task_id = verdict_pairs.task_id;
COMMENT ON MACRO TABLE task_diff IS 'task_diff(run a, run b): one row per task; columns and causes in docs/statistics.md'; -- noqa: PRS
