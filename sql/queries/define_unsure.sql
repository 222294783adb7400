-- 1 if a set of classes may be a mix: a class in it is not known (bit 0), or it has rows that the query may not use (bit 1).
CREATE TEMP MACRO __WT_UNSURE(classes) AS
CASE
    WHEN (classes & 1) <> 0 OR (BIT_COUNT(classes & ~CAST(3 AS hugeint)) > 1 AND (classes & 2) <> 0)
        THEN 1
    ELSE 0
END;
