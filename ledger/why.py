"""From a figure to its evidence: the arithmetic with every term, the hashes that lead to the bytes, and a second opinion.

The second opinion computes the same scores in plain Python from the raw bytes of the HTTP exchanges, without the views:
both must agree to the last digit. Whoever doubts a figure needs no trust in the SQL.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ledger import completion, results, verdict
from ledger.completion import Completion
from ledger.errors import InputError
from ledger.identity import decimal_text, sha256_text
from ledger.store import Connection, Row


@dataclass(frozen=True)
class TaskWhy:
    """A task's score taken apart. `pieces` are the rows of the macro `why`; `arithmetic` is the sum with its terms.

    `recomputed` is the score by plain Python from the raw bytes, None where there is none yet; `agrees` whether the views
    say the same.
    """

    run_id: str
    task_id: str
    status: str
    score: Decimal | None
    arithmetic: str
    recomputed: Decimal | None
    agrees: bool
    pieces: list[Row]


@dataclass(frozen=True)
class RunWhy:
    """A run's figures taken apart: each task with its status, score and recomputed score, and how they add up."""

    figures: Row
    arithmetic: list[str]
    tasks: list[Row]
    agrees: bool


def explain_task(connection: Connection, run_id: str, task_id: str) -> TaskWhy:
    """Take a task's score apart. Raises InputError for a task that is not of the run."""
    pieces = connection.rows("select_why", run_id=run_id, task_id=task_id)
    if not pieces:
        raise InputError(f"{task_id}: no task of run {run_id} has this id")
    (task,) = recompute(connection, run_id, task_id)
    score = pieces[-1]
    totals = [piece["value"] for piece in pieces if piece["piece"] == "verdict"]
    if score["status"] == "scored":
        terms = " + ".join(decimal_text(total) for total in totals)
        arithmetic = f"({terms}) / ({decimal_text(task.possible)} x {len(totals)}) = {decimal_text(score['value'])}"
    else:
        arithmetic = f"{'none yet' if score['value'] is None else '0'}: {_reason(score['status'])}"
    agrees = (task.status, task.score) == (score["status"], score["value"])
    return TaskWhy(run_id, task_id, score["status"], score["value"], arithmetic, task.score, agrees, pieces)


def explain_run(connection: Connection, run_id: str) -> RunWhy:
    """Take a run's figures apart."""
    figures = results.figures(connection, run_id)
    mine = {task.task_id: task for task in recompute(connection, run_id)}
    tasks = [
        {
            "task_id": row["task_id"],
            "status": row["status"],
            "score": row["score"],
            "recomputed": mine[row["task_id"]].score,
            "reason": _reason(row["status"]) if row["status"] != "scored" else None,
        }
        for row in connection.rows("select_task_scores", run_id=run_id)
    ]
    scored = [task.score for task in mine.values() if task.status == "scored" and task.score is not None]
    unjudged = sum(task.status == "unjudged" for task in mine.values())
    total = sum(scored, Decimal(0))
    own = {
        "scored_overall": _rounded(Fraction(total) / len(scored)) if scored else None,
        "overall": None if unjudged else _rounded(Fraction(total) / len(mine)),
    }
    agrees = all(row["score"] == row["recomputed"] and row["status"] == mine[row["task_id"]].status for row in tasks)
    agrees = agrees and all(figures[name] == value for name, value in own.items())
    return RunWhy(figures, list(_run_arithmetic(figures, total, len(scored))), tasks, agrees)


def _run_arithmetic(figures: Row, total: Decimal, scored_n: int) -> Iterator[str]:
    if scored_n:
        yield f"Scored = {decimal_text(total)} / {scored_n} = {decimal_text(figures['scored_overall'])}"
    zeros = {name: figures[f"{name}_n"] for name in ("out_of_context", "empty", "refused", "failed", "missing")}
    listed = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in zeros.items() if count) or "none"
    if figures["overall"] is None:
        yield (
            f"All{figures['tasks_n']} = NULL: {figures['unjudged_n']} answered tasks lack a judge; "
            f"within {decimal_text(figures['overall_lo'])} and {decimal_text(figures['overall_hi'])}"
        )
    else:
        yield f"All{figures['tasks_n']} = {decimal_text(total)} / {figures['tasks_n']} = {decimal_text(figures['overall'])}"
    yield f"zeros among the {figures['tasks_n']}: {listed}"


def _reason(status: str) -> str:
    return {
        "out_of_context": "out of context, the document was not sent (protocol §3)",
        "empty": "the model's output was empty (protocol §2, §5)",
        "refused": "the model or its provider refused (protocol §2, §5)",
        "failed": "asked, no usable reply yet; run the same command again",
        "missing": "never asked; run the same command again",
        "unjudged": "the panel is incomplete; run the same command again (protocol §5)",
    }[status]


# The second opinion.


@dataclass(frozen=True)
class Recomputed:
    """A task's status and score by plain Python. `score` is rounded once to 9 decimals; None while unjudged."""

    task_id: str
    status: str
    score: Decimal | None
    possible: Decimal


def recompute(connection: Connection, run_id: str, task_id: str | None = None) -> list[Recomputed]:
    """Compute the scores of a run's tasks from the raw bytes of its exchanges, views aside."""
    which = {"run_id": run_id, "task_id": task_id}
    panel = [row["judge_fingerprint"] for row in connection.rows("select_panel", run_id=run_id)]
    answers = _by(connection.rows("select_raw_answers", **which), "task_id")
    judgements = _by(connection.rows("select_raw_judgements", **which), "task_id")
    imported = {row["task_id"]: (row["status"], row["text"]) for row in connection.rows("select_imported_answers", **which)}
    found = []
    for row in connection.rows("select_run_evidence", **which):
        task = row["task_id"]
        points = [Decimal(number) for number in row["points"]]
        possible = sum(points, Decimal(0))
        status, text = imported.get(task) or _answer(row, answers[task])
        score: Decimal | None = Decimal(0)
        if status == "answered":
            totals = _totals(panel, judgements[task], sha256_text(text), points)
            status, score = "unjudged", None
            if panel and len(totals) == len(panel):
                status, score = "scored", _rounded(Fraction(sum(totals, Decimal(0))) / (Fraction(possible) * len(panel)))
        found.append(Recomputed(task, status, score, possible))
    return found


def _by(rows: Sequence[Row], name: str) -> defaultdict[str, list[Row]]:
    grouped: defaultdict[str, list[Row]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row["ended_at"], row["attempt_key"])):
        grouped[row[name]].append(row)
    return grouped


def _answer(row: Row, attempts: Sequence[Row]) -> tuple[str, str]:
    if row["document_chars"] > row["cap_chars"]:
        return "out_of_context", ""
    for attempt in attempts:
        meaning = _meaning(attempt)
        if isinstance(meaning, Completion):
            return meaning.status, meaning.text or ""
        if meaning is not None and meaning.refusal:
            return "refused", ""
    return ("failed" if attempts else "missing"), ""


def _totals(panel: Sequence[str], attempts: Sequence[Row], response_sha256: str, points: Sequence[Decimal]) -> list[Decimal]:
    """Return the total of each judge that has one: of its earliest reply that the parser can read."""
    totals: dict[str, Decimal] = {}
    for attempt in attempts:
        judge = attempt["judge_fingerprint"]
        meaning = _meaning(attempt)
        if judge in totals or attempt["response_sha256"] != response_sha256 or not isinstance(meaning, Completion):
            continue
        read = verdict.parse(meaning.text or "", meaning.finish_reason, points)
        if read.total is not None:
            totals[judge] = read.total
    return [totals[judge] for judge in panel if judge in totals]


def _meaning(attempt: Row) -> Completion | completion.Problem | None:
    if attempt["status"] is None:
        return None
    return completion.read(attempt["status"], json.loads(attempt["headers"]), bytes(attempt["body"]), 0.0)


def _rounded(number: Fraction) -> Decimal:
    """Return a number that is not negative, rounded once to 9 decimals, half away from zero."""
    scaled = number * 10**9
    return Decimal((2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)).scaleb(-9)


def raw_bytes(connection: Connection, run_id: str, task_id: str) -> list[tuple[str, Any]]:
    """Return the body of every exchange behind a task's score as it was received, each with a heading."""
    which = {"run_id": run_id, "task_id": task_id}
    rows = [("answer", row) for row in connection.rows("select_raw_answers", **which)]
    rows += [(f"judge {row['judge_fingerprint'][:12]}", row) for row in connection.rows("select_raw_judgements", **which)]
    rows.sort(key=lambda pair: (pair[1]["ended_at"], pair[1]["attempt_key"]))
    return [
        (f"{who}, {row['ended_at'].isoformat()}Z, HTTP {row['status']}, {row['attempt_key']}", bytes(row["body"]))
        for who, row in rows
    ]
