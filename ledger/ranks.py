"""How sure a rank is: within which places each run of a class lies, all of them at once with 95 % confidence.

All pairs of a class are compared together: a difference is sure if it is more standard errors from zero than the largest
of all pairs is in 95 % of bootstrap draws of whole documents, each draw with its own standard errors (single-step max-|t|;
Romano and Wolf 2005; Mogstad, Romano, Shaikh and Wilhelm 2024), and never less than a single comparison needs. With the
errors of the sample in every draw, boards of 20 documents named a wrong difference in 14 to 28 % of cases, not 5 %.
A run's places are 1 + the runs surely better to K - the runs surely worse. In Python and not SQL, as it draws; the seed is
fixed, so the same ledger gives the same places.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import combinations, groupby
from math import ceil, inf, sqrt
from operator import itemgetter
from typing import Final

from ledger.store import Connection, Row

DRAWS: Final = 1000
SEED: Final = 481
CONFIDENCE: Final = 0.95


def with_intervals(connection: Connection) -> list[Row]:
    """Return the leaderboard with the limits of its figures and of its ranks (None: no rank, or under five documents)."""
    places: dict[str, tuple[int, int]] = {}
    sums = connection.rows("select_ranked_sums")
    for _, rows in groupby(sums, key=itemgetter("class_id")):
        places.update(_class_places(list(rows)))
    board = connection.rows("select_leaderboard_intervals")
    for row in board:
        row["rank_low"], row["rank_high"] = places.get(row["run_id"], (None, None))
    return board


def _class_places(rows: Sequence[Row]) -> dict[str, tuple[int, int]]:
    if rows[0]["t_975"] is None:
        return {}
    runs = {run_id: list(found) for run_id, found in groupby(rows, key=itemgetter("run_id"))}
    sums = {run_id: [int(row["score_sum"].scaleb(9)) for row in found] for run_id, found in runs.items()}
    tasks_n = [row["tasks_n"] for row in next(iter(runs.values()))]
    return rank_intervals(sums, tasks_n, rows[0]["t_975"])


def rank_intervals(
    sums: Mapping[str, Sequence[int]], tasks_n: Sequence[int], single: float, seed: int = SEED
) -> dict[str, tuple[int, int]]:
    """Return each run's places. `sums`: its scores by document; `tasks_n`: tasks by document; `single`: one pair's t limit."""
    documents_n, all_n = len(tasks_n), sum(tasks_n)
    totals = {run_id: all_n * sum(values) for run_id, values in sums.items()}
    deviations = {
        run_id: [float(all_n * value - n * sum(values)) for value, n in zip(values, tasks_n, strict=True)]
        for run_id, values in sums.items()
    }
    limit = max(single, largest_by_chance(list(deviations.values()), seed))
    better, worse = dict.fromkeys(sums, 0), dict.fromkeys(sums, 0)
    for one, other in combinations(sums, 2):
        difference = totals[one] - totals[other]
        error = sqrt(documents_n / (documents_n - 1) * sum(_squares(deviations[one], deviations[other])))
        if abs(difference) > limit * error:
            winner, loser = (one, other) if difference > 0 else (other, one)
            better[loser] += 1
            worse[winner] += 1
    return {run_id: (1 + better[run_id], len(sums) - worse[run_id]) for run_id in sums}


def _squares(one: Sequence[float], other: Sequence[float]) -> list[float]:
    return [(a - b) ** 2 for a, b in zip(one, other, strict=True)]


def largest_by_chance(deviations: Sequence[Sequence[float]], seed: int) -> float:
    """Return what the largest |t| of all pairs of runs stays within in 95 % of draws of documents with replacement.

    `deviations`: by run, what each document adds to its total above its share; they sum to zero.
    """
    documents_n = len(deviations[0])
    pick, documents = random.Random(seed), range(documents_n)  # noqa: S311 - a bootstrap, repeatable on purpose
    squares = {pair: _squares(deviations[pair[0]], deviations[pair[1]]) for pair in combinations(range(len(deviations)), 2)}
    varying = [(one, other, values) for (one, other), values in squares.items() if any(values)]
    largest = []
    for _ in range(DRAWS if varying else 0):
        drawn = itemgetter(*pick.choices(documents, k=documents_n))
        totals = [sum(drawn(values)) for values in deviations]
        largest.append(
            max(_t_squared(totals[one] - totals[other], sum(drawn(values)), documents_n) for one, other, values in varying)
        )
    return sqrt(sorted(largest)[ceil(CONFIDENCE * DRAWS) - 1]) if largest else 0.0


def _t_squared(total: float, squares: float, documents_n: int) -> float:
    """Return the square of a drawn difference in its own standard errors; a draw without variation is infinitely far."""
    variation = squares - total * total / documents_n
    if variation <= 1e-9 * squares:  # one document, drawn every time
        return inf if total else 0.0
    return total * total * (documents_n - 1) / (documents_n * variation)
