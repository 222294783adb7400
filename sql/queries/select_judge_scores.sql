-- Each judge's verdict on each answered task of a run, with its reply where there is one. $run_id.
SELECT
    judge_scores.task_id,
    judge_scores.judge,
    judge_scores.status,
    judge_scores.total,
    judge_scores.points_possible,
    judge_scores.score,
    judge_scores.tries,
    judge_scores.total_matches_points,
    judge_scores.reply_sha256,
    judge_replies.text AS reply
FROM judge_scores
LEFT JOIN effective_verdicts
    ON judge_scores.request_key = effective_verdicts.request_key
LEFT JOIN judge_replies
    ON
        effective_verdicts.attempt_key = judge_replies.attempt_key
        AND effective_verdicts.request_key = judge_replies.request_key
WHERE judge_scores.run_id = $run_id
ORDER BY
    judge_scores.task_id,
    judge_scores.judge;
