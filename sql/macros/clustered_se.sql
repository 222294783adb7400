-- Standard error from the squared sums of deviations of each cluster: sqrt(G / (G - 1) * sum of squares) (Miller 2024, arXiv 2411.00640).
-- Squares are of DOUBLEs, in no fixed order; nine decimals hide their last digits.
CREATE OR REPLACE MACRO clustered_se(squares, clusters) AS
CASE WHEN clusters > 1 THEN CAST(SQRT(squares * clusters / (clusters - 1)) AS DECIMAL(18, 9)) END;
COMMENT ON MACRO clustered_se IS 'Standard error of a mean whose deviations, divided by n and summed by cluster, have this sum of squares; NULL for fewer than two clusters'; -- noqa: PRS
