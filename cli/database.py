"""The commands on the database itself: sql."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options, output
from .options import FormatChoice, LedgerFile
from .output import Format
from .progress import message


def sql(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="One SELECT statement; docs/schema.md lists the views.")],
    form: FormatChoice = Format.TABLE,
    ledger: LedgerFile = None,
) -> None:
    """Run one read-only SQL statement over the ledger."""
    from ledger import guard

    result = guard.run_sql(options.store(context, ledger), query)
    if form is Format.JSON:
        names, rows = output.objects(result.columns, result.rows)
        output.document({"columns": names, "rows": rows, "comparability": result.comparability})
        return
    output.rows(result.columns, result.rows, form)
    message("comparability: unknown (this version does not analyse which classes a query mixes)")
