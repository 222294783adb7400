"""How sure a rank is: within which places each run of a class lies, all of them at once with 95 % confidence.

All pairs of a class are compared together: a difference is sure if it is more standard errors from zero than the largest
of all pairs is in 95 % of bootstrap draws of whole documents (single-step max-|t|; Romano and Wolf 2005; Mogstad, Romano,
Shaikh and Wilhelm 2024), and never less than a single comparison needs. A run's places are then 1 + the runs surely better
to K - the runs surely worse. In Python and not SQL, as it draws; the seed is fixed, so the same ledger gives the same places.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import combinations, groupby
from math import ceil, sqrt
from operator import itemgetter
from typing import Final

from ledger.store import Connection, Row

DRAWS: Final = 4000
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
    deviations, overall = {}, {}
    for run_id, found in groupby(rows, key=itemgetter("run_id")):
        documents = list(found)
        tasks_n = sum(row["tasks_n"] for row in documents)
        mean = float(sum(row["score_sum"] for row in documents)) / tasks_n
        deviations[run_id] = [(float(row["score_sum"]) - row["tasks_n"] * mean) / tasks_n for row in documents]
        overall[run_id] = mean
    return rank_intervals(overall, deviations, rows[0]["t_975"])


def rank_intervals(
    overall: Mapping[str, float], deviations: Mapping[str, Sequence[float]], single: float, seed: int = SEED
) -> dict[str, tuple[int, int]]:
    """Return each run's places from its figure and what each document adds to its error; `single` is one pair's t limit."""
    spreads = {
        (one, other): sqrt(sum((a - b) ** 2 for a, b in zip(deviations[one], deviations[other], strict=True)))
        for one, other in combinations(overall, 2)
    }
    documents_n = len(next(iter(deviations.values())))
    limit = max(single, _largest_by_chance(deviations, spreads, documents_n, seed))
    scale = sqrt(documents_n / (documents_n - 1))
    better, worse = dict.fromkeys(overall, 0), dict.fromkeys(overall, 0)
    for (one, other), spread in spreads.items():
        difference = overall[one] - overall[other]
        if abs(difference) > limit * scale * spread:
            winner, loser = (one, other) if difference > 0 else (other, one)
            better[loser] += 1
            worse[winner] += 1
    return {run_id: (1 + better[run_id], len(overall) - worse[run_id]) for run_id in overall}


def _largest_by_chance(
    deviations: Mapping[str, Sequence[float]], spreads: Mapping[tuple[str, str], float], documents_n: int, seed: int
) -> float:
    """Return what the largest |t| of all pairs stays within in 95 % of draws of documents with replacement."""
    pick, documents = random.Random(seed), range(documents_n)  # noqa: S311 - a bootstrap, repeatable on purpose
    pairs = [(one, other, spread) for (one, other), spread in spreads.items() if spread]
    largest = []
    for _ in range(DRAWS if pairs else 0):
        drawn = itemgetter(*pick.choices(documents, k=documents_n))
        moved = {run_id: sum(drawn(values)) for run_id, values in deviations.items()}
        largest.append(max(abs(moved[one] - moved[other]) / spread for one, other, spread in pairs))
    return sorted(largest)[ceil(CONFIDENCE * len(largest)) - 1] if largest else 0.0
