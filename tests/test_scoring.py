"""Figures: the views' arithmetic against exact rational numbers, and what is zero, NULL or counted (protocol §5)."""

from __future__ import annotations

import random
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from conftest import Workshop, task

from ledger import config, dataset, intake, plan
from ledger.demo.endpoint import completion_body
from ledger.evidence import Attempt, JudgeRequest, timestamp
from ledger.generate import record_run
from ledger.identity import attempt_key, judge_key, sha256_text
from ledger.store import Store

NANO = Decimal("1e-9")


def exactly_rounded(number: Fraction) -> Decimal:
    """Return an exact rational, rounded once to 9 decimals, half away from zero, by integers alone."""
    scaled = number * 10**9
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return Decimal(whole) * NANO


class Evidence:
    """A ledger filled directly with attempts, without HTTP: for many random runs at once."""

    def __init__(self, workshop: Workshop, points: list[list[str]], judges: int) -> None:
        tasks = [
            task(
                f"t{n:03d}",
                ground_truth={"scoring_rubric": [{"points": float(p), "correct_criterion": f"c{i}"} for i, p in enumerate(ps)]},
            )
            for n, ps in enumerate(points)
        ]
        flags = workshop.data(tasks, {f"t{n:03d}.txt": f"Document {n}." for n in range(len(points))})
        self.loaded = dataset.load(Path(flags[1]), Path(flags[3]))
        workshop.config("http://127.0.0.1:9/v1", judges=judges)
        self.config = config.load(workshop.folder / "config.json")
        self.plan = plan.make_plan(self.loaded.dataset, self.config)
        self.store = Store(workshop.ledger)
        record_run(self.store, self.plan, self.config, self.loaded)
        self._rows: list[Any] = []
        self._clock = 1_800_000_000.0

    def attempt(self, purpose: str, key: str, content: str, points: list[Decimal] | None = None) -> None:
        """Add one successful exchange and what it says."""
        self._clock += 1
        started, body = timestamp(self._clock), completion_body("stub", content)
        made = Attempt(
            attempt_key(key, started, 200, body, None),
            key,
            purpose,
            started,
            timestamp(self._clock + 0.5),
            200,
            {},
            body,
            None,
            None,
        )
        self._rows += [made, *intake.replies(made, points)]

    def judge(self, index: int, judge: int, content: str) -> None:
        """Add one judge's reply on one answered task."""
        request, routes = self.plan.requests[index], plan.judge_routes(self.config)
        fingerprint, route = list(routes.items())[judge]
        answer = sha256_text(f"answer {index}")
        prompt = sha256_text(f"judge prompt {index}")
        key = judge_key(prompt, route.base_url, route.model, dict(route.parameters), 0)
        self._rows.append(JudgeRequest(self.plan.run.run_id, request.task.task_id, fingerprint, answer, prompt, key))
        self.attempt(intake.JUDGE, key, content, [points for points, _ in request.task.rubric])

    def write(self) -> None:
        """Bring it all into the ledger."""
        requests = dict.fromkeys(row for row in self._rows if isinstance(row, JudgeRequest))
        others = [row for row in self._rows if not isinstance(row, JudgeRequest)]
        with self.store.writing() as connection:
            connection.insert([*others, *requests])
        self._rows = []

    def answer(self, index: int) -> None:
        """Add the answer of one task."""
        key = self.plan.requests[index].request_key
        assert key is not None
        self.attempt(intake.ANSWER, key, f"answer {index}")

    def figures(self) -> dict[str, Any]:
        """Return the run's row of run_scores."""
        with self.store.reading() as connection:
            (row,) = connection.select("FROM run_scores")
        return row


@pytest.mark.parametrize("seed", range(6))
def test_figures_equal_exact_rational_arithmetic(workshop: Workshop, seed: int) -> None:
    """Task scores, Scored and All-N equal exact rationals rounded once, ties included."""
    pick = random.Random(seed)
    judges = pick.choice([1, 2, 3, 7])
    points = [
        [pick.choice(["40", "33.5", "7", "100", "0.000000001", "12.25"]) for _ in range(pick.randint(1, 5))] for _ in range(18)
    ]
    evidence = Evidence(workshop, points, judges)
    expected: dict[str, Decimal] = {}
    for index, request in enumerate(evidence.plan.requests):
        if pick.random() < 0.2:
            continue  # never asked: missing, a zero in All-N
        evidence.answer(index)
        possible = sum((number for number, _ in request.task.rubric), Decimal(0))
        totals = [(possible * pick.randint(0, 1000) / 1000).quantize(NANO, ROUND_HALF_UP) for _ in range(judges)]
        totals = [min(total, possible) for total in totals]
        for judge, total in enumerate(totals):
            evidence.judge(index, judge, f'{{"total": {total:f}}}')
        expected[request.task.task_id] = exactly_rounded(Fraction(sum(totals)) / (Fraction(possible) * judges))
    evidence.write()
    with evidence.store.reading() as connection:
        shown = {row["task_id"]: row["panel_score"] for row in connection.select("FROM task_scores") if row["status"] == "scored"}
    row = evidence.figures()
    assert shown == expected
    score_sum = sum((Fraction(score) for score in expected.values()), Fraction(0))
    assert row["scored_overall"] == (exactly_rounded(score_sum / len(expected)) if expected else None)
    assert row["all_tasks_overall"] == row["overall"] == row["overall_lo"] == row["overall_hi"] == exactly_rounded(score_sum / 18)
    assert row["scored_n"] == len(expected)
    assert row["missing_n"] == 18 - len(expected)


def test_rounding_is_half_away_from_zero(workshop: Workshop) -> None:
    """A score that lies exactly between two values of nine decimals goes up."""
    evidence = Evidence(workshop, [["1000000"]], 1)
    evidence.answer(0)
    evidence.judge(0, 0, '{"total": 0.0005}')
    evidence.write()
    assert evidence.figures()["overall"] == Decimal("0.000000001")


def test_overall_is_null_while_an_answered_task_lacks_a_judge(workshop: Workshop) -> None:
    """A missing or unreadable verdict is no zero: the figure is NULL, within stated bounds, and scored_n leaves it out."""
    evidence = Evidence(workshop, [["100"], ["100"]], 3)
    for index in (0, 1):
        evidence.answer(index)
    for judge in range(3):
        evidence.judge(0, judge, '{"total": 50}')
    evidence.judge(1, 0, '{"total": 100}')
    evidence.judge(1, 1, "I cannot grade this.")
    evidence.write()
    row = evidence.figures()
    assert (row["overall"], row["all_tasks_overall"], row["complete"]) == (None, None, False)
    assert (row["scored_overall"], row["scored_n"], row["unjudged_n"]) == (Decimal("0.5"), 1, 1)
    assert (row["overall_lo"], row["overall_hi"]) == (Decimal("0.25"), Decimal("0.75"))
    with evidence.store.reading() as connection:
        statuses = connection.select("SELECT judge, status, score FROM judge_scores WHERE task_id = 't001' ORDER BY judge")
        tasks = connection.select("SELECT status, panel_score, final_score, judges_done FROM task_scores WHERE task_id = 't001'")
    assert [row["status"] for row in statuses] == ["ok", "unparsed", "missing"]
    assert tasks == [{"status": "unjudged", "panel_score": None, "final_score": None, "judges_done": 1}]


def test_the_earliest_valid_verdict_counts_once(workshop: Workshop) -> None:
    """A judge asked again does not count twice: history is kept, the first readable verdict is the one."""
    evidence = Evidence(workshop, [["100"]], 3)
    evidence.answer(0)
    evidence.judge(0, 0, "no verdict")
    evidence.judge(0, 0, '{"total": 100}')
    evidence.judge(0, 0, '{"total": 0}')
    for judge in (1, 2):
        evidence.judge(0, judge, '{"total": 50}')
    evidence.write()
    assert evidence.figures()["overall"] == Decimal("0.666666667")
    with evidence.store.reading() as connection:
        (row,) = connection.select("FROM judge_scores WHERE judge = 'judge-1'")
    assert (row["total"], row["tries"], row["status"]) == (Decimal(100), 3, "ok")


def test_a_panel_without_judges_scores_nothing(workshop: Workshop) -> None:
    """With no judges an answered task stays unjudged; it is never scored by an empty panel."""
    evidence = Evidence(workshop, [["100"]], 0)
    evidence.answer(0)
    evidence.write()
    row = evidence.figures()
    assert (row["overall"], row["scored_overall"], row["unjudged_n"], row["complete"]) == (None, None, 1, False)
