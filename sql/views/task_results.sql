-- Each task of a run with its score, its document and its cap: what statistics group and cluster by.
CREATE OR REPLACE VIEW task_results AS
SELECT
    task_scores.run_id,
    task_scores.model,
    task_scores.task_id,
    task_scores.class_id,
    run_requests.task_sha256,
    tasks.document_sha256,
    documents.chars AS document_chars,
    documents.cjk_head_n > 20 AS is_cjk,
    run_requests.cap_chars,
    task_scores.status,
    task_scores.panel_score,
    task_scores.final_score
FROM task_scores
INNER JOIN run_requests
    ON
        task_scores.run_id = run_requests.run_id
        AND task_scores.task_id = run_requests.task_id
INNER JOIN tasks
    ON run_requests.task_sha256 = tasks.task_sha256
INNER JOIN documents
    ON tasks.document_sha256 = documents.document_sha256;
COMMENT ON VIEW task_results IS 'One row per run and task of its dataset';
COMMENT ON COLUMN task_results.run_id IS 'The run';
COMMENT ON COLUMN task_results.model IS 'Model name as sent';
COMMENT ON COLUMN task_results.task_id IS 'The task id';
COMMENT ON COLUMN task_results.class_id IS 'Class within which scores may be compared';
COMMENT ON COLUMN task_results.task_sha256 IS 'The task';
COMMENT ON COLUMN task_results.document_sha256 IS 'The document: tasks on one document are not independent, so errors are clustered by it';
COMMENT ON COLUMN task_results.document_chars IS 'Length of the document in characters';
COMMENT ON COLUMN task_results.is_cjk IS 'Whether the cjk cap applies';
COMMENT ON COLUMN task_results.cap_chars IS 'The cap in characters that applied';
COMMENT ON COLUMN task_results.status IS 'scored, unjudged, out_of_context, empty, refused, failed or missing';
COMMENT ON COLUMN task_results.panel_score IS 'Mean of the judges, once the whole panel has succeeded';
COMMENT ON COLUMN task_results.final_score IS 'panel_score where scored, 0 where the protocol fills zero, NULL while unjudged';
