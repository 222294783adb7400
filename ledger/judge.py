"""Judging: each answer of a run goes to each judge of its panel, one request each (protocol §4).

Asks what has no verdict yet, and nothing else: a reply that could not be read is asked for again by the next call, and
the earliest valid verdict counts for good. Runs whose answers are the same share their judges' replies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial

from ledger import identity, plan, prompts, verdict
from ledger.completion import Completion
from ledger.config import Config, Route
from ledger.dataset import Dataset, Task
from ledger.errors import InputError
from ledger.evidence import JudgeRequest, Prompt
from ledger.intake import JUDGE
from ledger.plan import Plan
from ledger.schedule import Job, Lane, Progress, carry_out
from ledger.store import Row, Store


def judge(store: Store, dataset: Dataset, planned: Plan, config: Config, progress: Progress) -> None:
    """Ask the panel whatever it has no verdict on. Raises as `schedule.carry_out` does, and InputError without a panel."""
    if config.judges is None:
        raise InputError("the config names no judges: add a list `judges`, three in the protocol (§4), or [] for none")
    with store.alone_on(f"judging-of-run-{planned.run.run_id}"):
        _ask_the_panel(store, dataset, planned, config, progress)


def _ask_the_panel(store: Store, dataset: Dataset, planned: Plan, config: Config, progress: Progress) -> None:
    pending, texts = _pending(store, planned)
    if not pending:
        return
    tasks = {task.task_id: task for task in dataset.tasks}
    prompt_texts = {task_id: judge_prompt(tasks[task_id], text) for task_id, text in texts.items()}
    new = [row for row in pending if row["request_key"] is None]
    if new:
        _write_down(store, planned, config, new, tasks, prompt_texts)
        pending, _ = _pending(store, planned)  # another run may have these verdicts already
    lanes = [
        Lane(route, JUDGE, _jobs([row for row in pending if row["judge_fingerprint"] == fingerprint], tasks, prompt_texts))
        for fingerprint, route in plan.judge_routes(config).items()
    ]
    carry_out(f"judge {planned.run.model}", lanes, config.concurrency, store, progress, _outcome)


def judge_prompt(task: Task, response: str) -> str:
    """Return the prompt that judges get for a task's answer."""
    return prompts.judge_prompt(task.question, task.rubric, response)


def _pending(store: Store, planned: Plan) -> tuple[list[Row], dict[str, str]]:
    """Return the (task, judge) pairs without a verdict, and the texts of the answers they are about."""
    with store.reading() as connection:
        pending = connection.rows("select_pending_judgements", run_id=planned.run.run_id)
        if not pending:
            return [], {}
        asked = {row["task_id"] for row in pending}
        rows = connection.rows("select_answer_texts", run_id=planned.run.run_id)
    return pending, {row["task_id"]: row["text"] for row in rows if row["task_id"] in asked}


def _write_down(
    store: Store, planned: Plan, config: Config, new: Sequence[Row], tasks: Mapping[str, Task], prompt_texts: Mapping[str, str]
) -> None:
    """Write judge requests and their prompts down, before the first call."""
    routes, template = plan.judge_routes(config), planned.run.judge_template_fingerprint
    hashes = {task_id: identity.sha256_text(text) for task_id, text in prompt_texts.items()}
    responses = {row["task_id"]: row["response_sha256"] for row in new}
    requests = [_request(planned, config, routes[row["judge_fingerprint"]], row, hashes[row["task_id"]]) for row in new]
    prompt_rows = [
        Prompt(hashes[task_id], "judge", template, tasks[task_id].task_sha256, response, len(prompt_texts[task_id]))
        for task_id, response in responses.items()
    ]
    with store.writing() as connection:
        connection.insert([*requests, *prompt_rows])


def _request(planned: Plan, config: Config, route: Route, row: Row, prompt_sha256: str) -> JudgeRequest:
    key = identity.judge_key(prompt_sha256, route.base_url, route.model, dict(route.parameters), config.judge_replicate)
    return JudgeRequest(planned.run.run_id, row["task_id"], row["judge_fingerprint"], row["response_sha256"], prompt_sha256, key)


def _jobs(pending: Sequence[Row], tasks: Mapping[str, Task], prompt_texts: Mapping[str, str]) -> Sequence[Job]:
    jobs: dict[str, Job] = {}
    for row in pending:
        text, task = prompt_texts[row["task_id"]], tasks[row["task_id"]]
        points = tuple(points for points, _ in task.rubric)
        jobs.setdefault(row["request_key"], Job(row["request_key"], 4 * len(text), partial(str, text), points))
    return list(jobs.values())


def _outcome(job: Job, reply: Completion) -> str:
    points: Sequence[Decimal] = job.rubric_points or ()
    return verdict.parse(reply.text or "", reply.finish_reason, points).status
