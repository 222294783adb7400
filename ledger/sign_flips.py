"""The sign-flip test of paired differences that come in clusters (Cameron, Gelbach and Miller 2008).

If two runs are alike, a document's difference could as well have had the other sign. So the signs of whole documents are
flipped: in every way where that is feasible, else in many ways drawn with a recorded seed. In Python and not SQL, as
100,000 draws over hundreds of documents are tens of millions of rows. Integers throughout: nothing here rounds.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from operator import getitem
from typing import Final

EXACT_UP_TO: Final = 20
DRAWS: Final = 100_000
SEED: Final = 481
_CHUNK: Final = 8


@dataclass(frozen=True)
class SignFlips:
    """A two-sided p-value and how it was found. `seed` is None where every way of flipping was counted."""

    p: float
    ways: int
    seed: int | None


def sign_flip_test(sums: Sequence[int], seed: int = SEED) -> SignFlips:
    """Return how often flipped signs give a total at least as far from zero as the one found."""
    moved = [abs(number) for number in sums if number]  # a zero has no sign to flip
    found = abs(sum(sums))
    if len(moved) <= EXACT_UP_TO:
        return _exact(moved, found)
    return _drawn(moved, found, seed)


def _exact(sizes: Sequence[int], found: int) -> SignFlips:
    totals = [0]
    for size in sizes:
        totals = [total + size for total in totals] + [total - size for total in totals]
    reached = sum(1 for total in totals if total >= found or -total >= found)
    return SignFlips(reached / len(totals), len(totals), None)


def _drawn(sizes: Sequence[int], found: int, seed: int) -> SignFlips:
    """Count among random flips. A draw is one bit a document, looked up eight bits at a time."""
    tables = [_signed_sums(sizes[start : start + _CHUNK]) for start in range(0, len(sizes), _CHUNK)]
    bits = random.Random(seed).getrandbits  # noqa: S311 - a test statistic, repeatable on purpose
    reached = 0
    for _ in range(DRAWS):
        total = sum(map(getitem, tables, bits(_CHUNK * len(tables)).to_bytes(len(tables), "little")))
        reached += total >= found or -total >= found
    return SignFlips((1 + reached) / (1 + DRAWS), DRAWS, seed)


def _signed_sums(sizes: Sequence[int]) -> list[int]:
    """Return, for each number of eight bits, the sum of the sizes with the signs that its bits are."""
    return [sum(size if number >> bit & 1 else -size for bit, size in enumerate(sizes)) for number in range(2**_CHUNK)]
