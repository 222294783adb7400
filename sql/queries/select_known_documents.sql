-- Which of these documents the ledger holds. $keys: a JSON list of hashes.
SELECT document_sha256
FROM documents
WHERE document_sha256 IN (SELECT UNNEST(FROM_JSON($keys, '["VARCHAR"]')));
