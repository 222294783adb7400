-- Adds the prompts that are not there yet. $rows: a JSON list of their columns.
INSERT INTO prompts (
    prompt_sha256,
    kind,
    template_fingerprint,
    task_sha256,
    response_sha256,
    chars
)
SELECT
    new.prompt_sha256,
    new.kind,
    new.template_fingerprint,
    new.task_sha256,
    new.response_sha256,
    new.chars
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "prompt_sha256": "VARCHAR",
            "kind": "VARCHAR",
            "template_fingerprint": "VARCHAR",
            "task_sha256": "VARCHAR",
            "response_sha256": "VARCHAR",
            "chars": "BIGINT"
        }]'
    ), recursive := TRUE)
) AS new
WHERE
    NOT EXISTS (
        SELECT 1
        FROM prompts AS old
        WHERE
            old.prompt_sha256 = new.prompt_sha256
            AND old.task_sha256 = new.task_sha256
    );
