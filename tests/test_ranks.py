"""Rank intervals: sure differences narrow them, chance does not, and the whole set holds at once."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
from evidence_rows import FAILED, Bench, clustered_tasks, graded
from scipy import stats

from ledger import ranks

if TYPE_CHECKING:
    from conftest import Workshop


def test_clear_differences_give_clear_ranks_and_noise_gives_wide_ones(workshop: Workshop) -> None:
    """Two runs far apart have places of their own; two alike share theirs; an unfinished one has none."""
    pick = random.Random(3)
    made = Bench(workshop, *clustered_tasks(12, 24))
    for model, level in (("m-good", 80), ("m-mid-1", 50), ("m-mid-2", 50), ("m-bad", 20)):
        made.run(model, {f"t{n:03d}": graded(f"{model} {n}", *[level + pick.randint(-8, 8)] * 3) for n in range(24)})
    made.run("m-unfinished", {"t000": FAILED})
    board = {row["model"]: row for row in workshop.run("leaderboard", "--intervals", "--format", "json").json}
    places = {model: (row["rank_low"], row["rank_high"]) for model, row in board.items()}
    assert places == {
        "m-good": (1, 1),
        "m-mid-1": (2, 3),
        "m-mid-2": (2, 3),
        "m-bad": (4, 4),
        "m-unfinished": (None, None),
    }
    assert board["m-good"]["overall_low"] < board["m-good"]["overall"] < board["m-good"]["overall_high"]


def test_under_five_documents_no_rank_is_sure(workshop: Workshop) -> None:
    """Four documents give no interval, so none for the rank."""
    made = Bench(workshop, *clustered_tasks(4, 8))
    for model, level in (("m-a", 90), ("m-b", 10)):
        made.run(model, {f"t{n:03d}": graded(f"{model} {n}", level, level, level) for n in range(8)})
    with made.store.reading() as connection:
        board = ranks.with_intervals(connection)
    assert [(row["rank"], row["rank_low"], row["rank_high"]) for row in board] == [(1, None, None), (2, None, None)]


def intervals(scores: list[list[float]], seed: int = ranks.SEED) -> dict[str, tuple[int, int]]:
    """Return the places of runs from their scores, one document a task."""
    sums = {str(number): [round(value * 10**9) for value in values] for number, values in enumerate(scores)}
    return ranks.rank_intervals(sums, [1] * len(scores[0]), stats.t.ppf(0.975, len(scores[0]) - 1), seed)


def test_the_limit_is_that_of_all_pairs_at_once() -> None:
    """For many documents and independent runs the bootstrap limit is the studentised range's, not a single pair's."""
    normal = np.random.default_rng(1).normal(size=(6, 300))
    normal -= normal.mean(axis=1, keepdims=True)
    limit = ranks.largest_by_chance(normal.tolist(), 481)
    assert abs(limit - stats.studentized_range.ppf(0.95, 6, np.inf) / np.sqrt(2)) < 0.2


def test_runs_that_are_alike_are_told_apart_in_few_cases() -> None:
    """Of 40 boards of five equal runs on 12 documents at most five name any run surely better: the error is of the board."""
    pick = random.Random(5)
    wrong = 0
    for _ in range(40):
        ease = [pick.gauss(0, 1) for _ in range(12)]
        scores = [[level + pick.gauss(0, 1) for level in ease] for _ in range(5)]
        wrong += any(place != (1, 5) for place in intervals(scores).values())
    assert wrong <= 5


def test_the_same_board_gives_the_same_places_and_equal_runs_share_them() -> None:
    """Nothing is left to chance between two calls; a run and its copy differ by nothing, a constant lead is sure."""
    pick = random.Random(9)
    first = [pick.random() for _ in range(30)]
    other = [value - 0.3 for value in first]
    found = intervals([first, first, other])
    assert found == intervals([first, first, other])
    assert found == {"0": (1, 2), "1": (1, 2), "2": (3, 3)}
