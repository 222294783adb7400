-- The comment of every table, view and macro.
SELECT
    table_name AS name,
    comment
FROM DUCKDB_TABLES()
WHERE NOT internal
UNION ALL
SELECT
    view_name AS name,
    comment
FROM DUCKDB_VIEWS()
WHERE NOT internal
UNION ALL
SELECT DISTINCT
    function_name AS name,
    comment
FROM DUCKDB_FUNCTIONS()
WHERE NOT internal;
