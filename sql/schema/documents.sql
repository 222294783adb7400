-- Each document once, however many tasks and models read it (protocol section 1).
CREATE TABLE IF NOT EXISTS documents (
    document_sha256 VARCHAR NOT NULL,
    text VARCHAR NOT NULL,
    chars BIGINT NOT NULL,
    cjk_head_n INTEGER NOT NULL,
    PRIMARY KEY (document_sha256)
);
COMMENT ON TABLE documents IS 'One row per distinct document text';
COMMENT ON COLUMN documents.document_sha256 IS 'sha256 of the text, UTF-8';
COMMENT ON COLUMN documents.text IS 'The decoded text after universal-newline translation, a BOM kept as a character';
COMMENT ON COLUMN documents.chars IS 'Length of the text in code points, what caps are compared with';
COMMENT ON COLUMN documents.cjk_head_n IS 'CJK ideographs in the first 4,000 characters; more than 20 means the cjk cap (protocol section 3)';
