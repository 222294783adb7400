-- The views and macros that are installed now, to drop those that are no longer shipped.
SELECT
    view_name AS name,
    'VIEW' AS kind
FROM DUCKDB_VIEWS()
WHERE NOT internal
UNION ALL
SELECT DISTINCT
    function_name AS name,
    CASE WHEN function_type = 'table_macro' THEN 'MACRO TABLE' ELSE 'MACRO' END AS kind
FROM DUCKDB_FUNCTIONS()
WHERE
    NOT internal
    AND function_type IN ('macro', 'table_macro');
