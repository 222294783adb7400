"""The demo: the whole job on the bundled data, and its data as a user could use it."""

from __future__ import annotations

import pytest
from conftest import Workshop

pytestmark = pytest.mark.usefixtures("port_of_the_demo")


def test_the_demo_ends_with_a_leaderboard_and_one_score_taken_apart(workshop: Workshop) -> None:
    """Two contestants, one of them with a document out of context, a refusal and an empty answer; again, it asks nothing."""
    first = workshop.run("demo")
    assert first.status == 0, first.err
    assert "lexical baseline" in first.err
    assert "not a model" in first.err
    for words in ("Leaderboard", "One score taken apart", "config.json", "lexical-baseline-top3"):
        assert words in first.out
    rows = workshop.rows("SELECT * FROM run_scores ORDER BY model")
    assert [row["model"] for row in rows] == ["lexical-baseline-top1", "lexical-baseline-top3"]
    assert [row["tasks_n"] for row in rows] == [12, 12]
    assert [row["out_of_context_n"] for row in rows] == [1, 0]  # their caps differ
    assert all(row["refused_n"] == row["empty_n"] == 1 and row["complete"] for row in rows)
    assert workshop.rows("SELECT count(DISTINCT cap_chars) AS n FROM run_tasks") == [{"n": 4}]
    assert workshop.rows("SELECT count(DISTINCT judge) AS n FROM judge_scores") == [{"n": 3}]
    asked = workshop.rows("SELECT count(*) AS n FROM attempts")
    again = workshop.run("demo")
    assert (again.status, again.out) == (0, first.out)
    assert workshop.rows("SELECT count(*) AS n FROM attempts") == asked


def test_the_demo_needs_no_ledger_of_the_users(bare_workshop: Workshop) -> None:
    """Without --ledger it keeps its evidence in a file of its own and leaves wildtrace.duckdb alone."""
    done = bare_workshop.run_plain("demo")
    assert done.status == 0, done.err
    assert sorted(path.name for path in bare_workshop.folder.glob("*.duckdb")) == ["wildtrace-demo.duckdb"]
