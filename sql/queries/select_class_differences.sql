-- The policies in which the classes of two runs differ. $run_a, $run_b.
SELECT one.dimension
FROM class_dimensions AS one
INNER JOIN class_dimensions AS other
    ON
        one.dimension = other.dimension
        AND one.fingerprint <> other.fingerprint
WHERE
    one.run_id = $run_a
    AND other.run_id = $run_b
ORDER BY one.dimension;
