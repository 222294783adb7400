"""Files become a dataset: tasks from a nested .json or a Hugging Face .jsonl, documents from the corpus folder.

The invariant: all of a dataset is sound, or nothing of it is used, and every problem found is reported in one go
with its row and field. Both released forms of a dataset, in any order of rows, give the same hash. Documents are
read one at a time and not kept: `Loaded.text` reads one again and proves that it is still the same.
"""

from __future__ import annotations

import difflib
import os
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from ledger import identity, prompts, protocol, scope, strict_json
from ledger.errors import InputError
from ledger.identity import Json

_KNOWN: Final = {"task_id", "question_text", "corpus_file", "ground_truth"}
_POINTS_LIMIT: Final = 1_000_000
_PROBLEMS_SHOWN: Final = 50

Rubric = tuple[tuple[Decimal, str], ...]


@dataclass(frozen=True)
class Question:
    """A task as its data file gives it, before its document is known: enough to judge an answer."""

    task_id: str
    question: str
    rubric: Rubric
    corpus_file: str
    attributes: Json


@dataclass(frozen=True)
class Task:
    """A task with what a run needs to know of its document; characters are code points."""

    task_id: str
    task_sha256: str
    question: str
    rubric: Rubric
    document_sha256: str
    document_chars: int
    cjk_head_n: int
    prompt_sha256: str

    @property
    def is_cjk(self) -> bool:
        """Whether the cjk cap applies to the document (§3)."""
        return scope.is_cjk(self.cjk_head_n)

    @property
    def prompt_chars(self) -> int:
        """Length of the answer prompt in characters."""
        return prompts.answer_prompt_chars(self.question, self.document_chars)


@dataclass(frozen=True)
class Dataset:
    """Tasks in the order of their ids, with the hash of the whole."""

    dataset_sha256: str
    name: str
    tasks: tuple[Task, ...]


@dataclass(frozen=True)
class SourceDocument:
    """A document's file and what was found in it."""

    document_sha256: str
    path: Path
    corpus_file: str
    encoding: str
    chars: int
    cjk_head_n: int
    utf8_bytes: int
    raw_sha256: str
    raw_bytes: int
    has_bom: bool
    newlines: str


@dataclass(frozen=True)
class Loaded:
    """A dataset with the files behind it. `documents` has one file for each text, `files` all of them."""

    dataset: Dataset
    documents: Mapping[str, SourceDocument]
    files: tuple[SourceDocument, ...]
    attributes: Mapping[str, Json]
    warnings: tuple[str, ...]

    def text(self, document_sha256: str) -> str:
        """Return a document's text, read anew. Raises InputError if the file has changed since it was loaded."""
        source = self.documents[document_sha256]
        text = _decode(source.path.read_bytes(), source.encoding)
        if identity.sha256_text(text) != document_sha256:
            raise InputError(f"{source.path}: the file has changed since this command started; run it again")
        return text


def load(data: Path, corpus: Path, encodings: Mapping[str, str] | None = None) -> Loaded:
    """Read and check a dataset and its documents. `encodings` names a codec for single corpus files.

    Raises InputError with one line for each problem of the data file and of every corpus file.
    """
    problems: list[str] = []
    questions = _questions(data, problems)
    if not corpus.is_dir():
        problems.append(f"{corpus}: no such corpus folder")
        raise InputError(*_some(problems))
    encodings = encodings or {}
    used = {question.corpus_file for question in questions}
    for name in encodings.keys() - used:
        near = difflib.get_close_matches(name, used, n=1)
        problems.append(f"--encoding {name}: no task uses that corpus file{f'; did you mean {near[0]}?' if near else ''}")
    tasks: list[Task] = []
    attributes: dict[str, Json] = {}
    files: list[SourceDocument] = []
    warnings = [f"{data}: {line}" for line in _warnings(questions)]
    by_file: dict[str, list[Question]] = {}
    for question in questions:
        by_file.setdefault(question.corpus_file, []).append(question)
    for name, asked in sorted(by_file.items()):
        try:
            source, text, utf8 = _read_document(corpus, name, encodings.get(name, "utf-8"))
        except ValueError as error:
            problems.append(str(error))
            continue
        files.append(source)
        if not scope.is_cjk(source.cjk_head_n) and scope.looks_kana_or_hangul(text):
            warnings.append(f"{name}: kana or hangul text, which the protocol's CJK rule does not count: the en cap applies")
        for question in asked:
            task = _task(question, source, utf8)
            tasks.append(task)
            attributes[task.task_sha256] = question.attributes
    if problems:
        raise InputError(*_some(problems))
    tasks.sort(key=lambda task: task.task_id)
    digest = identity.dataset_sha256({task.task_id: task.task_sha256 for task in tasks})
    documents = {source.document_sha256: source for source in files}
    return Loaded(Dataset(digest, data.name, tuple(tasks)), documents, tuple(files), attributes, tuple(warnings))


def load_questions(data: Path) -> list[Question]:
    """Read and check the data file alone, for judging answers that the ledger holds. Raises InputError."""
    problems: list[str] = []
    questions = _questions(data, problems)
    if problems:
        raise InputError(*_some(problems))
    return questions


def _some(problems: Sequence[str]) -> list[str]:
    more = len(problems) - _PROBLEMS_SHOWN
    return [*problems[:_PROBLEMS_SHOWN], *([f"and {more} more problems"] if more > 0 else [])]


def _task(question: Question, source: SourceDocument, document_utf8: bytes) -> Task:
    return Task(
        task_id=question.task_id,
        task_sha256=identity.task_sha256(question.task_id, question.question, source.document_sha256, question.rubric),
        question=question.question,
        rubric=question.rubric,
        document_sha256=source.document_sha256,
        document_chars=source.chars,
        cjk_head_n=source.cjk_head_n,
        prompt_sha256=prompts.answer_prompt_sha256(question.question, document_utf8),
    )


# The data file.


def _questions(data: Path, problems: list[str]) -> list[Question]:
    found: list[Question] = []
    seen: dict[str, str] = {}
    for place, record in _records(data, problems):
        mine: list[str] = []
        question = _question(record, mine)
        if question is not None and question.task_id in seen:
            mine.append(f"task_id: {question.task_id!r} stands at {seen[question.task_id]} already")
        elif question is not None:
            seen[question.task_id] = place
            found.append(question)
        task_id = record.get("task_id") if isinstance(record, dict) else None
        named = f"{place} ({task_id})" if isinstance(task_id, str) else place
        problems.extend(f"{data}: {named}: {problem}" for problem in mine)
    if not found and not problems:
        problems.append(f"{data}: no tasks")
    return found


def _records(data: Path, problems: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield each task object with its place, `row 3` or `line 3`."""
    try:
        text = data.read_bytes().decode("utf-8-sig")
    except OSError as error:
        problems.append(f"{data}: cannot be read ({error.strerror})")
        return
    except UnicodeDecodeError as error:
        problems.append(f"{data}: not UTF-8 at byte {error.start}")
        return
    if data.suffix.lower() in {".jsonl", ".ndjson"}:
        yield from _lines(data, text, problems)
        return
    try:
        whole = strict_json.loads(text)
    except ValueError as error:
        problems.append(f"{data}: {error}")
        return
    if isinstance(whole, dict):
        lists = {
            name: value for name, value in whole.items() if isinstance(value, list) and any(isinstance(e, dict) for e in value)
        }
        if len(lists) != 1:
            problems.append(f"{data}: must hold one list of tasks, found {len(lists)} ({', '.join(lists) or 'none'})")
            return
        (whole,) = lists.values()
    if not isinstance(whole, list):
        problems.append(f"{data}: must be a list of tasks, or an object that holds one")
        return
    for number, record in enumerate(whole, start=1):
        yield f"row {number}", record


def _lines(data: Path, text: str, problems: list[str]) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.split("\n"), start=1):  # splitlines() would cut at U+2028
        if line.strip():
            try:
                yield f"line {number}", strict_json.loads(line)
            except ValueError as error:
                problems.append(f"{data}: line {number}: {str(error).removeprefix('line 1, ')}")


def _question(record: Any, problems: list[str]) -> Question | None:
    if not isinstance(record, dict):
        problems.append("not an object")
        return None
    texts = {name: _text(record, name, problems) for name in ("task_id", "question_text", "corpus_file")}
    truth = _ground_truth(record, problems)
    rubric = _rubric(truth, problems) if truth is not None else None
    if not strict_json.has_utf8_form([record, truth]):
        problems.append("holds a lone surrogate, which has no UTF-8 form")
    if problems or truth is None or rubric is None:
        return None
    return Question(texts["task_id"], texts["question_text"], rubric, texts["corpus_file"], _attributes(record, truth))


def _text(record: Mapping[str, Any], name: str, problems: list[str]) -> str:
    value = record.get(name)
    if name not in record or value is None:
        near = difflib.get_close_matches(name, record.keys(), n=1)
        problems.append(f"{name}: missing{f'; did you mean {near[0]}?' if near else ''}")
    elif not isinstance(value, str):
        problems.append(f"{name}: must be a string")
    elif not value.strip():
        problems.append(f"{name}: empty")
    else:
        return value
    return ""


def _ground_truth(record: Mapping[str, Any], problems: list[str]) -> dict[str, Any] | None:
    """Return ground_truth, which the .jsonl form holds as serialized JSON."""
    value = record.get("ground_truth")
    if isinstance(value, str):
        try:
            value = strict_json.loads(value)
        except ValueError as error:
            problems.append(f"ground_truth: {error}")
            return None
    if isinstance(value, dict):
        return value
    problems.append("ground_truth: missing" if value is None else "ground_truth: must be an object, or one serialized once")
    return None


def _rubric(truth: Mapping[str, Any], problems: list[str]) -> Rubric | None:
    entries = truth.get("scoring_rubric")
    if not isinstance(entries, list) or not entries:
        problems.append("ground_truth.scoring_rubric: " + ("empty" if entries == [] else "must be a list of criteria"))
        return None
    rubric: list[tuple[Decimal, str]] = []
    for position, entry in enumerate(entries, start=1):
        place = f"scoring_rubric[{position}]"
        if not isinstance(entry, dict):
            problems.append(f"{place}: not an object")
            continue
        found: list[str] = []
        criterion = _text(entry, "correct_criterion", found)
        points = _points(entry.get("points"), found)
        problems.extend(f"{place}.{problem}" for problem in found)
        rubric.append((points, criterion))
    if not problems and sum(points for points, _ in rubric) == 0:
        problems.append("scoring_rubric: the points sum to 0")
    return tuple(rubric)


def _points(value: Any, problems: list[str]) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        problems.append("points: missing" if value is None else "points: must be a number")
    elif not 0 <= value <= _POINTS_LIMIT:
        problems.append(f"points: must be within 0 and {_POINTS_LIMIT}")
    else:
        points = Decimal(value)
        if points == points.quantize(Decimal("1e-9")):
            return points
        problems.append("points: more than 9 decimals")
    return Decimal(0)


def _attributes(record: Mapping[str, Any], truth: Mapping[str, Any]) -> Json:
    """Return what the protocol does not know. A null is a field that is not there: loaders fill them in."""
    unknown = {name: value for name, value in record.items() if name not in _KNOWN}
    unknown["ground_truth"] = {name: value for name, value in truth.items() if name != "scoring_rubric"}
    unknown["scoring_rubric"] = [
        {name: value for name, value in entry.items() if name not in {"points", "correct_criterion"}}
        for entry in truth["scoring_rubric"]
    ]
    if not any(_without_nulls(entry) for entry in unknown["scoring_rubric"]):
        del unknown["scoring_rubric"]
    return strict_json.without_decimals({name: value for name, value in _without_nulls(unknown).items() if value != {}})


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(inner) for name, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value


def _warnings(questions: Iterable[Question]) -> Iterator[str]:
    cuts = {part.name: part.cut or 0 for part in protocol.JUDGE_TEMPLATE if isinstance(part, protocol.Slot)}
    for question in questions:
        total = sum((points for points, _ in question.rubric), Decimal(0))
        if total != protocol.RUBRIC_POINTS:
            yield f"{question.task_id}: the points sum to {identity.decimal_text(total)}, not 100: scores are divided by that sum"
        if len(question.question) > cuts["question"]:
            yield f"{question.task_id}: judges see {cuts['question']} of {len(question.question)} characters of the question"
        for position, (_, criterion) in enumerate(question.rubric, start=1):
            if len(criterion) > cuts["rubric"]:
                yield f"{question.task_id}: judges see {cuts['rubric']} of {len(criterion)} characters of criterion {position}"


# The corpus.


def _read_document(corpus: Path, name: str, encoding: str) -> tuple[SourceDocument, str, bytes]:
    """Return a corpus file, its text and that text's UTF-8 bytes. Raises ValueError in one line that names the file."""
    path = corpus / name
    if "\0" in name:
        raise ValueError(f"{name!r}: a file name cannot hold NUL")
    if Path(name).is_absolute() or not _stays_inside(path, corpus):
        raise ValueError(f"{name}: outside the corpus folder {corpus}")
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise ValueError(f"{path}: no such corpus file{_same_but_for_unicode(path)}") from None
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    try:
        decoded = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path}: not {encoding} at byte {error.start}; if you know its encoding: --encoding {name}=NAME, such as gb18030"
        ) from None
    except LookupError:
        raise ValueError(f"--encoding {name}={encoding}: no such encoding") from None
    text = _universal_newlines(decoded)
    if not text.strip("\ufeff \n\t"):
        raise ValueError(f"{path}: an empty document")
    try:
        utf8 = text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"{path}: {encoding} gives a lone surrogate, which has no UTF-8 form") from None
    return (
        SourceDocument(
            document_sha256=identity.sha256_bytes(utf8),
            path=path,
            corpus_file=name,
            encoding=encoding,
            chars=len(text),
            cjk_head_n=scope.cjk_head_n(text),
            utf8_bytes=len(utf8),
            raw_sha256=identity.sha256_bytes(raw),
            raw_bytes=len(raw),
            has_bom=text.startswith("\ufeff"),
            newlines=_newline_styles(decoded),
        ),
        text,
        utf8,
    )


def _stays_inside(path: Path, folder: Path) -> bool:
    """Tell whether a path is inside a folder, `..` and symbolic links followed."""
    return os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)


def _decode(raw: bytes, encoding: str) -> str:
    return _universal_newlines(raw.decode(encoding))


def _universal_newlines(text: str) -> str:
    """Translate as Python's text mode does: the protocol's characters are counted after it."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _newline_styles(text: str) -> str:
    crlf = text.count("\r\n")
    styles = {"crlf": crlf, "lf": text.count("\n") - crlf, "cr": text.count("\r") - crlf}
    return "+".join(style for style, count in styles.items() if count) or "none"


def _same_but_for_unicode(path: Path) -> str:
    """Say that a file of the same name, in another Unicode normalisation, is there."""
    wanted = unicodedata.normalize("NFC", path.name)
    if path.parent.is_dir():
        for other in path.parent.iterdir():
            if unicodedata.normalize("NFC", other.name) == wanted:
                return f"; {other.name} is there, the same name in another Unicode normalisation: rename it"
    return ""
