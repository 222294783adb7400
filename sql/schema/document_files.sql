-- Which file a document was read from, byte for byte.
CREATE TABLE IF NOT EXISTS document_files (
    document_sha256 VARCHAR NOT NULL,
    corpus_file VARCHAR NOT NULL,
    raw_sha256 VARCHAR NOT NULL,
    raw_bytes BIGINT NOT NULL,
    encoding VARCHAR NOT NULL,
    has_bom BOOLEAN NOT NULL,
    newlines VARCHAR NOT NULL
);
COMMENT ON TABLE document_files IS 'One row per document and file it came from';
COMMENT ON COLUMN document_files.document_sha256 IS 'The text that the file decodes to';
COMMENT ON COLUMN document_files.corpus_file IS 'The file name within the corpus folder';
COMMENT ON COLUMN document_files.raw_sha256 IS 'sha256 of the bytes of the file';
COMMENT ON COLUMN document_files.raw_bytes IS 'Size of the file in bytes';
COMMENT ON COLUMN document_files.encoding IS 'The codec it was decoded with';
COMMENT ON COLUMN document_files.has_bom IS 'Whether the text starts with U+FEFF';
COMMENT ON COLUMN document_files.newlines IS 'Newline styles found: lf, crlf, cr, joined by +, or none';
