"""A ledger filled with rows, without HTTP: many runs over one dataset, each exchange read as a living run reads it."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

from conftest import Workshop, task

from ledger import config, dataset, intake, plan
from ledger.demo.endpoint import completion_body
from ledger.evidence import Attempt, JudgeRequest, Prompt, timestamp
from ledger.generate import record_dataset
from ledger.identity import attempt_key, judge_key, sha256_text
from ledger.store import Row, Store


@dataclass(frozen=True)
class Outcome:
    """What a run has of one task: an answer with the replies of its judges in order (None: never asked), or nothing.

    A judge may be given several replies, one after the other. `served` is the model that an endpoint says it is, `day` when
    the answer came, in days after the others.
    """

    text: str | None = None
    replies: Sequence[str | Sequence[str] | None] = ()
    failed: str | None = None
    refused: bool = False
    finish_reason: str = "stop"
    served: str | None = None
    judges_served: str | None = None
    system_fingerprint: str | None = None
    day: int = 0


_SECONDS = count(1_800_000_000)
"""Never the same second twice: two exchanges are never the same exchange."""

MISSING = Outcome()
FAILED = Outcome(failed="http_503")
REFUSED = Outcome(refused=True)
EMPTY = Outcome("")


def graded(text: str, *totals: Decimal | float | str | None) -> Outcome:
    """Return an answer with each judge's total (None: not judged)."""
    return Outcome(text, [None if total is None else f'{{"total": {total}}}' for total in totals])


class Bench:
    """One dataset in a fresh ledger, and runs over it."""

    def __init__(self, workshop: Workshop, tasks: Sequence[dict[str, Any]], documents: Mapping[str, str]) -> None:
        flags = workshop.data(tasks, dict(documents))
        self.workshop, self.store = workshop, Store(workshop.ledger)
        self.loaded = dataset.load(Path(flags[1]), Path(flags[3]))
        record_dataset(self.store, self.loaded)
        self.base_url = "http://127.0.0.1:9/v1"
        self._judged: set[str] = set()

    def run(self, model: str, outcomes: Mapping[str, Outcome], *, judges: int | list[dict[str, Any]] = 3, **keys: Any) -> str:
        """Add a run with these outcomes, tasks that are not named missing; return its id."""
        self.workshop.config(self.base_url, judges=judges, **{"model": model, **keys})
        settings = config.load(self.workshop.folder / "config.json")
        planned = plan.make_plan(self.loaded.dataset, settings)
        planned = replace(planned, run=replace(planned.run, created_at=self._tick()))
        routes, rows = plan.judge_routes(settings), list[Any]()
        template = planned.run.judge_template_fingerprint
        for request in planned.requests:
            outcome = outcomes.get(request.task.task_id, MISSING)
            if request.request_key is None or outcome == MISSING:
                continue
            rows += self._answer(request.request_key, outcome, model)
            points = [points for points, _ in request.task.rubric]
            answer = sha256_text(outcome.text or "")
            prompt = sha256_text(f"{request.task.task_sha256} {answer}")
            for (fingerprint, route), reply in zip(routes.items(), outcome.replies, strict=False):
                key = judge_key(prompt, route.base_url, route.model, dict(route.parameters), settings.judge_replicate)
                rows.append(JudgeRequest(planned.run.run_id, request.task.task_id, fingerprint, answer, prompt, key))
                rows.append(Prompt(prompt, "judge", template, request.task.task_sha256, answer, 0))
                if reply is not None and key not in self._judged:
                    self._judged.add(key)
                    for each in [reply] if isinstance(reply, str) else reply:
                        served = outcome.judges_served or route.model
                        rows += self._exchange(intake.JUDGE, key, completion_body(served, each), points)
        with self.store.writing() as connection:
            connection.insert([*plan.run_rows(planned), *plan.new_names(connection, planned, settings), *rows])
        return planned.run.run_id

    def rows(self, statement: str) -> list[Row]:
        """Return the rows of a statement."""
        with self.store.reading() as connection:
            return connection.select(statement)

    def _answer(self, key: str, outcome: Outcome, model: str) -> list[Any]:
        day = outcome.day
        if outcome.failed:
            return self._exchange(intake.ANSWER, key, b"down", None, error=outcome.failed, day=day)
        if outcome.refused:
            body = b'{"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}]}'
            return self._exchange(intake.ANSWER, key, body, None, day=day)
        served = json.loads(completion_body(outcome.served or model, outcome.text or "", outcome.finish_reason))
        served["system_fingerprint"] = outcome.system_fingerprint
        return self._exchange(intake.ANSWER, key, json.dumps(served).encode(), None, day=day)

    def _exchange(
        self, purpose: str, key: str, body: bytes, points: list[Decimal] | None, error: str | None = None, day: int = 0
    ) -> list[Any]:
        second, status = next(_SECONDS) + 86_400 * day, 200 if error is None else 503
        started, ended = timestamp(second), timestamp(second + 0.5)
        made = Attempt(
            attempt_key=attempt_key(key, started, status, body, error),
            request_key=key,
            purpose=purpose,
            started_at=started,
            ended_at=ended,
            status=status,
            headers={},
            body=body,
            error=error,
            error_detail=None,
        )
        return [made, *intake.replies(made, points)]

    def _tick(self) -> str:
        return timestamp(next(_SECONDS))


def clustered_tasks(documents: int, tasks: int) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return tasks over fewer documents of growing length, one in three CJK: t000 on d000, t001 on d001 and so on, around."""
    texts = {f"d{n:03d}.txt": ("文字" * 40 if n % 3 == 2 else "Some words. ") * (n + 1) for n in range(documents)}
    return [task(f"t{n:03d}", corpus_file=f"d{n % documents:03d}.txt") for n in range(tasks)], texts


def random_outcomes(pick: random.Random, tasks: int, judges: int = 3) -> dict[str, Outcome]:
    """Return outcomes of every kind but the unfinished ones, judges that agree somewhat."""
    found = {}
    for number in range(tasks):
        kind, level = pick.random(), pick.uniform(5, 95)
        if kind < 0.1:
            outcome = EMPTY
        elif kind < 0.2:
            outcome = REFUSED
        else:
            totals = [f"{min(max(level + pick.gauss(0, 12), 2), 100):.3f}" for _ in range(judges)]
            outcome = graded(f"answer {pick.random()}", *totals)
        found[f"t{number:03d}"] = outcome
    return found
