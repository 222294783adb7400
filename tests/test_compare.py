"""Two runs side by side: differences, their errors and tests against reference libraries, causes that add up, the command."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from conftest import Workshop
from evidence_rows import EMPTY, FAILED, MISSING, REFUSED, Bench, clustered_tasks, graded, random_outcomes
from scipy import stats
from statsmodels.regression.linear_model import OLS

from ledger import compare
from ledger.errors import InputError
from ledger.sign_flips import DRAWS, SignFlips, sign_flip_test
from ledger.store import Row

TASKS, DOCUMENTS = 45, 18


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, list[str]]:
    """Four complete runs over 45 tasks on 18 documents, of different caps, so that every zero of the protocol occurs."""
    pick = random.Random(7)
    made = Bench(Workshop(tmp_path_factory.mktemp("bench")), *clustered_tasks(DOCUMENTS, TASKS))
    caps = [{"en": 10_000, "cjk": 10_000}, {"en": 150, "cjk": 700}, {"en": 10_000, "cjk": 500}, {"en": 100, "cjk": 10_000}]
    runs = [
        made.run(f"m-{number}", random_outcomes(pick, TASKS), caps={f"m-{number}": pair}, label=f"run {number}")
        for number, pair in enumerate(caps)
    ]
    return made, runs


def task_rows(bench: Bench, run_a: str, run_b: str) -> list[Row]:
    """Return the rows of task_diff in the order of the tasks."""
    return bench.rows(f"FROM task_diff('{run_a}', '{run_b}') ORDER BY task_id")


def clustered(outcome: Any, design: Any, clusters: list[str]) -> tuple[float, float]:
    """Return the last coefficient of a regression and its error clustered with G / (G - 1), by statsmodels."""
    codes = np.unique(clusters, return_inverse=True)[1]
    fit = OLS(outcome, design).fit(cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False})
    count = len(set(clusters))
    return float(fit.params[-1]), float(fit.bse[-1] * np.sqrt(count / (count - 1)))


def assert_estimate(row: Row, name: str, expected: tuple[float, float], documents: int) -> None:
    """Compare a difference with its error, interval and detectable size with the expected ones, to nine decimals."""
    difference, error = expected
    margin = stats.t.ppf(0.975, documents - 1) * error
    found = [float(row[name + suffix]) for suffix in ("", "_se", "_low", "_high", "_detectable")]
    assert found == pytest.approx([difference, error, difference - margin, difference + margin, 2.8 * error], abs=5e-9)


def test_the_three_differences_and_their_errors_agree_with_statsmodels_and_scipy(bench: tuple[Bench, list[str]]) -> None:
    """Means, errors clustered by document and t intervals are those of a regression with clustered errors."""
    made, runs = bench
    for run_a, run_b in pairwise(runs):
        (row,) = made.rows(f"FROM run_diff('{run_a}', '{run_b}')")
        tasks = task_rows(made, run_a, run_b)
        everything = [float(task["delta"]) for task in tasks]
        documents = [task["document_sha256"] for task in tasks]
        assert_estimate(row, "delta_all", clustered(everything, np.ones(len(tasks)), documents), DOCUMENTS)
        both = [task for task in tasks if task["status_a"] == task["status_b"] == "scored"]
        documents = [task["document_sha256"] for task in both]
        expected = clustered([float(task["delta"]) for task in both], np.ones(len(both)), documents)
        assert_estimate(row, "delta_common", expected, len(set(documents)))
        sides = [(1.0, task, task["score_a"]) for task in tasks if task["status_a"] == "scored"]
        sides += [(0.0, task, task["score_b"]) for task in tasks if task["status_b"] == "scored"]
        documents = [task["document_sha256"] for _, task, _ in sides]
        design = np.column_stack([np.ones(len(sides)), [side for side, _, _ in sides]])
        expected = clustered([float(score) for _, _, score in sides], design, documents)
        assert_estimate(row, "delta_scored", expected, len(set(documents)))
        assert (row["tasks_n"], row["common_n"], row["scored_a_n"] + row["scored_b_n"]) == (TASKS, len(both), len(sides))


def test_the_intervals_of_one_run_agree_with_statsmodels_and_scipy(bench: tuple[Bench, list[str]]) -> None:
    """All-N and Scored have the clustered errors and t limits of a regression on a constant."""
    made, _ = bench
    for row in made.rows("FROM run_intervals"):
        tasks = made.rows(f"FROM task_results WHERE run_id = '{row['run_id']}' ORDER BY task_id")
        for name, column in (("overall", "final_score"), ("scored", "panel_score")):
            counted = [task for task in tasks if task[column] is not None]
            documents = [task["document_sha256"] for task in counted]
            mean, error = clustered([float(task[column]) for task in counted], np.ones(len(counted)), documents)
            margin = stats.t.ppf(0.975, len(set(documents)) - 1) * error
            found = [float(row[f"{name}_{part}"]) for part in ("se", "low", "high")]
            assert found == pytest.approx([error, mean - margin, mean + margin], abs=5e-9)


def test_the_t_quantiles_are_those_of_scipy(bench: tuple[Bench, list[str]]) -> None:
    """From 4 degrees of freedom up both quantiles are exact to 10 decimals; below, there is none."""
    degrees = [*range(4, 1200), 10_000, 1_000_000, 10**9]
    values = ", ".join(f"({number})" for number in degrees)
    rows = bench[0].rows(f"SELECT t_quantile_975(n) AS wide, t_quantile_95(n) AS narrow FROM (VALUES {values}) AS list (n)")
    assert [row["wide"] for row in rows] == pytest.approx(stats.t.ppf(0.975, degrees), abs=2e-11)
    assert [row["narrow"] for row in rows] == pytest.approx(stats.t.ppf(0.95, degrees), abs=2e-11)
    assert bench[0].rows("SELECT t_quantile_975(3) AS wide, t_quantile_95(0) AS narrow") == [{"wide": None, "narrow": None}]


def test_differences_and_their_parts_are_exact_and_add_up(bench: tuple[Bench, list[str]]) -> None:
    """Each figure is the exact rational rounded once; quality + coverage, and all causes, give delta_all to the last digit."""
    made, runs = bench
    for run_a, run_b in pairwise([*runs, runs[0]]):
        (row,) = made.rows(f"FROM run_diff('{run_a}', '{run_b}')")
        tasks = task_rows(made, run_a, run_b)
        scored_a = [Fraction(task["score_a"]) for task in tasks if task["status_a"] == "scored"]
        scored_b = [Fraction(task["score_b"]) for task in tasks if task["status_b"] == "scored"]
        mean_a, mean_b = Fraction(sum(scored_a), len(scored_a)), Fraction(sum(scored_b), len(scored_b))
        coverage = Fraction(len(scored_a) + len(scored_b), 2 * TASKS)
        assert row["delta_all"] == rounded(Fraction(sum(task["delta"] for task in tasks)) / TASKS)
        assert row["delta_scored"] == rounded(mean_a - mean_b)
        assert row["quality_part"] == rounded(coverage * (mean_a - mean_b))
        assert row["quality_part"] + row["coverage_part"] == row["delta_all"]
        exact = (mean_a + mean_b) / 2 * Fraction(len(scored_a) - len(scored_b), TASKS)
        assert abs(Fraction(row["coverage_part"]) - exact) <= Fraction(1, 10**9)
        causes = made.rows(f"FROM cause_diff('{run_a}', '{run_b}')")
        assert sum(cause["part"] for cause in causes) == row["delta_all"]
        assert sum(cause["tasks_n"] for cause in causes) == TASKS
        for cause in causes:
            deltas = [Fraction(task["delta"]) for task in tasks if task["cause"] == cause["cause"]]
            assert abs(Fraction(cause["part"]) - Fraction(sum(deltas), TASKS)) <= Fraction(1, 10**9)
            assert not any(deltas) or cause["cause"] != "none"


def rounded(number: Fraction) -> Decimal:
    """Return a rational rounded once to nine decimals, half away from zero, by integers alone."""
    scaled = abs(number) * 10**9
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return Decimal(whole if number >= 0 else -whole).scaleb(-9)


@pytest.mark.parametrize("seed", range(20))
def test_the_exact_sign_flip_test_is_brute_force(seed: int) -> None:
    """Up to 20 documents every way of flipping is counted, ties and unmoved documents included."""
    pick = random.Random(seed)
    sums = [pick.choice([0, pick.randint(-9, 9), pick.randint(-(10**9), 10**9)]) for _ in range(pick.randint(0, 10))]
    ways = [
        abs(sum(sign * number for sign, number in zip(signs, sums, strict=True))) for signs in product((1, -1), repeat=len(sums))
    ]
    found = sign_flip_test(sums)
    assert found.p == sum(1 for way in ways if way >= abs(sum(sums))) / len(ways)
    assert found.seed is None


def test_the_drawn_sign_flip_test_repeats_and_is_near_the_exact_one() -> None:
    """With more than 20 documents the p-value is drawn: the same again, and within the error of 100,000 draws of the truth."""
    pick = random.Random(3)
    small = [pick.randint(-(10**9), 10**9) for _ in range(20)]
    exact, drawn = sign_flip_test(small), sign_flip_test([*small, 1])
    assert drawn == sign_flip_test([*small, 1]) == SignFlips(drawn.p, DRAWS, 481)
    assert drawn.p == pytest.approx(exact.p, abs=5 * (exact.p * (1 - exact.p) / DRAWS) ** 0.5)
    assert sign_flip_test([*small, 1], seed=5) != drawn
    big = [pick.randint(-(10**9), 10**9) for _ in range(240)]
    normal = 2 * stats.norm.sf(abs(sum(big)) / sum(number**2 for number in big) ** 0.5)
    assert sign_flip_test(big).p == pytest.approx(normal, abs=0.01)
    assert sign_flip_test([10**9] * 40).p == 1 / (1 + DRAWS)


def test_each_cause_is_named(workshop: Workshop) -> None:
    """A status, an answer or only a verdict changed: each task says which, and what it was before."""
    made = Bench(workshop, *clustered_tasks(6, 6))
    run_a = made.run(
        "m-a",
        {
            "t000": graded("same", 50, 60, 70),
            "t001": graded("one", 50, 60, 70),
            "t002": graded("kept", 10, 10, 10),
            "t003": REFUSED,
            "t004": EMPTY,
            "t005": graded("judged alike", 10, 20, 30),
        },
    )
    run_b = made.run(
        "m-a",
        {
            "t000": graded("same", 50, 60, 70),
            "t001": graded("two", 50, 60, 70),
            "t002": graded("kept", 10, 40, 10),
            "t003": graded("no refusal now", 90, 90, 90),
            "t004": EMPTY,
            "t005": graded("judged alike", 30, 20, 10),
        },
        replicate=1,
        judge_replicate=1,
    )
    found = {row["task_id"]: row for row in task_rows(made, run_a, run_b)}
    assert {task_id: row["cause"] for task_id, row in found.items()} == {
        "t000": "none",
        "t001": "different answer",
        "t002": "same answer, different verdict",
        "t003": "status change",
        "t004": "none",
        "t005": "same answer, different verdict",
    }
    assert [found["t003"][name] for name in ("status_a", "status_b", "delta")] == ["refused", "scored", Decimal("-0.9")]
    parts = {row["cause"]: row["part"] for row in made.rows(f"FROM cause_diff('{run_a}', '{run_b}')")}
    assert parts == {
        "none": 0,
        "different answer": 0,
        "same answer, different verdict": Decimal("-0.016666667"),
        "status change": Decimal("-0.150000000"),
    }


def test_unjudged_tasks_give_bounds_and_unfinished_ones_a_provisional_note(workshop: Workshop) -> None:
    """While a task lacks a judge delta_all is NULL within bounds; failed and missing tasks are zeros that the report names."""
    made = Bench(workshop, *clustered_tasks(6, 6))
    full = {f"t{number:03d}": graded(f"a{number}", 50, 50, 50) for number in range(6)}
    run_a = made.run("m-a", full)
    run_b = made.run("m-b", {**full, "t000": graded("b", 100, 100, None), "t001": FAILED, "t002": MISSING})
    (row,) = made.rows(f"FROM run_diff('{run_a}', '{run_b}')")
    assert [row[name] for name in ("delta_all", "delta_all_se", "delta_all_low", "quality_part", "coverage_part")] == [None] * 5
    assert (row["delta_all_least"], row["delta_all_most"]) == (Decimal("0.083333333"), Decimal("0.25"))
    assert {cause["part"] for cause in made.rows(f"FROM cause_diff('{run_a}', '{run_b}')")} == {None}
    with made.store.reading() as connection:
        found = compare.diff(connection, run_a, run_b)
    assert found.notes == [
        "run B is provisional: 1 failed and 1 missing tasks count as zero so far",
        "run B is provisional: 1 answered tasks lack a judge",
        "delta_all is not known while tasks are unjudged; it will be within 0.083333333 and 0.25",
    ]
    assert [estimate.p for estimate in found.estimates] == [None, 1.0, None]


def test_fewer_than_five_documents_give_no_interval(workshop: Workshop) -> None:
    """Forty tasks on four documents are four independent pieces of data: a difference, but no limits, and it says so."""
    made = Bench(workshop, *clustered_tasks(4, 40))
    pick = random.Random(1)
    runs = [made.run(model, random_outcomes(pick, 40)) for model in ("m-a", "m-b")]
    with made.store.reading() as connection:
        found = compare.diff(connection, *runs)
    headline = found.estimates[0]
    assert (headline.low, headline.high, headline.detectable, headline.documents_n) == (None, None, None, 4)
    assert headline.difference is not None
    assert headline.sign_flips == 16
    assert "no interval" in found.notes[0]
    (row,) = made.rows(f"FROM run_intervals WHERE run_id = '{runs[0]}'")
    assert (row["overall_low"], row["overall_high"], row["scored_low"]) == (None, None, None)


def test_replicates_tell_rerun_noise_from_task_sampling(workshop: Workshop) -> None:
    """Of two replicates the noise of asking again is apart from that of the choice of tasks, as the formulas say."""
    made = Bench(workshop, *clustered_tasks(10, 20))
    pick = random.Random(4)
    runs = [made.run("m-a", random_outcomes(pick, 20), replicate=number) for number in range(2)]
    with made.store.reading() as connection:
        found = compare.diff(connection, *runs)
    assert found.comparable
    assert found.rerun_noise is not None
    tasks = task_rows(made, *runs)
    rerun = sum(float(task["delta"]) ** 2 / 2 for task in tasks) / 20**2
    middles = [float(task["score_a"] + task["score_b"]) / 2 for task in tasks]
    _, error = clustered(middles, np.ones(20), [task["document_sha256"] for task in tasks])
    assert float(found.rerun_noise["rerun_se"]) == pytest.approx(rerun**0.5, abs=2e-9)
    assert float(found.rerun_noise["sampling_se"]) == pytest.approx(max(error**2 - rerun / 2, 0) ** 0.5, abs=2e-9)
    assert any("asking again" in line for line in compare.conclusions(found))
    assert [(row["kind"], row["a"], row["b"]) for row in found.differences] == [("replicate", 0, 1)]


def test_runs_of_two_classes_are_not_compared_unless_insisted(workshop: Workshop) -> None:
    """Another temperature is another class: exit 3 and no statistics, the dimension and the field named; --anyway compares."""
    made = Bench(workshop, *clustered_tasks(6, 6))
    pick = random.Random(1)
    run_a = made.run("m-a", random_outcomes(pick, 6))
    run_b = made.run("m-a", random_outcomes(pick, 6), temperature=0.7, judges=2)
    refused = workshop.run("diff", run_a, run_b, "--format", "json")
    assert (refused.status, refused.json["comparable"], refused.json["statistics"]) == (3, False, None)
    assert refused.json["dimensions"] == ["decoding_policy", "panel_policy"]
    fields = {(row["kind"], row["field"]): (row["a"], row["b"]) for row in refused.json["differences"]}
    assert fields["route", "parameters.temperature"] == (0.1, 0.7)
    assert fields["judge", "judge-3.model"] == ("judge-3", None)
    assert "not comparable" in refused.err
    insisted = workshop.run("diff", run_a, run_b, "--format", "json", "--anyway")
    assert (insisted.status, insisted.json["comparable"], insisted.json["statistics"]["class_id"]) == (0, False, None)
    assert insisted.json["statistics"]["tasks_n"] == 6


def test_a_class_differs_exactly_where_a_dimension_does(bench: tuple[Bench, list[str]]) -> None:
    """The dimensions that diff names are all that the class is made of."""
    made, runs = bench
    pairs = made.rows(
        "SELECT one.run_id, other.run_id AS other_id, MAX(one.class_id) = MAX(other.class_id) AS same, COUNT(*) AS n, "
        "BOOL_AND(one.fingerprint = other.fingerprint) AS alike FROM class_dimensions AS one "
        "INNER JOIN class_dimensions AS other USING (dimension) GROUP BY ALL"
    )
    assert all(row["same"] == row["alike"] and row["n"] == 9 for row in pairs)
    assert len(pairs) == len(runs) ** 2


def test_runs_over_different_datasets_are_compared_on_what_they_share(workshop: Workshop) -> None:
    """With --anyway only the tasks of both count, a task whose text changed is named, and the rest is left out aloud."""
    tasks, texts = clustered_tasks(6, 6)
    made = Bench(workshop, tasks, texts)
    run_a = made.run("m-a", {f"t{number:03d}": graded(f"a{number}", 50, 50, 50) for number in range(6)})
    other = Bench(workshop, [*tasks[:3], {**tasks[3], "question_text": "Another?"}], texts)
    run_b = other.run("m-a", {f"t{number:03d}": graded(f"a{number}", 40, 40, 40) for number in range(4)}, judge_replicate=1)
    with made.store.reading() as connection:
        found = compare.diff(connection, run_a, run_b, anyway=True)
    assert found.dimensions == ["dataset"]
    causes = {row["task_id"]: row["cause"] for row in found.tasks}
    assert [causes[f"t{number:03d}"] for number in (0, 3, 4)] == [
        "same answer, different verdict", "different task", "task of one run only",
    ]  # fmt: skip
    assert found.estimates[0].difference == Decimal("0.1")
    assert "only the 4 tasks of both runs are compared, of 6 and 4" in found.notes


def test_the_command_prints_the_whole_comparison_in_each_format(bench: tuple[Bench, list[str]]) -> None:
    """Table and markdown hold every section, JSON the whole document, CSV one row a task; runs are named by label too."""
    made, runs = bench
    workshop = made.workshop
    table = workshop.run("diff", "run 0", runs[1], "--limit", "3")
    assert table.status == 0, table.err
    for section in ("What differs in config", "A - B", "delta_all by cause", "What moved most", "% of cases"):
        assert section in table.out
    markdown = workshop.run("diff", *runs[:2], "--format", "markdown", "--texts", "--limit", "2")
    assert "### What moved most" in markdown.out
    assert markdown.out.count("### Answers to") == 2
    document = workshop.run("diff", *runs[:2], "--format", "json", "--task", "t001").json
    assert set(document["texts"]) == {"t001"}
    (estimate,) = [row for row in document["estimates"] if row["estimand"] == "delta_all"]
    assert estimate["difference"] == document["statistics"]["delta_all"]
    assert 0 < estimate["p"] <= 1
    assert len(document["moved"]) == 10
    assert abs(document["moved"][0]["delta"]) >= abs(document["moved"][9]["delta"])
    rows = workshop.run("diff", *runs[:2], "--format", "csv").out.splitlines()
    assert len(rows) == 1 + TASKS
    with made.store.reading() as connection, pytest.raises(InputError, match="t999"):
        compare.text_differences(connection, compare.diff(connection, *runs[:2]), ["t999"])


def test_answers_are_shown_line_by_line(workshop: Workshop) -> None:
    """The text difference is unified, with each run as a side, and a text cannot move the terminal's cursor."""
    made = Bench(workshop, *clustered_tasks(5, 5))
    run_a = made.run("m-a", {"t000": graded("kept\nold \x1b[2J\n", 50, 50, 50)})
    run_b = made.run("m-b", {"t000": graded("kept\nnew\n", 60, 60, 60)})
    shown = workshop.run("diff", run_a, run_b, "--task", "t000")
    lines = shown.out.splitlines()
    start = lines.index(f"--- {run_a}")
    assert lines[start:] == [f"--- {run_a}", f"+++ {run_b}", "@@ -1,2 +1,2 @@", " kept", "-old \\x1b[2J", "+new"]
    with made.store.reading() as connection:
        same = compare.diff(connection, run_a, run_a)
        assert compare.text_differences(connection, same, ["t000"]) == {"t000": []}
    assert (same.differences, same.moved(10), same.estimates[0].p) == ([], [], 1.0)
