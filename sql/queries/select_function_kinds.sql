-- What kinds of function the engine knows by a name. $name.
SELECT DISTINCT function_type AS kind
FROM DUCKDB_FUNCTIONS()
WHERE LOWER(function_name) = $name;
