"""Rows and lines for people and programs: the only module that writes to stdout.

Nothing is ever cut or wrapped. In a table, text that would move a terminal's cursor is shown as escapes; in CSV, text
that a spreadsheet would run gets an apostrophe in front; JSON holds the values as they are.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import math
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

from rich.cells import cell_len


class Format(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"


def line(text: str = "") -> None:
    """Print one line."""
    sys.stdout.write(neutral(text) + "\n")


def rows(columns: Sequence[str], values: Sequence[Sequence[Any]], form: Format) -> None:
    """Print rows in a format; of JSON, a list of objects by column name."""
    if form is Format.JSON:
        document(objects(columns, values)[1])
    else:
        _PRINTERS[form](columns, values)


def records(found: Sequence[dict[str, Any]], form: Format, columns: Sequence[str] | None = None) -> None:
    """Print rows given as objects; `columns` picks and orders them for people, JSON always has them all."""
    if form is Format.JSON:
        document(found)
    else:
        names = columns or (list(found[0]) if found else [])
        rows(names, [[row[name] for name in names] for row in found], form)


def objects(columns: Sequence[str], values: Sequence[Sequence[Any]]) -> tuple[list[str], list[dict[str, Any]]]:
    """Return rows as objects with their names; a name that stands twice gets a number, so that no value is lost."""
    names: list[str] = []
    for column in columns:
        name, number = column, 0
        while name in names:
            number += 1
            name = f"{column}_{number}"
        names.append(name)
    return names, [dict(zip(names, row, strict=True)) for row in values]


def document(value: Any) -> None:
    """Print one JSON document."""
    sys.stdout.write(json.dumps(_json(value), ensure_ascii=False, indent=1) + "\n")


def raw(bodies: Sequence[tuple[str, bytes]]) -> None:
    """Print bytes as they are, each under a heading."""
    sys.stdout.flush()
    for heading, body in bodies:
        sys.stdout.buffer.write(f"--- {heading}\n".encode() + body + b"\n")
    sys.stdout.buffer.flush()


def neutral(text: str) -> str:
    """Return a text with every control character but the newline shown as an escape."""
    if text.isprintable():
        return text
    return "".join(char if char == "\n" or _is_harmless(char) else char.encode("unicode_escape").decode("ascii") for char in text)


def _is_harmless(char: str) -> bool:
    return char.isprintable() or char in "\u3000\u00a0\u200d"


def _json(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _json(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_json(inner) for inner in value]
    if isinstance(value, Decimal):
        whole = int(value)
        return whole if whole == value else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, datetime):
        utc = value.astimezone(UTC) if value.tzinfo else value
        return utc.replace(tzinfo=None).isoformat() + "Z"
    if isinstance(value, date | time | timedelta | UUID):
        return str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, str):
        return value
    plain = _json(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def _cell(value: Any) -> str:
    return neutral(_text(value)).replace("\n", "\\n")


def _table(columns: Sequence[str], values: Sequence[Sequence[Any]]) -> None:
    cells = [[_cell(value) for value in row] for row in values]
    widths = [max([cell_len(name), *(cell_len(row[index]) for row in cells)]) for index, name in enumerate(columns)]
    right = [bool(values) and all(_is_number(row[index]) for row in values) for index in range(len(columns))]

    def aligned(row: Sequence[str]) -> str:
        padded = [
            " " * (width - cell_len(cell)) + cell if flush else cell + " " * (width - cell_len(cell))
            for cell, width, flush in zip(row, widths, right, strict=True)
        ]
        return "  ".join(padded).rstrip()

    lines = [
        aligned([_cell(name) for name in columns]),
        "  ".join("-" * width for width in widths),
        *(aligned(row) for row in cells),
    ]
    sys.stdout.write("\n".join(lines) + "\n")


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float | Decimal) and not isinstance(value, bool))


def _csv(columns: Sequence[str], values: Sequence[Sequence[Any]]) -> None:
    for row in (columns, *values):
        buffer = io.StringIO(newline="")
        csv.writer(buffer, lineterminator="\r\n").writerow([_spreadsheet_safe(value) for value in row])  # a lone CR is quoted
        sys.stdout.write(buffer.getvalue().removesuffix("\r\n") + "\n")


def _spreadsheet_safe(value: Any) -> str:
    text = _text(value)
    dangerous = isinstance(value, str) and text.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    return "'" + text if dangerous else text


def _markdown(columns: Sequence[str], values: Sequence[Sequence[Any]]) -> None:
    def row(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;") for cell in cells) + " |"

    lines = [row([_cell(name) for name in columns]), "|" + " --- |" * len(columns)]
    lines += [row([_cell(value) for value in values_row]) for values_row in values]
    sys.stdout.write("\n".join(lines) + "\n")


_PRINTERS: dict[Format, Callable[[Sequence[str], Sequence[Sequence[Any]]], None]] = {
    Format.TABLE: _table,
    Format.CSV: _csv,
    Format.MARKDOWN: _markdown,
}
