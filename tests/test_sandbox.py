"""The sandbox of `wildtrace sql`: whatever a statement tries, the ledger's bytes, the disk and the caller are unharmed."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from conftest import WILDTRACE, Workshop
from seeded import RUNS, seed

from ledger import guard
from ledger.errors import LedgerError
from ledger.guard import Limits, child
from ledger.store import Store

REFUSED = {
    "drop": "DROP TABLE runs",
    "delete in a statement after a CTE": "WITH t AS (SELECT 1) DELETE FROM responses",
    "two statements": "SELECT 1; CREATE TABLE evil (a INT)",
    "two statements, one after a comment": "SELECT 1 /* ; */; -- x\nDROP VIEW leaderboard",
    "copy out": "COPY (SELECT 1) TO 'evil.csv'",
    "copy out, explained": "EXPLAIN ANALYZE COPY (SELECT 1) TO 'evil.csv'",
    "copy from": "COPY runs FROM '/etc/passwd'",
    "attach": "ATTACH 'evil.db'",
    "attach in memory": "ATTACH ':memory:' AS other",
    "detach": "DETACH wildtrace",
    "use": "USE memory",
    "install": "INSTALL httpfs",
    "load": "LOAD httpfs",
    "set": "SET enable_external_access = true",
    "set a variable": "SET VARIABLE x = 1",
    "reset": "RESET memory_limit",
    "pragma": "PRAGMA memory_limit = '1MB'",
    "export": "EXPORT DATABASE 'evil'",
    "import": "IMPORT DATABASE 'evil'",
    "insert": "INSERT INTO run_labels VALUES ('a', 'b', now())",
    "update": "UPDATE runs SET model = 'x'",
    "merge": "MERGE INTO runs USING runs AS x ON TRUE WHEN MATCHED THEN DELETE",
    "truncate": "TRUNCATE runs",
    "alter": "ALTER TABLE runs ADD COLUMN x INT",
    "comment": "COMMENT ON TABLE runs IS 'x'",
    "a temporary view that shadows": "CREATE OR REPLACE TEMP VIEW leaderboard AS SELECT 1",
    "a temporary table": "CREATE TEMP TABLE runs AS SELECT 1",
    "macro": "CREATE MACRO f() AS 1",
    "secret": "CREATE SECRET s (TYPE s3)",
    "begin": "BEGIN TRANSACTION",
    "commit": "COMMIT",
    "prepare": "PREPARE p AS SELECT 1",
    "execute": "EXECUTE p",
    "call": "CALL pragma_version()",
    "checkpoint": "CHECKPOINT",
    "force checkpoint": "SELECT * FROM force_checkpoint()",
    "vacuum": "VACUUM",
    "analyze": "ANALYZE",
    "update extensions": "UPDATE EXTENSIONS",
    "insert in a CTE": "WITH x AS (INSERT INTO run_labels VALUES ('a', 'b', now()) RETURNING *) SELECT * FROM x",
    "delete in a CTE": "WITH x AS (DELETE FROM runs RETURNING *) SELECT * FROM x",
    "explained delete": "EXPLAIN ANALYZE DELETE FROM runs",
    "explained twice": "EXPLAIN EXPLAIN DROP TABLE runs",
    "read_csv": "SELECT * FROM read_csv('/etc/passwd')",
    "read_text": "SELECT * FROM read_text('/etc/hostname')",
    "read_blob": "SELECT * FROM read_blob('/proc/self/environ')",
    "read_json": "SELECT * FROM read_json('/etc/passwd')",
    "read_parquet": "SELECT * FROM read_parquet('https://example.com/x.parquet')",
    "glob": "SELECT * FROM glob('/*')",
    "sniff_csv": "SELECT * FROM sniff_csv('/etc/passwd')",
    "file as a table": "SELECT * FROM '/etc/passwd'",
    "write_log": "SELECT write_log('x')",
    "write_log, quoted": "SELECT \"write_log\" ('x')",
    "query() that is no SELECT": "SELECT * FROM query('DROP TABLE runs')",
    "Python variable": "SELECT * FROM request",
    "environment": "SELECT getenv('HOME')",
    "nothing": "",
    "only a comment": "-- nothing",
    "only semicolons": ";;;",
    "not SQL": "help me",
    "a shell command": ".tables",
    "unclosed": "SELECT 'x",
    "a relation that is not there": "SELECT * FROM nowhere",
    "a column that is not there": "SELECT nothing FROM runs",
    "a parameter": "SELECT $1",
    "invalid UTF-8": "SELECT '\udcff'",
    "a number out of range": "SELECT 1e400::INTEGER",
    "an error of its own": "SELECT error('multi\nline\ttext')",
}

BOMBS = {
    "cross joins": "SELECT COUNT(*) FROM range(1000000) a(i), range(1000000) b(j), range(1000) c(k) WHERE i * j = k + 1",
    "cross joins of views": "SELECT SUM(a.final_score) FROM " + ", ".join(f"task_scores AS {name}" for name in "abcdefghijkl"),
    "recursion without end": "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT MAX(i) FROM r",
    "a long string": "SELECT LENGTH(REPEAT('x', 3000000000))",
    "strings that double": "WITH RECURSIVE r AS (SELECT 'x' AS s UNION ALL SELECT s || s FROM r) SELECT MAX(LENGTH(s)) FROM r",
    "a sort": "SELECT i FROM range(3000000000) AS r(i) ORDER BY HASH(i) LIMIT 5",
    "a result without end": "SELECT i, REPEAT('x', 1000) FROM range(100000000) AS r(i)",
    "sleep": "SELECT sleep_ms(60000)",
}


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A small ledger of two classes."""
    return seed(tmp_path_factory.mktemp("sandbox"), (RUNS[0], RUNS[4]), tasks=4)


@pytest.fixture(autouse=True)
def unharmed(ledger: Store) -> Iterator[None]:
    """Around every test: the ledger's bytes and the folder's files are the same, and no child is left."""
    before = _state(ledger.path.parent)
    yield
    assert _state(ledger.path.parent) == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def _state(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _one_line(error: pytest.ExceptionInfo[LedgerError]) -> str:
    text = str(error.value)
    assert text.startswith("sql: ")
    assert "\n" not in text
    assert "Traceback" not in text
    assert len(text) < 600
    return text


@pytest.mark.parametrize("statement", REFUSED.values(), ids=REFUSED.keys())
def test_a_hostile_or_broken_statement_is_one_line(ledger: Store, statement: str) -> None:
    """The guard or the locked engine refuses it, in one line: the child's own code, without its process."""
    request = {"ledger": str(ledger.path), "statement": statement, "class_id": None, **asdict(Limits(wall_s=5))}
    reply = json.loads(child.answered(request))
    assert list(reply) == ["error"]
    assert "\n" not in reply["error"]
    assert 0 < len(reply["error"]) < 600


@pytest.mark.parametrize(
    "statement",
    [
        "COPY (SELECT 1) TO 'evil.csv'",
        "WITH x AS (DELETE FROM runs RETURNING *) SELECT * FROM x",
        "SELECT '\udcff'",
        "SELECT " + "(" * 20_000 + "1" + ")" * 20_000,
        "SELECT " + " || ".join(["'x'"] * 50_000) + " FROM nowhere",
    ],
    ids=["copy", "delete", "invalid UTF-8", "deep brackets", "a long chain"],
)
def test_a_hostile_statement_in_its_process(ledger: Store, statement: str) -> None:
    """The same through the process: even what ends it is one line here."""
    with pytest.raises(LedgerError) as error:
        guard.run_sql(ledger, statement, limits=Limits(wall_s=5))
    _one_line(error)


@pytest.mark.parametrize("statement", BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_of_time_or_memory_is_stopped(ledger: Store, statement: str) -> None:
    """It ends within its time and a little, says so in one line, and this process has not grown."""
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    with pytest.raises(LedgerError) as error:
        guard.run_sql(ledger, statement, limits=Limits(wall_s=0.4, memory_mb=256, result_mb=4))
    assert any(word in _one_line(error) for word in ("stopped", "memory", "over 4 MB")), error.value
    assert time.monotonic() - started < 12
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024  # kilobytes


def test_what_may_be_asked_is_answered(ledger: Store) -> None:
    """SELECT, WITH, FROM first, VALUES, PIVOT, DESCRIBE, SHOW, SUMMARIZE and EXPLAIN, with a semicolon or comments."""
    for statement in (
        "-- count\nSELECT COUNT(*) FROM runs;",
        "WITH x AS (SELECT 1 AS i) FROM x",
        "VALUES (1), (2)",
        "PIVOT runs ON model USING COUNT(*)",
        "SUMMARIZE runs",
        "SHOW TABLES",
        "EXPLAIN SELECT * FROM leaderboard",
        "/* why */ EXPLAIN (FORMAT json) SELECT 1",
        "EXPLAIN ANALYZE SELECT 1",
        "DESCRIBE leaderboard",
    ):
        request = {"ledger": str(ledger.path), "statement": statement, "class_id": None, **asdict(Limits(wall_s=5))}
        assert json.loads(child.answered(request))["rows"], statement


def test_the_command_says_one_line_and_exits_1(ledger: Store) -> None:
    """On the command line a refusal is one line on standard error, nothing on standard output."""
    done = Workshop(ledger.path.parent).run("sql", "DROP TABLE runs")
    assert (done.status, done.out) == (1, "")
    assert done.err == "wildtrace: sql: the ledger is read-only here; DROP is refused, SELECT and EXPLAIN are not\n"


def test_the_child_ends_with_its_parent(ledger: Store) -> None:
    """A command that is killed leaves no reader behind, so a writer finds the ledger free."""
    command = [str(WILDTRACE), "--ledger", str(ledger.path), "sql", "SELECT sleep_ms(20000)"]
    parent = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while not (children := _children(parent.pid)) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(1.0)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    while any(_is_alive(child) for child in children) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert children
    assert not any(_is_alive(child) for child in children)


def _children(pid: int) -> list[int]:
    listed = subprocess.run(["/bin/ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False).stdout
    return [int(word) for word in listed.split()]


def _is_alive(pid: int) -> bool:
    state = subprocess.run(["/bin/ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout.strip()
    return bool(state) and not state.startswith("Z")


def test_the_lock_is_held_while_the_child_reads(ledger: Store) -> None:
    """A writer waits until the statement is done."""
    command = [str(WILDTRACE), "--ledger", str(ledger.path), "sql", "--timeout", "1.5", "SELECT sleep_ms(60000)"]
    reader = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    script = f"import fcntl; fcntl.flock(open({str(ledger.path) + '.lock'!r}, 'r+'), fcntl.LOCK_EX)"
    deadline = time.monotonic() + 20
    while not _children(reader.pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.8)
    subprocess.run([sys.executable, "-c", script], check=True)
    assert reader.wait(5) == 1
    assert time.monotonic() < deadline


def test_no_key_goes_along(ledger: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The child's environment holds no secret of the parent's."""
    monkeypatch.setenv("API_KEY", "sk-secret")
    with guard.Child(Limits()) as started:
        environment = Path(f"/proc/{started.pid}/environ")
        if environment.exists():
            assert b"sk-secret" not in environment.read_bytes()
        assert started.run(ledger.path, "SELECT 1", None).rows == [(1,)]
