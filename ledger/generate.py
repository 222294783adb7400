"""Generation: a dataset's documents and questions go to the model under test (protocol §1 to §3).

Writes the run down, asks what has no final reply yet, and nothing else: an answer, an empty output and a refusal are
final, what failed is asked again by the next call.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

from ledger import plan, prompts
from ledger.completion import Completion
from ledger.config import Config
from ledger.dataset import Loaded
from ledger.evidence import timestamp
from ledger.intake import ANSWER
from ledger.plan import Plan
from ledger.schedule import Job, Lane, Progress, carry_out
from ledger.store import Connection, Store

_BODY_OVERHEAD_BYTES = 4096
_COMMIT_BYTES = 16 * 1024 * 1024


def record_dataset(store: Store, loaded: Loaded) -> bool:
    """Write a dataset and its documents down, all or nothing. Returns whether anything of it was new."""
    if store.exists():
        with store.reading() as connection:
            if _has_dataset(connection, loaded):
                return False
    with store.writing() as connection:
        _insert_dataset(connection, loaded)
    return True


def record_run(store: Store, planned: Plan, config: Config, loaded: Loaded | None = None) -> set[str]:
    """Write a run, its requests, its names and (where it is given) its dataset down where they are new.

    Returns the request keys that have a final reply.
    """
    if store.exists():
        with store.reading() as connection:
            if is_recorded(connection, planned, config, loaded):
                return plan.answered_keys(connection, planned)
    with store.writing() as connection:
        if loaded is not None and not _has_dataset(connection, loaded):
            _insert_dataset(connection, loaded)
        if not _has_run(connection, planned):
            connection.insert(plan.run_rows(planned))
        connection.insert(plan.new_names(connection, planned, config))
        return plan.answered_keys(connection, planned)


def is_recorded(connection: Connection, planned: Plan, config: Config, loaded: Loaded | None = None) -> bool:
    """Tell whether all that `record_run` writes is there."""
    known = loaded is None or _has_dataset(connection, loaded)
    return known and _has_run(connection, planned) and not plan.new_names(connection, planned, config)


def _has_run(connection: Connection, planned: Plan) -> bool:
    return bool(connection.rows("select_run", run_id=planned.run.run_id))


def _has_dataset(connection: Connection, loaded: Loaded) -> bool:
    rows = connection.rows("select_task_attributes", dataset_sha256=loaded.dataset.dataset_sha256)
    recorded = {row["task_sha256"]: row["attributes_sha256"] for row in rows}
    return recorded == {task: plan.attributes_sha256(attributes) for task, attributes in loaded.attributes.items()}


def _insert_dataset(connection: Connection, loaded: Loaded) -> None:
    keys = json.dumps(list(loaded.documents))
    known = {row["document_sha256"] for row in connection.rows("select_known_documents", keys=keys)}
    uncommitted_bytes = 0
    for document_sha256 in loaded.documents.keys() - known:  # one at a time: a corpus need not fit into memory
        connection.insert([plan.document_row(loaded, document_sha256)])
        uncommitted_bytes += loaded.documents[document_sha256].utf8_bytes
        if uncommitted_bytes > _COMMIT_BYTES:
            connection.commit_so_far()
            uncommitted_bytes = 0
    connection.insert(plan.dataset_rows(loaded, timestamp(time.time())))


def generate(store: Store, loaded: Loaded, planned: Plan, config: Config, progress: Progress) -> None:
    """Ask the model under test whatever of this run has no final reply. Raises as `schedule.carry_out` does."""
    with store.alone_on(f"generation-of-run-{planned.run.run_id}"):
        answered = record_run(store, planned, config, loaded)
        lane = Lane(config.route, ANSWER, _jobs(loaded, planned, answered))
        carry_out(f"generate {config.route.model}", [lane], config.concurrency, store, progress, _outcome)


def _jobs(loaded: Loaded, planned: Plan, answered: set[str]) -> Sequence[Job]:
    """Return one job for each distinct request without a final reply, documents side by side."""
    jobs: dict[str, Job] = {}
    first_use = {request.task.document_sha256: number for number, request in reversed(list(enumerate(planned.requests)))}
    for request in sorted(planned.requests, key=lambda request: first_use[request.task.document_sha256]):
        key, task = request.request_key, request.task
        if key is None or key in answered or key in jobs:
            continue
        size = loaded.documents[task.document_sha256].utf8_bytes + _BODY_OVERHEAD_BYTES

        def prompt(question: str = task.question, document_sha256: str = task.document_sha256) -> str:
            return prompts.answer_prompt(question, loaded.text(document_sha256))

        jobs[key] = Job(key, size, prompt)
    return list(jobs.values())


def _outcome(_: Job, answer: Completion) -> str:
    return answer.status
