"""The application: its commands, and the one place where an exception becomes one line and an exit status."""

from __future__ import annotations

import gc
import io
import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from typer.exceptions import Abort, TyperException

from ledger.errors import ExitStatus, LedgerError

from . import database, evaluate, reports
from .progress import message

app = typer.Typer(
    help="LLM evaluation whose every figure can be taken apart: the WildTrace protocol on a DuckDB ledger.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for command in (
    evaluate.demo,
    evaluate.import_,
    evaluate.plan,
    evaluate.generate,
    evaluate.judge,
    evaluate.run,
    reports.runs,
    reports.leaderboard,
    reports.show,
    reports.why,
    reports.diff,
    reports.audit,
    database.sql,
):
    app.command(command.__name__.rstrip("_"))(command)


@app.callback()
def global_options(
    context: typer.Context,
    ledger: Annotated[
        Path, typer.Option("--ledger", envvar="WILDTRACE_LEDGER", help="The ledger file; also accepted after the command.")
    ] = Path("wildtrace.duckdb"),
) -> None:
    """Keep the global options for the command."""
    context.obj = ledger


def main() -> None:
    """Run the command line and exit with its status (docs/cli.md lists them)."""
    sys.exit(_status())


def _status() -> int:
    gc.set_threshold(100_000, 20, 100)  # start-up makes many objects that stay: looking for garbage among them costs a tenth
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that knows no Chinese gets escapes, never half a table
    command = typer.main.get_command(app)
    try:
        status = command.main(prog_name="wildtrace", standalone_mode=False)
        sys.stdout.flush()
        return int(status or 0)
    except LedgerError as error:
        message(str(error))
        return error.exit_status
    except TyperException as error:
        context = getattr(error, "ctx", None)
        words = error.format_message() if hasattr(error, "format_message") else str(error)
        message(f"{words} ({context.command_path} --help shows how)" if context is not None else words)
        return ExitStatus.USAGE
    except (KeyboardInterrupt, Abort):
        message("interrupted: everything that was finished is kept")
        return ExitStatus.INTERRUPTED
    except BrokenPipeError:  # whoever read the output has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitStatus.ERROR
    except Exception as error:  # noqa: BLE001 - a bug: one line and its place, never values that might be secret
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        place = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else "unknown"
        message(f"a bug in wildtrace: {type(error).__name__} at {place}; please report it with the command you ran")
        return ExitStatus.ERROR
