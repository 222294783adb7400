-- Facts about the ledger file.
SELECT
    name,
    value
FROM ledger_meta;
