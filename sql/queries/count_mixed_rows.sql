-- How many rows of the rewritten query, the CTE __wt_rows, rest on a mix, how many may, and the classes of the mixes.
SELECT
    COUNT(*) FILTER (WHERE mixed <> 0) AS mixed_n,
    COUNT(*) FILTER (WHERE unsure <> 0) AS unsure_n,
    COALESCE(BIT_OR(mixed), 0) AS classes
FROM __wt_rows;
