-- What must have one value over all runs of a board (protocol section 5, last rule): one row per run, dimension and subject.
CREATE OR REPLACE VIEW board_values AS
WITH judges AS (
    SELECT DISTINCT
        runs.run_id,
        panel_judges.model,
        panel_judges.base_url,
        CAST(configs.body -> '$.parameters' AS VARCHAR) AS parameters
    FROM runs
    INNER JOIN panel_judges
        ON runs.panel_fingerprint = panel_judges.panel_fingerprint
    INNER JOIN configs
        ON
            configs.kind = 'judge'
            AND panel_judges.judge_fingerprint = configs.fingerprint
),

panels AS (
    SELECT
        runs.run_id,
        STRING_AGG(panel_judges.model, ', ' ORDER BY panel_judges.model) AS judges
    FROM runs
    INNER JOIN panel_judges
        ON runs.panel_fingerprint = panel_judges.panel_fingerprint
    GROUP BY runs.run_id
)

SELECT
    class_dimensions.run_id,
    class_dimensions.dimension,
    'board' AS subject,
    CASE
        WHEN class_dimensions.dimension = 'panel_policy' THEN COALESCE(panels.judges, 'no judge') || ', policy '
        ELSE ''
    END || LEFT(class_dimensions.fingerprint, 12) AS value
FROM class_dimensions
LEFT JOIN panels
    ON class_dimensions.run_id = panels.run_id
UNION ALL
SELECT
    runs.run_id,
    'caps' AS dimension,
    runs.model AS subject,
    (configs.body ->> '$.en') || ' en, ' || (configs.body ->> '$.cjk') || ' cjk' AS value
FROM runs
INNER JOIN configs
    ON
        configs.kind = 'caps'
        AND runs.caps_fingerprint = configs.fingerprint
UNION ALL
SELECT
    run_id,
    'base_url' AS dimension,
    model AS subject,
    base_url AS value
FROM runs
WHERE NOT is_imported
UNION ALL
SELECT
    run_id,
    'judge_base_url' AS dimension,
    model AS subject,
    base_url AS value
FROM judges
UNION ALL
SELECT
    run_id,
    'judge_settings' AS dimension,
    model AS subject,
    parameters AS value
FROM judges;
COMMENT ON VIEW board_values IS 'One row per run, dimension and subject; two values of one dimension and subject are a mix';
COMMENT ON COLUMN board_values.run_id IS 'The run';
COMMENT ON COLUMN board_values.dimension IS 'What must be the same';
COMMENT ON COLUMN board_values.subject IS 'Of what: the board, a model or a judge';
COMMENT ON COLUMN board_values.value IS 'What this run has';
