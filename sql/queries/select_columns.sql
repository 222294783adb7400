-- The columns of each relation of a database. $database.
SELECT
    table_name,
    column_name
FROM DUCKDB_COLUMNS()
WHERE
    database_name = $database
    AND NOT internal;
