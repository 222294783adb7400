"""The shipped SQL: objects in creation order, queries by name, and the digests that say which SQL a ledger has.

One object a file, named after it. DuckDB binds views and macros when they are created, so the order is
computed from the files themselves. Nothing here opens a database.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final

from ledger.resources import SQL

SCHEMA_VERSION: Final = "1"
_ROOMS: Final = ("schema", "views", "macros")

AGGREGATION: Final = (
    "effective_responses",
    "effective_verdicts",
    "exact_ratio",
    "failed_requests",
    "run_scores",
    "task_points",
    "task_scores",
    "task_states",
)
"""The objects that turn evidence into figures: their SQL is the aggregation fingerprint, and so part of each class."""


@cache
def query(name: str) -> str:
    """Return the statement of `sql/queries/<name>.sql`."""
    return (SQL / "queries" / f"{name}.sql").read_text(encoding="utf-8")


def object_files() -> dict[str, Path]:
    """Return the file of every table, view and macro by its name, sorted."""
    files = {path.stem: path for room in _ROOMS for path in (SQL / room).glob("*.sql")}
    return dict(sorted(files.items()))


@cache
def installed_files() -> tuple[Path, ...]:
    """Return every object file, each after those that it uses. Raises graphlib.CycleError for a circle."""
    files = object_files()
    graph = {name: sorted(_uses(path) & files.keys() - {name}) for name, path in files.items()}
    return tuple(files[name] for name in TopologicalSorter(graph).static_order())


def _uses(path: Path) -> set[str]:
    """Return every word of an object's creation, comments and texts aside: no parser is needed to find names among them."""
    return set(re.findall(r"\w+", re.sub(r"--[^\n]*|'[^']*'", " ", _creation(path.read_text(encoding="utf-8"))).lower()))


def creation(name: str) -> str:
    """Return the statement that creates a table, view or macro, without its COMMENTs."""
    return _creation(object_files()[name].read_text(encoding="utf-8"))


def _creation(text: str) -> str:
    return text.partition("\nCOMMENT ON ")[0]


@cache
def sql_digest() -> str:
    """Return the sha256 over every object file: a ledger with another digest gets its views installed anew."""
    digest = hashlib.sha256()
    for name, path in object_files().items():
        digest.update(f"{name}\0{len(text := path.read_bytes())}\0".encode())
        digest.update(text)
    return digest.hexdigest()


@cache
def aggregation_fingerprint() -> str:
    """Return the sha256 of the aggregation objects' SQL, comments and white space aside."""
    files = object_files()
    statements = (f"{name}: {_significant(files[name].read_text(encoding='utf-8'))}" for name in AGGREGATION)
    return hashlib.sha256("\n".join(statements).encode()).hexdigest()


def _significant(text: str) -> str:
    return " ".join(re.sub(r"--[^\n]*", "", _creation(text)).split())
