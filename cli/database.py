"""The commands on the database itself: sql."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ledger.errors import ExitStatus, InputError, LedgerError

from . import options, output
from .options import FormatChoice, LedgerFile
from .output import Format
from .progress import message

if TYPE_CHECKING:
    from ledger.guard import Child, Limits, Result
    from ledger.store import Store

_ROWS_FOR_PEOPLE = 1000


def sql(
    context: typer.Context,
    query: Annotated[str | None, typer.Argument(help="One SELECT; without it, statements come from standard input.")] = None,
    file: Annotated[Path | None, typer.Option("--file", help="Read the query from a file.")] = None,
    pin: Annotated[
        str | None, typer.Option("--pin", metavar="RUN|CLASS", help="See the rows of one class alone: its id, or a run's name.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Print no rows and exit 3 unless the scores may be compared.")] = False,
    timeout: Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds that a statement may take.")] = 60.0,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help=f"Rows to print at most (table and markdown: {_ROWS_FOR_PEOPLE}).")
    ] = None,
    form: FormatChoice = Format.TABLE,
    ledger: LedgerFile = None,
) -> int:
    """Run one read-only SQL statement over the ledger, and say whether its scores may be compared (docs/sql-guard.md)."""
    from ledger.guard import Child, Limits

    if query is not None and file is not None:
        raise typer.BadParameter("give a QUERY or --file, not both")
    rows = limit or (_ROWS_FOR_PEOPLE if form in {Format.TABLE, Format.MARKDOWN} else None)
    limits = Limits(wall_s=timeout, rows=rows)
    if query is None and file is None and sys.stdin.isatty():
        _prompt(options.store(context, ledger), pin, limits, form, strict=strict)
        return ExitStatus.DONE
    statement = query if query is not None else _text(file)
    with Child(limits) as child:  # loads its libraries while this process loads its own
        return _run(options.store(context, ledger), statement, pin, child, form, strict=strict)


def _text(file: Path | None) -> str:
    try:
        return (file.read_bytes() if file is not None else sys.stdin.buffer.read()).decode("utf-8")
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file or 'standard input'}: not UTF-8 at byte {error.start}") from error


def _run(store: Store, statement: str, pin: str | None, child: Child, form: Format, *, strict: bool) -> int:
    from ledger import guard

    result = guard.run_sql(store, statement, pin=pin, child=child)
    is_refused = strict and result.comparability["status"] != "clean"
    _say(result, is_refused=is_refused)
    if form is Format.JSON:
        names, rows = output.objects(result.columns, [] if is_refused else result.rows)
        output.document({"columns": names, "rows": rows, "comparability": result.comparability})
    elif not is_refused:
        output.rows(result.columns, result.rows, form)
    if result.is_cut and not is_refused:
        message(f"only the first {len(result.rows)} rows are shown; --limit N shows more, --format csv all")
    return ExitStatus.NOT_COMPARABLE if is_refused else ExitStatus.DONE


def _say(result: Result, *, is_refused: bool) -> None:
    found = result.comparability
    end = "; --strict prints no rows" if is_refused else ""
    if found["status"] == "mixed":
        differ = ", ".join(found["dimensions"])
        count = found["groups_mixed"]
        message(f"MIXED: {count} row{'s rest' if count != 1 else ' rests'} on scores of classes that differ in {differ}{end}")
        if found["suggestion"]:
            message(f"the same by class:\n{found['suggestion']}")
    elif found["status"] == "unknown":
        message(f"comparability unknown: {result.note}{end}")
    elif result.note is not None:
        message(f"clean, {result.note}")


def _prompt(store: Store, pin: str | None, limits: Limits, form: Format, *, strict: bool) -> None:
    """Read statements that end with `;` from a terminal until Ctrl-D; Ctrl-C drops what was typed so far."""
    import readline  # noqa: F401 - gives input() its line editing and history

    from ledger.guard import Child

    lines: list[str] = []
    while True:
        try:
            lines.append(input("   ...> " if lines else "ledger> "))
        except EOFError:
            output.line()
            return
        except KeyboardInterrupt:
            output.line()
            lines = []
            continue
        statement = "\n".join(lines).strip()
        if statement and not statement.endswith(";"):
            continue
        lines = []
        if statement:
            try:
                with Child(limits) as child:
                    _run(store, statement, pin, child, form, strict=strict)
            except LedgerError as error:
                message(str(error))
            except KeyboardInterrupt:
                message("interrupted")
