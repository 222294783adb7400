-- The findings over some runs: view mixing over a board of these alone. $board: a JSON list of run ids.
WITH board AS (
    SELECT UNNEST(FROM_JSON($board, '["VARCHAR"]')) AS run_id
),

signs AS (
    SELECT
        finding_parts.dimension,
        finding_parts.subject,
        finding_parts.run_of_finding,
        finding_parts.sign,
        STRING_AGG(DISTINCT finding_parts.run_id, ', ' ORDER BY finding_parts.run_id) AS run_ids
    FROM finding_parts
    WHERE
        finding_parts.run_id IN (SELECT board.run_id FROM board)
        AND finding_parts.other_run_id IN (SELECT board.run_id FROM board)
    GROUP BY
        finding_parts.dimension,
        finding_parts.subject,
        finding_parts.run_of_finding,
        finding_parts.sign
)

SELECT
    finding_words.severity,
    signs.dimension,
    signs.subject,
    finding_words.meaning || ' (' || STRING_AGG(
        CASE WHEN finding_words.is_mix THEN signs.sign || ' in ' || signs.run_ids ELSE signs.sign END, '; '
        ORDER BY signs.sign
    ) || ')' AS detail,
    STRING_AGG(signs.run_ids, ', ' ORDER BY signs.run_ids) AS run_ids,
    finding_words.is_mix
FROM signs
INNER JOIN finding_words
    ON signs.dimension = finding_words.dimension
GROUP BY
    finding_words.severity,
    signs.dimension,
    signs.subject,
    signs.run_of_finding,
    finding_words.meaning,
    finding_words.is_mix
HAVING
    NOT finding_words.is_mix
    OR COUNT(*) > 1
ORDER BY
    CASE finding_words.severity WHEN 'error' THEN 1 WHEN 'warning' THEN 2 ELSE 3 END,
    signs.dimension,
    signs.subject,
    run_ids;
