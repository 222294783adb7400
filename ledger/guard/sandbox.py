"""The parent's side of the sandbox: starts the child, hands it one statement, waits no longer than it may, reads rows.

The parent parses no SQL and unpickles nothing: what comes back is JSON, of bounded size. A child that dies, hangs or
babbles becomes one line for the user. Its end is tied to ours: it leaves when its standard input closes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

from ledger.errors import LedgerError
from ledger.guard import wire

_GRACE_S: Final = 4.0
"""Between the child's own deadline and its end by force: interrupting DuckDB takes a moment, analysing too."""
_START_S: Final = 20.0
"""For the child to start on a machine that is busy."""


@dataclass(frozen=True)
class Limits:
    """What a statement may use. `wall_s` in seconds; `rows` None means all; a result over `result_mb` is an error."""

    wall_s: float = 60.0
    memory_mb: int = 2048
    rows: int | None = None
    result_mb: int = 64


@dataclass(frozen=True)
class Result:
    """A statement's columns and rows, and whether they may be compared.

    `comparability` has status, dimensions, groups_mixed and suggestion; `note` says in words why a status is unknown.
    `is_cut`: there are more rows than the limit asked for.
    """

    columns: list[str]
    rows: list[tuple[Any, ...]]
    comparability: dict[str, Any]
    note: str | None = None
    is_cut: bool = False


class Child:
    """A process that runs one statement. Start it early: it loads its libraries meanwhile."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH") if name in os.environ}
        command = [sys.executable, "-I", "-X", "utf8", "-m", "ledger.guard.child"]
        self._process = subprocess.Popen(  # noqa: S603 - this package's own module; of the environment, no key goes along
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={**kept, "TZ": "UTC"},
            start_new_session=True,  # Ctrl-C is the parent's to handle
        )

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                _close(pipe)

    def run(self, ledger: Path, statement: str, class_id: str | None) -> Result:
        """Return the rows of one statement, of one class where one is given. Raises LedgerError for whatever stops it."""
        request = {"ledger": str(ledger.resolve()), "statement": statement, "class_id": class_id, **asdict(self._limits)}
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise LedgerError(f"sql: the statement could not be run: {self._end()}") from None
        reply = self._reply()
        if "error" in reply:
            raise LedgerError(f"sql: {reply['error']}")
        rows = [tuple(wire.decoded(value) for value in row) for row in reply["rows"]]
        return Result(reply["columns"], rows, reply["comparability"], reply["note"], reply["is_cut"])

    def _reply(self) -> dict[str, Any]:
        received: list[bytes] = []
        most = self._limits.result_mb * 2**20 + 2**20
        stdout = self._process.stdout
        assert stdout is not None
        reader = threading.Thread(target=lambda: received.append(stdout.read(most)), daemon=True)
        reader.start()
        reader.join(self._limits.wall_s + _GRACE_S + _START_S)
        if reader.is_alive():
            self._process.kill()
            reader.join()
            raise LedgerError(f"sql: stopped after {self._limits.wall_s:g} s; ask for less, or allow more with --timeout")
        if not received or not received[0]:
            raise LedgerError(f"sql: stopped: {self._end()}")
        try:
            reply = json.loads(received[0])
        except ValueError:
            raise LedgerError(f"sql: stopped: {self._end()}") from None
        assert isinstance(reply, dict)
        return reply

    def _end(self) -> str:
        """Say in words how the child ended."""
        try:
            status = self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            return "the process that ran it gave no sensible answer"
        if status == -signal.SIGXCPU:
            return "it used more processor time than it may"
        if status in {-signal.SIGKILL, -signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS}:
            return "it needed more memory or depth than it may"
        return f"the process that ran it ended with status {status}"


def _close(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except BrokenPipeError:
        return
