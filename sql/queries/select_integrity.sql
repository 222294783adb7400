-- Contradictions in the evidence.
SELECT
    subject,
    row_key,
    problem
FROM integrity
ORDER BY
    subject,
    row_key,
    problem
LIMIT 1000;
