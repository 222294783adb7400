-- Every sign of every run, and every value that a board must agree on: what findings are made of.
CREATE OR REPLACE VIEW finding_parts AS
SELECT
    run_id,
    dimension,
    subject,
    '' AS run_of_finding,
    value AS sign,
    run_id AS other_run_id
FROM board_values
UNION ALL
SELECT
    run_id,
    dimension,
    subject,
    run_id AS run_of_finding,
    sign,
    run_id AS other_run_id
FROM setting_signs
UNION ALL
SELECT
    run_id,
    dimension,
    subject,
    run_id AS run_of_finding,
    sign,
    run_id AS other_run_id
FROM answer_signs
UNION ALL
SELECT
    run_id,
    dimension,
    subject,
    run_id AS run_of_finding,
    sign,
    run_id AS other_run_id
FROM judging_signs
UNION ALL
SELECT DISTINCT
    contestants.run_id,
    'judge_is_contestant' AS dimension,
    contestants.model AS subject,
    contestants.run_id AS run_of_finding,
    'judges in run ' || graded.run_id AS sign,
    graded.run_id AS other_run_id
FROM runs AS contestants
INNER JOIN panel_judges
    ON contestants.model = panel_judges.model
INNER JOIN runs AS graded
    ON panel_judges.panel_fingerprint = graded.panel_fingerprint;
COMMENT ON VIEW finding_parts IS 'One row per run, kind of finding, subject and sign';
COMMENT ON COLUMN finding_parts.run_id IS 'The run';
COMMENT ON COLUMN finding_parts.dimension IS 'The kind of finding, explained in finding_words';
COMMENT ON COLUMN finding_parts.subject IS 'The board, a model, a judge or a dataset';
COMMENT ON COLUMN finding_parts.run_of_finding IS 'The run for what concerns it alone, empty for what the runs of a board must agree on';
COMMENT ON COLUMN finding_parts.sign IS 'What was seen';
COMMENT ON COLUMN finding_parts.other_run_id IS 'The other run that is concerned, else the run itself';
