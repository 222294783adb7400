-- What a run's settings, its dataset and its errors tell that a reader of its figures should know.
CREATE OR REPLACE VIEW setting_signs AS
WITH latest_declarations AS (
    SELECT
        model,
        reasoning,
        ROW_NUMBER() OVER (
            PARTITION BY model
            ORDER BY recorded_at DESC
        ) AS age
    FROM model_declarations
    WHERE reasoning IS NOT NULL
),

too_long AS (
    SELECT
        run_requests.run_id,
        COUNT(DISTINCT run_requests.task_id) AS tasks_n,
        MIN(documents.chars) AS shortest
    FROM run_requests
    INNER JOIN attempts
        ON
            run_requests.request_key = attempts.request_key
            AND attempts.error = 'context_length'
    INNER JOIN tasks
        ON run_requests.task_sha256 = tasks.task_sha256
    INNER JOIN documents
        ON tasks.document_sha256 = documents.document_sha256
    GROUP BY run_requests.run_id
),

cap_sources AS (
    SELECT
        run_id,
        MIN(cap_source) AS cap_source
    FROM run_requests
    GROUP BY run_id
),

cuts AS (
    SELECT
        dataset_tasks.dataset_sha256,
        COUNT(DISTINCT CASE WHEN LENGTH(tasks.question) > 600 THEN tasks.task_sha256 END) AS questions_n,
        COUNT(CASE WHEN LENGTH(rubric_criteria.correct_criterion) > 260 THEN 1 END) AS criteria_n
    FROM dataset_tasks
    INNER JOIN tasks
        ON dataset_tasks.task_sha256 = tasks.task_sha256
    INNER JOIN rubric_criteria
        ON tasks.task_sha256 = rubric_criteria.task_sha256
    GROUP BY dataset_tasks.dataset_sha256
)

SELECT
    runs.run_id,
    'cap_default' AS dimension,
    runs.model AS subject,
    'cap_source is default' AS sign
FROM runs
INNER JOIN cap_sources
    ON runs.run_id = cap_sources.run_id
WHERE cap_sources.cap_source = 'default'
UNION ALL
SELECT
    runs.run_id,
    'cap_of_other_model' AS dimension,
    runs.model AS subject,
    'the caps are of another entry of the protocol table' AS sign
FROM runs
INNER JOIN cap_sources
    ON runs.run_id = cap_sources.run_id
INNER JOIN configs
    ON
        configs.kind = 'cap_rule'
        AND runs.cap_rule_fingerprint = configs.fingerprint
WHERE
    cap_sources.cap_source = 'protocol'
    AND NOT LIST_CONTAINS(JSON_KEYS(configs.body, '$.table'), runs.model)
UNION ALL
SELECT
    runs.run_id,
    'cap_above_window' AS dimension,
    runs.model AS subject,
    too_long.tasks_n || ' tasks within the cap met a context-length error, the shortest document of '
    || too_long.shortest || ' characters' AS sign
FROM runs
INNER JOIN too_long
    ON runs.run_id = too_long.run_id
UNION ALL
SELECT
    runs.run_id,
    'reasoning_budget' AS dimension,
    runs.model AS subject,
    'max_tokens ' || (configs.body ->> '$.parameters.max_tokens') AS sign
FROM runs
INNER JOIN configs
    ON
        configs.kind = 'route'
        AND runs.route_fingerprint = configs.fingerprint
INNER JOIN latest_declarations
    ON
        runs.model = latest_declarations.model
        AND latest_declarations.age = 1
        AND latest_declarations.reasoning
WHERE CAST(configs.body ->> '$.parameters.max_tokens' AS BIGINT) < 32768
UNION ALL
SELECT
    runs.run_id,
    'imported_prompts' AS dimension,
    runs.model AS subject,
    configs.body ->> '$.imported' AS sign
FROM runs
INNER JOIN configs
    ON
        configs.kind = 'prompt_template'
        AND runs.prompt_template_fingerprint = configs.fingerprint
WHERE configs.body ->> '$.imported' IS NOT NULL
UNION ALL
SELECT
    runs.run_id,
    'question_over_judge_cut' AS dimension,
    'dataset ' || LEFT(runs.dataset_sha256, 12) AS subject,
    cuts.questions_n || ' questions' AS sign
FROM runs
INNER JOIN cuts
    ON runs.dataset_sha256 = cuts.dataset_sha256
WHERE cuts.questions_n > 0
UNION ALL
SELECT
    runs.run_id,
    'criterion_over_judge_cut' AS dimension,
    'dataset ' || LEFT(runs.dataset_sha256, 12) AS subject,
    cuts.criteria_n || ' criteria' AS sign
FROM runs
INNER JOIN cuts
    ON runs.dataset_sha256 = cuts.dataset_sha256
WHERE cuts.criteria_n > 0
UNION ALL
SELECT
    runs.run_id,
    'figures_moved' AS dimension,
    runs.model AS subject,
    'All-N from ' || COALESCE(CAST(figure_moves.overall_before AS VARCHAR), 'NULL') || ' to '
    || COALESCE(CAST(figure_moves.overall AS VARCHAR), 'NULL') || ', parser '
    || figure_moves.parser_version_before || ' to ' || figure_moves.parser_version || ', views '
    || LEFT(figure_moves.aggregation_before, 12) || ' to ' || LEFT(figure_moves.aggregation, 12) AS sign
FROM runs
INNER JOIN figure_moves
    ON runs.run_id = figure_moves.run_id;
COMMENT ON VIEW setting_signs IS 'One row per run and finding';
COMMENT ON COLUMN setting_signs.run_id IS 'The run';
COMMENT ON COLUMN setting_signs.dimension IS 'The kind of finding, explained in finding_words';
COMMENT ON COLUMN setting_signs.subject IS 'The model, or the dataset';
COMMENT ON COLUMN setting_signs.sign IS 'What was seen';
