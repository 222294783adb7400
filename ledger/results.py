"""A run's results out of the ledger, and answers made elsewhere into it: responses.json and scores.json (protocol §6).

Figures are read from the views; nothing is computed here. A file is written whole or not at all.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from ledger import generate, identity, plan, prompts, protocol, strict_json
from ledger.config import Config
from ledger.dataset import Dataset, Loaded
from ledger.errors import InputError
from ledger.evidence import Config as ConfigRow
from ledger.evidence import Response, RunRequest, timestamp
from ledger.identity import Json
from ledger.plan import Plan
from ledger.store import Connection, Row, Store

_STATUS_COUNTS = ("out_of_context_n", "empty_n", "refused_n", "failed_n", "missing_n", "unjudged_n")


def find_run(connection: Connection, name: str) -> str:
    """Return the id of the run that an id, a unique beginning of one, or a label names. Raises InputError."""
    rows = connection.rows("select_runs_named", name=name)
    exact = [row for row in rows if row["run_id"] == name] or [row for row in rows if row["label"] == name] or rows
    if len(exact) == 1:
        return str(exact[0]["run_id"])
    if not exact:
        raise InputError(f"{name}: no run has this id or label; `wildtrace runs` lists them")
    raise InputError(f"{name}: {len(exact)} runs are meant: {', '.join(row['run_id'] for row in exact)}; give an id")


def figures(connection: Connection, run_id: str) -> Row:
    """Return a run's row of `run_scores`."""
    (row,) = connection.rows("select_figures", run_id=run_id)
    return row


def finished(store: Store, loaded: Loaded, planned: Plan, config: Config) -> Row | None:
    """Return a run's figures where it is recorded and complete, so that nothing is left to ask; else None.

    Opens the ledger once: what running a finished run again costs.
    """
    if config.judges is None or not store.exists():
        return None
    with store.reading() as connection:
        if not generate.is_recorded(connection, planned, config, loaded):
            return None
        row = figures(connection, planned.run.run_id)
    return row if row["complete"] else None


def responses(connection: Connection, run_id: str, model: str) -> Json:
    """Return responses.json: every task of the run with what came back."""
    found = []
    for row in connection.rows("select_responses", run_id=run_id):
        counts = {name: row.pop(name) for name in ("prompt_tokens", "completion_tokens", "reasoning_tokens")}
        usage = {name: count for name, count in counts.items() if count is not None}
        found.append({**row, "usage": usage or None})
    return {"run_id": run_id, "model": model, "responses": found}


def scores(connection: Connection, run_id: str) -> Json:
    """Return scores.json: the figures, what they are made of, and each task with its judges."""
    row = figures(connection, run_id)
    judges: dict[str, list[Row]] = {}
    for judge in connection.rows("select_judge_scores", run_id=run_id):
        judges.setdefault(judge.pop("task_id"), []).append(
            {name: judge[name] for name in ("judge", "status", "total", "score", "reply", "reply_sha256", "tries")}
        )
    tasks = [
        {"task_id": task["task_id"], "status": task["status"], "score": task["score"], "judges": judges.get(task["task_id"], [])}
        for task in connection.rows("select_task_scores", run_id=run_id)
    ]
    names = ("run_id", "label", "model", "scored_overall", "scored_n", "all_tasks_overall", "overall", "tasks_n")
    return {
        **{name: row[name] for name in names},
        **{name: row[name] for name in _STATUS_COUNTS},
        "complete": row["complete"],
        "class_id": row["class_id"],
        "fingerprints": {c["kind"]: c["fingerprint"] for c in connection.rows("select_fingerprints", run_id=run_id)},
        "judges": [{"judge": j["judge"], **json.loads(j["body"])} for j in connection.rows("select_panel", run_id=run_id)],
        "tasks": tasks,
    }


def write_json(path: Path, document: Json) -> None:
    """Write a JSON file whole or not at all; folders are made. Raises InputError where it cannot be written."""
    text = json.dumps(document, ensure_ascii=False, indent=1, default=_number) + "\n"
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written ({error.strerror})") from None


def _number(value: Any) -> float:
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"no JSON form for {type(value).__name__}")


# Answers made elsewhere.


def import_responses(store: Store, path: Path, dataset: Dataset, config: Config) -> Plan:
    """Bring in a responses.json made elsewhere, as a run of its own marked imported; returns that run's plan.

    A file that this ledger wrote, unchanged, means the run it names. Raises InputError with every problem of the file.
    """
    raw, entries, model, run_id = _read_responses(path, dataset)
    own = _own_run(store, dataset, config, entries, run_id)
    if own is not None:
        return own
    planned = _imported_plan(path.name, raw, entries, model, dataset, config)
    now = timestamp(time.time())
    rows: list[object] = [*plan.run_rows(planned), *_imported_responses(raw, entries, planned, now)]
    with store.writing() as connection:
        names = plan.new_names(connection, planned, config)
        known = connection.rows("select_run", run_id=planned.run.run_id)
        connection.insert([*([] if known else rows), *names])
    return planned


def _read_responses(path: Path, dataset: Dataset) -> tuple[bytes, dict[str, Row], str, str | None]:
    document = strict_json.load(path)
    if not strict_json.has_utf8_form(document):
        raise InputError(f"{path}: holds a lone surrogate, which has no UTF-8 form")
    raw = path.read_bytes()
    listed = document.get("responses") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise InputError(f"{path}: must be an object with a list `responses`")
    model = document.get("model")
    if not isinstance(model, str) or not model:
        raise InputError(f"{path}: model: missing")
    problems, entries = [], {}
    known = {task.task_id for task in dataset.tasks}
    for number, entry in enumerate(listed, start=1):
        task_id = entry.get("task_id") if isinstance(entry, dict) else None
        if not isinstance(task_id, str) or task_id not in known:
            problems.append(f"{path}: responses[{number}].task_id: {task_id!r} is no task of this dataset")
        elif task_id in entries:
            problems.append(f"{path}: responses[{number}].task_id: {task_id!r} stands twice")
        elif not isinstance(entry.get("response"), str | None):
            problems.append(f"{path}: responses[{number}].response: must be a string or null")
        else:
            entries[task_id] = entry
    if problems:
        raise InputError(*problems)
    run_id = document.get("run_id")
    return raw, entries, model, run_id if isinstance(run_id, str) else None


def _own_run(store: Store, dataset: Dataset, config: Config, entries: Mapping[str, Row], run_id: str | None) -> Plan | None:
    """Return the config's own run where the file is what this ledger holds of it."""
    planned = plan.make_plan(dataset, config)
    if run_id is None or not store.exists():
        return None
    with store.reading() as connection:
        if not connection.rows("select_run", run_id=run_id):
            return None
        held = {
            row["task_id"]: (row["response"] or "", row["prompt_sha256"])
            for row in connection.rows("select_responses", run_id=run_id)
        }
        asked = {request.task.task_id: request.request_key for request in planned.requests}
        same_answers = held == {
            task_id: (entry.get("response") or "", entry.get("prompt_sha256")) for task_id, entry in entries.items()
        }
        return planned if same_answers and _same_requests(connection, run_id, asked) else None


def _same_requests(connection: Connection, run_id: str, asked: Mapping[str, str | None]) -> bool:
    return {row["task_id"]: row["request_key"] for row in connection.rows("select_run_requests", run_id=run_id)} == asked


def _imported_plan(name: str, raw: bytes, entries: Mapping[str, Row], model: str, dataset: Dataset, config: Config) -> Plan:
    """Return the plan of an imported run: the config's panel and caps, but a route and a label that are the file's."""
    planned = plan.make_plan(dataset, config)
    source = {"imported_sha256": identity.sha256_bytes(raw), "model": model}
    asked = {request.task.task_id: request.task.prompt_sha256 for request in planned.requests}
    proven = all(
        entry.get("prompt_sha256") == asked[task_id]
        for task_id, entry in entries.items()
        if _status(entry) in {"answered", "empty", "refused"}
    )
    template = (
        prompts.template_config(protocol.ANSWER_TEMPLATE)
        if proven
        else {"imported": "the prompts are not those of the protocol, or unsaid"}
    )
    bodies = {"route": source, "prompt_template": template, "decoding_policy": {"imported": True}}
    hashes = {kind: identity.fingerprint(body) for kind, body in bodies.items()}
    run = replace(
        planned.run,
        model=model,
        base_url="",
        is_imported=True,
        route_fingerprint=hashes["route"],
        prompt_template_fingerprint=hashes["prompt_template"],
        decoding_policy_fingerprint=hashes["decoding_policy"],
    )
    run = replace(run, run_id=plan.run_id_of(run))
    kept = [row for row in planned.configs if row.kind not in bodies]
    requests = tuple(
        replace(request, request_key=request.request_key and identity.fingerprint({**source, "task_id": request.task.task_id}))
        for request in planned.requests
    )
    configs = (*kept, *(ConfigRow(hashes[kind], kind, body) for kind, body in bodies.items()))
    return Plan(run, name, configs, planned.panel, requests)


def _status(entry: Mapping[str, Any]) -> str:
    """Return what an entry is: its own word, or what its text says."""
    stated = entry.get("status")
    if stated in {"refused", "failed", "missing", "out_of_context"}:
        return str(stated)
    return "answered" if (entry.get("response") or "").strip() else "empty"


def _imported_responses(raw: bytes, entries: Mapping[str, Row], planned: Plan, now: str) -> list[Response | RunRequest]:
    """Return the responses of a file for the tasks that are in context and that it has a final reply for."""
    found: list[Response | RunRequest] = []
    for request in planned.requests:
        entry = entries.get(request.task.task_id)
        if entry is None or request.request_key is None or (status := _status(entry)) not in {"answered", "empty", "refused"}:
            continue
        text, finish_reason, usage = entry.get("response") or "", entry.get("finish_reason"), entry.get("usage")
        counts = usage if isinstance(usage, dict) else {}
        found.append(
            Response(
                request_key=request.request_key,
                response_sha256=identity.sha256_text(text),
                status=status,
                text=text,
                finish_reason=finish_reason if isinstance(finish_reason, str) else None,
                served_model=None,
                system_fingerprint=None,
                reasoning=None,
                refusal=None,
                prompt_tokens=_count(counts.get("prompt_tokens")),
                completion_tokens=_count(counts.get("completion_tokens")),
                reasoning_tokens=_count(counts.get("reasoning_tokens")),
                ended_at=now,
                attempt_key=identity.sha256_bytes(raw),
            )
        )
    return found


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None
