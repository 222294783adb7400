"""JSON from a user's file, read strictly: no duplicate key, no NaN, a BOM in front tolerated.

Python's own reader takes the last of duplicate keys and accepts NaN; other readers decide otherwise, so such a
file would mean different things to different tools. For the same reason no number may be beyond a double's range and
nothing nested deeper than any Python can follow.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final

from ledger.errors import InputError

_DEPTH_LIMIT: Final = 100


def loads(text: str) -> Any:
    """Return a JSON value; numbers with a fraction or exponent are Decimal. Raises ValueError in one clear line."""
    try:
        value = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant, parse_float=_decimal)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno}: not JSON ({error.msg})") from None
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    if _is_deeper_than(_DEPTH_LIMIT, value):
        raise ValueError("JSON nested too deeply")
    return value


def load(path: Path) -> Any:
    """Return the JSON value of a file. Raises InputError in one line that names the file and the place."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}") from None
    try:
        return loads(text)
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


def has_utf8_form(value: Any) -> bool:
    """Tell whether every text of a JSON value can be kept: a lone surrogate has no UTF-8 form."""
    try:
        json.dumps(without_decimals(value), ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def without_decimals(value: Any) -> Any:
    """Return the value with every Decimal as the float it is nearest to."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {name: without_decimals(inner) for name, inner in value.items()}
    return [without_decimals(inner) for inner in value] if isinstance(value, list) else value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!r} stands twice in one object")
    return keys


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _decimal(digits: str) -> Decimal:
    try:
        number = Decimal(digits)
    except InvalidOperation:  # an exponent beyond any number
        raise ValueError("a number out of range") from None
    if not math.isfinite(float(number)):
        raise ValueError("a number out of range")
    return number


def _is_deeper_than(levels: int, value: Any) -> bool:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_is_deeper_than(levels - 1, inner) for inner in parts)
