"""Files of the user's: datasets in, responses.json and scores.json out and in again, encodings, half files never."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Workshop, task
from endpoint import VERDICT, ScriptedEndpoint, is_judging, ok


def read(path: Path) -> Any:
    """Return a JSON file's value."""
    return json.loads(path.read_text(encoding="utf-8"))


def test_a_broken_line_imports_nothing(bare_workshop: Workshop) -> None:
    """Line 300 of 481 is cut: the import fails, names the line, and the ledger has no row of it."""
    lines = [
        json.dumps({**task(f"t{n}", corpus_file="d.txt"), "ground_truth": json.dumps(task("x")["ground_truth"])})
        for n in range(481)
    ]
    lines[299] = lines[299][:40]
    data = bare_workshop.data([], {"d.txt": "A document."}, name="unused.json")
    path = bare_workshop.folder / "tasks.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    done = bare_workshop.run("import", "--data", path, *data[2:])
    assert done.status == 1
    assert "line 300" in done.err
    assert not bare_workshop.ledger.exists()


def test_all_problems_of_a_dataset_are_told_in_one_go(bare_workshop: Workshop) -> None:
    """Each problem has its row and field; missing documents and bad encodings are told beside them; nothing is imported."""
    tasks = [task("t1"), {**task("t2"), "question_text": 7}, task("t1"), task("t4", corpus_file="../config.json"), task("t5")]
    data = bare_workshop.data(tasks, {"t1.txt": "One."})
    (bare_workshop.folder / "corpus" / "t5.txt").write_bytes("第一回".encode("gb18030"))
    done = bare_workshop.run("import", *data)
    assert done.status == 1
    for words in ("row 2 (t2): question_text", "row 3 (t1): task_id", "../config.json: outside", "t5.txt: not utf-8 at byte 0"):
        assert words in done.err
    assert not bare_workshop.ledger.exists()
    assert (
        bare_workshop.run("import", *bare_workshop.data([task("t1"), task("t5")], {}), "--encoding", "t5.txt=gb18030").status == 0
    )
    assert bare_workshop.rows("SELECT text FROM documents ORDER BY text") == [{"text": "One."}, {"text": "第一回"}]
    assert bare_workshop.rows("SELECT encoding FROM document_files WHERE corpus_file = 't5.txt'") == [{"encoding": "gb18030"}]


def test_responses_json_says_what_came_back(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """Every task has a row with status, text, finish reason, usage and the hash of its prompt; folders are made."""
    endpoint.behaviour = lambda _, prompt, __: ok(None, refusal="no") if "t01" in prompt else ok("An answer — 答.")
    out = workshop.folder / "made" / "for it" / "responses.json"
    data = workshop.data([task(f"t{n:02d}") for n in range(3)], {f"t{n:02d}.txt": "d" * (1 + 50 * n) for n in range(3)})
    config = workshop.config(endpoint.base_url, caps={"m-a": {"en": 60, "cjk": 60}})
    assert workshop.run("generate", *config, *data, "--out", out).status == 0
    written = read(out)
    assert written["model"] == "m-a"
    assert written["run_id"] == workshop.rows("SELECT run_id FROM runs")[0]["run_id"]
    assert [(row["task_id"], row["status"], row["response"]) for row in written["responses"]] == [
        ("t00", "answered", "An answer — 答."),
        ("t01", "refused", ""),
        ("t02", "out_of_context", None),
    ]
    assert [row["prompt_sha256"] is None for row in written["responses"]] == [False, False, True]
    assert {"finish_reason", "usage"} <= set(written["responses"][0])


def test_scores_json_says_what_the_figures_are_made_of(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """Figures, counts, class, fingerprints, judges, and each task with each judge's total, score and reply."""
    out = workshop.folder / "scores.json"
    config = workshop.config(endpoint.base_url, label="my run")
    assert workshop.run("run", *config, *workshop.some_data(2), "--out", out).status == 0
    written = read(out)
    assert (written["label"], written["model"], written["overall"], written["tasks_n"]) == ("my run", "m-a", 0.8, 2)
    assert {"class_id", "run_id", "scored_n", "scored_overall", "all_tasks_overall", "unjudged_n", "missing_n"} <= set(written)
    assert {"route", "panel", "prompt_template", "caps", "retry_policy"} <= set(written["fingerprints"])
    assert [judge["judge"] for judge in written["judges"]] == ["judge-1", "judge-2", "judge-3"]
    (first, _) = written["tasks"]
    assert (first["task_id"], first["status"], first["score"]) == ("t00", "scored", 0.8)
    assert [(judge["judge"], judge["total"], judge["score"], judge["reply"]) for judge in first["judges"]] == [
        (f"judge-{n}", 80, 0.8, VERDICT) for n in (1, 2, 3)
    ]


def test_a_file_that_cannot_be_written_is_named_and_costs_nothing(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """`--out` into a file's place that is a folder: the evidence is kept, the file is named, exit 1."""
    folder = workshop.folder / "out.json"
    folder.mkdir()
    done = workshop.run("run", *workshop.config(endpoint.base_url), *workshop.some_data(1), "--out", folder)
    assert done.status == 1
    assert "out.json: cannot be written" in done.err
    assert workshop.rows("SELECT overall FROM run_scores") == [{"overall": 0.8}]
    assert sorted(path.name for path in workshop.folder.glob(".out.json*")) == []


def test_judging_needs_no_corpus_once_the_ledger_has_it(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """`generate`, then `judge` with config and data alone: the protocol's two steps; then nothing is left to ask."""
    config, data = workshop.config(endpoint.base_url), workshop.some_data(3)
    assert workshop.run("judge", *config, *data[:2]).status == 1  # nothing there yet
    assert workshop.run("generate", *config, *data).status == 0
    done = workshop.run("judge", *config, *data[:2], "--out", workshop.folder / "scores.json")
    assert done.status == 0, done.err
    assert "All3  0.800000000" in done.out
    assert endpoint.asked("m-a") == 3
    assert read(workshop.folder / "scores.json")["overall"] == 0.8


def test_two_datasets_that_differ_in_documents_alone_need_the_corpus(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """Without --corpus `judge` can't tell them apart and says so; with it, it judges the right one."""
    config = workshop.config(endpoint.base_url)
    assert workshop.run("generate", *config, *workshop.data([task("t1")], {"t1.txt": "First."})).status == 0
    data = workshop.data([task("t1")], {"t1.txt": "Second."})
    assert workshop.run("generate", *config, *data).status == 0
    refused = workshop.run("judge", *config, *data[:2])
    assert (refused.status, "--corpus" in refused.err) == (1, True)
    assert workshop.run("judge", *config, *data).status == 0
    assert workshop.rows("SELECT count(*) AS n FROM run_scores WHERE complete") == [{"n": 1}]


def test_own_responses_are_recognised(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """`judge --responses` with the file that this ledger wrote judges the run itself; a touched file is a run of its own."""
    config, data, out = workshop.config(endpoint.base_url), workshop.some_data(2), workshop.folder / "responses.json"
    assert workshop.run("generate", *config, *data, "--out", out).status == 0
    assert workshop.run("judge", *config, *data[:2], "--responses", out).status == 0
    assert workshop.rows("SELECT is_imported FROM runs") == [{"is_imported": False}]
    changed = read(out)
    changed["responses"][0]["response"] += " And more."
    out.write_text(json.dumps(changed), encoding="utf-8")
    endpoint.forget()
    assert workshop.run("judge", *config, *data[:2], "--responses", out).status == 0
    assert workshop.rows("SELECT is_imported FROM runs ORDER BY is_imported") == [{"is_imported": False}, {"is_imported": True}]
    assert len(endpoint.requests) == 3  # the unchanged answer's verdicts are shared
    assert len(workshop.rows("SELECT DISTINCT class_id FROM run_scores")) == 2


def test_responses_made_elsewhere_are_judged_as_imported(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """Answers of a file are a run of its own, marked imported; tasks without one are zeros; the file's errors are named."""
    data, path = workshop.some_data(3), workshop.folder / "theirs.json"
    path.write_text(
        json.dumps(
            {"model": "their-model", "responses": [{"task_id": "t00", "response": "x"}, {"task_id": "t01", "response": ""}]}
        )
    )
    arguments = ["judge", *workshop.config(endpoint.base_url), *data, "--responses", path]
    done = workshop.run(*arguments)
    assert done.status == 2, done.err  # one task has no answer: missing
    assert workshop.rows("SELECT label, model, scored_n, empty_n, missing_n FROM run_scores") == [
        {"label": "theirs.json", "model": "their-model", "scored_n": 1, "empty_n": 1, "missing_n": 1}
    ]
    assert endpoint.asked("m-a") == 0
    endpoint.forget()
    assert workshop.run(*arguments).status == 2
    assert endpoint.requests == []
    path.write_text(
        json.dumps({"model": "m", "responses": [{"task_id": "t99", "response": "x"}, {"task_id": "t00", "response": 7}]})
    )
    broken = workshop.run(*arguments)
    assert broken.status == 1
    assert "responses[1].task_id" in broken.err
    assert "responses[2].response" in broken.err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"model": "m", "responses": [{"task_id": "t00", "response": "\\ud800"}]}', "lone surrogate"),
        (b"\xff\xfe", "not UTF-8 at byte 0"),
        (b'{"overall": NaN}', "NaN is not JSON"),
        (b"[1]", "must be"),
    ],
    ids=["surrogate", "encoding", "NaN", "no objects"],
)
@pytest.mark.parametrize("kind", ["responses", "claim"])
def test_a_file_made_elsewhere_that_is_not_sound_is_named(workshop: Workshop, kind: str, content: bytes, words: str) -> None:
    """Answers and claims that cannot be read are refused in one line that names the file; nothing is recorded."""
    path = workshop.folder / "theirs.json"
    path.write_bytes(content)
    flags = ["--claim", path] if kind == "claim" else ["--responses", path, *workshop.config("http://127.0.0.1:9/v1")]
    data = workshop.some_data(1)
    workshop.run("import", *data)
    done = workshop.run("import", *flags, *([] if kind == "claim" else data[:2]))
    assert done.status == 1
    assert "theirs.json" in done.err
    assert words in done.err
    assert workshop.rows("SELECT run_id FROM runs UNION ALL SELECT name FROM claims") == []


def test_prompts_rebuilt_by_sql_are_those_that_were_sent(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """The view prompt_texts gives, byte for byte, what the endpoint received, and its hash is the key it is stored under."""
    hard = "{document} {question} %s $1 \\n 'quote' \"double\" 漢字 😀 \u2028 \x00 tab\t end"
    endpoint.behaviour = lambda _, prompt, __: ok(VERDICT if is_judging(prompt) else "RUBRIC:\n{response} " + "長" * 6000 + hard)
    rubric = [
        {"points": 33.5, "correct_criterion": "{points} " + "criterion " * 40 + "end"},
        {"points": 66.5, "correct_criterion": "Zeile\nzwei 漢"},
    ]
    tasks = [task("t1", "Q {document} " + "why " * 200 + hard, ground_truth={"scoring_rubric": rubric}), task("t2", hard)]
    data = workshop.data(tasks, {"t1.txt": hard + "\r\nsecond\rthird " * 3, "t2.txt": "\ufeffBOM " + "文" * 30})
    assert workshop.run("run", *workshop.config(endpoint.base_url), *data).status == 0
    columns = "text, prompts.prompt_sha256, chars, sha256(text) AS hash"
    rows = workshop.rows(f"SELECT {columns} FROM prompt_texts INNER JOIN prompts USING (prompt_sha256)")
    rebuilt = {row["text"]: row for row in rows}
    assert set(rebuilt) == set(endpoint.prompts)
    assert all(row["hash"] == row["prompt_sha256"] and len(text) == row["chars"] for text, row in rebuilt.items())
    assert len(rebuilt) == 4


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["show"], 64, "Missing argument"),
        (["nonsense"], 64, "nonsense"),
        (["run", "--nonsense"], 64, "--nonsense"),
        (["generate"], 64, "--config"),
        (["runs"], 1, "no ledger here"),
        (["--ledger", "no/such/folder/l.duckdb", "runs"], 1, "does not exist"),
        (["--ledger", ".", "runs"], 1, "a folder"),
        (["generate", "--config", "none.json", "--data", "none.json", "--corpus", "."], 1, "none.json: cannot be read"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_is_one_clear_line(bare_workshop: Workshop, arguments: list[str], status: int, words: str) -> None:
    """Usage errors exit 64, others 1; each is one line of plain words on stderr, and stdout stays empty."""
    done = bare_workshop.run(*arguments)
    assert (done.status, done.out) == (status, "")
    assert words in done.err
    assert len(done.err.splitlines()) == 1


def test_a_file_that_is_no_ledger_is_named(bare_workshop: Workshop) -> None:
    """A text file in the ledger's place is refused in one line and left as it is."""
    bare_workshop.ledger.write_text("This is no database." * 100)
    done = bare_workshop.run("runs")
    assert done.status == 1
    assert "wildtrace.duckdb: cannot be opened as a ledger" in done.err
    assert bare_workshop.ledger.read_text() == "This is no database." * 100


def test_names_are_never_cut(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """A model of 90 characters and a task of 60 are whole in piped output, without colour."""
    model, task_id = "m" * 90, "t" * 60
    data = workshop.data([task(task_id, corpus_file="d.txt")], {"d.txt": "A document."})
    assert workshop.run("run", *workshop.config(endpoint.base_url, model=model), *data).status == 0
    for command in (["leaderboard"], ["runs"], ["sql", "SELECT model, task_id FROM task_scores"]):
        done = workshop.run(*command)
        assert model in done.out
        assert "\x1b" not in done.out
        assert "…" not in done.out
    assert task_id in done.out
