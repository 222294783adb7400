-- Judge replies that a version of the parser has not read, with the points of their rubric. $parser_version.
SELECT
    judge_replies.request_key,
    judge_replies.reply_sha256,
    judge_replies.text,
    judge_replies.finish_reason,
    judge_replies.ended_at,
    judge_replies.attempt_key,
    (
        SELECT LIST(CAST(rubric_criteria.points AS VARCHAR) ORDER BY rubric_criteria.position)
        FROM rubric_criteria
        WHERE rubric_criteria.task_sha256 = asked.task_sha256
    ) AS points
FROM judge_replies
INNER JOIN (
    SELECT
        judge_requests.request_key,
        MIN(prompts.task_sha256) AS task_sha256
    FROM judge_requests
    INNER JOIN prompts
        ON judge_requests.prompt_sha256 = prompts.prompt_sha256
    GROUP BY judge_requests.request_key
) AS asked
    ON judge_replies.request_key = asked.request_key
WHERE
    NOT EXISTS (
        SELECT 1
        FROM verdicts
        WHERE
            verdicts.attempt_key = judge_replies.attempt_key
            AND verdicts.parser_version = $parser_version
    );
