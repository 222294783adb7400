"""Rows between the child and its parent: DuckDB's Python values as JSON and back, nothing but data.

Strings, integers, booleans and NULL are themselves; all else is a list of its kind and its text.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

_TO_TEXT: Final[tuple[tuple[type, str, Callable[[Any], str]], ...]] = (
    (Decimal, "decimal", str),
    (float, "float", repr),
    (datetime, "datetime", datetime.isoformat),
    (date, "date", date.isoformat),
    (time, "time", time.isoformat),
    (timedelta, "timedelta", lambda value: f"{value.days} {value.seconds} {value.microseconds}"),
    (UUID, "uuid", str),
)
_FROM_TEXT: Final[dict[str, Callable[[str], Any]]] = {
    "decimal": Decimal,
    "float": float,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "timedelta": lambda text: timedelta(*map(int, text.split())),
    "uuid": UUID,
    "bytes": base64.b64decode,
}


def encoded(value: Any) -> Any:
    """Return a value as JSON holds it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, bytes | bytearray | memoryview):
        return ["bytes", base64.b64encode(bytes(value)).decode("ascii")]
    if isinstance(value, dict):
        return ["dict", [[encoded(name), encoded(inner)] for name, inner in value.items()]]
    if isinstance(value, list | tuple):
        return ["list", [encoded(inner) for inner in value]]
    for kind, name, text in _TO_TEXT:
        if isinstance(value, kind):
            return [name, text(value)]
    return str(value)


def decoded(value: Any) -> Any:
    """Return the value that was encoded."""
    if not isinstance(value, list):
        return value
    kind, content = value
    if kind == "list":
        return [decoded(inner) for inner in content]
    if kind == "dict":
        return {_as_key(decoded(name)): decoded(inner) for name, inner in content}
    return _FROM_TEXT[kind](content)


def _as_key(value: Any) -> Any:
    return str(value) if isinstance(value, list | dict) else value
