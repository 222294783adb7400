"""From a figure to its evidence: every score again from the raw bytes, and a doubt that is told."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Decimal

import pytest
from conftest import Workshop, task
from endpoint import VERDICT, ScriptedEndpoint, error, is_judging, ok, question_of
from evidence_rows import FAILED, MISSING, Bench, Outcome, clustered_tasks, graded, random_outcomes

from ledger import why
from ledger.errors import InputError
from ledger.store import Connection


@pytest.fixture
def connection(workshop: Workshop) -> Iterator[Connection]:
    """A ledger with two runs that have tasks of every status, unreadable and repeated replies among them, open for reading."""
    tasks, documents = clustered_tasks(7, 35)
    bench = Bench(workshop, tasks, documents)
    pick = random.Random(60)
    outcomes = {**random_outcomes(pick, 35), "t001": FAILED, "t000": MISSING, "t003": graded("half judged", 10, None, 30)}
    repeated = Outcome(
        "twice", [["no verdict", '{"total": 12.5}', '{"total": 99}'], '{"total": 1e1}', '```json\n{"total": 7}\n```']
    )
    bench.run("gpt-5.4", {**outcomes, "t004": repeated}, caps={"gpt-5.4": {"en": 60, "cjk": 200}})
    complete = {name: outcome for name, outcome in outcomes.items() if name not in {"t000", "t001", "t003"}}
    bench.run("qwen3-max", {**complete, "t001": graded("a", 1, 2, 3), "t000": graded("b", 1, 2, 3), "t003": graded("c", 1, 2, 3)})
    with bench.store.reading() as opened:
        yield opened


def test_every_score_of_a_run_is_the_same_from_the_raw_bytes(connection: Connection) -> None:
    """Statuses, task scores, Scored and All-N by plain Python from the bodies equal the views', whatever became of a task."""
    for row in connection.select("SELECT run_id, tasks_n, complete FROM run_scores"):
        found = why.explain_run(connection, row["run_id"])
        assert found.agrees
        assert len(found.tasks) == row["tasks_n"] == 35
        statuses = {task["status"] for task in found.tasks}
        if row["complete"]:
            assert found.arithmetic[1].endswith(f"= {format(found.figures['overall'].normalize(), 'f')}")
        else:
            assert statuses == {"scored", "unjudged", "out_of_context", "empty", "refused", "failed", "missing"}
            assert "NULL" in found.arithmetic[1]


def test_every_task_taken_apart_agrees(connection: Connection) -> None:
    """Task by task: the same score, an arithmetic that ends in it, and a piece of evidence for each term."""
    for row in connection.select("SELECT run_id, task_id, status, final_score FROM task_scores"):
        found = why.explain_task(connection, row["run_id"], row["task_id"])
        assert found.agrees
        assert (found.status, found.score) == (row["status"], row["final_score"])
        pieces = [piece["piece"] for piece in found.pieces]
        assert pieces.count("verdict") == (3 if row["status"] in {"scored", "unjudged"} else 0)
        assert ("response" in pieces) == (row["status"] in {"scored", "unjudged", "empty", "refused"})


def test_the_earliest_readable_reply_counts(connection: Connection) -> None:
    """Of a judge asked three times, the unreadable reply and the later verdict are shown, and do not count."""
    (row,) = connection.select("SELECT run_id FROM run_scores WHERE NOT complete")
    found = why.explain_task(connection, row["run_id"], "t004")
    first = [piece for piece in found.pieces if piece["judge"] == "judge-1"]
    assert [(piece["piece"], piece["status"], piece["value"]) for piece in first] == [
        ("judge prompt", None, None),
        ("judge attempt", "unparsed", None),
        ("judge attempt", "ok", Decimal("12.5")),
        ("judge attempt", "ok", Decimal(99)),
        ("verdict", "ok", Decimal("12.5")),
    ]
    assert found.arithmetic == "(12.5 + 10 + 7) / (100 x 3) = 0.098333333"


def test_a_task_that_is_not_of_the_run_is_named(connection: Connection) -> None:
    """An unknown task id is an error in one line."""
    (row,) = connection.select("SELECT run_id FROM run_scores WHERE complete")
    with pytest.raises(InputError, match=r"t999: no task of run"):
        why.explain_task(connection, row["run_id"], "t999")


def test_a_total_changed_behind_the_ledgers_back_is_told(workshop: Workshop) -> None:
    """Views over changed rows no longer agree with the raw bytes: the command says so and exits 1."""
    bench = Bench(workshop, [task("t1")], {"t1.txt": "words"})
    run_id = bench.run("gpt-5.4", {"t1": graded("a", 10, 20, 30)})
    assert workshop.run("why", run_id, "t1").status == 0
    with bench.store.writing() as connection:
        connection.execute("UPDATE verdicts SET total = 99 WHERE total = 10")
    for arguments in (["why", run_id], ["why", run_id, "t1"]):
        done = workshop.run(*arguments)
        assert done.status == 1
        assert "disagree" in done.err


def test_raw_prints_the_very_bytes(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """--raw gives every body behind a task as it came, failed exchanges too; the table names request ids and times."""
    answer = ok("Antwort — 答", reasoning_content="hm")

    def behaviour(_: str, prompt: str, seen: int) -> bytes:
        if is_judging(prompt):
            return ok(VERDICT)
        return answer if seen else error(503, f"try {question_of(prompt)} again", retry_after="0", x_request_id="req-77")

    endpoint.behaviour = behaviour
    assert workshop.run("run", *workshop.config(endpoint.base_url, label="my run"), *workshop.some_data(1)).status == 0
    printed = workshop.run("why", "my run", "t00", "--raw").out
    body = answer.partition(b"\r\n\r\n")[2].decode()
    assert body in printed
    assert "try What does t00 say? again" in printed
    assert printed.count("\n--- ") + 1 == 5
    told = workshop.run("why", "my run", "t00").out
    assert "request id req-77" in told
    assert "(80 + 80 + 80) / (100 x 3) = 0.8" in told
    rows = workshop.run("why", "my run", "t00", "--format", "json").json
    assert rows["agrees"] is True
    assert workshop.run("why", "my run", "--format", "csv").out.startswith("task_id,status,score,recomputed,reason\nt00,scored,")
