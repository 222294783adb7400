-- The name of each judge within its panel: its model, with digits of its fingerprint where two share it.
CREATE OR REPLACE VIEW panel_judge_names AS
SELECT
    panel_fingerprint,
    judge_fingerprint,
    CASE
        WHEN COUNT(*) OVER (PARTITION BY panel_fingerprint, model) > 1
            THEN model || ' ' || LEFT(judge_fingerprint, 6)
        ELSE model
    END AS judge
FROM panel_judges;
COMMENT ON VIEW panel_judge_names IS 'One row per panel and judge';
COMMENT ON COLUMN panel_judge_names.panel_fingerprint IS 'The panel';
COMMENT ON COLUMN panel_judge_names.judge_fingerprint IS 'The judge';
COMMENT ON COLUMN panel_judge_names.judge IS 'The name';
