-- Adds judge replies of a segment that was not ingested before. $rows: a JSON list of their columns.
INSERT INTO judge_replies (
    request_key,
    reply_sha256,
    text,
    finish_reason,
    served_model,
    system_fingerprint,
    reasoning,
    refusal,
    prompt_tokens,
    completion_tokens,
    reasoning_tokens,
    ended_at,
    attempt_key
)
SELECT
    new.request_key,
    new.reply_sha256,
    new.text,
    new.finish_reason,
    new.served_model,
    new.system_fingerprint,
    new.reasoning,
    new.refusal,
    new.prompt_tokens,
    new.completion_tokens,
    new.reasoning_tokens,
    new.ended_at,
    new.attempt_key
FROM (
    SELECT UNNEST(FROM_JSON(
        $rows,
        '[{
            "request_key": "VARCHAR",
            "reply_sha256": "VARCHAR",
            "text": "VARCHAR",
            "finish_reason": "VARCHAR",
            "served_model": "VARCHAR",
            "system_fingerprint": "VARCHAR",
            "reasoning": "VARCHAR",
            "refusal": "VARCHAR",
            "prompt_tokens": "BIGINT",
            "completion_tokens": "BIGINT",
            "reasoning_tokens": "BIGINT",
            "ended_at": "TIMESTAMP",
            "attempt_key": "VARCHAR"
        }]'
    ), recursive := TRUE)
) AS new;
