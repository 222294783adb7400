-- Sets one fact about the ledger file. $name, $value.
INSERT OR REPLACE INTO ledger_meta (name, value)
VALUES ($name, $value);
