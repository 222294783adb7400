-- The comment of every column of a table or view, in their order.
SELECT
    table_name AS object,
    column_name AS name,
    data_type AS type,
    comment
FROM DUCKDB_COLUMNS()
WHERE NOT internal
ORDER BY
    object,
    column_index;
