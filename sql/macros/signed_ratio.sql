-- numerator / denominator for a numerator of either sign: the magnitude by exact_ratio, so half away from zero here too.
CREATE OR REPLACE MACRO signed_ratio(numerator, denominator) AS
CAST(SIGN(numerator) * EXACT_RATIO(ABS(numerator), denominator) AS DECIMAL(18, 9));
COMMENT ON MACRO signed_ratio IS 'numerator / denominator as DECIMAL(18,9), exact, rounded half away from zero; the denominator is not negative, NULL where it is 0'; -- noqa: PRS
