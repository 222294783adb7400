"""A judge's reply becomes a verdict, strictly (protocol §4).

The invariant: a number is taken only where every strict reader would take the same one. The reply must
hold exactly one JSON object with a finite number `total` within 0 and the rubric's sum; a fence, prose
and a closed reasoning block around it are tolerated. Anything else is `unparsed`: resumable, never a zero.
Changing what this module accepts means a new PARSER_VERSION, and so a new class.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any, Final

from ledger import protocol

PARSER_VERSION: Final = "1"
_NANO: Final = Decimal("0.000000001")
_POINTS_LIMIT: Final = Decimal(1_000_000)
_DEPTH_LIMIT: Final = 50  # well below where any Python's own recursion ends, so that all read alike

_CUT: Final = {"length", "max_tokens"}
_REASONING_BLOCK = re.compile(r"<(think|thinking|reasoning|thought)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_REASONING_TAG = re.compile(r"<(/?)(think|thinking|reasoning|thought)>", re.IGNORECASE)
_BRACKET = re.compile(r"[\[\]{}]")
_OPENS_JSON_OBJECT = re.compile(r'\{\s*"')


@dataclass(frozen=True)
class Verdict:
    """What the parser made of one reply.

    `total` is None unless `status` is ok; then it lies in 0…points, rounded half up to 9 decimals.
    `points_awarded` is None where the reply lists no plain numbers. `reason` says why a reply is unparsed.
    `total_matches_points` is None where there are no points to compare with.
    """

    status: str
    reason: str | None
    total: Decimal | None
    points_awarded: tuple[Decimal, ...] | None
    points_count_matches: bool | None
    total_matches_points: bool | None


class _Unparsed(Exception):
    """The reply holds no verdict; the message is the reason."""


def parse(reply: str, finish_reason: str | None, points: Sequence[Decimal]) -> Verdict:
    """Return the verdict of a reply on a rubric with these points. Never raises, whatever the reply."""
    try:
        total, awarded = _read(reply, finish_reason, sum(points, Decimal(0)))
    except _Unparsed as problem:
        return Verdict("unparsed", str(problem), None, None, None, None)
    if awarded is None:
        return Verdict("ok", None, total, None, None, None)
    return Verdict("ok", None, total, awarded, len(awarded) == len(points), sum(awarded, Decimal(0)) == total)


def _read(reply: str, finish_reason: str | None, possible: Decimal) -> tuple[Decimal, tuple[Decimal, ...] | None]:
    if (finish_reason or "").lower() in _CUT:
        raise _Unparsed("the reply was cut by max_tokens")
    verdicts = list(_verdict_objects(_without_reasoning(reply).replace(protocol.REPLY_TEMPLATE, "\n")))
    if not verdicts:
        raise _Unparsed("no JSON object with a total")
    if len(verdicts) > 1:
        raise _Unparsed(f"{len(verdicts)} candidate verdicts")
    total = verdicts[0].get("total")
    if not isinstance(total, Decimal):
        raise _Unparsed("the total is not a number of the reply's object itself")
    if not 0 <= total <= possible:
        raise _Unparsed(f"the total is not within 0 and {possible:f}")
    awarded = _plain_numbers(verdicts[0].get("points_awarded"))
    if awarded is not None and total <= 1 < sum(awarded, Decimal(0)):
        raise _Unparsed("the total is a fraction, the points are not")
    return abs(total.quantize(_NANO, ROUND_HALF_UP)), awarded  # abs: -0 is 0


def _without_reasoning(reply: str) -> str:
    """Return what stands outside closed reasoning blocks. A block's own opening tag may be missing."""
    outside = _REASONING_BLOCK.sub("\n", reply)
    tags = list(_REASONING_TAG.finditer(outside))
    if any(not tag.group(1) for tag in tags):
        raise _Unparsed("an unclosed reasoning block")
    return outside[tags[-1].end() :] if tags else outside


def _verdict_objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield each outermost JSON object of the text that holds a `total`, at any depth within it."""
    decoder = json.JSONDecoder(
        object_pairs_hook=_unique_keys, parse_float=_decimal, parse_int=_decimal, parse_constant=_no_constant
    )
    position, depth = 0, 0
    while match := _BRACKET.search(text, position):
        position = match.end()
        if match.group() in "]}":
            depth = max(0, depth - 1)
            continue
        if match.group() == "{":
            try:
                value, position = decoder.raw_decode(text, match.start())
            except RecursionError:
                raise _Unparsed("JSON nested too deeply") from None
            except ValueError:
                if _OPENS_JSON_OBJECT.match(text, match.start()):
                    raise _Unparsed("a broken JSON object") from None
            else:
                if _holds_total(value):
                    if depth:
                        raise _Unparsed("the JSON object stands inside other brackets")
                    yield value
                continue
        depth += 1


def _holds_total(value: Any, depth: int = 0) -> bool:
    if depth > _DEPTH_LIMIT:
        raise _Unparsed("JSON nested too deeply")
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = [_holds_total(inner, depth + 1) for inner in parts]  # all of them: none may be too deep
    return (isinstance(value, dict) and "total" in value) or any(found)


def _plain_numbers(value: Any) -> tuple[Decimal, ...] | None:
    if not isinstance(value, list) or not all(isinstance(number, Decimal) for number in value):
        return None
    if not all(-_POINTS_LIMIT <= number <= _POINTS_LIMIT for number in value):  # abs() would overflow
        return None
    return tuple(number.quantize(_NANO, ROUND_HALF_UP) for number in value)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) != len(pairs):
        raise _Unparsed("a key stands twice in one object")
    return keys


def _decimal(digits: str) -> Decimal:
    try:
        return Decimal(digits)
    except InvalidOperation:  # an exponent beyond any number
        raise _Unparsed("a number out of range") from None


def _no_constant(name: str) -> Decimal:
    raise _Unparsed(f"{name} is not a number")
