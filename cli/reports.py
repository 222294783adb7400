"""The commands that read runs: runs, leaderboard, show."""

from __future__ import annotations

import json

import typer

from . import options, output
from .options import FormatChoice, LedgerFile, RunName
from .output import Format

_RUN_COLUMNS = ("run_id", "label", "model", "class_id", "created_at", "tasks_n", "scored_n", "left_n", "complete", "overall")
_BOARD_COLUMNS = (
    "rank", "label", "model", "overall", "scored_overall", "scored_n", "tasks_n", "out_of_context_n", "empty_n",
    "refused_n", "failed_n", "missing_n", "unjudged_n", "class_id", "run_id",
)  # fmt: skip


def runs(context: typer.Context, form: FormatChoice = Format.TABLE, ledger: LedgerFile = None) -> None:
    """List the runs of the ledger, the newest first."""
    with options.store(context, ledger).reading() as connection:
        found = connection.rows("select_runs")
    output.records(found, form, _RUN_COLUMNS)


def leaderboard(context: typer.Context, form: FormatChoice = Format.TABLE, ledger: LedgerFile = None) -> None:
    """Show every run with its figures, ranked within its class.

    A class is the set of policies under which scores may be compared.
    """
    with options.store(context, ledger).reading() as connection:
        found = connection.rows("select_leaderboard")
    output.records(found, form, _BOARD_COLUMNS)


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
