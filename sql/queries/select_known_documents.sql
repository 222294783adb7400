-- Which of these documents the ledger holds. $hashes: a JSON list.
SELECT document_sha256
FROM documents
WHERE document_sha256 IN (SELECT UNNEST(FROM_JSON($hashes, '["VARCHAR"]')));
