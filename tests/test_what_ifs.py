"""What-ifs that call nobody, against runs that were really made so; slices and cards of runs."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

import pytest
from conftest import Workshop, task
from evidence_rows import Bench, Outcome, clustered_tasks, graded, random_outcomes

TASKS = 24
SMALL = {"en": 100, "cjk": 500}
LARGE = {"en": 100_000, "cjk": 100_000}
FIGURES = ("overall", "overall_lo", "overall_hi", "scored_overall", "scored_n", "tasks_n", "unjudged_n")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bench, dict[str, str]]:
    """One set of answers under two pairs of caps and two panels, so that each what-if has been done for real."""
    made = Bench(Workshop(tmp_path_factory.mktemp("what-ifs")), *clustered_tasks(12, TASKS))
    outcomes = random_outcomes(random.Random(6), TASKS)
    outcomes["t000"] = graded("lacks its second judge", 50, None, 70)
    two = {key: Outcome(outcome.text, outcome.replies[::2], refused=outcome.refused) for key, outcome in outcomes.items()}
    runs = {
        "all": made.run("m-a", outcomes, caps={"m-a": LARGE}),
        "two judges": made.run("m-a", two, caps={"m-a": LARGE}, judges=[{"model": "judge-1"}, {"model": "judge-3"}]),
        "small caps": made.run("m-a", outcomes, caps={"m-a": SMALL}),
    }
    return made, runs


def test_without_a_judge_is_the_run_that_had_none(bench: tuple[Bench, dict[str, str]]) -> None:
    """Leaving a judge out gives the figures of a run whose panel never had it; a task that only it lacked is scored."""
    made, runs = bench
    (found,) = made.rows(f"FROM without_judge('{runs['all']}', 'judge-2')")
    (real,) = made.rows(f"FROM run_scores WHERE run_id = '{runs['two judges']}'")
    assert {name: found[name] for name in FIGURES} == {name: real[name] for name in FIGURES}
    assert found["overall_as_run"] is None
    assert found["class_id"].endswith(" without judge-2")
    assert made.rows(f"FROM without_judge('{runs['all']}', 'nobody')") == []
    (left,) = made.rows(f"FROM without_judge('{runs['all']}', 'judge-1')")
    assert (left["overall"], left["unjudged_n"]) == (None, 1)
    (none,) = made.rows("SELECT COUNT(*) AS n FROM without_judge('no such run', 'judge-1')")
    assert none == {"n": 0}


def test_smaller_caps_are_the_run_under_those_caps(bench: tuple[Bench, dict[str, str]]) -> None:
    """Tasks that fall out of context become zeros, as in a run that was made under those caps."""
    made, runs = bench
    (found,) = made.rows(f"FROM under_caps('{runs['all']}', {SMALL['en']}, {SMALL['cjk']})")
    (real,) = made.rows(f"FROM run_scores WHERE run_id = '{runs['small caps']}'")
    assert {name: found[name] for name in FIGURES} == {name: real[name] for name in FIGURES}
    assert (found["out_of_context_n"], found["unknown_n"]) == (real["out_of_context_n"], 0)
    assert found["newly_out_n"] == real["out_of_context_n"] > 0


def test_larger_caps_leave_new_tasks_unknown(bench: tuple[Bench, dict[str, str]]) -> None:
    """A task that would come into context has no score: figures become bounds, and the real run lies within them."""
    made, runs = bench
    (found,) = made.rows(f"FROM under_caps('{runs['small caps']}', {LARGE['en']}, {LARGE['cjk']})")
    (real,) = made.rows(f"FROM run_scores WHERE run_id = '{runs['all']}'")
    (small,) = made.rows(f"FROM run_scores WHERE run_id = '{runs['small caps']}'")
    assert found["unknown_n"] == small["out_of_context_n"] > 0
    assert (found["overall"], found["scored_overall"]) == (None, None)
    assert found["overall_lo"] <= real["overall_lo"] <= real["overall_hi"] <= found["overall_hi"]
    assert found["scored_overall_lo"] < real["scored_overall"] < found["scored_overall_hi"]
    assert found["overall_lo"] == small["overall_lo"]
    (half,) = made.rows(f"FROM under_caps('{runs['small caps']}', {LARGE['en']}, NULL)")
    assert 0 < half["unknown_n"] < found["unknown_n"]


def test_slices_add_up_to_the_run(bench: tuple[Bench, dict[str, str]]) -> None:
    """Each attribute's values hold every task once: their counts and sums are the run's."""
    made, runs = bench
    (run,) = made.rows(f"FROM run_scores WHERE run_id = '{runs['small caps']}'")
    for attribute in ("language", "is_cjk", "length_bin"):
        rows = made.rows(f"FROM slices WHERE run_id = '{runs['small caps']}' AND attribute = '{attribute}'")
        counted = ("tasks_n", "scored_n", "out_of_context_n", "empty_n", "refused_n", "failed_n", "missing_n", "unjudged_n")
        assert {name: sum(row[name] for row in rows) for name in counted} == {name: run[name] for name in counted}
        total = sum(row["overall_lo"] * row["tasks_n"] for row in rows)
        assert abs(total / TASKS - run["overall_lo"]) < Decimal("2e-9")
        assert {row["class_id"] for row in rows} == {run["class_id"]}
    values = {row["value"] for row in made.rows("FROM slices WHERE attribute = 'is_cjk'")}
    assert values == {"en", "cjk"}


def test_any_scalar_field_of_the_tasks_is_a_slice_and_the_datasets_own_word_counts(workshop: Workshop) -> None:
    """Text, numbers and truth values slice, also inside ground_truth; lists, long texts and nulls do not."""
    truth = {"scoring_rubric": [{"points": 100, "correct_criterion": "c"}], "kind": "date"}
    fields: dict[str, Any] = {
        "language": "zh",
        "level": 3,
        "hard": True,
        "clues": ["x"],
        "gold": "y" * 101,
        "none": None,
        'odd "name': "v",
    }
    tasks = [
        task("t000", corpus_file="a.txt", ground_truth=truth, **fields),
        task("t001", corpus_file="a.txt", level=4),
    ]
    made = Bench(workshop, tasks, {"a.txt": "Text."})
    made.run("m-a", {"t000": graded("x", 100, 100, 100), "t001": graded("y", 50, 50, 50)})
    found = {(row["attribute"], row["value"]): row["overall"] for row in made.rows("FROM slices")}
    assert found == {
        ("language", "zh"): 1,
        ("language", "en"): Decimal("0.5"),
        ("is_cjk", "en"): Decimal("0.75"),
        ("length_bin", "under 10k"): Decimal("0.75"),
        ("level", "3"): 1,
        ("level", "4"): Decimal("0.5"),
        ("hard", "true"): 1,
        ("ground_truth.kind", "date"): 1,
        ('odd "name', "v"): 1,
    }


def test_a_run_card_holds_what_the_protocol_wants_reported(workshop: Workshop) -> None:
    """Route, endpoint dates, context policy, decoding settings, panel and retry policy, beside the figures."""
    made = Bench(workshop, *clustered_tasks(2, 2))
    outcomes = {"t000": graded("x", 100, 100, 100), "t001": graded("y", 50, 50, 50)}
    made.run("gpt-5.4", outcomes, reasoning=True, send_temperature=False, caps={"gpt-5.4": {"en": 9_000, "cjk": 700}})
    (card,) = made.rows("FROM run_cards")
    assert (card["base_url"], card["served_models"], card["decoding"]) == (
        "http://127.0.0.1:9/v1",
        "gpt-5.4",
        '{"max_tokens":32768}',
    )
    assert (card["cap_en"], card["cap_cjk"], card["cap_source"]) == (9_000, 700, "config")
    assert card["cap_override"] == '{"en":9000,"cjk":700}'
    assert card["panel"].count("judge-") == 3
    assert '"temperature":0.1,"max_tokens":16384' in card["panel"]
    assert '"retries":5' in card["retry_policy"]
    assert card["first_asked_at"] < card["last_asked_at"]
    assert card["first_judged_at"] < card["last_judged_at"]
    assert (card["replicate"], card["overall"], card["complete"]) == (0, Decimal("0.75"), True)
