"""The cookbook's queries run as they stand, on the demo's ledger, and none of them mixes what may not be compared."""

from __future__ import annotations

import fcntl
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from conftest import Workshop

from ledger.guard.probe import Probe
from ledger.store import SETTINGS, Store

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "sql-cookbook.md").read_text(encoding="utf-8")
QUESTIONS = re.findall(r"\*\*(.+?)\*\*[^\n]*\n\n```sql\n(.*?)```", PAGE, re.DOTALL)
MAY_BE_EMPTY = {
    "In which policy do two runs differ?",
    "Which totals are not the sum of the points listed?",
    "What is mixed on this board?",
    "Which answers were cut by max_tokens?",
    "What had to be asked again, and why?",
    "Does the evidence contradict itself?",
    "Which runs hold answers made elsewhere?",
    "Did a new version of this tool move any figure?",
    "Which answers do two models share?",
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[duckdb.DuckDBPyConnection, dict[str, str]]]:
    """The demo's ledger, open for reading, and what stands for RUN, OTHER and TASK."""
    workshop = Workshop(tmp_path_factory.mktemp("cookbook"))
    with (Path(tempfile.gettempdir()) / "wildtrace-demo-test.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert workshop.run("demo").status == 0
    with Store(workshop.ledger).reading():
        pass
    with duckdb.connect(str(workshop.ledger), read_only=True, config=SETTINGS) as connection:
        (run,), (other,) = connection.execute("SELECT run_id FROM run_scores ORDER BY overall").fetchall()
        yield connection, {"'RUN'": f"'{run}'", "'OTHER'": f"'{other}'", "'TASK'": "'demo-02'"}


def test_there_are_questions_enough() -> None:
    """Every block of the page is a question with its query, at least twenty of them, none twice."""
    assert len(QUESTIONS) == PAGE.count("```sql") >= 20
    assert len({question for question, _ in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize(("question", "query"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_a_query_of_the_cookbook_answers(
    demo: tuple[duckdb.DuckDBPyConnection, dict[str, str]], question: str, query: str
) -> None:
    """It runs, has rows where the demo has what it asks for, and the guard does not call it a mix."""
    connection, names = demo
    for name, value in names.items():
        query = query.replace(name, value)
    rows = connection.execute(query).fetchall()
    assert rows or question in MAY_BE_EMPTY
    assert Probe(connection.cursor()).finding(query, suggest=False).status != "mixed"
