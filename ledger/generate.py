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


def record_dataset(store: Store, loaded: Loaded) -> bool:
    """Write a dataset and its documents down, all or nothing. Returns whether anything of it was new."""
    if store.exists():
        with store.reading() as connection:
            if _has_dataset(connection, loaded):
                return False
    with store.writing() as connection:
        hashes = json.dumps(list(loaded.documents))
        known = {row["document_sha256"] for row in connection.rows("select_known_documents", hashes=hashes)}
        for document_sha256 in loaded.documents.keys() - known:
            connection.insert([plan.document_row(loaded, document_sha256)])
        connection.insert(plan.dataset_rows(loaded, timestamp(time.time())))
    return True


def _has_dataset(connection: Connection, loaded: Loaded) -> bool:
    rows = connection.rows("select_task_attributes", dataset_sha256=loaded.dataset.dataset_sha256)
    recorded = {row["task_sha256"]: row["attributes_sha256"] for row in rows}
    return recorded == {task: plan.attributes_sha256(attributes) for task, attributes in loaded.attributes.items()}


def record_run(store: Store, planned: Plan, config: Config) -> set[str]:
    """Write a run, its requests and its names down where they are new. Returns the request keys with a final reply."""
    now = timestamp(time.time())
    with store.reading() as connection:
        known = connection.rows("select_run", run_id=planned.run.run_id)
        names = plan.new_names(connection, planned, config, now)
        answered = plan.answered_keys(connection, planned)
    if not known or names:
        with store.writing() as connection:
            connection.insert([*([] if known else plan.run_rows(planned)), *names])
    return answered


def generate(store: Store, loaded: Loaded, config: Config, progress: Progress) -> Plan:
    """Ask the model under test whatever of this run has no final reply. Returns the run's plan.

    Raises as `schedule.carry_out` does.
    """
    record_dataset(store, loaded)
    planned = plan.make_plan(loaded.dataset, config, timestamp(time.time()))
    answered = record_run(store, planned, config)
    jobs = _jobs(loaded, planned, answered)
    carry_out(f"generate {config.route.model}", [Lane(config.route, ANSWER, jobs)], config.concurrency, store, progress, _outcome)
    return planned


def _jobs(loaded: Loaded, planned: Plan, answered: set[str]) -> Sequence[Job]:
    """Return one job for each distinct request without a final reply, documents side by side."""
    jobs: dict[str, Job] = {}
    for request in sorted(planned.requests, key=lambda request: request.task.document_sha256):
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
