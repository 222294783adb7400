-- Every finding over all runs of the ledger: what is mixed, and what a reader of a figure should know (protocol section 5, last rule).
CREATE OR REPLACE VIEW mixing AS
WITH signs AS (
    SELECT
        dimension,
        subject,
        run_of_finding,
        sign,
        STRING_AGG(DISTINCT run_id, ', ' ORDER BY run_id) AS run_ids
    FROM finding_parts
    GROUP BY
        dimension,
        subject,
        run_of_finding,
        sign
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
    OR COUNT(*) > 1;
COMMENT ON VIEW mixing IS 'One row per finding';
COMMENT ON COLUMN mixing.severity IS 'error (figures may not be compared or are wrong), warning (say it with the figure) or info';
COMMENT ON COLUMN mixing.dimension IS 'The kind of finding, explained in finding_words';
COMMENT ON COLUMN mixing.subject IS 'The board, a model, a judge or a dataset';
COMMENT ON COLUMN mixing.detail IS 'What it means, what to do, and what was seen';
COMMENT ON COLUMN mixing.run_ids IS 'The runs that are concerned';
COMMENT ON COLUMN mixing.is_mix IS 'Whether it is a mix: several values where the runs of a board must have one';
