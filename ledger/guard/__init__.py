"""Ad-hoc SQL over the ledger, read-only: one statement, no file, no network, no setting, and a word on comparability.

The statement runs in a process of its own (`sandbox`, `child`), on a fresh read-only connection, under limits of
time and memory; nothing that it does can harm the caller or the ledger. Beside the rows comes what may be said of them
(`probe`): `clean`, `mixed` (scores of several classes were aggregated, ordered or ranked together) or `unknown`.
With a pin every view is restricted to one class, so that no SQL can mix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.errors import InputError
from ledger.guard.sandbox import Child, Limits, Result

if TYPE_CHECKING:  # so that a child can be started before the parent has loaded DuckDB
    from ledger.store import Connection, Store

__all__ = ["Child", "Limits", "Result", "run_sql"]


def run_sql(
    store: Store, statement: str, *, pin: str | None = None, limits: Limits | None = None, child: Child | None = None
) -> Result:
    """Run one SELECT or EXPLAIN over the ledger.

    `pin` names a class, or a run by id, unique beginning or label: the statement then sees the rows of that class alone.
    `child` is a process that was started early, with limits of its own; without one, one is started here.
    Raises LedgerError, in one line, for any other statement, for what DuckDB refuses and for what exceeds the limits.
    """
    with child or Child(limits or Limits()) as started, store.reading() as connection:  # locked while the child reads
        return started.run(store.path, statement, _pinned_class(connection, pin) if pin is not None else None)


def _pinned_class(connection: Connection, name: str) -> str:
    found = connection.rows("select_named_classes", name=name)
    if not found:
        raise InputError(f"--pin {name}: no class and no run of that name; `wildtrace runs` lists both")
    classes = {row["class_id"] for row in found}
    if len(classes) > 1:
        raise InputError(f"--pin {name}: names runs of {len(classes)} classes; give a class id or a run id")
    return str(classes.pop())
