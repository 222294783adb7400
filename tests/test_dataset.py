"""Files become a dataset: both released forms, every problem in one go, documents exactly as the protocol counts them."""

from __future__ import annotations

import json
import os
import random
import unicodedata
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from conftest import task
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import dataset, scope
from ledger.dataset import Loaded, SourceDocument
from ledger.errors import InputError
from ledger.identity import sha256_bytes, sha256_text

RUBRIC = [{"points": 100, "correct_criterion": "c"}]


class Files:
    """A data file and a corpus folder in a fresh folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.corpus = folder / "corpus"
        self.corpus.mkdir()
        self.document("t1.txt", "Document 1.")

    def document(self, name: str, content: str | bytes) -> Path:
        """Write a corpus file."""
        path = self.corpus / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    def load(self, *tasks: Any, name: str = "tasks.json", encodings: dict[str, str] | None = None) -> Loaded:
        """Load these tasks, written in the form that the file's name tells."""
        lines = name.endswith("jsonl")
        text = "".join(json.dumps(each) + "\n" for each in tasks) if lines else json.dumps(tasks)
        return self.load_text(text, name, encodings)

    def load_text(self, text: str | bytes, name: str = "tasks.json", encodings: dict[str, str] | None = None) -> Loaded:
        """Load a data file of this text."""
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return dataset.load(path, self.corpus, encodings)

    def problems(self, *tasks: Any, **options: Any) -> list[str]:
        """Return the problems for which tasks are refused."""
        with pytest.raises(InputError) as caught:
            self.load(*tasks, **options)
        return [problem.replace(str(self.folder) + os.sep, "") for problem in caught.value.problems]

    def text_problems(self, text: str | bytes, name: str = "tasks.json") -> list[str]:
        """Return the problems for which a data file is refused."""
        with pytest.raises(InputError) as caught:
            self.load_text(text, name)
        return [problem.replace(str(self.folder) + os.sep, "") for problem in caught.value.problems]

    def source(self, content: str | bytes, **encodings: str) -> SourceDocument:
        """Return what is found in one document."""
        self.document("t1.txt", content)
        (found,) = self.load(task("t1"), encodings=encodings).documents.values()
        return found


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """A corpus with one document, `t1.txt`."""
    return Files(tmp_path)


def serialized(record: dict[str, Any]) -> dict[str, Any]:
    """Return a task as the Hugging Face form has it: ground_truth as a string of JSON."""
    return {**record, "ground_truth": json.dumps(record["ground_truth"])}


# One dataset, whatever its form.


def test_both_forms_and_any_order_of_rows_are_one_dataset(files: Files) -> None:
    """Nested .json, an object around it, and .jsonl with serialized ground_truth, shuffled: the same hashes and order."""
    tasks = [task(f"t{number}") for number in range(1, 6)]
    for number in range(1, 6):
        files.document(f"t{number}.txt", f"Document {number}.")
    shuffled = random.Random(1).sample(tasks, len(tasks))
    forms = [
        files.load(*tasks),
        files.load(*shuffled),
        files.load(*map(serialized, shuffled), name="tasks.jsonl"),
        files.load_text(json.dumps({"version": 3, "notes": ["x"], "tasks": shuffled})),
        files.load_text("\ufeff" + json.dumps(tasks)),
        files.load_text("\ufeff" + "\r\n".join(json.dumps(serialized(each)) for each in tasks) + "\r\n\r\n", "tasks.jsonl"),
        files.load(*[dict(reversed(each.items())) for each in tasks]),
    ]
    assert len({form.dataset.dataset_sha256 for form in forms}) == 1
    assert len({form.dataset.tasks for form in forms}) == 1
    assert [found.task_id for found in forms[2].dataset.tasks] == ["t1", "t2", "t3", "t4", "t5"]
    assert {form.dataset.name for form in forms} == {"tasks.json", "tasks.jsonl"}


@pytest.mark.parametrize(
    "change",
    [
        {"task_id": "t9"},
        {"question_text": "Another?"},
        {"corpus_file": "t2.txt"},
        {"ground_truth": {"scoring_rubric": RUBRIC}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_a_task_is_made_of_changes_its_hash(files: Files, change: dict[str, Any]) -> None:
    """Id, question, document and rubric are a task's identity."""
    files.document("t2.txt", "Document 2.")
    base = task("t1", question="Q?", corpus_file="t1.txt")
    assert files.load(base).dataset.dataset_sha256 != files.load({**base, **change}).dataset.dataset_sha256


def test_other_fields_are_kept_as_attributes_and_change_no_hash(files: Files) -> None:
    """What the protocol does not know is kept with the task, at its place, and is no part of its identity."""
    truth = {"scoring_rubric": [{**RUBRIC[0], "weight": 0.5}], "gold_answer": "A", "clues": ["x", None]}
    plain = files.load(task("t1", ground_truth={"scoring_rubric": RUBRIC}))
    rich = files.load(task("t1", ground_truth=truth, language="zh", size=2**70, ratio=0.1, nothing=None, deep={"a": [{"b": 1}]}))
    assert rich.dataset.dataset_sha256 == plain.dataset.dataset_sha256
    assert list(plain.attributes.values()) == [{}]
    assert list(rich.attributes.values()) == [
        {
            "language": "zh", "size": 2**70, "ratio": 0.1, "deep": {"a": [{"b": 1}]},
            "ground_truth": {"gold_answer": "A", "clues": ["x", None]}, "scoring_rubric": [{"weight": 0.5}],
        }
    ]  # fmt: skip


def test_nulls_that_a_loader_filled_in_change_nothing(files: Files) -> None:
    """A null is a field that is not there: loaders that unify rows add them."""
    bare = [{"points": 60, "correct_criterion": "a"}, {"points": 40, "correct_criterion": "b"}]
    filled = [{**entry, "note": None} for entry in bare]
    one = files.load(task("t1", ground_truth={"scoring_rubric": bare}))
    other = files.load(task("t1", ground_truth={"scoring_rubric": filled, "gold": None}, language=None))
    assert (one.dataset, one.attributes) == (other.dataset, other.attributes)


def test_points_are_exact_and_one_number_however_written(files: Files) -> None:
    """12.5, 12.50 and 1.25e1 are the same points; up to 9 decimals are kept exactly."""
    hashes = set()
    for written in ("12.5", "12.50", "1.25e1"):
        text = json.dumps([task("t1", ground_truth={"scoring_rubric": [{"points": 7, "correct_criterion": "c"}]})])
        loaded = files.load_text(text.replace('"points": 7', f'"points": {written}'))
        hashes.add(loaded.dataset.dataset_sha256)
        assert loaded.dataset.tasks[0].rubric == ((Decimal("12.5"), "c"),)
    assert len(hashes) == 1
    exact = files.load(task("t1", ground_truth={"scoring_rubric": [{"points": 33.333333333, "correct_criterion": "c"}]}))
    assert exact.dataset.tasks[0].rubric[0][0] == Decimal("33.333333333")


def test_a_line_separator_in_a_text_does_not_end_a_line(files: Files) -> None:
    """U+2028, U+2029 and U+0085 stand in JSON strings as they are, and only a line feed ends a line of .jsonl."""
    question = "One\u2028two\u2029three\u0085four?"
    lines = [json.dumps(task(name, question, "t1.txt"), ensure_ascii=False) for name in ("t1", "t2")]
    loaded = files.load_text("\n".join(lines), "tasks.jsonl")
    assert [found.question for found in loaded.dataset.tasks] == [question, question]


def test_a_dataset_holds_very_long_fields(files: Files) -> None:
    """A question of 20 million characters is read like any other."""
    loaded = files.load(task("t1", question="q" * 20_000_000))
    assert len(loaded.dataset.tasks[0].question) == 20_000_000


def test_the_questions_alone_can_be_read(files: Files) -> None:
    """For judging, the data file is enough: same ids, questions and rubrics, no corpus."""
    path = files.folder / "tasks.json"
    path.write_text(json.dumps([task("t1", language="en")]), encoding="utf-8")
    (found,) = dataset.load_questions(path)
    assert (found.task_id, found.question, found.corpus_file) == ("t1", "What does t1 say?", "t1.txt")
    assert found.rubric == ((Decimal(60), "Names the place"), (Decimal(40), "Names the year"))
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="no tasks"):
        dataset.load_questions(path)


# Problems.


def test_every_problem_is_told_in_one_go_with_row_and_field(files: Files) -> None:
    """Wrong rows, missing documents and unused encodings are all named, one line each."""
    files.document("bad.txt", b"\xb5")
    found = files.problems(
        task("t1"),
        {"question_txt": "Q?", "corpus_file": 7, "ground_truth": {"scoring_rubric": []}},
        "t3",
        task("t4", ground_truth={"scoring_rubric": ["x", {"points": True, "correct_criterion": " "}]}),
        task("t5", corpus_file="gone.txt"),
        task("t6", corpus_file="bad.txt"),
        encodings={"t9.txt": "gbk"},
    )
    assert found == [
        "tasks.json: row 2: task_id: missing",
        "tasks.json: row 2: question_text: missing; did you mean question_txt?",
        "tasks.json: row 2: corpus_file: must be a string",
        "tasks.json: row 2: ground_truth.scoring_rubric: empty",
        "tasks.json: row 3: not an object",
        "tasks.json: row 4 (t4): scoring_rubric[1]: not an object",
        "tasks.json: row 4 (t4): scoring_rubric[2].correct_criterion: empty",
        "tasks.json: row 4 (t4): scoring_rubric[2].points: must be a number",
        "--encoding t9.txt: no task uses that corpus file; did you mean t1.txt?",
        "corpus/bad.txt: not utf-8 at byte 0; if you know its encoding: --encoding bad.txt=NAME, such as gb18030",
        "corpus/gone.txt: no such corpus file",
    ]


def test_a_flood_of_problems_is_cut_with_their_number(files: Files) -> None:
    """After 50 lines the rest is a number."""
    found = files.problems(*[task(f"t{number}", question_text="") for number in range(60)])
    assert (len(found), found[-1]) == (51, "and 10 more problems")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        pytest.param({"task_id": None}, "task_id: missing", id="null-id"),
        pytest.param({"task_id": 7}, "task_id: must be a string", id="number-for-an-id"),
        pytest.param({"task_id": ""}, "task_id: empty", id="empty-id"),
        pytest.param({"question_text": " \n"}, "question_text: empty", id="blank-question"),
        pytest.param({"corpus_file": ""}, "corpus_file: empty", id="no-file-name"),
        pytest.param({"ground_truth": None}, "ground_truth: missing", id="null-truth"),
        pytest.param({"ground_truth": []}, "ground_truth: must be an object", id="a-list-for-the-truth"),
        pytest.param({"ground_truth": "{"}, "ground_truth: line 1, column 2: not JSON", id="broken-serialized-truth"),
        pytest.param({"ground_truth": ""}, "ground_truth: line 1, column 1: not JSON", id="empty-serialized-truth"),
        pytest.param({"ground_truth": json.dumps(json.dumps({}))}, "serialized once", id="truth-serialized-twice"),
        pytest.param({"ground_truth": '{"scoring_rubric":[],"scoring_rubric":[]}'}, "stands twice", id="a-key-twice"),
        pytest.param({"ground_truth": {}}, "scoring_rubric: must be a list", id="no-rubric"),
        pytest.param({"ground_truth": {"scoring_rubric": {}}}, "scoring_rubric: must be a list", id="rubric-no-list"),
        pytest.param({"ground_truth": {"scoring_rubric": []}}, "scoring_rubric: empty", id="empty-rubric"),
        pytest.param({"question_text": "\ud800"}, "lone surrogate", id="lone-surrogate"),
        pytest.param({"note": ["\udfff"]}, "lone surrogate", id="lone-surrogate-in-another-field"),
        pytest.param(
            {"ground_truth": r'{"scoring_rubric":[{"points":1,"correct_criterion":"\ud800"}]}'},
            "lone surrogate", id="lone-surrogate-in-a-serialized-truth",
        ),
    ],
)  # fmt: skip
def test_an_unsound_row_is_an_error(files: Files, change: dict[str, Any], problem: str) -> None:
    """A row that the protocol cannot use is refused with its place and field."""
    (found,) = files.problems({**task("t1"), **change})
    assert found.startswith("tasks.json: row 1")
    assert problem in found


@pytest.mark.parametrize(
    ("points", "problem"),
    [
        ("null", "points: missing"),
        ("true", "points: must be a number"),
        ('"40"', "points: must be a number"),
        ("-1", "points: must be within 0 and 1000000"),
        ("1000001", "points: must be within 0 and 1000000"),
        ("1e300", "points: must be within 0 and 1000000"),
        ("0.0000000001", "points: more than 9 decimals"),
        ("0", "scoring_rubric: the points sum to 0"),
        ("NaN", "NaN is not JSON"),
        ("Infinity", "Infinity is not JSON"),
        ("1e400", "a number out of range"),
    ],
)
def test_points_must_be_plain_finite_numbers(files: Files, points: str, problem: str) -> None:
    """Points that are no number, negative, not finite or sum to 0 are an error."""
    text = json.dumps([task("t1", ground_truth={"scoring_rubric": RUBRIC})]).replace('"points": 100', f'"points": {points}')
    (found,) = files.text_problems(text)
    assert problem in found


def test_a_task_id_stands_once(files: Files) -> None:
    """The second row with an id is an error that names the first."""
    assert files.problems(task("t1"), task("t1")) == ["tasks.json: row 2 (t1): task_id: 't1' stands at row 1 already"]


@pytest.mark.parametrize(
    ("text", "name", "problem"),
    [
        pytest.param("", "t.json", "t.json: line 1, column 1: not JSON", id="empty-json"),
        pytest.param("", "t.jsonl", "t.jsonl: no tasks", id="empty-jsonl"),
        pytest.param("[]", "t.json", "t.json: no tasks", id="no-rows"),
        pytest.param("7", "t.json", "t.json: must be a list of tasks", id="a-number"),
        pytest.param('{"a":[{}],"b":[{}]}', "t.json", "must hold one list of tasks, found 2 (a, b)", id="two-lists"),
        pytest.param('{"a":[]}', "t.json", "must hold one list of tasks, found 0 (none)", id="no-list"),
        pytest.param('{"a":1}\n{"a":2}', "t.json", "t.json: line 2, column 1: not JSON (Extra data)", id="jsonl-named-json"),
        pytest.param('[{"a":1,"a":2}]', "t.json", "the key 'a' stands twice", id="duplicate-key"),
        pytest.param("[" * 100_000, "t.json", "nested too deeply", id="deeper-than-any-stack"),
        pytest.param("[" * 500 + "]" * 500, "t.json", "nested too deeply", id="deep"),
        pytest.param(b'[{"task_id":"\xd6\xd0"}]', "t.json", "t.json: not UTF-8 at byte 13", id="not-utf8"),
    ],
)
def test_an_unsound_file_is_an_error(files: Files, text: str | bytes, name: str, problem: str) -> None:
    """A data file that is no strict JSON of one list of tasks is refused, with the place in it."""
    (found,) = files.text_problems(text, name)
    assert problem in found


def test_a_broken_line_does_not_hide_the_others(files: Files) -> None:
    """Each broken line of a .jsonl is named by its number, blank lines counted."""
    good = json.dumps(task("t1"))
    assert files.text_problems(f"{good}\n\n{{\n{good[:-1]}\n", "t.jsonl") == [
        "t.jsonl: line 3: column 2: not JSON (Expecting property name enclosed in double quotes)",
        f"t.jsonl: line 4: column {len(good)}: not JSON (Expecting ',' delimiter)",
    ]


def test_files_that_are_not_there_are_named(files: Files, tmp_path: Path) -> None:
    """A missing data file and a missing corpus folder are told together."""
    with pytest.raises(InputError) as caught:
        dataset.load(tmp_path / "no.json", tmp_path / "no-corpus")
    assert len(caught.value.problems) == 2
    assert "no.json: cannot be read" in caught.value.problems[0]
    assert "no-corpus: no such corpus folder" in caught.value.problems[1]
    assert files.corpus.is_dir()


# Warnings.


def test_what_the_protocol_follows_to_the_letter_is_a_warning(files: Files) -> None:
    """A rubric that does not sum to 100 and texts that judges see cut are said; at the limits nothing is."""
    files.document("t2.txt", "Document 2.")
    rubric = [{"points": 10, "correct_criterion": "c" * 261}, {"points": 2.5, "correct_criterion": "d" * 260}]
    loaded = files.load(task("t1", "q" * 600), task("t2", "q" * 601, ground_truth={"scoring_rubric": rubric}))
    assert [warning.partition("tasks.json: ")[2] for warning in loaded.warnings] == [
        "t2: the points sum to 12.5, not 100: scores are divided by that sum",
        "t2: judges see 600 of 601 characters of the question",
        "t2: judges see 260 of 261 characters of criterion 1",
    ]


def test_kana_and_hangul_documents_are_said(files: Files) -> None:
    """A document in kana or hangul is not CJK by the protocol's rule, which a warning says."""
    for number, text in enumerate(
        ["ひらがなとカタカナ" * 5, "한국어로 쓴 문서" * 5, "東京の歴史について" * 9, "Plain."], start=1
    ):
        files.document(f"t{number}.txt", text)
    loaded = files.load(*[task(f"t{number}") for number in range(1, 5)])
    assert [warning.split(":")[0] for warning in loaded.warnings] == ["t1.txt", "t2.txt"]
    assert [found.is_cjk for found in loaded.dataset.tasks] == [False, False, True, False]


# Documents.


@pytest.mark.parametrize(
    ("raw", "text", "newlines"),
    [
        pytest.param(b"one\ntwo", "one\ntwo", "lf", id="lf"),
        pytest.param(b"one\r\ntwo\r\n", "one\ntwo\n", "crlf", id="crlf"),
        pytest.param(b"one\rtwo", "one\ntwo", "cr", id="cr"),
        pytest.param(b"a\r\nb\rc\n\r\r\n", "a\nb\nc\n\n\n", "crlf+lf+cr", id="mixed"),
        pytest.param(b"one", "one", "none", id="one-line"),
        pytest.param("a\u2028b\x0b\x0cc".encode(), "a\u2028b\x0b\x0cc", "none", id="other-separators-are-characters"),
        pytest.param(b"\xef\xbb\xbfone", "\ufeffone", "none", id="bom"),
        pytest.param("\ufeff\ufeffone".encode(), "\ufeff\ufeffone", "none", id="two-boms"),
        pytest.param(b"A\0B", "A\0B", "none", id="NUL"),
        pytest.param("😀é漢".encode(), "😀é漢", "none", id="code-points"),
        pytest.param("e\u0301".encode(), "e\u0301", "none", id="nothing-is-normalised"),
    ],
)
def test_characters_are_counted_as_pythons_text_mode_counts_them(files: Files, raw: bytes, text: str, newlines: str) -> None:
    """Code points after universal newlines, a BOM counting as one; the raw bytes are recorded beside them."""
    source = files.source(raw)
    assert text == (files.corpus / "t1.txt").read_text(encoding="utf-8")
    assert (source.chars, source.utf8_bytes, source.document_sha256) == (len(text), len(text.encode()), sha256_text(text))
    assert (source.raw_bytes, source.raw_sha256) == (len(raw), sha256_bytes(raw))
    assert (source.newlines, source.has_bom, source.encoding) == (newlines, text.startswith("\ufeff"), "utf-8")


@pytest.mark.parametrize(
    ("raw", "offset"),
    [
        pytest.param(bytes.fromhex("d6d0cec4cec4b1be"), 0, id="gbk"),
        pytest.param(bytes.fromhex("e4b8ade59bbfffe69687"), 6, id="one-broken-byte"),
        pytest.param(b"abc\xed\xa0\x80", 3, id="surrogate-in-utf8"),
        pytest.param(b"abc\xc0\x80", 3, id="overlong-NUL"),
        pytest.param("中文".encode()[:-1], 3, id="cut-inside-a-character"),
    ],
)
def test_a_document_that_is_not_utf8_is_an_error_with_its_offset(files: Files, raw: bytes, offset: int) -> None:
    """No byte is ever dropped or replaced: the file and the offset are named, and the way to give its encoding."""
    files.document("t1.txt", raw)
    (found,) = files.problems(task("t1"))
    assert found.startswith(f"corpus/t1.txt: not utf-8 at byte {offset}; ")
    assert "--encoding t1.txt=NAME" in found


def test_an_encoding_can_be_given_for_a_file(files: Files) -> None:
    """With its encoding named, a file gives the same document as its UTF-8 form would."""
    source = files.source("中文文本\r\n".encode("gb18030"), **{"t1.txt": "gb18030"})
    assert (source.document_sha256, source.chars, source.encoding) == (sha256_text("中文文本\n"), 5, "gb18030")
    assert files.source("\ufeff".encode("utf-16-le") + "Äh".encode("utf-16-le"), **{"t1.txt": "utf-16"}).chars == 2


@pytest.mark.parametrize("encoding", ["no-such-encoding", "hex", "rot13"])
def test_an_unknown_encoding_is_an_error(files: Files, encoding: str) -> None:
    """A name that is no text encoding is said, with the option that holds it."""
    assert files.problems(task("t1"), encodings={"t1.txt": encoding}) == [f"--encoding t1.txt={encoding}: no such encoding"]


@pytest.mark.parametrize("raw", [b"", b" \n\r\n\t", b"\xef\xbb\xbf\n"], ids=["zero-bytes", "white-space", "bom-alone"])
def test_an_empty_document_is_an_error(files: Files, raw: bytes) -> None:
    """A document without a visible character is a fault of the data, not a task."""
    files.document("t1.txt", raw)
    assert files.problems(task("t1")) == ["corpus/t1.txt: an empty document"]


def test_all_missing_documents_are_named_and_twins_by_case_are_two(files: Files) -> None:
    """Every missing file is listed; names that differ in case are different files."""
    assert files.problems(task("a"), task("b")) == ["corpus/a.txt: no such corpus file", "corpus/b.txt: no such corpus file"]
    files.document("Doc.txt", "One.")
    files.document("doc.txt", "Two.")
    if len(list(files.corpus.glob("[Dd]oc.txt"))) == 2:  # a file system that tells case apart
        loaded = files.load(task("t1", corpus_file="Doc.txt"), task("t2", corpus_file="doc.txt"))
        assert len(loaded.documents) == 2


def test_a_name_in_another_normalisation_is_pointed_out(files: Files) -> None:
    """A name that differs only in Unicode normalisation is an error that says so, never a silent miss."""
    composed = unicodedata.normalize("NFC", "학점.txt")
    stored = unicodedata.normalize("NFD", composed)
    files.document(stored, "Document.")
    if (files.corpus / composed).exists():  # a file system that normalises names
        assert files.load(task("t1", corpus_file=composed)).documents
        return
    (found,) = files.problems(task("t1", corpus_file=composed))
    assert found.startswith(f"corpus/{composed}: no such corpus file")
    assert f"{stored} is there, the same name in another Unicode normalisation" in found


@pytest.mark.parametrize(
    "name", ["../outside.txt", "/etc/hostname", "sub/../../outside.txt", ".", "..", "link.txt", "linked/outside.txt"]
)
def test_a_document_stays_inside_the_corpus_folder(files: Files, name: str) -> None:
    """No path, absolute name or symbolic link leads out of the folder."""
    (files.folder / "outside.txt").write_text("Secret.", encoding="utf-8")
    (files.corpus / "link.txt").symlink_to(files.folder / "outside.txt")
    (files.corpus / "linked").symlink_to(files.folder)
    (found,) = files.problems(task("t1", corpus_file=name))
    assert found.startswith(f"{name}: outside the corpus folder")


def test_links_and_folders_within_the_corpus_are_followed(files: Files) -> None:
    """A subfolder, a link that stays inside, and a corpus folder that is itself a link are fine."""
    (files.corpus / "sub").mkdir()
    files.document("sub/t1.txt", "Below.")
    (files.corpus / "link.txt").symlink_to(files.corpus / "sub" / "t1.txt")
    (files.folder / "elsewhere").symlink_to(files.corpus)
    files.corpus = files.folder / "elsewhere"
    loaded = files.load(task("t1", corpus_file="sub/t1.txt"), task("t2", corpus_file="link.txt"))
    assert {found.document_sha256 for found in loaded.dataset.tasks} == {sha256_text("Below.")}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("sub", "cannot be read (Is a directory)"),
        ("a\0.txt", "cannot hold NUL"),
        ("n" * 300, "cannot be read (File name too long)"),
    ],
    ids=["a-folder", "NUL", "too-long"],
)
def test_a_name_that_is_no_file_is_an_error_that_names_it(files: Files, name: str, words: str) -> None:
    """What cannot be opened as a file is one line with its name."""
    (files.corpus / "sub").mkdir()
    (found,) = files.problems(task("t1", corpus_file=name))
    assert name.partition("\0")[0] in found
    assert words in found


def test_a_document_is_read_anew_and_must_be_the_same(files: Files) -> None:
    """A text is not kept but read again when it is sent; a file that changed meanwhile is an error."""
    loaded = files.load(task("t1"))
    (digest,) = loaded.documents
    assert loaded.text(digest) == "Document 1."
    files.document("t1.txt", "Document 1!")
    with pytest.raises(InputError, match="has changed since this command started"):
        loaded.text(digest)


def test_a_task_knows_its_prompt_and_its_cjk_rule(files: Files) -> None:
    """The prompt's hash and length and the document's CJK count come with the task, for the plan."""
    files.document("t1.txt", "漢" * 21)
    (found,) = files.load(task("t1", "Q?")).dataset.tasks
    prompt = (
        "Answer using ONLY the document below. Include every specific detail from the text.\n\n"
        "Question: Q?\n\nDocument:\n" + "漢" * 21
    )
    assert (found.prompt_sha256, found.prompt_chars) == (sha256_text(prompt), len(prompt))
    assert (found.document_chars, found.cjk_head_n, found.is_cjk) == (21, 21, True)


@given(
    st.text(st.sampled_from("a漢é\r\n\ufeff\u2028😀"), min_size=1, max_size=30).filter(lambda text: text.strip("\ufeff \r\n\t"))
)
@settings(max_examples=60, deadline=None)
def test_any_text_is_counted_and_hashed_as_text_mode_reads_it(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """Characters, ideographs and hash are those of the file read in Python's text mode."""
    files = Files(tmp_path_factory.mktemp("any"))
    source = files.source(text)
    as_read = (files.corpus / "t1.txt").read_text(encoding="utf-8")
    assert (source.chars, source.document_sha256) == (len(as_read), sha256_text(as_read))
    assert source.cjk_head_n == scope.cjk_head_n(as_read)
