-- What each judge gave for each criterion, where its reply lists as many points as there are criteria (protocol section 4).
-- The protocol scores by the total alone: these points explain a score, they do not make it.
CREATE OR REPLACE VIEW criterion_scores AS
SELECT
    judge_scores.run_id,
    judge_scores.model,
    judge_scores.task_id,
    judge_scores.judge,
    judge_scores.class_id,
    judge_scores.status,
    rubric_criteria.position,
    rubric_criteria.points AS points_possible,
    CASE WHEN judge_scores.points_count_matches THEN verdict_points.points_awarded END AS points_awarded,
    judge_scores.total_matches_points,
    rubric_criteria.correct_criterion
FROM judge_scores
INNER JOIN run_requests
    ON
        judge_scores.run_id = run_requests.run_id
        AND judge_scores.task_id = run_requests.task_id
INNER JOIN rubric_criteria
    ON run_requests.task_sha256 = rubric_criteria.task_sha256
LEFT JOIN verdict_points
    ON
        judge_scores.request_key = verdict_points.request_key
        AND rubric_criteria.position = verdict_points.position;
COMMENT ON VIEW criterion_scores IS 'One row per run, answered task, judge of its panel and criterion of the rubric';
COMMENT ON COLUMN criterion_scores.run_id IS 'The run';
COMMENT ON COLUMN criterion_scores.model IS 'Model name as sent';
COMMENT ON COLUMN criterion_scores.task_id IS 'The task id';
COMMENT ON COLUMN criterion_scores.judge IS 'Name of the judge within the panel';
COMMENT ON COLUMN criterion_scores.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN criterion_scores.status IS 'Of the verdict: ok, unparsed, failed or missing';
COMMENT ON COLUMN criterion_scores.position IS '1 for the first criterion, P1 in the judge prompt';
COMMENT ON COLUMN criterion_scores.points_possible IS 'Points for this criterion';
COMMENT ON COLUMN criterion_scores.points_awarded IS 'Points that the judge lists for it; NULL where it lists none, or not as many as there are criteria';
COMMENT ON COLUMN criterion_scores.total_matches_points IS 'Whether the total, which is what counts, is the sum of the points listed';
COMMENT ON COLUMN criterion_scores.correct_criterion IS 'The criterion, whole';
