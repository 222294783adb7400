-- The points that each counting verdict lists, out of JSON: the leaf that reads verdicts.points_awarded (protocol section 4).
CREATE OR REPLACE VIEW verdict_points AS
SELECT
    effective_verdicts.request_key,
    positions.position,
    CAST(verdicts.points_awarded ->> ('$[' || (positions.position - 1) || ']') AS DECIMAL(18, 9)) AS points_awarded
FROM effective_verdicts
INNER JOIN ledger_meta AS parser
    ON parser.name = 'parser_version'
INNER JOIN verdicts
    ON
        effective_verdicts.request_key = verdicts.request_key
        AND effective_verdicts.attempt_key = verdicts.attempt_key
        AND parser.value = verdicts.parser_version
CROSS JOIN (
    SELECT DISTINCT rubric_criteria.position
    FROM rubric_criteria
) AS positions;
COMMENT ON VIEW verdict_points IS 'One row per judge request with a verdict and number that it lists';
COMMENT ON COLUMN verdict_points.request_key IS 'The judge request';
COMMENT ON COLUMN verdict_points.position IS '1 for the first number listed';
COMMENT ON COLUMN verdict_points.points_awarded IS 'The number, as the judge gave it';
