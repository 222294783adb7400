-- Two runs document by document, in a fixed order. $run_a, $run_b.
SELECT *
FROM DOCUMENT_DIFF($run_a, $run_b)
ORDER BY document_sha256;
