-- Which of these generation requests have a final reply. $keys: a JSON list of request keys.
SELECT DISTINCT request_key
FROM responses
WHERE request_key IN (SELECT UNNEST(FROM_JSON($keys, '["VARCHAR"]')));
