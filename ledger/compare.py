"""Two runs side by side: what they are made of, whether they may be compared, what moved, by how much, and why.

Every figure comes from the views and macros of `sql/`; only the sign-flip test is counted in Python. Runs of two classes
get no statistics unless the caller insists: a difference between them is no difference between models.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, Final

from ledger import results
from ledger.errors import InputError
from ledger.identity import Json, decimal_text
from ledger.sign_flips import sign_flip_test
from ledger.store import Connection, Row

_REPEATS: Final = {"replicate", "judge_replicate"}
_BY_JUDGE: Final = {"panel", "panel_policy"}
_ESTIMANDS: Final = (
    ("delta_all", "All-N, every task of both runs", "tasks_n", "documents_n", "delta_sum"),
    ("delta_common", "mean over the tasks scored in both", "common_n", "common_documents_n", "common_sum"),
    ("delta_scored", "Scored of A less Scored of B", None, "scored_documents_n", None),
)
"""Each difference: its column of run_diff, what it is, its counts, and the column of document_diff that adds up to it."""


@dataclass(frozen=True)
class Estimate:
    """One of the three differences A - B. `low` and `high` are 95 % limits, None for fewer than five documents.

    `detectable` is what a comparison of this size would see four times in five. `p` is of the sign-flip test; None where
    the difference is no sum over tasks (delta_scored) or not known yet.
    """

    estimand: str
    meaning: str
    difference: Decimal | None
    standard_error: Decimal | None
    low: Decimal | None
    high: Decimal | None
    detectable: Decimal | None
    tasks_n: int | None
    documents_n: int
    p: float | None
    sign_flips: int | None
    seed: int | None


@dataclass(frozen=True)
class Diff:
    """The whole comparison of run A with run B.

    `differences` are fields of their configs, `dimensions` the policies in which their classes differ; while there are any,
    `statistics` and what follows are empty unless the caller insisted. `tasks` is every task, what moved most first.
    """

    run_a: Row
    run_b: Row
    differences: list[Row]
    dimensions: list[str]
    notes: list[str]
    statistics: Row | None
    estimates: list[Estimate]
    causes: list[Row]
    rerun_noise: Row | None
    tasks: list[Row]

    @property
    def comparable(self) -> bool:
        """Whether both runs are of one class."""
        return not self.dimensions

    def moved(self, limit: int) -> list[Row]:
        """Return the tasks that moved most, at most so many."""
        return [row for row in self.tasks if row["delta"]][:limit]

    def document(self, limit: int, texts: Mapping[str, Sequence[str]]) -> Json:
        """Return the comparison as one JSON document, with the tasks that moved most and the text differences given."""
        return {
            "run_a": self.run_a,
            "run_b": self.run_b,
            "comparable": self.comparable,
            "dimensions": self.dimensions,
            "notes": self.notes,
            "differences": self.differences,
            "statistics": self.statistics,
            "estimates": [asdict(estimate) for estimate in self.estimates],
            "causes": self.causes,
            "rerun_noise": self.rerun_noise,
            "moved": self.moved(limit),
            "texts": texts,
        }


def diff(connection: Connection, run_a: str, run_b: str, *, anyway: bool = False) -> Diff:
    """Compare two runs by their ids. Without `anyway`, runs of two classes get no statistics."""
    figures = results.figures(connection, run_a), results.figures(connection, run_b)
    both = {"run_a": run_a, "run_b": run_b}
    differences = config_differences(connection, run_a, run_b)
    dimensions = [row["dimension"] for row in connection.rows("select_class_differences", **both)]
    if dimensions and not anyway:
        return Diff(*figures, differences, dimensions, _notes(figures, None), None, [], [], None, [])
    found = connection.rows("select_run_diff", **both)
    if not found:
        raise InputError(f"{run_a} and {run_b} have no task in common: there is nothing to compare")
    statistics = found[0]
    repeated = bool(differences) and {row["kind"] for row in differences} <= _REPEATS
    return Diff(
        *figures,
        differences,
        dimensions,
        _notes(figures, statistics),
        statistics,
        _estimates(statistics, connection.rows("select_document_diff", **both)),
        connection.rows("select_cause_diff", **both),
        next(iter(connection.rows("select_rerun_noise", **both)), None) if repeated else None,
        connection.rows("select_task_diff", **both),
    )


def _estimates(statistics: Row, documents: Sequence[Row]) -> list[Estimate]:
    found = []
    for name, meaning, tasks_n, documents_n, sums in _ESTIMANDS:
        known = statistics[name] is not None
        flips = sign_flip_test([_nano(row[sums]) for row in documents]) if sums and known else None
        found.append(
            Estimate(
                estimand=name,
                meaning=meaning,
                difference=statistics[name],
                standard_error=statistics[f"{name}_se"],
                low=statistics[f"{name}_low"],
                high=statistics[f"{name}_high"],
                detectable=statistics[f"{name}_detectable"],
                tasks_n=statistics[tasks_n] if tasks_n else None,
                documents_n=statistics[documents_n],
                p=flips.p if flips else None,
                sign_flips=flips.ways if flips else None,
                seed=flips.seed if flips else None,
            )
        )
    return found


def _nano(number: Decimal) -> int:
    return int(number.scaleb(9))


def _notes(figures: tuple[Row, Row], statistics: Row | None) -> list[str]:
    """Return what a reader must know beside the numbers."""
    notes = []
    for name, row in zip("AB", figures, strict=True):
        if row["failed_n"] or row["missing_n"]:
            notes.append(
                f"run {name} is provisional: {row['failed_n']} failed and {row['missing_n']} missing tasks count as zero so far"
            )
        if row["unjudged_n"]:
            notes.append(f"run {name} is provisional: {row['unjudged_n']} answered tasks lack a judge")
    if statistics is None:
        return notes
    if statistics["delta_all"] is None:
        low, high = decimal_text(statistics["delta_all_least"]), decimal_text(statistics["delta_all_most"])
        notes.append(f"delta_all is not known while tasks are unjudged; it will be within {low} and {high}")
    if statistics["documents_n"] < 5:
        notes.append(
            f"no interval: tasks on {statistics['documents_n']} documents are fewer than five independent pieces of data"
        )
    shared = statistics["tasks_n"]
    if any(row["tasks_n"] != shared for row in figures):
        notes.append(f"only the {shared} tasks of both runs are compared, of {figures[0]['tasks_n']} and {figures[1]['tasks_n']}")
    return notes


# What the runs are made of.


def config_differences(connection: Connection, run_a: str, run_b: str) -> list[Row]:
    """Return each field in which two runs' identities differ: kind, field, and its two values (None: not there)."""
    sides = [_fields(connection, run_id) for run_id in (run_a, run_b)]
    keys = sorted(sides[0].keys() | sides[1].keys())
    return [
        {"kind": kind, "field": field, "a": sides[0].get((kind, field)), "b": sides[1].get((kind, field))}
        for kind, field in keys
        if sides[0].get((kind, field)) != sides[1].get((kind, field))
    ]


def _fields(connection: Connection, run_id: str) -> dict[tuple[str, str], Any]:
    (identity,) = connection.rows("select_run_identity", run_id=run_id)
    found = {(name, ""): value for name, value in identity.items()}
    bodies = [
        (row["kind"], "", json.loads(row["body"]))
        for row in connection.rows("select_fingerprints", run_id=run_id)
        if row["kind"] not in _BY_JUDGE
    ]
    bodies += [("judge", row["judge"], json.loads(row["body"])) for row in connection.rows("select_panel", run_id=run_id)]
    for kind, name, body in bodies:
        found.update({(kind, field): value for field, value in _flat(name, body)})
    return found


def _flat(name: str, value: Json) -> Iterator[tuple[str, Any]]:
    """Yield a body's scalar fields by dotted name; a list is one field."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}" if name else key, inner)
    else:
        yield name, json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value


# Texts.


def text_differences(connection: Connection, found: Diff, task_ids: Sequence[str]) -> dict[str, list[str]]:
    """Return, by task, the unified difference of the two answers, line by line. Raises InputError for an unknown task."""
    known = {row["task_id"] for row in found.tasks}
    for task_id in task_ids:
        if task_id not in known:
            raise InputError(f"{task_id}: no task of these runs has this id")
    run_a, run_b = found.run_a["run_id"], found.run_b["run_id"]
    texts_a, texts_b = (_texts(connection, run_id) for run_id in (run_a, run_b))
    return {
        task_id: list(
            difflib.unified_diff(
                texts_a.get(task_id, "").splitlines(), texts_b.get(task_id, "").splitlines(), run_a, run_b, lineterm=""
            )
        )
        for task_id in task_ids
    }


def _texts(connection: Connection, run_id: str) -> dict[str, str]:
    return {row["task_id"]: row["text"] for row in connection.rows("select_answer_texts", run_id=run_id)}


# In words.


def conclusions(found: Diff) -> list[str]:
    """Return what the numbers say, one plain sentence each."""
    lines = list(found.notes)
    if not found.comparable:
        lines.insert(0, f"not comparable: the runs differ in {', '.join(found.dimensions)}, so they are of two classes")
    lines += [_verdict(estimate) for estimate in found.estimates[:1] if estimate.p is not None]
    if found.rerun_noise is not None:
        noise = found.rerun_noise
        lines.append(
            f"replicates: asking again moved {noise['moved_n']} of {noise['tasks_n']} tasks; one run's All-N has a "
            f"standard error of {_shown(noise['rerun_se'])} by that, {_shown(noise['sampling_se'])} by the choice of tasks"
        )
    return lines


def _verdict(estimate: Estimate) -> str:
    """Say whether the headline difference stands out from chance, and what the comparison could have seen."""
    how = f"all {estimate.sign_flips} ways" if estimate.seed is None else f"{estimate.sign_flips} draws, seed {estimate.seed}"
    chance = f"flipping the signs of whole documents gives as much in {100 * (estimate.p or 0):.3g} % of cases ({how})"
    if estimate.detectable is None:
        return f"{chance}; no interval"
    size = f"a comparison of this size sees {_shown(estimate.detectable)} or more four times in five"
    return f"{chance}; {size}"


def _shown(number: Decimal | None) -> str:
    return "unknown" if number is None else decimal_text(number)
