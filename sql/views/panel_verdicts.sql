-- Each judge on each task whose whole panel has a verdict, beside the sum of that panel: what agreement and bias are made of.
CREATE OR REPLACE VIEW panel_verdicts AS
WITH counted AS (
    SELECT
        judge_scores.*,
        COUNT(*) OVER (PARTITION BY judge_scores.run_id, judge_scores.task_id) AS judges_n,
        COUNT(judge_scores.score) OVER (PARTITION BY judge_scores.run_id, judge_scores.task_id) AS judges_done,
        SUM(judge_scores.score) OVER (PARTITION BY judge_scores.run_id, judge_scores.task_id) AS panel_sum
    FROM judge_scores
)

SELECT
    counted.run_id,
    counted.model,
    counted.task_id,
    counted.class_id,
    runs.panel_fingerprint,
    tasks.document_sha256,
    counted.judge,
    panel_judges.model AS judge_model,
    counted.score,
    counted.judges_n,
    counted.panel_sum
FROM counted
INNER JOIN runs
    ON counted.run_id = runs.run_id
INNER JOIN panel_judges
    ON
        runs.panel_fingerprint = panel_judges.panel_fingerprint
        AND counted.judge_fingerprint = panel_judges.judge_fingerprint
INNER JOIN run_requests
    ON
        counted.run_id = run_requests.run_id
        AND counted.task_id = run_requests.task_id
INNER JOIN tasks
    ON run_requests.task_sha256 = tasks.task_sha256
WHERE counted.judges_done = counted.judges_n;
COMMENT ON VIEW panel_verdicts IS 'One row per run, task scored by the whole panel, and judge';
COMMENT ON COLUMN panel_verdicts.run_id IS 'The run';
COMMENT ON COLUMN panel_verdicts.model IS 'Model name as sent';
COMMENT ON COLUMN panel_verdicts.task_id IS 'The task id';
COMMENT ON COLUMN panel_verdicts.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN panel_verdicts.panel_fingerprint IS 'The panel';
COMMENT ON COLUMN panel_verdicts.document_sha256 IS 'The document of the task';
COMMENT ON COLUMN panel_verdicts.judge IS 'Name of the judge within the panel';
COMMENT ON COLUMN panel_verdicts.judge_model IS 'Model name of the judge as sent';
COMMENT ON COLUMN panel_verdicts.score IS 'total / points_possible of this judge';
COMMENT ON COLUMN panel_verdicts.judges_n IS 'Judges on the panel';
COMMENT ON COLUMN panel_verdicts.panel_sum IS 'Sum of the scores of all judges of the panel on this task';
