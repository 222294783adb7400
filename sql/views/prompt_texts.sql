-- The full text of every prompt, rebuilt from its template and ingredients (protocol sections 1 and 4).
CREATE OR REPLACE VIEW prompt_texts AS
WITH parts AS (
    SELECT
        configs.fingerprint AS template_fingerprint,
        positions.position,
        configs.body ->> ('$.parts[' || positions.position || ']') AS literal,
        configs.body ->> ('$.parts[' || positions.position || '].slot') AS slot,
        CAST(configs.body ->> ('$.parts[' || positions.position || '].cut') AS INTEGER) AS cut
    FROM configs
    CROSS JOIN RANGE(CAST(JSON_ARRAY_LENGTH(configs.body, '$.parts') AS BIGINT)) AS positions (position)
    WHERE configs.kind IN ('prompt_template', 'judge_template')
),

asked AS (
    SELECT
        prompt_sha256,
        template_fingerprint,
        MIN(task_sha256) AS task_sha256,
        MIN(response_sha256) AS response_sha256
    FROM prompts
    GROUP BY
        prompt_sha256,
        template_fingerprint
),

answers AS (
    SELECT
        response_sha256,
        MIN(text) AS text
    FROM responses
    GROUP BY response_sha256
),

filled AS (
    SELECT
        asked.prompt_sha256,
        parts.position,
        CASE
            WHEN parts.slot IS NULL THEN parts.literal
            WHEN parts.slot = 'question' THEN LEFT(tasks.question, COALESCE(parts.cut, LENGTH(tasks.question)))
            WHEN parts.slot = 'document' THEN documents.text
            WHEN parts.slot = 'response' THEN LEFT(answers.text, parts.cut)
            WHEN parts.slot = 'rubric'
                THEN (
                    SELECT
                        STRING_AGG(
                            'P' || criteria.position
                            || ' (' || RTRIM(RTRIM(CAST(criteria.points AS VARCHAR), '0'), '.')
                            || 'pts): ' || LEFT(criteria.correct_criterion, parts.cut),
                            CHR(10)
                            ORDER BY criteria.position
                        )
                    FROM rubric_criteria AS criteria
                    WHERE criteria.task_sha256 = asked.task_sha256
                )
        END AS text
    FROM asked
    INNER JOIN parts
        ON asked.template_fingerprint = parts.template_fingerprint
    INNER JOIN tasks
        ON asked.task_sha256 = tasks.task_sha256
    LEFT JOIN documents
        ON
            tasks.document_sha256 = documents.document_sha256
            AND parts.slot = 'document'
    LEFT JOIN answers
        ON
            asked.response_sha256 = answers.response_sha256
            AND parts.slot = 'response'
)

SELECT
    prompt_sha256,
    STRING_AGG(text, '' ORDER BY position) AS text
FROM filled
GROUP BY prompt_sha256;
COMMENT ON VIEW prompt_texts IS 'One row per prompt; long, so ask for single prompts';
COMMENT ON COLUMN prompt_texts.prompt_sha256 IS 'The prompt';
COMMENT ON COLUMN prompt_texts.text IS 'Its text, as sent';
