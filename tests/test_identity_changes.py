"""What a change makes new: requests, run, class. The table of docs/identity.md, line by line."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from conftest import Workshop, task
from endpoint import ScriptedEndpoint, ok

from ledger import config, dataset, plan, protocol, schema
from ledger.generate import generate, record_run
from ledger.judge import judge
from ledger.store import Store

Flags = list[str | Path]
DOCUMENTS = {"a.txt": "Document a.", "b.txt": "Document b, which is a little longer."}
TASKS = [task("t1", corpus_file="a.txt"), task("t2", corpus_file="b.txt")]
JUDGES = [{"model": "judge-1"}, {"model": "judge-2"}, {"model": "judge-3"}]
GENERATION, JUDGING = 2, 6


@dataclass(frozen=True)
class Change:
    """A change of config or data, and what it makes new: answers asked, judgements asked, run, class, and the mix found."""

    name: str
    answers: int
    judgements: int
    new_run: bool
    new_class: bool
    keys: dict[str, Any] = field(default_factory=dict)
    tasks: list[dict[str, Any]] = field(default_factory=lambda: TASKS)
    documents: dict[str, str] = field(default_factory=lambda: DOCUMENTS)
    other_endpoint_for: str | None = None
    finding: str = ""


def judges(*changes: dict[str, Any]) -> dict[str, Any]:
    """Return a panel of three with changes to its first judges."""
    return {"judges": [{**judge, **change} for judge, change in zip(JUDGES, [*changes, {}, {}, {}], strict=False)]}


CHANGES = [
    Change("label", 0, 0, False, False, {"label": "another"}),
    Change("concurrency and timeout", 0, 0, False, False, {"concurrency": 3, "timeout_s": 77}),
    Change("name of the key's variable", 0, 0, False, False, {"api_key_env": None}),
    Change("order of rows", 0, 0, False, False, tasks=TASKS[::-1]),
    Change("family and judge labels", 0, 0, False, False, {"family": "f", **judges({"label": "J", "family": "g"})}),
    Change("a cap that brings no task in", 0, 0, True, False, {"caps": {"m-a": {"en": 20, "cjk": 999_999}}}, finding="caps"),
    Change("a cap that brings a task in", 1, 3, True, False, {"caps": {"m-a": {"en": 2_850_000, "cjk": 5}}}, finding="caps"),
    Change(
        "a caps entry for another, unlisted model", 0, 0, False, False,
        {"caps": {"m-a": {"en": 20, "cjk": 20}, "m-z": {"en": 9, "cjk": 9}}},
    ),
    Change("model", 1, 0, True, False, {"model": "m-b", "caps": {"m-b": {"en": 20, "cjk": 20}}}),
    Change("base URL of the model", 1, 0, True, False, other_endpoint_for="model", finding="base_url"),
    Change("temperature left out", 1, 0, True, False, {"send_temperature": False}),
    Change("32768 for a reasoning model", 1, 0, True, False, {"reasoning": True}),
    Change("another temperature", 1, 0, True, True, {"temperature": 0.7}, finding="decoding_policy"),
    Change("another max_tokens", 1, 0, True, True, {"max_tokens": 4096}, finding="decoding_policy"),
    Change("an extra_body key", 1, 0, True, True, {"extra_body": {"top_p": 0.9}}, finding="decoding_policy"),
    Change("replicate", 1, 0, True, False, {"replicate": 1}),
    Change("judge_replicate", 0, 3, True, False, {"judge_replicate": 1}),
    Change("a judge's model", 0, 1, True, True, judges({"model": "judge-9"}), finding="panel_policy"),
    Change("a judge's settings", 0, 1, True, True, judges({"max_tokens": 999}), finding="judge_settings, panel_policy"),
    Change("panel size", 0, 0, True, True, {"judges": JUDGES[:2]}, finding="panel_policy"),
    Change("a judge's base URL", 0, 1, True, False, other_endpoint_for="judge", finding="judge_base_url"),
    Change("the panel's order", 0, 0, False, False, {"judges": JUDGES[::-1]}),
    Change("a document", 1, 0, True, True, documents={**DOCUMENTS, "a.txt": "Document A."}, finding="dataset"),
    Change("a question", 1, 3, True, True, tasks=[task("t1", "Another?", "a.txt"), TASKS[1]], finding="dataset"),
    Change(
        "a rubric", 0, 3, True, True,
        tasks=[{**TASKS[0], "ground_truth": {"scoring_rubric": [{"points": 100, "correct_criterion": "x"}]}}, TASKS[1]],
        finding="dataset",
    ),
    Change("an unknown field of a task", 0, 0, False, False, tasks=[{**TASKS[0], "language": "en"}, TASKS[1]]),
]  # fmt: skip


class Quiet:
    """A progress that nobody watches."""

    def begin(self, title: str, total: int) -> None:
        """Say nothing."""

    def step(self, outcome: str, tokens: int) -> None:
        """Say nothing."""

    def say(self, message: str) -> None:
        """Say nothing."""

    def end(self) -> None:
        """Say nothing."""


def run(workshop: Workshop, config_flags: Flags, data_flags: Flags) -> None:
    """Do what `wildtrace run` does, in this process."""
    store, settings = Store(workshop.ledger), config.load(Path(config_flags[1]))
    loaded = dataset.load(Path(data_flags[1]), Path(data_flags[3]))
    planned = plan.make_plan(loaded.dataset, settings)
    generate(store, loaded, planned, settings, Quiet())
    judge(store, loaded.dataset, planned, settings, Quiet())


def same_answer(_: str, prompt: str, __: int) -> bytes:
    """Answer every contestant alike, so that judgements are shared wherever the judge prompt is the same."""
    return ok('{"total": 50}' if prompt.startswith("STRICT grader.") else "The same answer.")


BASE: dict[str, Any] = {"caps": {"m-a": {"en": 20, "cjk": 20}}, "judges": JUDGES}


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workshop, ScriptedEndpoint]]:
    """A complete run with one of two tasks in context, and the endpoint it asked."""
    made = Workshop(tmp_path_factory.mktemp("baseline"))
    with ScriptedEndpoint(same_answer) as asked:
        assert made.run("run", *made.config(asked.base_url, **BASE), *made.data(TASKS, DOCUMENTS)).status == 0
        yield made, asked


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name.replace(" ", "-"))
def test_a_change_makes_new_what_the_table_says(
    workshop: Workshop, baseline: tuple[Workshop, ScriptedEndpoint], endpoint: ScriptedEndpoint, change: Change
) -> None:
    """After a run with one task in context, the changed run asks, and differs in run and class, as the table says."""
    made, first = baseline
    shutil.copy(made.ledger, workshop.ledger)
    old = board(workshop)
    first.forget()
    endpoint.behaviour = same_answer
    keys: dict[str, Any] = {**BASE, **change.keys}
    address = first.base_url
    if change.other_endpoint_for == "judge":
        keys["judges"] = [{**JUDGES[0], "base_url": endpoint.base_url}, *JUDGES[1:]]
    if change.other_endpoint_for == "model":
        keys["judges"], address = [{**judge, "base_url": first.base_url} for judge in JUDGES], endpoint.base_url
    run(workshop, workshop.config(address, **keys), workshop.data(change.tasks, change.documents))
    asked = [prompt.startswith("STRICT grader.") for prompt in [*first.prompts, *endpoint.prompts]]
    new = {run: klass for run, klass in board(workshop).items() if run not in old}
    assert (asked.count(False), asked.count(True)) == (change.answers, change.judgements)
    assert bool(new) == change.new_run
    if new:
        assert (set(new.values()) != set(old.values())) == change.new_class
    assert mixes(workshop) == change.finding


def test_a_cap_that_overrides_the_table_is_a_class_of_its_own(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """A listed model under another cap than the protocol's asks nothing anew, but may not be compared."""
    endpoint.behaviour = same_answer
    data = workshop.data(TASKS, DOCUMENTS)
    workshop.run("run", *workshop.config(endpoint.base_url, model="gpt-5.4"), *data)
    old = board(workshop)
    endpoint.forget()
    workshop.run("run", *workshop.config(endpoint.base_url, model="gpt-5.4", caps={"gpt-5.4": {"en": 99, "cjk": 99}}), *data)
    assert endpoint.requests == []
    assert len(set(board(workshop).values()) - set(old.values())) == 1
    assert mixes(workshop) == "cap_rule, caps"


def mixes(workshop: Workshop) -> str:
    """Return in what the runs of the ledger differ that they must have in common."""
    return ", ".join(
        row["dimension"] for row in workshop.rows("SELECT DISTINCT dimension FROM mixing WHERE is_mix ORDER BY dimension")
    )


def board(workshop: Workshop) -> dict[str, str]:
    """Return the class of each run."""
    with Store(workshop.ledger).reading() as connection:
        return {row["run_id"]: row["class_id"] for row in connection.select("FROM leaderboard")}


@pytest.mark.parametrize(
    ("change", "moves_run"),
    [
        (lambda patch: patch.setattr(protocol, "ANSWER_TEMPLATE", ("Another. ", *protocol.ANSWER_TEMPLATE)), True),
        (lambda patch: patch.setattr(protocol, "JUDGE_TEMPLATE", ("Another. ", *protocol.JUDGE_TEMPLATE)), True),
        (lambda patch: patch.setattr("ledger.plan.RETRY_POLICY", {"retries": 9}), True),
        (lambda patch: patch.setattr("ledger.store.PARSER_VERSION", "next"), False),
        (lambda patch: patch.setattr(schema, "aggregation_fingerprint", lambda: "0" * 64), False),
    ],
    ids=["prompt-template", "judge-template", "retry-policy", "verdict-parser", "aggregation"],
)
def test_a_new_version_of_the_tool_is_a_new_class(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, change: Callable[[pytest.MonkeyPatch], None], *, moves_run: bool
) -> None:
    """Templates and retry policy move run and class, parser and aggregation the class of every run there is."""
    flags = workshop.data(TASKS, DOCUMENTS)
    workshop.config("http://127.0.0.1:9/v1")
    settings = config.load(workshop.folder / "config.json")

    def run_and_class() -> tuple[str, str]:
        loaded = dataset.load(Path(flags[1]), Path(flags[3]))
        planned = plan.make_plan(loaded.dataset, settings)
        store = Store(workshop.ledger)
        record_run(store, planned, settings, loaded)
        with store.reading() as connection:
            found = {row["run_id"]: row["class_id"] for row in connection.select("FROM run_classes")}
        return planned.run.run_id, found[planned.run.run_id]

    old_run, old_class = run_and_class()
    change(monkeypatch)
    new_run, new_class = run_and_class()
    assert (new_run != old_run) == moves_run
    assert new_class != old_class


def test_a_new_parser_reads_stored_replies_again_and_calls_nobody(
    workshop: Workshop, endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opened by a version with another parser, the ledger's replies get that parser's verdicts, without a request."""
    endpoint.behaviour = same_answer
    workshop.run("run", *workshop.config(endpoint.base_url), *workshop.data(TASKS, DOCUMENTS))
    endpoint.forget()
    monkeypatch.setattr("ledger.store.PARSER_VERSION", "next")
    monkeypatch.setattr("ledger.verdict.PARSER_VERSION", "next")
    with Store(workshop.ledger).reading() as connection:
        counts = connection.select("SELECT parser_version, COUNT(*) AS n FROM verdicts GROUP BY ALL ORDER BY ALL")
        (row,) = connection.select("FROM run_scores")
    assert counts == [{"parser_version": "1", "n": 6}, {"parser_version": "next", "n": 6}]
    assert (row["complete"], endpoint.requests) == (True, [])


def test_runs_that_share_verdicts_say_so(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """Two models with the same answer share the judges' replies, shown as verdict_shared_n."""
    endpoint.behaviour = same_answer
    data = workshop.some_data(1)
    workshop.run("run", *workshop.config(endpoint.base_url), *data)
    workshop.run("run", *workshop.config(endpoint.base_url, model="m-b"), *data)
    assert len(endpoint.requests) == 2 + 3
    rows = workshop.rows("SELECT model, verdict_shared_n FROM judge_scores ORDER BY ALL")
    assert [row["verdict_shared_n"] for row in rows] == [2] * 6
