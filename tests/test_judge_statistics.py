"""Judges: agreement, severity and bias against reference libraries and published figures, within run and by document."""

from __future__ import annotations

import random
from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pytest
from conftest import Workshop, task
from evidence_rows import Bench, clustered_tasks, graded, random_outcomes
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.anova import anova_lm

from ledger.store import Row

PANEL = [{"model": "judge-1", "family": "qwen"}, {"model": "judge-2", "family": "gpt"}, {"model": "judge-3"}]
TASKS, DOCUMENTS = 30, 12


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Three runs of two families, the third much better than the others, judged by a panel of three."""
    pick = random.Random(11)
    made = Bench(Workshop(tmp_path_factory.mktemp("judges")), *clustered_tasks(DOCUMENTS, TASKS))
    for model, family in (("m-a", "qwen"), ("m-b", "gpt"), ("m-c", "qwen")):
        made.run(model, random_outcomes(pick, TASKS), judges=PANEL, family=family)
    return made


def table(bench: Bench, where: str = "TRUE") -> pd.DataFrame:
    """Return the scores of judges on tasks with a full panel, one row a score."""
    rows = bench.rows(f"FROM panel_verdicts WHERE {where} ORDER BY run_id, task_id, judge")
    frame = pd.DataFrame(rows)
    frame["score"] = frame["score"].astype(float)
    return frame


def mean_squares(frame: pd.DataFrame) -> tuple[float, float, float]:
    """Return the mean squares of tasks, judges and the rest of a two-way table, by statsmodels."""
    found = anova_lm(ols("score ~ C(task_id) + C(judge)", data=frame).fit())
    return tuple(found["mean_sq"][name] for name in ("C(task_id)", "C(judge)", "Residual"))


def icc(tasks: float, judges: float, rest: float, count: float, panel: int) -> tuple[float, float]:
    """Return ICC(A,1) and ICC(A,k) from mean squares (McGraw and Wong 1996, table 4)."""
    single = (tasks - rest) / (tasks + (panel - 1) * rest + panel * (judges - rest) / count)
    return single, (tasks - rest) / (tasks + (judges - rest) / count)


def clustered_mean(values: Sequence[float], documents: Sequence[str]) -> tuple[float, float, int]:
    """Return a mean, its error clustered by document and the number of documents, by statsmodels."""
    codes = np.unique(documents, return_inverse=True)[1]
    fit = OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False})
    count = int(codes.max()) + 1
    return float(fit.params[0]), float(fit.bse[0] * np.sqrt(count / (count - 1))), count


def test_agreement_of_one_run_is_that_of_krippendorff_and_of_an_analysis_of_variance(workshop: Workshop) -> None:
    """On random scores alpha equals the krippendorff package's, both ICC those of statsmodels' mean squares."""
    made = Bench(workshop, *clustered_tasks(8, 25))
    made.run("m-a", random_outcomes(random.Random(5), 25, judges=4), judges=4)
    frame = table(made)
    scores = frame.pivot_table(index="judge", columns="task_id", values="score")
    (row,) = made.rows("FROM judge_agreement")
    assert row["alpha"] == pytest.approx(krippendorff.alpha(scores.to_numpy(), level_of_measurement="interval"), abs=1e-12)
    single, mean = icc(*mean_squares(frame), scores.shape[1], 4)
    assert (row["icc_single"], row["icc_mean"]) == (pytest.approx(single, abs=1e-12), pytest.approx(mean, abs=1e-12))
    assert (row["n"], row["judges_n"], row["runs_n"]) == (scores.shape[1], 4, 1)


def test_agreement_is_the_published_one(workshop: Workshop) -> None:
    """The six targets and four judges of Shrout and Fleiss (1979) give ICC(A,1) 0.29 and ICC(A,k) 0.62."""
    published = [(9, 2, 5, 8), (6, 1, 3, 2), (8, 4, 6, 8), (7, 1, 2, 6), (10, 5, 6, 9), (6, 2, 4, 7)]
    made = Bench(workshop, *clustered_tasks(6, 6))
    made.run("m-a", {f"t{n:03d}": graded(f"a{n}", *(10 * value for value in row)) for n, row in enumerate(published)}, judges=4)
    (row,) = made.rows("FROM judge_agreement")
    assert (round(row["icc_single"], 2), round(row["icc_mean"], 2)) == (0.29, 0.62)


def test_differences_between_models_are_no_agreement(workshop: Workshop) -> None:
    """Judges that disagree on every task but rank two models alike do not agree: each run is centred on its own mean."""
    pick = random.Random(2)
    made = Bench(workshop, *clustered_tasks(10, 40))
    for model, level in (("m-bad", 10), ("m-good", 90)):
        outcomes = {f"t{n:03d}": graded(f"{model} {n}", *(level + pick.randint(-9, 9) for _ in range(3))) for n in range(40)}
        made.run(model, outcomes)
    (row,) = made.rows("FROM judge_agreement")
    assert abs(row["alpha"]) < 0.3
    assert abs(row["icc_single"]) < 0.3
    pooled = table(made).pivot_table(index="judge", columns=["run_id", "task_id"], values="score")
    assert krippendorff.alpha(pooled.to_numpy(), level_of_measurement="interval") > 0.9


def test_agreement_of_several_runs_pools_their_sums_of_squares(bench: Bench) -> None:
    """Over three runs the mean squares are those of the runs' own tables, weighted by their degrees of freedom."""
    (row,) = bench.rows("FROM judge_agreement")
    frames = [frame for _, frame in table(bench).groupby("run_id")]
    counts = [frame["task_id"].nunique() for frame in frames]
    squares = np.array([mean_squares(frame) for frame in frames])
    tasks = np.average(squares[:, 0], weights=[count - 1 for count in counts])
    rest = np.average(squares[:, 2], weights=[count - 1 for count in counts])
    single, mean = icc(float(tasks), float(squares[:, 1].mean()), float(rest), np.mean(counts), 3)
    assert (row["icc_single"], row["icc_mean"]) == (pytest.approx(single, abs=1e-12), pytest.approx(mean, abs=1e-12))
    within = np.average([frame.groupby("task_id")["score"].var().mean() for frame in frames], weights=counts)
    total = np.average([frame["score"].var() for frame in frames], weights=[3 * count - 1 for count in counts])
    assert row["alpha"] == pytest.approx(1 - within / total, abs=1e-12)
    assert (row["runs_n"], row["n"]) == (3, sum(counts))


def test_agreement_that_is_not_defined_is_null(workshop: Workshop) -> None:
    """One judge, or scores that never vary, have no agreement: NULL, neither 0 nor 1."""
    made = Bench(workshop, *clustered_tasks(5, 5))
    for totals in ((50,), (50, 50)):
        made.run("m-a", {f"t{n:03d}": graded(f"a{n}", *totals) for n in range(5)}, judges=len(totals))
    rows = made.rows("SELECT judges_n, alpha, icc_single, icc_mean, n FROM judge_agreement ORDER BY judges_n")
    assert [tuple(row.values()) for row in rows] == [(1, None, None, None, 5), (2, None, None, None, 5)]


def test_pairs_of_judges_differ_by_their_exact_mean(bench: Bench) -> None:
    """Each pair's mean difference is exact, its error clustered by document."""
    frame = table(bench)
    scores = frame.pivot_table(index=["run_id", "task_id", "document_sha256"], columns="judge", values="score").reset_index()
    found = {(row["judge_a"], row["judge_b"]): row for row in bench.rows("FROM judge_pairs")}
    assert set(found) == set(combinations(("judge-1", "judge-2", "judge-3"), 2))
    for (one, other), row in found.items():
        expected = clustered_mean(list(scores[one] - scores[other]), list(scores["document_sha256"]))
        assert_mean(row, "mean_difference", "mean_difference_se", expected)


def assert_mean(row: Row, name: str, error: str, expected: tuple[float, float, int]) -> None:
    """Compare a mean with its error and number of documents."""
    assert (float(row[name]), float(row[error])) == pytest.approx(expected[:2], abs=2e-9)
    assert row["documents_n"] == expected[2]


def biases(bench: Bench) -> pd.DataFrame:
    """Return each score minus the mean of the other judges, with the families."""
    frame = table(bench)
    others = frame.groupby(["run_id", "task_id"])["score"].transform("sum") - frame["score"]
    frame["bias"] = frame["score"] - others / (frame["judges_n"] - 1)
    families = {"m-a": "qwen", "m-b": "gpt", "m-c": "qwen"}
    frame["family"] = frame["model"].map(families)
    return frame


def test_bias_is_against_the_other_judges_with_equivalence_limits(bench: Bench) -> None:
    """Mean bias by judge and family, its clustered error, and the limits of two one-sided tests at 5 %."""
    frame = biases(bench)
    rows = bench.rows("FROM judge_bias")
    assert len(rows) == 6
    for row in rows:
        part = frame[(frame["judge"] == row["judge"]) & (frame["family"] == row["model_family"])]
        expected = clustered_mean(list(part["bias"]), list(part["document_sha256"]))
        assert_mean(row, "mean_difference", "standard_error", expected)
        margin = stats.t.ppf(0.95, expected[2] - 1) * expected[1]
        limits = [float(row["equivalence_low"]), float(row["equivalence_high"])]
        assert limits == pytest.approx([expected[0] - margin, expected[0] + margin], abs=5e-9)
        own = {"judge-1": "qwen", "judge-2": "gpt"}.get(row["judge"])
        assert row["is_own_family"] == (None if own is None else own == row["model_family"])
        assert row["n"] == len(part)


def test_family_bias_is_paired_by_task(bench: Bench) -> None:
    """Own less other family, on the tasks where both were scored; a judge of no declared family has none."""
    frame = biases(bench)
    found = {row["judge"]: row for row in bench.rows("FROM family_bias")}
    assert set(found) == {"judge-1", "judge-2"}
    for judge, own in (("judge-1", "qwen"), ("judge-2", "gpt")):
        part = frame[frame["judge"] == judge].assign(own=lambda all_rows, own=own: all_rows["family"] == own)
        sides = part.pivot_table(index=["task_id", "document_sha256"], columns="own", values="bias").dropna().reset_index()
        expected = clustered_mean(list(sides[True] - sides[False]), list(sides["document_sha256"]))
        assert_mean(found[judge], "bias", "standard_error", expected)
        assert found[judge]["tasks_n"] == len(sides)


def test_a_judge_that_favours_its_family_by_ten_points_is_found_out(workshop: Workshop) -> None:
    """A known bias comes back whole, not shrunk by the panel's own mean, whatever the severity of the judge."""
    pick = random.Random(8)
    made = Bench(workshop, *clustered_tasks(9, 18))

    def outcomes(model: str, bonus: int) -> dict[str, Any]:
        levels = {f"t{n:03d}": pick.randint(20, 60) for n in range(18)}
        return {key: graded(f"{model} {key}", level - 5 + bonus, level, level) for key, level in levels.items()}

    made.run("m-a", outcomes("m-a", 10), judges=PANEL, family="qwen")
    made.run("m-b", outcomes("m-b", 0), judges=PANEL, family="gpt")
    found = {(row["judge"], row["model_family"]): row["mean_difference"] for row in made.rows("FROM judge_bias")}
    assert (found["judge-1", "qwen"], found["judge-1", "gpt"]) == (Decimal("0.05"), Decimal("-0.05"))
    bias = {row["judge"]: row for row in made.rows("FROM family_bias")}["judge-1"]
    assert (bias["bias"], bias["standard_error"], bias["equivalence_low"]) == (Decimal("0.1"), 0, Decimal("0.1"))


def test_the_points_of_each_criterion_are_those_that_the_reply_lists(workshop: Workshop) -> None:
    """Points stand by their criterion; a list of another length, or none, gives NULL and not a guess."""
    made = Bench(workshop, [task("t000", corpus_file="d.txt")], {"d.txt": "Text."})
    outcome = graded("answer", 1, 1, 1)
    replies = ('{"points_awarded":[60,12.5],"total":72.5}', '{"points_awarded":[60],"total":60}', '{"total":50}')
    made.run("m-a", {"t000": type(outcome)("answer", replies)})
    rows = made.rows("SELECT judge, position, points_possible, points_awarded, status FROM criterion_scores ORDER BY ALL")
    assert [(row["judge"], row["position"], row["points_awarded"]) for row in rows] == [
        ("judge-1", 1, Decimal(60)),
        ("judge-1", 2, Decimal("12.5")),
        ("judge-2", 1, None),
        ("judge-2", 2, None),
        ("judge-3", 1, None),
        ("judge-3", 2, None),
    ]
    assert {(row["position"], row["points_possible"], row["status"]) for row in rows} == {
        (1, Decimal(60), "ok"),
        (2, Decimal(40), "ok"),
    }
