"""A ledger of two classes and seven runs, filled directly with evidence: what the guard's tests ask questions of.

Class A has the protocol's decoding, class B another max_tokens. Models m-a and m-b have runs in both classes, m-a twice
in A; m-d is in A alone, m-c in B alone. Some answers are the same in both classes, so their verdicts are shared.
"""

from __future__ import annotations

import random
from decimal import Decimal
from pathlib import Path
from typing import Any

from conftest import Workshop, task

from ledger import config, dataset, intake, plan
from ledger.demo.endpoint import completion_body
from ledger.evidence import Attempt, JudgeRequest, timestamp
from ledger.generate import record_run
from ledger.identity import attempt_key, judge_key, sha256_text
from ledger.store import Store

TASKS = 8
RUNS: tuple[dict[str, Any], ...] = (
    {"model": "m-a", "label": "a first"},
    {"model": "m-a", "label": "a again", "replicate": 1},
    {"model": "m-b", "label": "b first"},
    {"model": "m-d", "label": "d first"},
    {"model": "m-a", "label": "a long", "max_tokens": 4096},
    {"model": "m-b", "label": "b long", "max_tokens": 4096},
    {"model": "m-c", "label": "c long", "max_tokens": 4096},
)


class Seed:
    """Fills a ledger run by run."""

    def __init__(self, folder: Path, tasks: int = TASKS) -> None:
        self.workshop = Workshop(folder)
        self.store = Store(self.workshop.ledger)
        names = [f"t{number:03d}" for number in range(tasks)]
        flags = self.workshop.data([task(name) for name in names], {f"{name}.txt": f"Document {name}." for name in names})
        self._loaded = dataset.load(Path(flags[1]), Path(flags[3]))
        self._clock = 1_800_000_000.0
        self._seen: set[Any] = set()

    def run(self, number: int, keys: dict[str, Any]) -> str:
        """Add one run with answers and verdicts: run 2 was never asked task 6, run 3 lacks a verdict. Returns its id."""
        self.workshop.config("http://127.0.0.1:9/v1", judges=2, **keys)
        loaded = config.load(self.workshop.folder / "config.json")
        planned = plan.make_plan(self._loaded.dataset, loaded)
        record_run(self.store, planned, loaded, self._loaded)
        pick = random.Random(number)
        rows: list[Any] = []
        for index, request in enumerate(planned.requests):
            if request.request_key is None or (number == 2 and index == 6):
                continue
            model = keys["model"] if index % 2 else f"{keys['model']} {number}"
            answer = f"{model} says {index}"
            rows += self._exchange(intake.ANSWER, request.request_key, answer, None)
            points = [number for number, _ in request.task.rubric]
            for judge, (fingerprint, route) in enumerate(plan.judge_routes(loaded).items()):
                prompt = sha256_text(f"judge {answer}")
                key = judge_key(prompt, route.base_url, route.model, dict(route.parameters), 0)
                row = JudgeRequest(planned.run.run_id, request.task.task_id, fingerprint, sha256_text(answer), prompt, key)
                rows.append(row)
                if number == 3 and index == judge == 1:
                    continue
                rows += self._exchange(intake.JUDGE, key, f'{{"total": {pick.randint(0, 100)}}}', points)
        with self.store.writing() as connection:
            connection.insert(rows)
        return planned.run.run_id

    def _exchange(self, purpose: str, key: str, content: str, points: list[Decimal] | None) -> list[Any]:
        if key in self._seen:
            return []
        self._seen.add(key)
        self._clock += 1
        started, body = timestamp(self._clock), completion_body("stub", content)
        ended = timestamp(self._clock + 0.5)
        made = Attempt(attempt_key(key, started, 200, body, None), key, purpose, started, ended, 200, {}, body, None, None)
        return [made, *intake.replies(made, points)]


def seed(folder: Path, runs: tuple[dict[str, Any], ...] = RUNS, tasks: int = TASKS) -> Store:
    """Return a ledger with these runs."""
    filled = Seed(folder, tasks)
    for number, keys in enumerate(runs):
        filled.run(number, keys)
    return filled.store
