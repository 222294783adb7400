-- Adds the document files that are not there yet. $rows: a JSON list of their columns.
INSERT INTO document_files (
    document_sha256,
    corpus_file,
    raw_sha256,
    raw_bytes,
    encoding,
    has_bom,
    newlines
)
SELECT
    new.document_sha256,
    new.corpus_file,
    new.raw_sha256,
    new.raw_bytes,
    new.encoding,
    new.has_bom,
    new.newlines
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "document_sha256": "VARCHAR",
            "corpus_file": "VARCHAR",
            "raw_sha256": "VARCHAR",
            "raw_bytes": "BIGINT",
            "encoding": "VARCHAR",
            "has_bom": "BOOLEAN",
            "newlines": "VARCHAR"
        }]'
    ), recursive := TRUE)
) AS new
WHERE
    NOT EXISTS (
        SELECT 1
        FROM document_files AS old
        WHERE
            old.document_sha256 = new.document_sha256
            AND old.corpus_file = new.corpus_file
            AND old.raw_sha256 = new.raw_sha256
    );
