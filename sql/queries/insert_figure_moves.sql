-- Adds what a new parser or new views did to figures. $rows: a JSON list of its columns.
INSERT INTO figure_moves (
    run_id,
    parser_version_before,
    parser_version,
    aggregation_before,
    aggregation,
    overall_before,
    overall,
    scored_overall_before,
    scored_overall,
    recorded_at
)
SELECT
    new.run_id,
    new.parser_version_before,
    new.parser_version,
    new.aggregation_before,
    new.aggregation,
    new.overall_before,
    new.overall,
    new.scored_overall_before,
    new.scored_overall,
    new.recorded_at
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "run_id": "VARCHAR",
            "parser_version_before": "VARCHAR",
            "parser_version": "VARCHAR",
            "aggregation_before": "VARCHAR",
            "aggregation": "VARCHAR",
            "overall_before": "DECIMAL(18,9)",
            "overall": "DECIMAL(18,9)",
            "scored_overall_before": "DECIMAL(18,9)",
            "scored_overall": "DECIMAL(18,9)",
            "recorded_at": "TIMESTAMP"
        }]'
    ), recursive := TRUE)
) AS new;
