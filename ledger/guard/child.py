"""The child's side of the sandbox: one request on standard input, one reply on standard output, then the end.

It lowers its own limits before it sees the statement: address space, processor time, no file of any size, no core dump.
The engine is locked (no file, no network, no setting) before the statement is parsed. What goes wrong is one line.
"""

from __future__ import annotations

import json
import os
import re
import resource
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final

import duckdb

from ledger.guard import pin, probe, wire

_THREADS: Final = 2
_SPARE_MB: Final = 2048
"""Address space beyond DuckDB's own limit, which is soft: libraries, stacks, Python, what DuckDB does not count."""
_ANALYSIS_S: Final = 2.0
"""The analysis may take this much longer than the query."""
_LONGEST_MESSAGE: Final = 500
_LOCK: Final = (
    "SET enable_external_access = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET lock_configuration = true",
)
_EXPLAIN: Final = re.compile(r"\s*EXPLAIN\b\s*(?P<analyze>ANALYZE\b)?\s*(?:\((?P<options>[^()]*)\))?\s*", re.IGNORECASE)
_COMMENT: Final = re.compile(r"\s*(--[^\n]*(\n|$)|/\*.*?\*/)", re.DOTALL)
_REFUSED_FUNCTION: Final = re.compile(r"\bwrite_log\"?\s*\(", re.IGNORECASE)


class Refused(Exception):
    """Why a statement is not run, in one line."""


def main() -> None:
    """Answer one request. Ends with status 0 whatever the statement did, as long as it could still answer."""
    line = sys.stdin.buffer.readline()
    if not line:
        return
    request = json.loads(line)
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # DuckDB draws a progress bar there
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    _lower_limits(request["wall_s"], request["memory_mb"])
    reply = answered(request)
    with os.fdopen(out, "wb") as stream:
        stream.write(reply)
    os._exit(0)


def answered(request: dict[str, Any]) -> bytes:
    """Return the reply to a request, whatever the statement is: rows and a finding, or one line of an error."""
    try:
        reply = json.dumps(_answer(request)).encode("ascii")
        return reply if len(reply) <= request["result_mb"] * 2**20 else _error(_too_large(request))
    except (Refused, pin.NotPinnable) as refusal:
        return _error(str(refusal))
    except (MemoryError, duckdb.OutOfMemoryException):
        return _error("it needed more memory than it may")
    except duckdb.InterruptException:
        return _error(f"stopped after {request['wall_s']:g} s; ask for less, or allow more with --timeout")
    except duckdb.Error as error:
        return _error(_words(error))
    except UnicodeError:
        return _error("the statement or its result is not valid UTF-8")
    except RecursionError:
        return _error("the statement is nested too deeply")
    except Exception as error:  # noqa: BLE001 - a value that Python cannot hold, say; the user sees one line
        return _error(f"the result cannot be shown ({type(error).__name__}); cast it to VARCHAR")


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    statement, is_pinned = request["statement"], request["class_id"] is not None
    with _connected(request) as connection, ThreadPoolExecutor(1) as beside:
        kind = _checked(connection, statement)
        if is_pinned:
            pin.check(statement)
        analysing = connection.cursor()  # the analysis runs the rewritten query while the query runs
        later = beside.submit(_finding, analysing, statement, kind, request["wall_s"], is_pinned=is_pinned)
        try:
            with _interrupted_after(connection, request["wall_s"]):
                columns, rows, is_cut = _fetched(connection, request)
        except BaseException:
            analysing.interrupt()
            raise
        found = later.result().as_row()
    note = found.pop("note")
    return {"columns": columns, "rows": rows, "comparability": found, "note": note, "is_cut": is_cut}


def _connected(request: dict[str, Any]) -> duckdb.DuckDBPyConnection:
    """Open the ledger read-only, or a fresh database with its views of one class, and lock the engine."""
    config: dict[str, Any] = {
        "memory_limit": f"{request['memory_mb']}MB",
        "threads": _THREADS,
        "temp_directory": "",
        "allow_community_extensions": False,
        "allow_persistent_secrets": False,
        "python_enable_replacements": False,
    }
    if request["class_id"] is None:
        connection = duckdb.connect(request["ledger"], read_only=True, config=config)
    else:
        connection = duckdb.connect(":memory:", config=config)
        pin.install(connection, request["ledger"], request["class_id"])
    for setting in _LOCK:
        connection.execute(setting)
    return connection


def _checked(connection: duckdb.DuckDBPyConnection, statement: str) -> str:
    """Return the kind of the one statement: SELECT, PIVOT or EXPLAIN. Raises Refused for any other, and for several."""
    found = _extracted(connection, statement)
    if not found:
        raise Refused("there is no statement in it")
    if len(found) > 1:
        raise Refused(f"one statement at a time, found {len(found)}")
    kind = found[0]
    if _REFUSED_FUNCTION.search(statement):
        raise Refused("write_log is refused: the ledger is read-only here")
    if kind == "EXPLAIN":
        inner = _explained(statement)
        kinds = _extracted(connection, inner) if inner is not None else []
        if kinds != ["SELECT"]:
            raise Refused("EXPLAIN is for a SELECT here")
        return kind
    if kind == "MULTI":
        if "PIVOT" in statement.upper():
            return "PIVOT"
        raise Refused("one statement at a time")
    if kind != "SELECT":
        raise Refused(f"the ledger is read-only here; {kind} is refused, SELECT and EXPLAIN are not")
    return kind


def _extracted(connection: duckdb.DuckDBPyConnection, statement: str) -> list[str]:
    try:
        return [found.type.name for found in connection.extract_statements(statement)]
    except ValueError as error:  # a statement type that this version of the Python library has no name for
        raise Refused("the ledger is read-only here; only SELECT and EXPLAIN are not refused") from error


def _explained(statement: str) -> str | None:
    while comment := _COMMENT.match(statement):
        statement = statement[comment.end() :]
    match = _EXPLAIN.match(statement)
    return statement[match.end() :] if match else None


def _fetched(connection: duckdb.DuckDBPyConnection, request: dict[str, Any]) -> tuple[list[str], list[list[Any]], bool]:
    """Return the column names, made unique, the encoded rows, and whether there are more."""
    cursor = connection.execute(request["statement"])
    columns: list[str] = []
    rows: list[list[Any]] = []
    for description in cursor.description or ():
        name = description[0]
        while name in columns:
            name += "_1"
        columns.append(name)
    most, size = request["rows"], 0
    while batch := cursor.fetchmany(1000):
        for row in batch:
            if most is not None and len(rows) == most:
                return columns, rows, True
            made = [wire.encoded(value) for value in row]
            size += sum(len(value) if isinstance(value, str) else 12 for value in made)
            rows.append(made)
        if size > request["result_mb"] * 2**20:
            raise Refused(_too_large(request))
    return columns, rows, False


def _finding(
    connection: duckdb.DuckDBPyConnection, statement: str, kind: str, wall_s: float, *, is_pinned: bool
) -> probe.Finding:
    if is_pinned:
        return probe.Finding("clean")
    if kind == "EXPLAIN":  # a plan shows no score, but what ANALYZE counts depends on scores
        match = _EXPLAIN.match(statement)
        is_plan = match is not None and not match["analyze"] and "analyze" not in (match["options"] or "").lower()
        return probe.Finding("clean") if is_plan else probe.unknown("not analysed: EXPLAIN ANALYZE")
    if kind == "PIVOT":
        return probe.unknown("not analysed: PIVOT")
    try:
        with _interrupted_after(connection, wall_s + _ANALYSIS_S):
            return probe.Probe(connection).finding(statement)
    except (MemoryError, RecursionError):
        return probe.unknown("the analysis needed more memory than it may")


@contextmanager
def _interrupted_after(connection: duckdb.DuckDBPyConnection, seconds: float) -> Iterator[None]:
    timer = threading.Timer(seconds, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _lower_limits(wall_s: float, memory_mb: int) -> None:
    seconds = int((wall_s + _ANALYSIS_S) * _THREADS) + 5
    limits = [(resource.RLIMIT_CPU, seconds), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)]
    if sys.platform != "darwin":  # macOS does not enforce it, and refuses to set it below what is mapped
        limits.append((resource.RLIMIT_AS, (memory_mb + _SPARE_MB) * 2**20))
    for kind, most in limits:
        _, hard = resource.getrlimit(kind)
        chosen = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (chosen, chosen))


def _leave_with_parent() -> None:
    """Leave at once when the parent ends, however it ends, so that no reader outlives its lock: then standard input closes."""
    sys.stdin.buffer.read()
    os._exit(1)


def _too_large(request: dict[str, Any]) -> str:
    return f"the result is over {request['result_mb']} MB; aggregate, or add a LIMIT"


def _error(words: str) -> bytes:
    return json.dumps({"error": words}).encode("ascii")


def _words(error: duckdb.Error) -> str:
    if "attached in read-only mode" in str(error):
        return "the ledger is read-only here"
    words = " ".join(str(error).split("\n\nLINE ")[0].split())
    return words if len(words) <= _LONGEST_MESSAGE else words[:_LONGEST_MESSAGE] + "…"


if __name__ == "__main__":
    main()
