"""Ad-hoc SQL over the ledger, read-only: one statement, no file, no network, no setting.

The engine is locked before the user's statement is seen. Whether a result mixes classes is not analysed yet, so its
comparability is `unknown`, never `clean`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import duckdb

from ledger.errors import LedgerError
from ledger.store import Store

_LOCK: Final = (
    "SET enable_external_access = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET lock_configuration = true",
)
_ALLOWED: Final = {"SELECT", "EXPLAIN"}


@dataclass(frozen=True)
class Result:
    """A statement's columns and rows, and whether they may be compared."""

    columns: list[str]
    rows: list[tuple[Any, ...]]
    comparability: dict[str, Any]


def run_sql(store: Store, statement: str) -> Result:
    """Run one SELECT or EXPLAIN over the ledger. Raises LedgerError for anything else, and for what DuckDB refuses."""
    try:
        found = duckdb.extract_statements(statement)
    except duckdb.Error as error:
        raise LedgerError(f"sql: {_words(error)}") from None
    if len(found) != 1:
        raise LedgerError(f"sql: one statement at a time, found {len(found)}")
    kind = found[0].type.name
    if kind not in _ALLOWED:
        raise LedgerError(f"sql: the ledger is read-only here; {kind} is refused, SELECT and EXPLAIN are not")
    with store.reading() as connection:
        for setting in _LOCK:
            connection.execute(setting)
        try:
            columns, rows = connection.table(statement)
        except duckdb.Error as error:
            raise LedgerError(f"sql: {_words(error)}") from None
    return Result(columns, rows, {"status": "unknown", "dimensions": [], "groups_mixed": None})


def _words(error: duckdb.Error) -> str:
    return " ".join(str(error).split("\n\nLINE ")[0].split())
