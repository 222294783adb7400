"""Published results: brought in as claims, and compared with what the evidence in the ledger gives.

A claim is never evidence and never a score: it is what somebody said, with the digits it was written with. A difference
counts only beyond those digits.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from ledger import results, strict_json
from ledger.errors import InputError
from ledger.evidence import Claim, ClaimTask, timestamp
from ledger.identity import sha256_bytes
from ledger.store import Connection, Row, Store

FIGURES: Final = (
    "scored_overall", "scored_n", "all_tasks_overall", "overall", "tasks_n", "out_of_context_n", "empty_n", "refused_n",
    "failed_n", "missing_n", "unjudged_n",
)  # fmt: skip
_TASKS_SHOWN: Final = 20


def record_claim(store: Store, path: Path, run: str | None = None) -> Claim:
    """Record a scores.json, or a plain list of {task_id, score}, as a claim about a run. Raises InputError."""
    document = strict_json.load(path)
    if not strict_json.has_utf8_form(document):
        raise InputError(f"{path}: holds a lone surrogate, which has no UTF-8 form")
    raw = path.read_bytes()
    whole: dict[str, Any] = document if isinstance(document, dict) else {"tasks": document}
    digest = sha256_bytes(raw)
    tasks = _tasks(path, digest, whole.get("tasks"))
    figures = {name: str(whole[name]) for name in FIGURES if _is_number(whole.get(name))}
    if not tasks and not figures:
        raise InputError(f"{path}: neither task scores nor a figure: a scores.json, or a list of {{task_id, score}}, is expected")
    with store.writing() as connection:
        said = whole.get("run_id"), whole.get("model")
        run_id = results.find_run(connection, run) if run is not None else said[0] if isinstance(said[0], str) else None
        claim = Claim(digest, path.name, run_id, said[1] if isinstance(said[1], str) else None, figures, timestamp(time.time()))
        connection.insert([claim, *tasks])
    return claim


def _tasks(path: Path, digest: str, listed: Any) -> list[ClaimTask]:
    found: dict[str, ClaimTask] = {}
    problems = []
    for number, entry in enumerate(listed if isinstance(listed, list) else [], start=1):
        task_id, score = (entry.get("task_id"), entry.get("score")) if isinstance(entry, dict) else (None, None)
        if not isinstance(task_id, str):
            problems.append(f"{path}: tasks[{number}].task_id: must be a string")
        elif task_id in found:
            problems.append(f"{path}: tasks[{number}].task_id: {task_id!r} stands twice")
        elif score is not None and not (_is_number(score) and 0 <= score <= 1):
            problems.append(f"{path}: tasks[{number}].score: must be a number within 0 and 1, or null")
        else:
            found[task_id] = ClaimTask(digest, task_id, None if score is None else format(Decimal(score), "f"))
    if problems:
        raise InputError(*problems)
    return list(found.values())


def _is_number(value: Any) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def check_claims(connection: Connection, run_ids: set[str]) -> Iterator[Row]:
    """Yield a finding for each claim about one of the runs: what agrees, what doesn't, and what can't be checked and why."""
    for claim in connection.rows("select_claims"):
        candidates = [claim["run_id"]] if claim["run_id"] else _runs_of_model(connection, claim["model"])
        known = [run_id for run_id in candidates if connection.rows("select_run", run_id=run_id)]
        if len(known) != 1:
            reason = (
                f"no run of {claim['model'] or 'its model'} is in the ledger"
                if not known
                else f"it may be any of {', '.join(known)}"
            )
            yield _finding(claim, "warning", f"cannot be checked: {reason}; name the run with --run", "")
        elif known[0] in run_ids:
            yield from _check(connection, claim, known[0])


def _runs_of_model(connection: Connection, model: str | None) -> list[str]:
    return [row["run_id"] for row in connection.rows("select_runs") if row["model"] == model]


def _check(connection: Connection, claim: Row, run_id: str) -> Iterator[Row]:
    figures = results.figures(connection, run_id)
    agree = 0
    for name, written in json.loads(claim["figures"]).items():
        if figures[name] is None:
            yield _finding(claim, "warning", f"{name} {written} cannot be checked: a panel is incomplete", run_id)
        elif _same(written, figures[name]):
            agree += 1
        else:
            yield _finding(claim, "error", f"{name} is claimed as {written}, the evidence gives {_digits(figures[name])}", run_id)
    tasks = connection.rows("select_claim_tasks", claim_sha256=claim["claim_sha256"], run_id=run_id)
    claimed = [row for row in tasks if row["is_claimed"]]
    differing = [row for row in claimed if not _task_agrees(row)]
    for row in differing[:_TASKS_SHOWN]:
        yield _finding(claim, "error", f"task {row['task_id']}: {_in_words(row)}", run_id)
    if len(differing) > _TASKS_SHOWN:
        yield _finding(claim, "error", f"and {len(differing) - _TASKS_SHOWN} more tasks differ", run_id)
    if claimed and len(claimed) < len(tasks):
        yield _finding(claim, "warning", f"{len(tasks) - len(claimed)} tasks of the run are not in the claim", run_id)
    yield _finding(
        claim, "info", f"{agree} figures and {len(claimed) - len(differing)} task scores agree with the evidence", run_id
    )


def _task_agrees(row: Row) -> bool:
    if row["claimed"] is None or row["found"] is None:
        return row["claimed"] is None and row["found"] is None and row["status"] is not None
    return _same(row["claimed"], row["found"])


def _in_words(row: Row) -> str:
    if row["status"] is None:
        return "no task of the run"
    found = "no score yet" if row["found"] is None else _digits(row["found"])
    claimed = "no score" if row["claimed"] is None else row["claimed"]
    return f"claimed {claimed}, the evidence gives {found} ({row['status']})"


def _digits(value: Decimal | int) -> str:
    """Return a count, or a figure with all its digits: str() writes an exact zero as 0E-9."""
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _same(written: str, found: Decimal) -> bool:
    """Tell whether a number as written is what is found, to the last digit written (of 9 at most)."""
    number = Decimal(written)
    exponent = number.as_tuple().exponent
    unit = Decimal(1).scaleb(max(exponent if isinstance(exponent, int) else 0, -9))
    return abs(number - found) <= (unit / 2 if exponent else 0) + Decimal("1e-9")


def _finding(claim: Row, severity: str, detail: str, run_id: str) -> Row:
    return {
        "severity": severity,
        "dimension": "claim",
        "subject": claim["name"],
        "detail": detail,
        "run_ids": run_id,
        "is_mix": False,
    }
