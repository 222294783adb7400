-- Whether a journal segment was ingested. $segment.
SELECT segment
FROM segments
WHERE segment = $segment;
