-- What a run's answers tell that a reader of its figures should know.
CREATE OR REPLACE VIEW answer_signs AS
WITH counted AS (
    SELECT
        run_requests.run_id,
        run_requests.task_id,
        runs.model,
        responses.status,
        responses.text,
        LOWER(responses.text) AS lowered,
        responses.finish_reason,
        responses.served_model,
        responses.system_fingerprint
    FROM run_requests
    INNER JOIN runs
        ON run_requests.run_id = runs.run_id
    INNER JOIN effective_responses
        ON run_requests.request_key = effective_responses.request_key
    INNER JOIN responses
        ON
            effective_responses.request_key = responses.request_key
            AND effective_responses.attempt_key = responses.attempt_key
),

answers AS (
    SELECT
        counted.*,
        CASE
            WHEN
                counted.lowered LIKE '%points_awarded%'
                OR counted.lowered LIKE '%{%"total"%:%}%'
                OR counted.lowered LIKE '%strict grader%'
                OR counted.lowered LIKE '%ignore%previous%instruction%'
                OR counted.lowered LIKE '%ignore%above%instruction%'
                OR counted.lowered LIKE '%ignore the rubric%'
                OR counted.lowered LIKE '%full marks%'
                OR counted.lowered LIKE '%full points%'
                OR counted.lowered LIKE '%full score%'
                OR counted.lowered LIKE '%maximum score%'
                OR counted.lowered LIKE '%note to %grader%'
                OR counted.lowered LIKE '%note to %judge%'
                OR counted.lowered LIKE '%忽略%指令%'
                OR counted.lowered LIKE '%评分者%'
                OR counted.lowered LIKE '%给满分%'
                THEN 1
            ELSE 0
        END AS speaks_to_grader
    FROM counted
),

answer_counts AS (
    SELECT
        run_id,
        model,
        COUNT(DISTINCT served_model) AS served_models_n,
        MIN(served_model) AS first_served,
        MAX(served_model) AS last_served,
        COUNT(CASE WHEN served_model <> model THEN 1 END) AS other_model_n,
        MIN(CASE WHEN served_model <> model THEN served_model END) AS other_model,
        COUNT(DISTINCT system_fingerprint) AS fingerprints_n,
        COUNT(CASE WHEN finish_reason IN ('length', 'max_tokens') THEN 1 END) AS cut_n,
        COUNT(CASE WHEN LENGTH(text) > 5000 THEN 1 END) AS over_n,
        COUNT(CASE WHEN lowered LIKE '%<think%' THEN 1 END) AS reasoning_n,
        SUM(speaks_to_grader) AS speaks_n,
        MIN(CASE WHEN speaks_to_grader = 1 THEN task_id END) AS speaks_task
    FROM answers
    GROUP BY
        run_id,
        model
),

dates AS (
    SELECT
        run_requests.run_id,
        CAST(MIN(request_attempts.first_at) AS DATE) AS first_day,
        CAST(MAX(request_attempts.last_at) AS DATE) AS last_day
    FROM run_requests
    INNER JOIN request_attempts
        ON run_requests.request_key = request_attempts.request_key
    GROUP BY run_requests.run_id
)

SELECT
    run_id,
    'served_model' AS dimension,
    model AS subject,
    other_model_n || ' answers from ' || other_model AS sign
FROM answer_counts
WHERE other_model_n > 0
UNION ALL
SELECT
    run_id,
    'served_model_changes' AS dimension,
    model AS subject,
    served_models_n || ' models served, among them ' || first_served || ' and ' || last_served AS sign
FROM answer_counts
WHERE served_models_n > 1
UNION ALL
SELECT
    run_id,
    'system_fingerprint_changes' AS dimension,
    model AS subject,
    fingerprints_n || ' system fingerprints' AS sign
FROM answer_counts
WHERE fingerprints_n > 1
UNION ALL
SELECT
    run_id,
    'answers_cut' AS dimension,
    model AS subject,
    cut_n || ' answers' AS sign
FROM answer_counts
WHERE cut_n > 0
UNION ALL
SELECT
    run_id,
    'answer_over_judge_cut' AS dimension,
    model AS subject,
    over_n || ' answers' AS sign
FROM answer_counts
WHERE over_n > 0
UNION ALL
SELECT
    run_id,
    'reasoning_in_answer' AS dimension,
    model AS subject,
    reasoning_n || ' answers' AS sign
FROM answer_counts
WHERE reasoning_n > 0
UNION ALL
SELECT
    run_id,
    'speaks_to_grader' AS dimension,
    model AS subject,
    speaks_n || ' answers, among them the one to ' || speaks_task AS sign
FROM answer_counts
WHERE speaks_n > 0
UNION ALL
SELECT
    dates.run_id,
    'endpoint_dates' AS dimension,
    runs.model AS subject,
    'asked from ' || CAST(dates.first_day AS VARCHAR) || ' to ' || CAST(dates.last_day AS VARCHAR) AS sign
FROM dates
INNER JOIN runs
    ON dates.run_id = runs.run_id
WHERE dates.last_day - dates.first_day >= 14;
COMMENT ON VIEW answer_signs IS 'One row per run and finding';
COMMENT ON COLUMN answer_signs.run_id IS 'The run';
COMMENT ON COLUMN answer_signs.dimension IS 'The kind of finding, explained in finding_words';
COMMENT ON COLUMN answer_signs.subject IS 'The model';
COMMENT ON COLUMN answer_signs.sign IS 'What was seen';
