"""The DuckDB file: the only module (with `guard`) that opens it, and never for long.

A DuckDB file admits one writing process and, meanwhile, no reader; and its own lock is lost when the process
opens the file by other means. So nobody keeps it open: an flock on `<ledger>.lock` decides who may open it, shared
for readers, exclusive for writers. A writer first brings in what the journals of dead processes hold.
Evidence tables are only ever added to.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from decimal import Decimal
from io import FileIO
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import duckdb

from ledger import intake, journal, schema
from ledger.errors import StoreError
from ledger.evidence import TABLES, FigureMove, JudgeReply, Response, Segment, Verdict, timestamp
from ledger.identity import sha256_bytes
from ledger.journal import Journal
from ledger.verdict import PARSER_VERSION

Row = dict[str, Any]
SETTINGS: Final[dict[str, str | bool | int | float | list[str]]] = {
    "storage_compatibility_version": "v1.5.0",  # readable by DuckDB 1.5 and 2
    "wal_autocheckpoint": "1TB",  # one checkpoint, at the end: each rewrites the last row group, texts of documents and all
}
"""How a ledger is opened; DuckDB lets a process open a file in one way only."""
_LOCK_POLL_S: Final = 0.02
_SAY_WAITING_AFTER_S: Final = 2.0


class Connection:
    """An open ledger: queries by name in, rows out."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def rows(self, query: str, **parameters: Any) -> list[Row]:
        """Return the rows of `sql/queries/<query>.sql` by column name."""
        return self.select(schema.query(query), parameters)

    def select(self, statement: str, parameters: dict[str, Any] | None = None) -> list[Row]:
        """Return the rows of one statement by column name."""
        cursor = self._connection.execute(statement, parameters or {})
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def table(self, statement: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return the column names and rows of one statement, duplicate names kept."""
        cursor = self._connection.execute(statement)
        return [column[0] for column in cursor.description or ()], cursor.fetchall()

    def insert(self, evidence: Iterable[Any]) -> None:
        """Add rows of `ledger.evidence` classes, each by its table's insert query."""
        by_class = sorted(evidence, key=lambda row: TABLES[type(row)])
        for kind, group in groupby(by_class, key=type):
            names = [field.name for field in fields(kind)]
            records = [{name: getattr(row, name) for name in names} for row in group]
            self.run(f"insert_{TABLES[kind]}", rows=json.dumps(records, default=_plain, ensure_ascii=False))
            if kind in {Response, Verdict}:
                keys = json.dumps(sorted({record["request_key"] for record in records}))
                self.run(f"insert_superseded_{TABLES[kind]}", keys=keys)

    def run(self, query: str, **parameters: Any) -> None:
        """Execute `sql/queries/<query>.sql`."""
        self._connection.execute(schema.query(query), parameters)

    def commit_so_far(self) -> None:
        """End the block's transaction and begin another: for rows that are sound without the rest, and heavy together."""
        self._connection.execute("COMMIT")
        self._connection.execute("BEGIN")

    def execute(self, statements: str) -> None:
        """Execute the statements of an object file."""
        self._connection.execute(statements)


def _plain(value: Any) -> str:
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    raise TypeError(f"no JSON form for {type(value).__name__}")


class Store:
    """A ledger file with its lock and its journal folder."""

    def __init__(self, path: Path, say: Callable[[str], None] = lambda _: None) -> None:
        """`say` is told, in words, whom a long wait is for."""
        self.path = path
        self.journal_directory = path.with_name(path.name + ".journal")
        self._lock_path = path.with_name(path.name + ".lock")
        self._say = say

    def exists(self) -> bool:
        """Tell whether there is a ledger file."""
        return self.path.is_file()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open the ledger for reading, briefly. Raises StoreError where there is none or it cannot be read."""
        if not self.exists():
            raise StoreError(
                f"{self.path}: no ledger here; `wildtrace import` or `wildtrace run` makes one, --ledger names another"
            )
        if not journal.abandoned(self.journal_directory):
            with self._locked(fcntl.LOCK_SH), self._opened(read_only=True) as connection:
                if _is_current(opened := Connection(connection)):
                    yield opened
                    return
        with self.writing():  # brings in what dead processes journalled, and this version's views
            pass
        with self._locked(fcntl.LOCK_SH), self._opened(read_only=True) as connection:
            yield Connection(connection)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open the ledger for one transaction: all of the block is committed, or nothing."""
        with self._locked(fcntl.LOCK_EX), self._opened(read_only=False) as connection:
            opened = Connection(connection)
            current = _is_current(opened)  # outside the transaction: a missing table would abort it
            figures = None if current else _figures_so_far(opened)
            connection.execute("BEGIN")
            if not current:
                _install(opened)
                _record_moves(opened, figures)
            recovered = [path for path in journal.abandoned(self.journal_directory) if self._take_in(opened, path)]
            yield opened
            connection.execute("COMMIT")
            _mark_done(recovered)

    def ingest(self, process_journal: Journal) -> None:
        """Bring what this process has journalled so far into the tables."""
        with process_journal.sealed() as path:
            if path is None:
                return
            prepared = _read_segment(path)
            with self.writing() as connection:
                self._take_in(connection, path, prepared)
            _mark_done([path])

    @contextmanager
    def alone_on(self, work: str) -> Iterator[None]:
        """Keep other processes from doing the same work, such as a run's judging: both would pay for the same replies.

        Raises StoreError at once where one is at it.
        """
        try:
            self.journal_directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            opened = (self.journal_directory / f"{work}.working").open("a+b", buffering=0)
        except OSError as error:
            raise StoreError(f"{self.journal_directory}: the journal's folder cannot be used ({error.strerror})") from error
        with opened as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreError(f"{self.path}: {_holder(held)} is at {work} already; wait for it, or stop it") from None
            _sign(held)
            yield

    def _take_in(self, connection: Connection, path: Path, prepared: tuple[Segment, Sequence[Any]] | None = None) -> bool:
        """Insert a segment's rows unless it was ingested before. Returns whether the segment is there."""
        if not path.exists():  # another process was first
            return False
        segment, rows = prepared or _read_segment(path)
        if not connection.rows("select_segment", segment=segment.segment):
            connection.insert([*rows, segment])
        return True

    @contextmanager
    def _opened(self, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        mask = os.umask(0o077)  # a ledger is its user's own
        try:
            connection = duckdb.connect(str(self.path), read_only=read_only, config=SETTINGS)
        except duckdb.Error as error:
            raise StoreError(f"{self.path}: cannot be opened as a ledger: {_first_line(error)}") from error
        finally:
            os.umask(mask)
        try:
            yield connection
        except duckdb.Error as error:
            raise StoreError(f"{self.path}: {_first_line(error)}") from error
        finally:
            connection.close()  # before the lock is released

    @contextmanager
    def _locked(self, mode: int) -> Iterator[None]:
        try:
            descriptor = os.open(self._lock_path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(f"{self._lock_path}: the lock file cannot be opened ({error.strerror})") from error
        with os.fdopen(descriptor, "r+b", buffering=0) as lock:
            started, said = time.monotonic(), False
            while True:
                try:
                    fcntl.flock(lock, mode | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if not said and time.monotonic() - started > _SAY_WAITING_AFTER_S:
                        self._say(f"{self.path}: waiting for {_holder(lock)}")
                        said = True
                    time.sleep(_LOCK_POLL_S)
            if mode == fcntl.LOCK_EX:
                _sign(lock)
            yield


def _sign(lock: FileIO) -> None:
    """Write into a lock file who holds it: a courtesy to who waits, which a full disk may refuse."""
    with suppress(OSError):
        lock.truncate(0)
        lock.seek(0)
        lock.write(f"process {os.getpid()} ({' '.join(Path(sys.argv[0]).name.split())})".encode())


def _holder(lock: FileIO) -> str:
    lock.seek(0)
    return (lock.read(200) or b"").decode("utf-8", "replace").strip() or "another process"


def _install(connection: Connection) -> None:
    """Create the tables, and install views and macros as a set where they are another version's."""
    shipped = schema.object_files()
    for present in connection.rows("select_installed_views"):
        if present["name"] not in shipped:
            connection.execute(f'DROP {present["kind"]} "{present["name"]}" CASCADE')
    for path in schema.installed_files():
        connection.execute(path.read_text(encoding="utf-8"))
    for name, value in _meta().items():
        connection.run("replace_meta", name=name, value=value)
    unread = connection.rows("select_unread_replies", parser_version=PARSER_VERSION)
    connection.insert(
        intake.judged(
            JudgeReply(
                row["request_key"],
                row["reply_sha256"],
                row["text"],
                row["finish_reason"],
                None,
                None,
                None,
                None,
                None,
                None,
                None,
                row["ended_at"].isoformat(),
                row["attempt_key"],
            ),
            [Decimal(number) for number in row["points"]],
        )
        for row in unread
    )


def _figures_so_far(connection: Connection) -> tuple[Row, dict[str, Row]] | None:
    """Return the versions and figures of a ledger before another version's views replace its own; None for a new one."""
    try:
        meta = {row["name"]: row["value"] for row in connection.rows("select_meta")}
        return meta, {row["run_id"]: row for row in connection.rows("select_run_figures")}
    except (duckdb.CatalogException, duckdb.BinderException):
        return None


def _record_moves(connection: Connection, before: tuple[Row, dict[str, Row]] | None) -> None:
    """Write down which figures a new parser or new views moved: an old figure quoted somewhere is then explained."""
    if before is None:
        return
    meta, figures = before
    connection.insert(
        FigureMove(
            run_id=row["run_id"],
            parser_version_before=meta["parser_version"],
            parser_version=PARSER_VERSION,
            aggregation_before=meta["aggregation_fingerprint"],
            aggregation=schema.aggregation_fingerprint(),
            overall_before=old["overall"],
            overall=row["overall"],
            scored_overall_before=old["scored_overall"],
            scored_overall=row["scored_overall"],
            recorded_at=timestamp(time.time()),
        )
        for row in connection.rows("select_run_figures")
        if (old := figures.get(row["run_id"])) is not None
        and (old["overall"], old["scored_overall"]) != (row["overall"], row["scored_overall"])
    )


def _is_current(connection: Connection) -> bool:
    try:
        found = {row["name"]: row["value"] for row in connection.rows("select_meta")}
    except duckdb.CatalogException:
        return False
    version = found.get("schema_version")
    if version != schema.SCHEMA_VERSION:
        raise StoreError(
            f"this ledger has schema version {version}, this wildtrace knows {schema.SCHEMA_VERSION}: "
            "use the version of wildtrace that wrote it, or a newer one"
        )
    return all(found.get(name) == value for name, value in _meta().items())


def _meta() -> dict[str, str]:
    return {
        "schema_version": schema.SCHEMA_VERSION,
        "sql_digest": schema.sql_digest(),
        "aggregation_fingerprint": schema.aggregation_fingerprint(),
        "parser_version": PARSER_VERSION,
    }


def _read_segment(path: Path) -> tuple[Segment, Sequence[Any]]:
    whole, lines = journal.read_lines(path)
    try:
        rows = intake.rows(lines)
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{path}: a damaged journal segment ({error}); move it aside to go on without it") from error
    return Segment(path.stem, len(lines), sha256_bytes(whole), timestamp(time.time())), rows


def _mark_done(paths: Iterable[Path]) -> None:
    for path in paths:
        path.rename(path.with_suffix(journal.DONE))


def _first_line(error: duckdb.Error) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
