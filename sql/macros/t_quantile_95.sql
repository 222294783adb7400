-- Quantile 0.95 of Student's t (one-sided 95 %, and two-sided 90 % limits): DuckDB has none, so a polynomial in 1 / degrees of freedom.
-- Its leading terms are those of Fisher and Cornish (1960); all nine were fitted at 400 Chebyshev points of 1/df in (0, 1/4).
-- Off the exact quantile by at most 2e-11 for every df from 4 up (a test compares it with SciPy). Below 4 no interval is given.
CREATE OR REPLACE MACRO t_quantile_95(degrees) AS
CASE
    WHEN degrees >= 4 THEN
        1.644853626945 + (
        1.523769151576 + (
        1.420202621746 + (
        0.983012502080 + (
        0.433766875282 + (
        0.192532119517 + (
        0.283309629647 + (
        -0.471591617800 + (
        0.382210407647
        ) / CAST(degrees AS DOUBLE)
        ) / CAST(degrees AS DOUBLE)
        ) / CAST(degrees AS DOUBLE)
        ) / CAST(degrees AS DOUBLE)
        ) / CAST(degrees AS DOUBLE)
        ) / CAST(degrees AS DOUBLE)
        ) / CAST(degrees AS DOUBLE)
        ) / CAST(degrees AS DOUBLE)
END;
COMMENT ON MACRO t_quantile_95 IS 'Quantile 0.95 of Student t with so many degrees of freedom; NULL for fewer than 4, where no interval is given'; -- noqa: PRS
