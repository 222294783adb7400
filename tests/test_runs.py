"""Whole runs through the command, as a user makes them: figures, resuming, and what is asked again."""

from __future__ import annotations

import json

from conftest import Workshop, task
from endpoint import VERDICT, ScriptedEndpoint, error, is_judging, ok, question_of


def unavailable() -> bytes:
    """Return a 503 that may be asked again at once."""
    return error(503, "unavailable", retry_after="0")


def test_figures_count_every_task_of_the_dataset(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """Six tasks at 80 of 100, two out of context, one refused, one empty: Scored 0.8 over 6, All10 0.48, exit 0."""

    def behaviour(_: str, prompt: str, __: int) -> bytes:
        if is_judging(prompt):
            return ok(VERDICT)
        if "t06" in question_of(prompt):
            return ok(None, refusal="I cannot help with that.")
        return ok(" \n " if "t07" in question_of(prompt) else "An answer.")

    endpoint.behaviour = behaviour
    documents = {f"t{n:02d}.txt": "Long document. " * (100 if n > 7 else 1) + str(n) for n in range(10)}
    data = workshop.data([task(f"t{n:02d}") for n in range(10)], documents)
    config = workshop.config(endpoint.base_url, caps={"m-a": {"en": 100, "cjk": 100}})
    done = workshop.run("run", *config, *data, "--out", workshop.folder / "out" / "scores.json")
    assert done.status == 0, done.err
    assert "Scored  0.800000000  (6 tasks scored by the whole panel)" in done.out
    assert "All10  0.480000000" in done.out
    assert endpoint.asked("m-a") == 8
    assert endpoint.asked("judge-1") == 6
    scores = json.loads((workshop.folder / "out" / "scores.json").read_text(encoding="utf-8"))
    assert scores["scored_overall"] == 0.8
    assert scores["all_tasks_overall"] == scores["overall"] == 0.48
    counts = {name: scores[name] for name in ("scored_n", "tasks_n", "out_of_context_n", "refused_n", "empty_n", "missing_n")}
    assert counts == {"scored_n": 6, "tasks_n": 10, "out_of_context_n": 2, "refused_n": 1, "empty_n": 1, "missing_n": 0}


def test_a_complete_run_again_asks_nothing(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """The same command again makes no request and prints the same figures."""
    arguments = ["run", *workshop.config(endpoint.base_url), *workshop.some_data(4)]
    first = workshop.run(*arguments)
    endpoint.forget()
    again = workshop.run(*arguments)
    assert (first.status, again.status, again.out, endpoint.requests) == (0, 0, first.out, [])


def test_resuming_asks_the_task_that_failed_and_no_other(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """A task that met 503 six times is failed, exit 2; the next command asks it alone, one row a task."""
    endpoint.behaviour = lambda _, prompt, __: unavailable() if "t02" in question_of(prompt) else ok("An answer.")
    arguments = ["generate", *workshop.config(endpoint.base_url), *workshop.some_data(10)]
    first = workshop.run(*arguments)
    assert first.status == 2, first.err
    assert endpoint.asked("m-a") == 9 + 6
    assert "503" in first.err
    endpoint.forget()
    endpoint.behaviour = lambda *_: ok("An answer.")
    assert workshop.run(*arguments).status == 0
    assert ["t02" in prompt for prompt in endpoint.prompts] == [True]
    rows = workshop.rows("SELECT task_id, status, attempts_n FROM run_tasks ORDER BY task_id")
    assert [row["task_id"] for row in rows] == [f"t{n:02d}" for n in range(10)]
    assert [row["attempts_n"] for row in rows] == [1, 1, 7, 1, 1, 1, 1, 1, 1, 1]
    assert {row["status"] for row in rows} == {"answered"}


def test_answers_are_never_served_to_another_model(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """Two models on one endpoint are two runs, each asked every task, each with its own answers."""
    data = workshop.some_data(3)
    for model in ("m-a", "m-b"):
        assert workshop.run("run", *workshop.config(endpoint.base_url, model=model), *data).status == 0
        assert endpoint.asked(model) == 3
    rows = workshop.rows("SELECT model, text FROM run_tasks INNER JOIN responses USING (request_key)")
    assert len(rows) == 6
    assert all(f"Answer of {row['model']} to" in row["text"] for row in rows)


def test_a_changed_rubric_is_judged_anew_and_the_old_run_stays(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """With one criterion changed, only that task is judged again, as a new run of a new dataset; the old one is still there."""
    config, documents = workshop.config(endpoint.base_url), {"t1.txt": "One.", "t2.txt": "Two."}
    assert workshop.run("run", *config, *workshop.data([task("t1"), task("t2")], documents)).status == 0
    endpoint.forget()
    changed = task("t1", ground_truth={"scoring_rubric": [{"points": 100, "correct_criterion": "Names the river"}]})
    assert workshop.run("run", *config, *workshop.data([changed, task("t2")], documents)).status == 0
    assert endpoint.asked("m-a") == 0
    assert [endpoint.asked(f"judge-{n}") for n in (1, 2, 3)] == [1, 1, 1]
    assert all("Names the river" in prompt for prompt in endpoint.prompts)
    scores = workshop.rows("SELECT class_id, overall FROM run_scores")
    assert len(scores) == len({row["class_id"] for row in scores}) == 2
    assert all(row["overall"] is not None for row in scores)


def test_judging_again_counts_each_judge_once(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """A judge_replicate is a run of its own; the first run keeps its figures and the history holds both."""
    data = workshop.some_data(5)
    assert workshop.run("run", *workshop.config(endpoint.base_url), *data).status == 0
    assert workshop.run("run", *workshop.config(endpoint.base_url, judge_replicate=1), *data).status == 0
    rows = workshop.rows("SELECT scored_n, overall FROM run_scores")
    assert rows == [{"scored_n": 5, "overall": 0.8}] * 2
    assert workshop.rows("SELECT count(*) AS n FROM judge_replies") == [{"n": 30}]
    assert endpoint.asked("m-a") == 5


def test_an_unreadable_judge_is_no_zero(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """One unreadable reply of three leaves the figures NULL with bounds, exit 2; the next command asks that judge alone."""

    def behaviour(model: str, prompt: str, seen: int) -> bytes:
        if model == "judge-2" and "t01" in prompt and seen == 0:
            return ok("I would give it 80 points.")
        return ok(VERDICT if is_judging(prompt) else f"Answer to {question_of(prompt)}")

    endpoint.behaviour = behaviour
    out = workshop.folder / "scores.json"
    arguments = ["run", *workshop.config(endpoint.base_url), *workshop.some_data(4), "--out", out]
    first = workshop.run(*arguments)
    assert first.status == 2
    assert "All4  NULL" in first.out
    written = json.loads(out.read_text(encoding="utf-8"))
    assert (written["overall"], written["all_tasks_overall"], written["unjudged_n"]) == (None, None, 1)
    (row,) = workshop.rows("SELECT overall, overall_lo, overall_hi, scored_overall, scored_n, complete FROM run_scores")
    assert row == {
        "overall": None, "overall_lo": 0.6, "overall_hi": 0.85, "scored_overall": 0.8, "scored_n": 3, "complete": False,
    }  # fmt: skip
    assert workshop.rows("SELECT status FROM judge_scores WHERE judge = 'judge-2' AND task_id = 't01'") == [
        {"status": "unparsed"}
    ]
    endpoint.forget()
    again = workshop.run(*arguments)
    assert again.status == 0, again.err
    assert [request.json()["model"] for request in endpoint.requests] == ["judge-2"]
    assert "All4  0.800000000" in again.out
    assert workshop.rows("SELECT tries FROM judge_scores WHERE judge = 'judge-2' AND task_id = 't01'") == [{"tries": 2}]


def test_a_failing_judge_is_no_zero(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """With one judge down the run ends incomplete, exit 2, and says which judge and why; nothing is scored by two judges."""
    endpoint.behaviour = lambda model, prompt, _: (
        unavailable() if model == "judge-3" else ok(VERDICT if is_judging(prompt) else "An answer.")
    )
    done = workshop.run("run", *workshop.config(endpoint.base_url), *workshop.some_data(2))
    assert done.status == 2
    assert "2 judge request(s) failed, status_503" in done.err
    assert "it will be within 0.000000000 and 1.000000000" in done.err
    assert (
        workshop.rows("SELECT panel_score, final_score, judges_done, judges_required FROM task_scores")
        == [{"panel_score": None, "final_score": None, "judges_done": 2, "judges_required": 3}] * 2
    )


def test_a_label_names_its_run_until_two_have_it(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """A config with the label of another run is a run of its own; the label alone is then refused, with both ids."""
    data = workshop.some_data(2)
    assert workshop.run("generate", *workshop.config(endpoint.base_url, label="r1"), *data).status == 0
    assert workshop.run("show", "r1").status == 0
    assert workshop.run("generate", *workshop.config(endpoint.base_url, label="r1", temperature=0.7), *data).status == 0
    ids = [row["run_id"] for row in workshop.rows("SELECT run_id FROM runs")]
    ambiguous = workshop.run("show", "r1")
    assert ambiguous.status == 1
    assert all(run_id in ambiguous.err for run_id in ids)
    assert workshop.run("show", ids[0][:6]).status == 0
    assert workshop.run("show", "nothing-like-it").status == 1


def test_what_judges_say_in_fractions_is_not_rounded_before_the_mean(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """Totals 33/33/34 and 67/66/66 of 100 give 0.333333333 and 0.663333333, and Scored their exact mean."""
    totals = {("t00", 1): 33, ("t00", 2): 33, ("t00", 3): 34, ("t01", 1): 67, ("t01", 2): 66, ("t01", 3): 66}

    def behaviour(model: str, prompt: str, _: int) -> bytes:
        if not is_judging(prompt):
            return ok("An answer.")
        return ok(json.dumps({"total": totals["t00" if "t00" in prompt else "t01", int(model[-1])]}))

    endpoint.behaviour = behaviour
    assert workshop.run("run", *workshop.config(endpoint.base_url), *workshop.some_data(2)).status == 0
    assert workshop.rows("SELECT panel_score FROM task_scores ORDER BY task_id") == [
        {"panel_score": 0.333333333},
        {"panel_score": 0.663333333},
    ]
    assert workshop.rows("SELECT scored_overall FROM run_scores") == [{"scored_overall": 0.498333333}]


def test_a_model_on_its_own_panel_has_no_rank(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """The leaderboard ranks complete runs within their class, and leaves out a model that judges itself."""
    data = workshop.some_data(2)
    judges = [{"model": "m-a"}, {"model": "judge-2"}]
    for model in ("m-a", "m-b"):
        assert workshop.run("run", *workshop.config(endpoint.base_url, model=model, judges=judges), *data).status == 0
    board = workshop.run("leaderboard", "--format", "json").json
    assert {row["model"]: row["rank"] for row in board} == {"m-a": None, "m-b": 1}


def test_a_score_of_zero_is_printed_like_any_other(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """Judges that give no point leave zeros with all their digits, not 0E-9."""
    endpoint.behaviour = lambda _, prompt, __: ok('{"points_awarded":[0,0],"total":0}' if is_judging(prompt) else "An answer.")
    done = workshop.run("run", *workshop.config(endpoint.base_url), *workshop.some_data(1))
    assert done.status == 0, done.err
    assert "Scored  0.000000000  (1 tasks" in done.out
    assert "All1  0.000000000" in done.out


def test_an_empty_panel_scores_nothing(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """`judges: []` is a panel of none: nothing is scored, the figures are NULL, exit 2; no `judges` at all is an error."""
    data = workshop.some_data(2)
    done = workshop.run("run", *workshop.config(endpoint.base_url, judges=[]), *data)
    assert (done.status, "All2  NULL" in done.out) == (2, True)
    none_named = workshop.run("judge", *workshop.config(endpoint.base_url, judges=None), *data[:2])
    assert none_named.status == 1
    assert "judges" in none_named.err


def test_plan_calls_nobody_and_writes_nothing(bare_workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """`plan` says what would be asked, before and after a run; it makes no ledger and no request."""
    data, config = bare_workshop.some_data(3), bare_workshop.config(endpoint.base_url)
    before = bare_workshop.run("plan", *config, *data, "--format", "json").json
    assert (before["requests_to_make"], before["already_answered"], before["judge_requests_at_most"]) == (3, 0, 9)
    assert before["cap_source"] == "default"
    assert not bare_workshop.ledger.exists()
    assert endpoint.requests == []
    assert bare_workshop.run("generate", *config, *data).status == 0
    after = bare_workshop.run("plan", *config, *data)
    assert "probe" in after.err.lower()
    assert bare_workshop.run("plan", *config, *data, "--format", "json").json["already_answered"] == 3
