"""One class alone: a fresh database whose relations have the ledger's names and hold the rows of one class.

Unmixed by construction, whatever the SQL: a relation with a class or a run is filtered, verdicts are those that the
class's runs asked for, and a view or macro with neither is made anew from its own file over the filtered names. The
ledger itself is attached under a name that no statement can know, and qualified names are refused.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

import sqlglot
from sqlglot import exp

from ledger import schema
from ledger.guard.catalog import SCORE_COLUMNS

if TYPE_CHECKING:
    import duckdb

_OPEN_SCHEMAS: Final = {"", "main", "information_schema", "pg_catalog"}
_TEXT_AS_SQL: Final = {"query", "query_table"}


class NotPinnable(Exception):
    """A statement that could look past the pin, in words."""


def install(connection: duckdb.DuckDBPyConnection, ledger: str, class_id: str) -> None:
    """Attach the ledger and create its relations, restricted to a class."""
    hidden = f"ledger_{secrets.token_hex(8)}"
    connection.execute(f"ATTACH {_literal(ledger)} AS {hidden} (READ_ONLY)")
    rows = connection.execute(schema.query("select_columns"), {"database": hidden}).fetchall()
    columns: dict[str, set[str]] = {}
    for name, column in rows:
        columns.setdefault(name, set()).add(column)
    runs = f"FROM {hidden}.run_classes WHERE class_id = {_literal(class_id)}"
    requests = f"FROM {hidden}.judge_requests WHERE run_id IN (SELECT run_id {runs})"
    for path in schema.installed_files():
        name, found = path.stem, columns.get(path.stem, set())
        if "class_id" in found:
            condition = f"class_id = {_literal(class_id)}"
        elif "run_id" in found:
            condition = f"run_id IN (SELECT run_id {runs})"
        elif name in SCORE_COLUMNS:
            condition = f"request_key IN (SELECT request_key {requests})"
        elif path.parent.name == "schema":
            condition = "TRUE"
        else:
            connection.execute(schema.creation(name))
            continue
        connection.execute(f'CREATE VIEW "{name}" AS FROM {hidden}."{name}" WHERE {condition}')


def check(statement: str) -> None:
    """Raise NotPinnable for what could look past the pin: qualified names, SQL made of text, what cannot be parsed."""
    try:
        tree = sqlglot.parse_one(statement, dialect="duckdb")
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError, AttributeError, TypeError):
        raise NotPinnable("under --pin only statements that can be parsed are run") from None
    if isinstance(tree, exp.Command):
        raise NotPinnable(f"{tree.name.upper()} is refused under --pin")
    for table in tree.find_all(exp.Table):
        if table.catalog or table.db.lower() not in _OPEN_SCHEMAS:
            raise NotPinnable(f"{table.sql('duckdb')}: names of another database or schema are refused under --pin")
    for function in tree.find_all(exp.Anonymous):
        if function.name.lower() in _TEXT_AS_SQL:
            raise NotPinnable(f"{function.name}() is refused under --pin")


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
