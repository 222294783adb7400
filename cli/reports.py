"""The commands that read runs: runs, leaderboard, show, diff."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ledger.errors import ExitStatus
from ledger.identity import decimal_text

from . import options, output
from .options import FormatChoice, LedgerFile, RunName
from .output import Format
from .progress import message

if TYPE_CHECKING:
    from ledger.compare import Diff
    from ledger.why import RunWhy, TaskWhy

_FINDING_COLUMNS = ("severity", "dimension", "subject", "detail", "run_ids")
_RUN_COLUMNS = ("run_id", "label", "model", "class_id", "created_at", "tasks_n", "scored_n", "left_n", "complete", "overall")
_INTERVAL_COLUMNS = (
    "rank", "rank_low", "rank_high", "label", "model", "overall", "overall_low", "overall_high", "scored_overall", "scored_low",
    "scored_high", "scored_n", "tasks_n", "documents_n", "class_id", "run_id",
)  # fmt: skip
_FIGURE_COLUMNS = ("run_id", "label", "model", "class_id", "overall", "scored_overall", "scored_n", "tasks_n", "complete")
_ESTIMATE_COLUMNS = (
    "estimand", "difference", "standard_error", "low", "high", "detectable", "p", "tasks_n", "documents_n", "meaning",
)  # fmt: skip
_TASK_COLUMNS = ("task_id", "delta", "score_a", "score_b", "status_a", "status_b", "cause")
_BOARD_COLUMNS = (
    "rank", "label", "model", "overall", "scored_overall", "scored_n", "tasks_n", "out_of_context_n", "empty_n",
    "refused_n", "failed_n", "missing_n", "unjudged_n", "class_id", "run_id",
)  # fmt: skip


def runs(context: typer.Context, form: FormatChoice = Format.TABLE, ledger: LedgerFile = None) -> None:
    """List the runs of the ledger, the newest first."""
    with options.store(context, ledger).reading() as connection:
        found = connection.rows("select_runs")
    output.records(found, form, _RUN_COLUMNS)


def leaderboard(
    context: typer.Context,
    form: FormatChoice = Format.TABLE,
    intervals: Annotated[bool, typer.Option("--intervals", help="Add 95 % limits of each figure and of each rank.")] = False,
    ledger: LedgerFile = None,
) -> None:
    """Show every run with its figures, ranked within its class.

    A class is the set of policies under which scores may be compared.
    """
    from ledger import ranks

    with options.store(context, ledger).reading() as connection:
        found = ranks.with_intervals(connection) if intervals else connection.rows("select_leaderboard")
    output.records(found, form, _INTERVAL_COLUMNS if intervals else _BOARD_COLUMNS)


def show(context: typer.Context, run: RunName, form: FormatChoice = Format.TABLE, ledger: LedgerFile = None) -> None:
    """Show one run: figures, what it is made of, panel, failures."""
    from ledger import results

    with options.store(context, ledger).reading() as connection:
        run_id = results.find_run(connection, run)
        figures = results.figures(connection, run_id)
        configs = connection.rows("select_fingerprints", run_id=run_id)
        panel = connection.rows("select_panel", run_id=run_id)
        failures = connection.rows("select_failures", run_id=run_id)
    made_of = [{"kind": row["kind"], "fingerprint": row["fingerprint"], "body": json.loads(row["body"])} for row in configs]
    if form is Format.JSON:
        judges = [{"judge": row["judge"], **json.loads(row["body"])} for row in panel]
        output.document({**figures, "configs": made_of, "judges": judges, "failures": failures})
        return
    output.rows(["figure", "value"], list(figures.items()), form)
    output.line()
    output.rows(["made of", "fingerprint", "body"], [list(row.values()) for row in made_of], form)
    output.line()
    output.rows(
        ["judge", "base_url", "fingerprint"], [[row["judge"], row["base_url"], row["judge_fingerprint"]] for row in panel], form
    )
    if failures:
        output.line()
        output.records(failures, form)


def why(
    context: typer.Context,
    run: RunName,
    task: Annotated[
        str | None, typer.Argument(metavar="[TASK]", help="A task of the run; without one, the run's figures.")
    ] = None,
    raw: Annotated[bool, typer.Option("--raw", help="Print the bytes of every exchange behind the task, as received.")] = False,
    form: FormatChoice = Format.TABLE,
    ledger: LedgerFile = None,
) -> None:
    """Take a figure apart: the arithmetic, each term's evidence, the raw bytes.

    The score is computed a second time in plain Python from the raw bytes; exits 1 if the views say otherwise.
    """
    from ledger import results
    from ledger import why as whys

    with options.store(context, ledger).reading() as connection:
        run_id = results.find_run(connection, run)
        if raw and task is not None:
            output.raw(whys.raw_bytes(connection, run_id, task))
            return
        if raw:
            raise typer.BadParameter("--raw needs a TASK")
        found = whys.explain_run(connection, run_id) if task is None else whys.explain_task(connection, run_id, task)
    if form is not Format.TABLE:
        _print_why(found, form)
    elif isinstance(found, whys.TaskWhy):
        for line in task_lines(found):
            output.line(line)
    else:
        output.records(found.tasks, form)
        for line in found.arithmetic:
            output.line(line)
        output.line(f"computed again in plain Python from the raw bytes: {'the same' if found.agrees else 'NOT the same'}")
    if not found.agrees:
        message("the views and the raw bytes disagree: `wildtrace audit` may say why; please report it")
        raise typer.Exit(ExitStatus.ERROR)


def _print_why(found: TaskWhy | RunWhy, form: Format) -> None:
    if form is Format.JSON:
        output.document(asdict(found))
    else:
        output.records(found.tasks if hasattr(found, "tasks") else found.pieces, form)


def task_lines(found: TaskWhy, *, brief: bool = False) -> list[str]:
    """Return a task's score taken apart, line by line; `brief` leaves out when and how often endpoints were asked."""
    lines = []
    for piece in found.pieces:
        kind = piece["piece"]
        if kind == "score" or (brief and kind in {"attempt", "judge attempt", "judge prompt"}):
            continue
        facts = [
            None if piece["value"] is None else decimal_text(piece["value"]),
            piece["status"],
            None if brief or piece["at"] is None else f"{piece['at'].isoformat(timespec='milliseconds')}Z",
            piece["detail"],
            piece["sha256"],
            f"request {piece['request_key']}" if kind.endswith("prompt") else None,
            f"attempt {piece['attempt_key']}" if kind.endswith("attempt") else None,
        ]
        who = f"{piece['judge']}: " if piece["judge"] else ""
        lines.append(f"{kind:<15}{who}{', '.join(fact for fact in facts if fact)}")
    again = "none yet" if found.recomputed is None else decimal_text(found.recomputed)
    agrees = "the same" if found.agrees else "NOT the same"
    return [*lines, f"{'score':<15}{found.arithmetic}", f"{'':<15}in plain Python from the raw bytes: {again}, {agrees}"]


def diff(
    context: typer.Context,
    run_a: RunName,
    run_b: RunName,
    form: FormatChoice = Format.TABLE,
    anyway: Annotated[bool, typer.Option("--anyway", help="Compare runs of two classes all the same.")] = False,
    texts: Annotated[bool, typer.Option("--texts", help="Show how the answers differ on the tasks that moved most.")] = False,
    task: Annotated[str | None, typer.Option("--task", help="Show how the answers to this task differ.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=0, help="How many of the tasks that moved most to show.")] = 10,
    ledger: LedgerFile = None,
) -> None:
    """Compare run A with run B: what differs in config, whether they may be compared, what moved, by how much and why.

    CSV is one row per task; the other formats are the whole comparison.
    """
    from ledger import compare, results

    with options.store(context, ledger).reading() as connection:
        ids = results.find_run(connection, run_a), results.find_run(connection, run_b)
        found = compare.diff(connection, *ids, anyway=anyway)
        wanted = [task] if task else [row["task_id"] for row in found.moved(limit)] if texts else []
        shown = compare.text_differences(connection, found, wanted) if found.tasks else {}
    if form is Format.JSON:
        output.document(found.document(limit, shown))
    elif form is Format.CSV:
        output.records(found.tasks, form, _TASK_COLUMNS)
    else:
        _print_diff(found, compare.conclusions(found), limit, form)
        for task_id, lines in shown.items():
            _section(f"Answers to {task_id}", form)
            _print_text(lines, form)
    if not found.comparable:
        message(f"not comparable: the runs differ in {', '.join(found.dimensions)}" + ("" if anyway else "; --anyway insists"))
        if not anyway:
            raise typer.Exit(ExitStatus.NOT_COMPARABLE)


def audit(
    context: typer.Context,
    runs: Annotated[
        list[str] | None, typer.Argument(metavar="[RUN]...", help="The runs of the board; all if none is given.")
    ] = None,
    form: FormatChoice = Format.TABLE,
    ledger: LedgerFile = None,
) -> None:
    """Tell every finding about the runs: mixes, contradictions, claims.

    Exits 3 where the runs mix what a board must not, 1 where the evidence contradicts itself.
    """
    from ledger import audit as audits
    from ledger import results

    store = options.store(context, ledger)
    with store.reading() as connection:
        ids = [results.find_run(connection, run) for run in runs or []] or [
            row["run_id"] for row in connection.rows("select_runs")
        ]
        found = audits.audit(store, connection, ids)
    output.records(found.findings, form, _FINDING_COLUMNS)
    counts = Counter(row["severity"] for row in found.findings)
    message(f"{len(ids)} runs: " + (", ".join(f"{count} {severity}" for severity, count in counts.items()) or "nothing found"))
    if found.is_broken:
        raise typer.Exit(ExitStatus.ERROR)
    if found.is_mix:
        raise typer.Exit(ExitStatus.NOT_COMPARABLE)


def _print_diff(found: Diff, conclusions: Sequence[str], limit: int, form: Format) -> None:
    runs = [{"run": name, **row} for name, row in (("A", found.run_a), ("B", found.run_b))]
    output.records(runs, form, ("run", *_FIGURE_COLUMNS))
    _table("What differs in config", found.differences, form, ("kind", "field", "a", "b"))
    estimates = [{**asdict(estimate), "p": estimate.p and round(estimate.p, 6)} for estimate in found.estimates]
    _table("A - B", estimates, form, _ESTIMATE_COLUMNS)
    if found.statistics is not None:
        parts = {name: found.statistics[name] for name in ("delta_all", "quality_part", "coverage_part")}
        _table("delta_all = quality_part (how good the answers are) + coverage_part (how many count)", [parts], form)
    _table("delta_all by cause", found.causes, form, ("cause", "tasks_n", "moved_n", "part"))
    _table("What moved most", found.moved(limit), form, _TASK_COLUMNS)
    if conclusions:
        output.line()
    for line in conclusions:
        output.line(f"- {line}")


def _table(title: str, rows: Sequence[dict[str, Any]], form: Format, columns: Sequence[str] | None = None) -> None:
    if rows:
        _section(title, form)
        output.records(rows, form, columns)


def _section(title: str, form: Format) -> None:
    output.line(f"\n### {title}\n" if form is Format.MARKDOWN else f"\n{title}")


def _print_text(lines: Sequence[str], form: Format) -> None:
    if not lines:
        output.line("the same text")
    elif form is Format.MARKDOWN:  # indented, so that no text can end its own block
        output.line("\n".join(f"    {line}" for line in lines))
    else:
        output.line("\n".join(lines))
