-- Adds the documents that are not there yet. $rows: a JSON list of their columns.
INSERT INTO documents (
    document_sha256,
    text,
    chars,
    cjk_head_n
)
SELECT
    new.document_sha256,
    new.text,
    new.chars,
    new.cjk_head_n
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "document_sha256": "VARCHAR",
            "text": "VARCHAR",
            "chars": "BIGINT",
            "cjk_head_n": "INTEGER"
        }]'
    ), recursive := TRUE)
) AS new
WHERE
    NOT EXISTS (
        SELECT 1
        FROM documents AS old
        WHERE old.document_sha256 = new.document_sha256
    );
