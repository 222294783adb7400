-- The journal segments that were brought in.
SELECT
    segment,
    rows_n,
    sha256
FROM segments;
