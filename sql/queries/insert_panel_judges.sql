-- Adds the panel judges that are not there yet. $rows: a JSON list of their columns.
INSERT INTO panel_judges (
    panel_fingerprint,
    judge_fingerprint,
    model,
    base_url
)
SELECT
    new.panel_fingerprint,
    new.judge_fingerprint,
    new.model,
    new.base_url
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "panel_fingerprint": "VARCHAR",
            "judge_fingerprint": "VARCHAR",
            "model": "VARCHAR",
            "base_url": "VARCHAR"
        }]'
    ), recursive := TRUE)
) AS new
WHERE
    NOT EXISTS (
        SELECT 1
        FROM panel_judges AS old
        WHERE
            old.panel_fingerprint = new.panel_fingerprint
            AND old.judge_fingerprint = new.judge_fingerprint
    );
