"""Runs that are stopped, killed or crowded: nothing finished is lost, nothing is paid for twice (DESIGN: the write path)."""

from __future__ import annotations

import fcntl
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Workshop
from endpoint import VERDICT, ScriptedEndpoint, is_judging, ok, question_of

CONCURRENCY = 4


def slow(seconds: float) -> Callable[[str, str, int], tuple[float, bytes]]:
    """Return a behaviour that answers sensibly, but only after a while."""
    return lambda model, prompt, _: (
        seconds,
        ok(VERDICT if is_judging(prompt) else f"Answer of {model} to {question_of(prompt)}"),
    )


def wait_until(condition: Callable[[], bool], within_s: float = 30) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def figures(workshop: Workshop) -> list[dict[str, object]]:
    """Return what a run came to."""
    return workshop.rows("SELECT * EXCLUDE (label) FROM run_scores")


def duplicates(workshop: Workshop) -> list[dict[str, object]]:
    """Return the requests with more than one reply."""
    return workshop.rows("SELECT request_key FROM attempts WHERE error IS NULL GROUP BY request_key HAVING count(*) > 1")


def test_the_first_interrupt_finishes_what_is_in_flight(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """SIGINT lets requests in flight end, keeps them, exits 130; the next command asks the rest and nothing twice."""
    endpoint.behaviour = slow(0.2)
    arguments = ["generate", *workshop.config(endpoint.base_url, concurrency=CONCURRENCY), *workshop.some_data(20)]
    running = workshop.start(*arguments)
    wait_until(lambda: len(endpoint.requests) >= 8)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=20)
    asked = len(endpoint.requests)
    assert running.returncode == 130, err
    assert "Traceback" not in err
    assert "waiting for" in err
    assert workshop.rows("SELECT count(*) AS n FROM responses") == [{"n": asked}]
    endpoint.behaviour = slow(0)
    endpoint.forget()
    assert workshop.run(*arguments).status == 0
    assert len(endpoint.requests) == 20 - asked
    assert duplicates(workshop) == []


def test_a_second_interrupt_stops_now(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """A second SIGINT waits for nothing; what was finished before is kept."""
    endpoint.behaviour = lambda model, prompt, seen: slow(60 if "t03" in prompt else 0)(model, prompt, seen)
    arguments = ["generate", *workshop.config(endpoint.base_url, concurrency=1), *workshop.some_data(6)]
    running = workshop.start(*arguments)
    wait_until(lambda: len(endpoint.requests) == 4)
    time.sleep(0.2)
    started = time.monotonic()
    running.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=20)
    assert running.returncode == 130, err
    assert "Traceback" not in err
    assert time.monotonic() - started < 10
    assert workshop.rows("SELECT count(*) AS n FROM responses") == [{"n": 3}]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    """The figures of the run below when nobody disturbs it. Its endpoint has another address, so only figures are kept."""
    workshop = Workshop(tmp_path_factory.mktemp("undisturbed"))
    with ScriptedEndpoint(slow(0)) as endpoint:
        assert (
            workshop.run("run", *workshop.config(endpoint.base_url, concurrency=CONCURRENCY), *workshop.some_data(30)).status == 0
        )
    return [{name: row[name] for name in row if name != "run_id"} for row in figures(workshop)]


@pytest.mark.parametrize("stage", ["generation", "judging"])
@pytest.mark.parametrize("kill_after", [pytest.param(3, marks=pytest.mark.slow), 17])
def test_kill_9_wastes_at_most_what_was_in_flight(
    workshop: Workshop, endpoint: ScriptedEndpoint, undisturbed: list[dict[str, object]], stage: str, kill_after: int
) -> None:
    """SIGKILL in the middle, then the same command: no duplicate, the same figures, few calls made twice."""
    endpoint.behaviour = slow(0.02)
    arguments = ["run", *workshop.config(endpoint.base_url, concurrency=CONCURRENCY), *workshop.some_data(30)]
    before = 30 if stage == "judging" else 0
    running = workshop.start(*arguments)
    wait_until(lambda: len(endpoint.requests) >= before + kill_after)
    running.kill()
    running.communicate(timeout=20)
    asked = len(endpoint.requests)
    endpoint.behaviour = slow(0)
    done = workshop.run(*arguments)
    assert done.status == 0, done.err
    assert asked >= before + kill_after
    assert len(endpoint.requests) <= 30 + 90 + CONCURRENCY  # each call once, and again what was in flight
    assert duplicates(workshop) == []
    assert [{name: row[name] for name in row if name != "run_id"} for row in figures(workshop)] == undisturbed


def test_two_runs_share_one_ledger_and_sql_reads_meanwhile(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """Two models run at once into one ledger while SQL reads it; each is asked every task once."""
    endpoint.behaviour = slow(0.15)
    data = workshop.some_data(30)
    started = [
        workshop.start(
            "run", *workshop.config(endpoint.base_url, name=f"{model}.json", model=model, concurrency=CONCURRENCY), *data
        )
        for model in ("m-a", "m-b")
    ]
    wait_until(workshop.ledger.exists)
    while any(running.poll() is None for running in started):
        read = workshop.run("sql", "SELECT count(*) FROM attempts")
        assert read.status == 0, read.err
    for running in started:
        _, err = running.communicate(timeout=20)
        assert running.returncode == 0, err
    assert endpoint.asked("m-a") == endpoint.asked("m-b") == 30
    assert workshop.rows("SELECT overall FROM run_scores") == [{"overall": 0.8}] * 2
    assert duplicates(workshop) == []


def test_the_same_run_twice_at_once_is_refused(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """A second process on the same run would pay for the same answers: it is told who is at it, exit 1."""
    endpoint.behaviour = slow(0.5)
    arguments = ["generate", *workshop.config(endpoint.base_url, concurrency=1), *workshop.some_data(4)]
    first = workshop.start(*arguments)
    wait_until(lambda: len(endpoint.requests) >= 1)
    second = workshop.run(*arguments)
    assert second.status == 1
    assert str(first.pid) in second.err
    assert len(second.err.splitlines()) <= 3
    _, err = first.communicate(timeout=30)
    assert first.returncode == 0, err
    assert len(endpoint.requests) == 4


def test_a_long_wait_for_the_ledger_names_its_holder(workshop: Workshop) -> None:
    """Whoever waits for the lock says for which process, and goes on when it is free."""
    workshop.run("import", *workshop.some_data(1))
    with Path(f"{workshop.ledger}.lock").open("r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        reading = workshop.start("runs")
        with pytest.raises(subprocess.TimeoutExpired):
            reading.wait(timeout=3)
    _, err = reading.communicate(timeout=20)
    assert reading.returncode == 0
    assert "waiting for" in err


def test_a_journal_that_a_dead_process_left_is_read_by_whoever_comes_next(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """After SIGKILL a mere `sql` finds every exchange whose answer had been counted, and says nothing is wrong."""
    endpoint.behaviour = lambda model, prompt, seen: slow(60 if "t07" in prompt else 0)(model, prompt, seen)
    running = workshop.start("generate", *workshop.config(endpoint.base_url, concurrency=1), *workshop.some_data(9))
    wait_until(lambda: len(endpoint.requests) == 8)
    time.sleep(0.2)
    running.kill()
    running.communicate(timeout=20)
    assert workshop.run("sql", "--format", "csv", "SELECT count(*) AS n FROM responses").out == "n\n7\n"
    assert sorted(path.suffix for path in Path(f"{workshop.ledger}.journal").iterdir() if path.suffix != ".working") == [".done"]
