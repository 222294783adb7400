-- The tasks of a dataset as a run needs them. $dataset_sha256, $template_fingerprint of the answer prompt.
SELECT
    tasks.task_id,
    tasks.task_sha256,
    tasks.question,
    tasks.document_sha256,
    documents.chars AS document_chars,
    documents.cjk_head_n,
    prompts.prompt_sha256,
    (
        SELECT LIST(STRUCT_PACK(points := criteria.points, criterion := criteria.correct_criterion) ORDER BY criteria.position)
        FROM rubric_criteria AS criteria
        WHERE criteria.task_sha256 = tasks.task_sha256
    ) AS rubric
FROM dataset_tasks
INNER JOIN tasks
    ON dataset_tasks.task_sha256 = tasks.task_sha256
INNER JOIN documents
    ON tasks.document_sha256 = documents.document_sha256
LEFT JOIN prompts
    ON
        tasks.task_sha256 = prompts.task_sha256
        AND prompts.kind = 'answer'
        AND prompts.template_fingerprint = $template_fingerprint
WHERE dataset_tasks.dataset_sha256 = $dataset_sha256
ORDER BY tasks.task_id;
