"""What several tests need: the installed command, a scripted endpoint, small datasets and configs on disk."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from endpoint import ScriptedEndpoint

from ledger.store import Store

WILDTRACE = Path(sys.executable).parent / "wildtrace"
SHARED = Path(__file__).resolve().parents[2] / "shared"


@dataclass(frozen=True)
class Finished:
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as JSON."""
        return json.loads(self.out)


@dataclass
class Workshop:
    """A folder with a ledger, in which a test runs the command as a user would."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def ledger(self) -> Path:
        """The ledger file."""
        return self.folder / "wildtrace.duckdb"

    def env(self) -> dict[str, str]:
        """Return a clean environment: no key, no proxy, no ledger of the developer's."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
        return {**kept, **self.environment}

    def run(self, *arguments: str | Path, timeout: float = 100, stdin: str | None = None) -> Finished:
        """Run a command on this ledger to its end, with a text on its standard input where one is given."""
        return self.run_plain("--ledger", self.ledger, *arguments, timeout=timeout, stdin=stdin)

    def run_plain(self, *arguments: str | Path, timeout: float = 100, stdin: str | None = None) -> Finished:
        """Run a command that names no ledger to its end."""
        done = subprocess.run(
            [WILDTRACE, *arguments],
            capture_output=True,
            input=stdin,
            text=True,
            timeout=timeout,
            check=False,
            env=self.env(),
            cwd=self.folder,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Finished(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        """Start a command on this ledger and leave it running."""
        return subprocess.Popen(
            [WILDTRACE, "--ledger", self.ledger, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.env(),
            cwd=self.folder,
        )

    def rows(self, statement: str) -> list[dict[str, Any]]:
        """Return the rows of a statement over the ledger, decimals as floats."""
        with Store(self.ledger).reading() as connection:
            found = connection.select(statement)
        return [{name: float(value) if isinstance(value, Decimal) else value for name, value in row.items()} for row in found]

    def data(self, tasks: Sequence[dict[str, Any]], documents: dict[str, str], name: str = "tasks.json") -> list[str | Path]:
        """Write a dataset; return the flags that name it."""
        corpus = self.folder / "corpus"
        corpus.mkdir(exist_ok=True)
        for file, text in documents.items():
            (corpus / file).write_bytes(text.encode("utf-8"))
        path = self.folder / name
        path.write_text(json.dumps(list(tasks), ensure_ascii=False), encoding="utf-8")
        return ["--data", path, "--corpus", corpus]

    def some_data(self, count: int) -> list[str | Path]:
        """Write a dataset of `count` tasks over as many documents."""
        return self.data([task(f"t{n:02d}") for n in range(count)], {f"t{n:02d}.txt": f"Document {n}." for n in range(count)})

    def config(
        self, base_url: str, *, name: str = "config.json", judges: int | list[dict[str, Any]] | None = 3, **keys: Any
    ) -> list[str | Path]:
        """Write a config of model m-a and some judges; return the flags that name it."""
        body: dict[str, Any] = {"base_url": base_url, "model": "m-a", **keys}
        if isinstance(judges, int):
            judges = [{"model": f"judge-{number}"} for number in range(1, judges + 1)]
        if judges is not None:
            body["judges"] = judges
        path = self.folder / name
        path.write_text(json.dumps(body), encoding="utf-8")
        return ["--config", path]


def task(task_id: str, question: str | None = None, corpus_file: str | None = None, **fields: Any) -> dict[str, Any]:
    """Return a task with a rubric of 60 and 40 points."""
    rubric = [{"points": 60, "correct_criterion": "Names the place"}, {"points": 40, "correct_criterion": "Names the year"}]
    return {
        "task_id": task_id,
        "question_text": question or f"What does {task_id} say?",
        "corpus_file": corpus_file or f"{task_id}.txt",
        "ground_truth": {"scoring_rubric": rubric},
        **fields,
    }


@pytest.fixture(scope="session")
def empty_ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger without rows, made once: installing its views takes half a second."""
    path = tmp_path_factory.mktemp("empty") / "empty.duckdb"
    with Store(path).writing():
        pass
    return path


@pytest.fixture
def workshop(tmp_path: Path, empty_ledger: Path) -> Workshop:
    """A fresh folder with a ledger without rows."""
    made = Workshop(tmp_path)
    shutil.copy(empty_ledger, made.ledger)
    return made


@pytest.fixture
def bare_workshop(tmp_path: Path) -> Workshop:
    """A fresh folder without a ledger."""
    return Workshop(tmp_path)


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    """A scripted endpoint that answers sensibly."""
    with ScriptedEndpoint() as running:
        yield running


@pytest.fixture
def port_of_the_demo() -> Iterator[None]:
    """Keep tests in other processes from running the demo meanwhile: its address, and so its run ids, would be another."""
    with (Path(tempfile.gettempdir()) / "wildtrace-demo-test.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture
def shared() -> Path:
    """The folder of real documents and reported failures beside the checkout; loudly skipped where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"NOT RUN: the real documents and cases are not in {SHARED.name}/ beside this checkout")
    return SHARED
