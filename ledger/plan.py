"""What a run is and what it would ask: dataset x config -> identity, configs and requests.

Pure, but for reads of what the ledger already holds. The invariant: the same config and data give the same plan,
whoever makes it, and everything that tells runs apart is a row in `configs`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from ledger import completion, identity, prompts, protocol, scope
from ledger.config import Config, Route
from ledger.dataset import Dataset, Loaded, Question, Task
from ledger.errors import InputError
from ledger.evidence import Config as ConfigRow
from ledger.evidence import (
    Dataset as DatasetRow,
)
from ledger.evidence import (
    DatasetTask,
    Document,
    DocumentFile,
    ModelDeclaration,
    PanelJudge,
    Prompt,
    RubricCriterion,
    Run,
    RunLabel,
    RunRequest,
    TaskAttributes,
    timestamp,
)
from ledger.evidence import (
    Task as TaskRow,
)
from ledger.identity import Json
from ledger.store import Connection

RETRY_POLICY: Final[Json] = {
    "retries": protocol.RETRIES,
    "transient": "connect and read errors, timeouts, 408, 409, 425, 429, 5xx but 501 and 505, no chat completion, no choices",
    "backoff": "asked-for wait, else exponential with full jitter",
    "longest_wait_s": int(completion.MAX_WAIT_S),
    "content_retries": 0,
}
"""Which failures are asked again (§2, §5); a new policy is a new run and a new class."""


@dataclass(frozen=True)
class PlannedRequest:
    """One task of a run. `request_key` is None where the document is out of context."""

    task: Task
    cap_chars: int
    cap_source: str
    request_key: str | None


@dataclass(frozen=True)
class Plan:
    """A run with everything that it is made of."""

    run: Run
    label: str | None
    configs: tuple[ConfigRow, ...]
    panel: tuple[PanelJudge, ...]
    requests: tuple[PlannedRequest, ...]

    @property
    def keys(self) -> list[str]:
        """The distinct request keys, in the order of the tasks."""
        return list(dict.fromkeys(request.request_key for request in self.requests if request.request_key))


def make_plan(dataset: Dataset, config: Config) -> Plan:
    """Return the plan of a run, as of now."""
    route, judges = config.route, config.judges or ()
    caps = scope.resolve_caps(route.model, config.cap_model, config.caps)
    judge_template = prompts.template_config(protocol.JUDGE_TEMPLATE)
    bodies: dict[str, Json] = {
        "route": route.config(),
        "decoding_policy": route.decoding_policy(),
        "caps": {"en": caps.pair.en, "cjk": caps.pair.cjk},
        "cap_rule": _cap_rule(caps),
        "prompt_template": prompts.template_config(protocol.ANSWER_TEMPLATE),
        "judge_template": judge_template,
        "retry_policy": RETRY_POLICY,
        "panel": {
            "judges": identity.panel_order(judge.fingerprint() for judge in judges),
            "judge_template": identity.fingerprint(judge_template),
        },
        "panel_policy": identity.panel_order(identity.fingerprint(judge.policy()) for judge in judges),
    }
    hashes = {kind: identity.fingerprint(body) for kind, body in bodies.items()}
    run = Run(
        run_id="",
        dataset_sha256=dataset.dataset_sha256,
        model=route.model,
        base_url=route.base_url,
        route_fingerprint=hashes["route"],
        decoding_policy_fingerprint=hashes["decoding_policy"],
        caps_fingerprint=hashes["caps"],
        cap_rule_fingerprint=hashes["cap_rule"],
        prompt_template_fingerprint=hashes["prompt_template"],
        retry_policy_fingerprint=hashes["retry_policy"],
        judge_template_fingerprint=hashes["judge_template"],
        panel_fingerprint=hashes["panel"],
        panel_policy_fingerprint=hashes["panel_policy"],
        replicate=config.replicate,
        judge_replicate=config.judge_replicate,
        is_imported=False,
        created_at=timestamp(time.time()),
    )
    run = replace(run, run_id=run_id_of(run))
    configs = [ConfigRow(hashes[kind], kind, body) for kind, body in bodies.items()]
    configs += [ConfigRow(judge.fingerprint(), "judge", judge.config()) for judge in judges]
    panel = [PanelJudge(hashes["panel"], judge.fingerprint(), judge.model, judge.base_url) for judge in judges]
    requests = tuple(_request(task, config, caps) for task in dataset.tasks)
    return Plan(run, config.label, tuple(configs), tuple(panel), requests)


def run_id_of(run: Run) -> str:
    """Return a run's id from its other columns."""
    return identity.run_id(
        {
            "dataset": run.dataset_sha256,
            "route": run.route_fingerprint,
            "caps": run.caps_fingerprint,
            "prompt_template": run.prompt_template_fingerprint,
            "retry_policy": run.retry_policy_fingerprint,
            "panel": run.panel_fingerprint,
            "replicate": run.replicate,
            "judge_replicate": run.judge_replicate,
        }
    )


def _cap_rule(caps: scope.Caps) -> Json:
    """Return the caps policy (§3): the table, the CJK rule, and a config's override of a listed model."""
    return {
        "table": {model: {"en": pair.en, "cjk": pair.cjk} for model, pair in protocol.caps_table().items()},
        "cjk": {"head_chars": protocol.CJK_HEAD_CHARS, "more_than": protocol.CJK_HEAD_MORE_THAN},
        "override": None if caps.override is None else {"en": caps.override.en, "cjk": caps.override.cjk},
    }


def _request(task: Task, config: Config, caps: scope.Caps) -> PlannedRequest:
    route, cap_chars = config.route, caps.cap_chars(cjk=task.is_cjk)
    key = None
    if task.document_chars <= cap_chars:
        key = identity.answer_key(task.prompt_sha256, route.base_url, route.model, dict(route.parameters), config.replicate)
    return PlannedRequest(task, cap_chars, caps.source, key)


# Rows.


def run_rows(plan: Plan) -> list[ConfigRow | PanelJudge | Run | RunRequest]:
    """Return the rows that write a run down, before its first call."""
    run_requests = [
        RunRequest(
            run_id=plan.run.run_id,
            task_id=request.task.task_id,
            task_sha256=request.task.task_sha256,
            cap_chars=request.cap_chars,
            cap_source=request.cap_source,
            prompt_sha256=request.task.prompt_sha256 if request.request_key else None,
            request_key=request.request_key,
        )
        for request in plan.requests
    ]
    return [*plan.configs, *plan.panel, plan.run, *run_requests]


def dataset_rows(loaded: Loaded, now: str) -> list[object]:
    """Return the rows of a dataset, its documents' texts aside."""
    dataset = loaded.dataset
    template = answer_template_fingerprint()
    rows: list[object] = [
        DatasetRow(dataset.dataset_sha256, len(dataset.tasks), dataset.name, now),
        ConfigRow(template, "prompt_template", prompts.template_config(protocol.ANSWER_TEMPLATE)),
    ]
    rows += [
        DocumentFile(
            document_sha256=source.document_sha256,
            corpus_file=source.corpus_file,
            raw_sha256=source.raw_sha256,
            raw_bytes=source.raw_bytes,
            encoding=source.encoding,
            has_bom=source.has_bom,
            newlines=source.newlines,
        )
        for source in loaded.files
    ]
    for task in dataset.tasks:
        attributes = loaded.attributes[task.task_sha256]
        rows += [
            TaskRow(task.task_sha256, task.task_id, task.question, task.document_sha256),
            TaskAttributes(task.task_sha256, attributes_sha256(attributes), attributes, now),
            DatasetTask(dataset.dataset_sha256, task.task_id, task.task_sha256),
            Prompt(task.prompt_sha256, "answer", template, task.task_sha256, None, task.prompt_chars),
        ]
        rows += [
            RubricCriterion(task.task_sha256, position, points, criterion)
            for position, (points, criterion) in enumerate(task.rubric, start=1)
        ]
    return rows


def document_row(loaded: Loaded, document_sha256: str) -> Document:
    """Return a document's row, its text read anew."""
    source = loaded.documents[document_sha256]
    return Document(document_sha256, loaded.text(document_sha256), source.chars, source.cjk_head_n)


def attributes_sha256(attributes: Json) -> str:
    """Return the hash of a task's attributes. Not RFC 8785: attributes may hold any integer."""
    return identity.sha256_text(json.dumps(attributes, sort_keys=True, separators=(",", ":")))


def answer_template_fingerprint() -> str:
    """Return the fingerprint of the answer prompt's template."""
    return identity.fingerprint(prompts.template_config(protocol.ANSWER_TEMPLATE))


# What the ledger holds already.


def answered_keys(connection: Connection, plan: Plan) -> set[str]:
    """Return which of the plan's requests have a final reply."""
    rows = connection.rows("select_answered_keys", keys=json.dumps(plan.keys))
    return {row["request_key"] for row in rows}


def stored_dataset(connection: Connection, dataset_sha256: str) -> Dataset:
    """Return a dataset as the ledger holds it."""
    (found,) = connection.rows("select_dataset", dataset_sha256=dataset_sha256)
    rows = connection.rows(
        "select_dataset_tasks", dataset_sha256=dataset_sha256, template_fingerprint=answer_template_fingerprint()
    )
    tasks = [
        Task(
            task_id=row["task_id"],
            task_sha256=row["task_sha256"],
            question=row["question"],
            rubric=tuple((entry["points"].normalize(), entry["criterion"]) for entry in row["rubric"]),
            document_sha256=row["document_sha256"],
            document_chars=row["document_chars"],
            cjk_head_n=row["cjk_head_n"],
            prompt_sha256=row["prompt_sha256"],
        )
        for row in rows
    ]
    return Dataset(dataset_sha256, found["name"], tuple(tasks))


def find_dataset(connection: Connection, data_name: str, questions: Iterable[Question]) -> Dataset:
    """Return the imported dataset with these tasks, documents aside. Raises InputError for none or several."""
    wanted = {question.task_id: (question.question, question.rubric) for question in questions}
    candidates = connection.rows("select_datasets", tasks_n=len(wanted))
    datasets = [stored_dataset(connection, row["dataset_sha256"]) for row in candidates]
    fitting = [dataset for dataset in datasets if {t.task_id: (t.question, t.rubric) for t in dataset.tasks} == wanted]
    if not fitting:
        raise InputError(f"{data_name}: these tasks are not in the ledger; give --corpus too, or `wildtrace generate` first")
    if len(fitting) > 1:
        raise InputError(
            f"{data_name}: {len(fitting)} imported datasets have these tasks and differ in their documents; give --corpus too"
        )
    return fitting[0]


def new_names(connection: Connection, plan: Plan, config: Config) -> list[RunLabel | ModelDeclaration]:
    """Return the labels and declarations of a config that the ledger does not have as the latest."""
    now = timestamp(time.time())
    rows: list[RunLabel | ModelDeclaration] = []
    known = connection.rows("select_run", run_id=plan.run.run_id)
    if plan.label is not None and (not known or known[0]["label"] != plan.label):
        rows.append(RunLabel(plan.run.run_id, plan.label, now))
    declared = {config.route.model: (config.family, config.reasoning)}
    for judge in config.judges or ():
        declared.setdefault(judge.model, (judge.family, None))
    for model, (family, reasoning) in declared.items():
        if family is None and reasoning is None:
            continue
        latest = connection.rows("select_declaration", model=model)
        if not latest or (latest[0]["family"], latest[0]["reasoning"]) != (family, reasoning):
            rows.append(ModelDeclaration(model, family, reasoning, now))
    return rows


def judge_routes(config: Config) -> dict[str, Route]:
    """Return the judges of a config by their fingerprint."""
    return {judge.fingerprint(): judge for judge in config.judges or ()}
