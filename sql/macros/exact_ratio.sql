-- numerator / denominator, exact, rounded once to 9 decimals, half away from zero: every figure is rounded here.
-- `/`, `//` and avg on DECIMAL give DOUBLE, so both sides become integers in units of 10^-9 first. Not for negative numbers.
CREATE OR REPLACE MACRO exact_ratio(numerator, denominator) AS
CAST(
    CAST(
        (
            2000000000 * CAST(CAST(numerator AS DECIMAL(38, 9)) * 1000000000 AS HUGEINT)
            + CAST(CAST(denominator AS DECIMAL(38, 9)) * 1000000000 AS HUGEINT)
        )
        // NULLIF(2 * CAST(CAST(denominator AS DECIMAL(38, 9)) * 1000000000 AS HUGEINT), 0)
        AS DECIMAL(28, 0)
    ) * CAST(0.000000001 AS DECIMAL(10, 9))
    AS DECIMAL(18, 9)
);
COMMENT ON MACRO exact_ratio IS 'numerator / denominator as DECIMAL(18,9), exact, rounded half away from zero; NULL where the denominator is 0'; -- noqa: PRS
