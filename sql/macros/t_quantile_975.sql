-- Quantile 0.975 of Student's t (two-sided 95 % limits): DuckDB has none, so a polynomial in 1 / degrees of freedom.
-- Its leading terms are those of Fisher and Cornish (1960); all nine were fitted at 400 Chebyshev points of 1/df in (0, 1/4).
-- Off the exact quantile by at most 2e-11 for every df from 4 up (a test compares it with SciPy). Below 4 no interval is given.
CREATE OR REPLACE MACRO t_quantile_975(degrees) AS
CASE
    WHEN degrees >= 4 THEN
        1.959963984540 + (
        2.372271229666 + (
        2.822498805684 + (
        2.555834954470 + (
        1.590041243266 + (
        0.723483843477 + (
        0.729764551132 + (
        -0.530216669049 + (
        0.575905283317
        ) / CAST(degrees AS DOUBLE)
        ) / CAST(degrees AS DOUBLE)
        ) / CAST(degrees AS DOUBLE)
        ) / CAST(degrees AS DOUBLE)
        ) / CAST(degrees AS DOUBLE)
        ) / CAST(degrees AS DOUBLE)
        ) / CAST(degrees AS DOUBLE)
        ) / CAST(degrees AS DOUBLE)
END;
COMMENT ON MACRO t_quantile_975 IS 'Quantile 0.975 of Student t with so many degrees of freedom; NULL for fewer than 4, where no interval is given'; -- noqa: PRS
