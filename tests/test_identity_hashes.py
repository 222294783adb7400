"""Every hash is made of what docs/identity.md says: its test vectors are read from the page and computed again."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from conftest import Workshop
from hypothesis import given, settings
from hypothesis import strategies as st
from test_identity_changes import CHANGES

from ledger import config, identity, plan, prompts, schema
from ledger.dataset import Dataset
from ledger.evidence import Run
from ledger.store import Store

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "identity.md").read_text(encoding="utf-8")
VECTORS: list[dict[str, Any]] = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
EXAMPLES = {vector["hash"]: vector["expected"] for vector in reversed(VECTORS)}
"""The first result on the page of each hash."""


def rubric_of(source: dict[str, Any]) -> list[tuple[Decimal, str]]:
    """Return a rubric as the program holds it."""
    return [(Decimal(entry["points"]), entry["correct_criterion"]) for entry in source["rubric"]]


def prompt_sha256(source: dict[str, Any]) -> str:
    """Return the hash of an answer's or a judge's prompt."""
    if "document" in source:
        return prompts.answer_prompt_sha256(source["question"], source["document"].encode())
    return identity.sha256_text(prompts.judge_prompt(source["question"], rubric_of(source), source["response"]))


HASHES: dict[str, Callable[[Any], str]] = {
    "document_sha256": lambda source: identity.sha256_text(source["text"]),
    "prompt_sha256": prompt_sha256,
    "response_sha256": lambda source: identity.sha256_text(source["text"]),
    "task_sha256": lambda source: identity.task_sha256(
        source["task_id"], source["question"], source["document_sha256"], rubric_of(source)
    ),
    "dataset_sha256": identity.dataset_sha256,
    "attributes_sha256": plan.attributes_sha256,
    "request_key": lambda source: (identity.answer_key if "replicate" in source else identity.judge_key)(**source),
    "attempt_key": lambda source: identity.attempt_key(**{**source, "body": source["body"].encode()}),
    "run_id": identity.run_id,
}
ELSEWHERE = {"configs", "class_id", "aggregation_fingerprint"}


def test_every_hash_has_its_vectors() -> None:
    """The page names no hash that is not tested here, and leaves none out."""
    assert set(EXAMPLES) == HASHES.keys() | ELSEWHERE
    assert [vector["hash"] for vector in VECTORS].count("request_key") == 2


@pytest.mark.parametrize("vector", [vector for vector in VECTORS if vector["hash"] in HASHES], ids=lambda vector: vector["hash"])
def test_the_program_gives_the_hash_of_the_page(vector: dict[str, Any]) -> None:
    """From the ingredients on the page the program computes the result on the page."""
    assert HASHES[vector["hash"]](vector["from"]) == vector["expected"]


@pytest.mark.parametrize("vector", [vector for vector in VECTORS if "hashed" in vector], ids=lambda vector: vector["hash"])
def test_the_hash_is_that_of_the_text_shown(vector: dict[str, Any]) -> None:
    """The sha256 of the text that the page calls `hashed` is the result, so nobody needs this program to check a key."""
    digest = hashlib.sha256(vector["hashed"].encode("utf-8")).hexdigest()
    assert digest[: len(vector["expected"])] == vector["expected"]
    assert len(vector["expected"]) == (12 if vector["hash"] in {"run_id", "class_id"} else 64)


def plan_of(tmp_path: Path) -> plan.Plan:
    """Return the plan of the page's config over the page's dataset."""
    (body,) = [vector["from"] for vector in VECTORS if vector["hash"] == "configs"]
    (tmp_path / "config.json").write_text(json.dumps(body), encoding="utf-8")
    return plan.make_plan(Dataset(EXAMPLES["dataset_sha256"], "tasks.json", ()), config.load(tmp_path / "config.json"))


def test_a_config_gives_the_fingerprints_of_the_page(tmp_path: Path) -> None:
    """The page's config.json has the page's fingerprints and run id, and the bodies it shows stand in `configs`."""
    planned = plan_of(tmp_path)
    found: dict[str, Any] = {row.kind: row.fingerprint for row in planned.configs if row.kind != "judge"}
    found["judge"] = sorted(row.fingerprint for row in planned.configs if row.kind == "judge")
    assert found == EXAMPLES["configs"]
    assert planned.run.run_id == EXAMPLES["run_id"]
    shown = re.findall(r"^\| `(\w+)` \| `(\{.*\})` \|$", PAGE, re.MULTILINE)
    bodies = [(row.kind, row.body) for row in planned.configs]
    assert len(shown) == 5
    assert all((kind, json.loads(body)) in bodies for kind, body in shown)


def test_the_vectors_of_the_page_are_one_example(tmp_path: Path) -> None:
    """Documents, tasks, dataset, config, requests, run and class of the page follow from each other."""
    planned = plan_of(tmp_path)
    by_hash: dict[str, list[dict[str, Any]]] = {}
    for vector in VECTORS:
        by_hash.setdefault(vector["hash"], []).append(vector)
    answer, judgement = by_hash["request_key"]
    answer_prompt, judge_prompt = by_hash["prompt_sha256"]
    assert answer_prompt["from"]["document"] == by_hash["document_sha256"][0]["from"]["text"]
    assert judge_prompt["from"]["response"] == by_hash["response_sha256"][0]["from"]["text"]
    assert {task["from"]["document_sha256"] for task in by_hash["task_sha256"]} == {EXAMPLES["document_sha256"]}
    assert set(by_hash["dataset_sha256"][0]["from"].values()) == {task["expected"] for task in by_hash["task_sha256"]}
    assert answer["from"]["prompt_sha256"] == answer_prompt["expected"]
    assert judgement["from"]["prompt_sha256"] == judge_prompt["expected"]
    (route,) = [row.body for row in planned.configs if row.kind == "route"]
    assert {**answer["from"], **route} == answer["from"]
    assert any({**judgement["from"], **row.body} == judgement["from"] for row in planned.configs if row.kind == "judge")
    assert by_hash["attempt_key"][0]["from"]["request_key"] == answer["expected"]
    assert by_hash["class_id"][0]["from"]["aggregation"] == EXAMPLES["aggregation_fingerprint"]
    assert set(by_hash["class_id"][0]["from"]) == {
        "aggregation", "cap_rule", "dataset", "decoding_policy", "judge_template", "panel_policy", "prompt_template",
        "retry_policy", "verdict_parser",
    }  # fmt: skip


def test_the_view_gives_the_class_of_the_page(workshop: Workshop, tmp_path: Path) -> None:
    """A real ledger computes the page's class id from the run's row and the reader's parser and aggregation."""
    (vector,) = [vector for vector in VECTORS if vector["hash"] == "class_id"]
    run: Run = plan_of(tmp_path).run
    with Store(workshop.ledger).writing() as connection:
        connection.insert([run])
        connection.run("replace_meta", name="aggregation_fingerprint", value=vector["from"]["aggregation"])
        connection.run("replace_meta", name="parser_version", value=vector["from"]["verdict_parser"])
        (row,) = connection.select("SELECT class_id FROM run_classes")
    assert row["class_id"] == vector["expected"]


def test_the_aggregation_fingerprint_is_made_as_the_page_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Over the page's two small files, the fingerprint is the page's."""
    (vector,) = [vector for vector in VECTORS if vector["hash"] == "aggregation_fingerprint"]
    files = {name: tmp_path / f"{name}.sql" for name in vector["from"]}
    for name, path in files.items():
        path.write_text(vector["from"][name], encoding="utf-8")
    monkeypatch.setattr(schema, "object_files", lambda: files)
    monkeypatch.setattr(schema, "AGGREGATION", tuple(files))
    assert schema.aggregation_fingerprint.__wrapped__() == vector["expected"]
    assert list(files) == sorted(files)


def test_the_table_of_changes_says_what_the_tests_of_changes_hold() -> None:
    """Each tested change is a row of the page with the same outcome; the other rows are tested by name."""
    table = PAGE.partition("| change |")[2]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:] if line.startswith("|")]
    rows = {name: rest for name, *rest in cells}
    for change in CHANGES:
        answers, judgements, run, klass, finding = rows.pop(change.name)
        assert (answers == "none") == (change.answers == 0), change.name
        assert (judgements.startswith("none") or judgements == "of answers that differ") == (change.judgements == 0), change.name
        assert (run == "new", klass == "new") == (change.new_run, change.new_class), change.name
        assert finding == (change.finding or "none"), change.name
    assert list(rows) == [
        "a cap that overrides the protocol's table",
        "prompt template, judge template (a new version of this tool)",
        "retry policy (a new version of this tool)",
        "verdict parser, aggregation views (a new version of this tool)",
    ]


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab漢😀\ue000", max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(JSON_VALUES)
@settings(max_examples=80, deadline=None)
def test_a_fingerprint_does_not_depend_on_the_order_of_names(value: Any) -> None:
    """A JSON value has one canonical form, however its objects were filled."""

    def turned(inner: Any) -> Any:
        if isinstance(inner, dict):
            return {name: turned(each) for name, each in reversed(inner.items())}
        return [turned(each) for each in inner] if isinstance(inner, list) else inner

    assert identity.canonical_json(turned(value)) == identity.canonical_json(value)
    assert json.loads(identity.canonical_json(value)) == value


@given(st.decimals(0, 1_000_000, places=9))
@settings(max_examples=80, deadline=None)
def test_points_have_one_spelling(points: Decimal) -> None:
    """Equal numbers are spelt alike, without exponent or trailing zeros, and read back exactly."""
    text = identity.decimal_text(points)
    assert re.fullmatch(r"(0|[1-9]\d*)(\.\d*[1-9])?", text)
    assert Decimal(text) == points
    assert identity.decimal_text(points.normalize()) == identity.decimal_text(points + Decimal("0E-12")) == text


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 2**53 + 1, "\ud800"], ids=["NaN", "infinity", "2^53+1", "surrogate"]
)
def test_what_has_no_canonical_form_has_no_fingerprint(value: Any) -> None:
    """A value that readers could read differently is refused, never hashed as something near it."""
    with pytest.raises(ValueError, match=r"JCS|domain|codepoints"):
        identity.fingerprint({"a": value})
