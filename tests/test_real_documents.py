"""Real long documents, English and Chinese, 27 MB of them: scope, prompts and figures, through the command and real HTTP."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from conftest import Workshop, task
from endpoint import ScriptedEndpoint, is_judging, ok

from ledger import config, dataset, generate, plan
from ledger.store import Store

MODELS = ("gpt-5.4", "qwen3-max", "minimax-m2.7", "kimi-k2.6")
GBK = "sanguo_gbk_crlf.txt"
PROMPT = "Answer using ONLY the document below. Include every specific detail from the text.\n\nQuestion: {}\n\nDocument:\n{}"


def total_of(model: str, prompt: str) -> int:
    """Return the points that a judge gives: any number that depends on judge and prompt."""
    return int(hashlib.sha256(f"{model} {prompt}".encode()).hexdigest(), 16) % 101


def grade_or_answer(model: str, prompt: str, _: int) -> bytes:
    """Judge by hash; answer with what depends on model and prompt."""
    if is_judging(prompt):
        return ok(json.dumps({"total": total_of(model, prompt)}))
    return ok(f"{model} read {len(prompt)} characters: {hashlib.sha256(prompt.encode()).hexdigest()}")


@pytest.fixture(scope="module")
def four_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workshop, ScriptedEndpoint, Path]]:
    """The 18 tasks run by four models into one ledger, two of them from the nested form and two from the .jsonl form."""
    shared = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not shared.is_dir():
        pytest.skip("NOT RUN: the real documents are not in shared/ beside this checkout")
    workshop = Workshop(tmp_path_factory.mktemp("real"))
    with ScriptedEndpoint(grade_or_answer) as endpoint:
        for model, form in zip(MODELS, ("tasks.json", "tasks.jsonl") * 2, strict=True):
            data: list[str | Path] = ["--data", shared / form, "--corpus", shared / "corpus", "--encoding", f"{GBK}=gb18030"]
            done = workshop.run("run", *workshop.config(endpoint.base_url, model=model), *data)
            assert done.status == 0, done.err
        yield workshop, endpoint, shared


def test_both_forms_are_one_dataset(four_runs: tuple[Workshop, ScriptedEndpoint, Path]) -> None:
    """The nested .json and the .jsonl with serialized ground truth have one hash; documents are stored once."""
    workshop, _, _ = four_runs
    assert workshop.rows("SELECT count(*) AS n, count(DISTINCT dataset_sha256) AS datasets FROM runs") == [
        {"n": 4, "datasets": 1}
    ]
    assert workshop.rows("SELECT count(*) AS n FROM documents") == [{"n": 18}]


def test_scope_is_as_the_protocol_says(four_runs: tuple[Workshop, ScriptedEndpoint, Path]) -> None:
    """run_tasks agrees with the expected lengths, the CJK rule and the caps, document by document; none of it was sent else."""
    workshop, endpoint, shared = four_runs
    expected = json.loads((shared / "expected_scope.json").read_text(encoding="utf-8"))
    files = {row["task_id"]: row["corpus_file"] for row in json.loads((shared / "tasks.json").read_text(encoding="utf-8"))}
    rows = workshop.rows("SELECT * FROM run_tasks")
    assert len(rows) == 4 * 18
    for row in rows:
        facts = expected[files[row["task_id"]]]
        assert (row["document_chars"], row["is_cjk"]) == (facts["chars"], facts["is_cjk"]), row["task_id"]
        assert (row["status"] == "answered") == facts["in_context"][row["model"]], (row["task_id"], row["model"])
        assert row["status"] in {"answered", "out_of_context"}
    in_context = sum(facts["in_context"][model] for facts in map(expected.get, files.values()) for model in MODELS)
    assert sum(endpoint.asked(model) for model in MODELS) == in_context < 4 * 18


def test_prompts_received_are_the_protocols(four_runs: tuple[Workshop, ScriptedEndpoint, Path]) -> None:
    """What the endpoint received is the protocol's text with the whole document, byte for byte."""
    _, endpoint, shared = four_runs
    tasks = json.loads((shared / "tasks.json").read_text(encoding="utf-8"))
    texts = set()
    for record in tasks:
        encoding = "gb18030" if record["corpus_file"] == GBK else "utf-8"
        with (shared / "corpus" / record["corpus_file"]).open(encoding=encoding) as file:  # universal newlines, BOM kept
            texts.add(PROMPT.format(record["question_text"], file.read()))
    received = [prompt for prompt in endpoint.prompts if not is_judging(prompt)]
    assert received
    assert set(received) <= texts
    assert all(request.body.decode("utf-8") for request in endpoint.requests)


def test_figures_equal_exact_rationals(four_runs: tuple[Workshop, ScriptedEndpoint, Path]) -> None:
    """Scored and All18 of each run equal rational arithmetic over the replies that were sent, to 1e-9."""
    workshop, endpoint, shared = four_runs
    points = {
        row["task_id"]: sum(entry["points"] for entry in row["ground_truth"]["scoring_rubric"])
        for row in json.loads((shared / "tasks.json").read_text(encoding="utf-8"))
    }
    query = "SELECT model, task_id, judge_requests.prompt_sha256, text FROM judge_requests "
    query += "INNER JOIN runs USING (run_id) INNER JOIN prompt_texts USING (prompt_sha256)"
    sums: dict[tuple[str, str], Fraction] = {}
    prompts = {(row["model"], row["task_id"]): row["text"] for row in workshop.rows(query)}
    received = set(endpoint.prompts)
    for (model, task_id), prompt in prompts.items():
        assert prompt in received
        totals = [min(total_of(f"judge-{n}", prompt), 100) for n in (1, 2, 3)]
        sums[model, task_id] = Fraction(sum(totals), 3 * points[task_id])
    for row in workshop.rows("SELECT * FROM run_scores"):
        mine = [score for (model, _), score in sums.items() if model == row["model"]]
        total = sum(mine, Fraction(0))
        assert row["scored_n"] == len(mine)
        assert abs(Fraction(row["scored_overall"]) - total / len(mine)) < Fraction(1, 10**9)
        assert abs(Fraction(row["all_tasks_overall"]) - total / 18) < Fraction(1, 10**9)


def test_every_document_is_in_or_out_for_every_model(workshop: Workshop, shared: Path) -> None:
    """All 25 documents and seven models of the expected table, by run_tasks, without a call."""
    expected: dict[str, Any] = json.loads((shared / "data" / "expected_scope.json").read_text(encoding="utf-8"))
    path = workshop.folder / "tasks.json"
    path.write_text(json.dumps([task(name, corpus_file=name) for name in expected]), encoding="utf-8")
    loaded = dataset.load(path, shared / "data" / "corpus", {GBK: "gb18030"})
    store = Store(workshop.ledger)
    models = list(next(iter(expected.values()))["in_context"])
    for model in models:
        workshop.config("http://127.0.0.1:9/v1", model=model)
        settings = config.load(workshop.folder / "config.json")
        generate.record_run(store, plan.make_plan(loaded.dataset, settings), settings, loaded)
    found = {
        (row["task_id"], row["model"]): row["status"] for row in workshop.rows("SELECT task_id, model, status FROM run_tasks")
    }
    assert found == {
        (name, model): "missing" if facts["in_context"][model] else "out_of_context"
        for name, facts in expected.items()
        for model in models
    }


def test_a_document_in_another_encoding_is_refused_by_name(bare_workshop: Workshop, shared: Path) -> None:
    """The GBK file stops the import, with its name and the way to say its encoding."""
    done = bare_workshop.run("import", "--data", shared / "data" / "tasks.json", "--corpus", shared / "data" / "corpus")
    assert done.status == 1
    assert f"{GBK}: not utf-8 at byte" in done.err
    assert f"--encoding {GBK}=" in done.err
    assert not bare_workshop.ledger.exists()
