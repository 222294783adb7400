-- The set of classes if it surely is a mix, else 0; bit 1 says that more rows were looked at than the query uses.
CREATE TEMP MACRO __WT_MIXED(classes) AS
CASE
    WHEN BIT_COUNT(classes & ~CAST(3 AS hugeint)) > 1 AND (classes & 2) = 0
        THEN classes
    ELSE 0
END;
