"""The options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ledger.errors import InputError

from .output import Format
from .progress import message

if TYPE_CHECKING:
    from ledger.store import Store

ConfigFile = Annotated[Path, typer.Option("--config", help="config.json: the model's endpoint and the judges.")]
DataFile = Annotated[Path, typer.Option("--data", help="The dataset: nested .json or Hugging Face .jsonl.")]
CorpusFolder = Annotated[Path, typer.Option("--corpus", help="The folder that holds the documents.")]
Encodings = Annotated[
    list[str] | None,
    typer.Option("--encoding", metavar="FILE=NAME", help="Read one corpus file in another encoding; repeatable."),
]
FormatChoice = Annotated[Format, typer.Option("--format", help="How to print rows.")]
LedgerFile = Annotated[
    Path | None, typer.Option("--ledger", help="The ledger file (default: wildtrace.duckdb, or $WILDTRACE_LEDGER).")
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run: its id, a unique beginning of it, or its label.")]


def store(context: typer.Context, ledger: Path | None) -> Store:
    """Return the ledger that a command is about."""
    from ledger.store import Store

    path = ledger or context.obj
    if path.is_dir():
        raise InputError(f"{path}: a folder, not a ledger file")
    if not path.parent.is_dir():
        raise InputError(f"{path}: its folder {path.parent} does not exist")
    return Store(path, message)


def encodings(given: list[str] | None) -> dict[str, str]:
    """Return --encoding FILE=NAME options by file. Raises InputError for one without a name."""
    found = {}
    for option in given or []:
        name, separator, encoding = option.rpartition("=")
        if not separator or not name or not encoding:
            raise InputError(f"--encoding {option}: must be FILE=NAME, such as novel.txt=gb18030")
        found[name] = encoding
    return found
