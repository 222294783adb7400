"""Bounded concurrency: how many requests, and how many bytes of them, are in flight at once.

Each route has workers of its own, so that a slow one holds up no other; all share one bound on requests and one on
bytes. A route starts with two requests until one succeeds, and stops for good when it meets a problem that every
request would meet. What finishes is journalled at once and ingested every other second. The first Ctrl-C starts
nothing more and waits for what is in flight; a second stops now.
"""

from __future__ import annotations

import asyncio
import signal
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Protocol

from ledger import intake
from ledger.completion import Completion, Problem
from ledger.config import Route
from ledger.errors import Interrupted, LedgerError
from ledger.evidence import Attempt
from ledger.journal import Journal
from ledger.store import Store

if TYPE_CHECKING:
    from ledger.client import Endpoint

BYTES_IN_FLIGHT: Final = 640 * 1024 * 1024
_FIRST_REQUESTS: Final = 2
_INGEST_EVERY_S: Final = 2.0


@dataclass(frozen=True)
class Job:
    """One request to make.

    `size_bytes` is what it holds in memory while in flight; `prompt` builds its text when its turn has come.
    `rubric_points` are those that a judge's reply is read with, None for an answer.
    """

    request_key: str
    size_bytes: int
    prompt: Callable[[], str]
    rubric_points: Sequence[Decimal] | None = None


@dataclass(frozen=True)
class Lane:
    """The jobs of one route."""

    route: Route
    purpose: str
    jobs: Sequence[Job]


class Progress(Protocol):
    """Who is told how the work goes on."""

    def begin(self, title: str, total: int) -> None:
        """Work of `total` requests begins."""

    def step(self, outcome: str, tokens: int) -> None:
        """One request is over: answered, empty, refused, ok, unparsed or failed."""

    def say(self, message: str) -> None:
        """Something that the user should read."""

    def end(self) -> None:
        """Hear that the work is over."""


Outcome = Callable[[Job, Completion], str]


def carry_out(title: str, lanes: Sequence[Lane], concurrency: int, store: Store, progress: Progress, outcome: Outcome) -> None:
    """Make all requests of the lanes and bring what comes back into the ledger.

    `outcome` names what a completion is to the user. Raises Interrupted after Ctrl-C, InputError for a route whose
    key is not there, StoreError where evidence cannot be kept. What a route could not do is said and stays undone.
    """
    if any(lane.jobs for lane in lanes):
        asyncio.run(_Work(title, lanes, concurrency, store, progress, outcome).run())


class _Work:
    def __init__(
        self, title: str, lanes: Sequence[Lane], concurrency: int, store: Store, progress: Progress, outcome: Outcome
    ) -> None:
        self._title, self._lanes, self._store, self._progress, self._outcome = title, lanes, store, progress, outcome
        self._journal = Journal(store.journal_directory)
        self._requests = asyncio.Semaphore(concurrency)
        self._bytes = _Budget(BYTES_IN_FLIGHT)
        self._stopping = False
        self._failure: LedgerError | None = None
        self._in_flight = 0
        self._signals = 0

    async def run(self) -> None:
        from ledger.client import Client  # httpx takes a tenth of a second to import: only when there is work

        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._on_signal, task)
        self._progress.begin(self._title, sum(len(lane.jobs) for lane in self._lanes))
        try:
            async with Client() as client:
                served = [(lane, client.endpoint(lane.route)) for lane in self._lanes if lane.jobs]
                ingesting = asyncio.create_task(self._ingest_now_and_then())
                try:
                    async with asyncio.TaskGroup() as group:
                        for lane, endpoint in served:
                            group.create_task(_Served(self, lane, endpoint).run())
                finally:
                    ingesting.cancel()
                    await asyncio.wait([ingesting])
        except asyncio.CancelledError:
            if not self._signals:
                raise
        finally:
            self._progress.end()
            self._journal.close()
            self._store.ingest(self._journal)
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)
        if self._failure is not None:
            raise self._failure
        if self._signals:
            raise Interrupted("interrupted: everything that was finished is kept; run the same command again to go on")

    def _on_signal(self, task: asyncio.Task[None]) -> None:
        self._signals += 1
        self._stopping = True
        if self._signals == 1:
            self._progress.say(f"stopping: waiting for {self._in_flight} requests in flight; Ctrl-C again stops now")
        else:
            task.cancel()

    async def _ingest_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(_INGEST_EVERY_S)
            ingestion = asyncio.create_task(asyncio.to_thread(self._store.ingest, self._journal))
            try:
                await asyncio.shield(ingestion)
            except asyncio.CancelledError:
                await asyncio.wait([ingestion])
                raise
            except LedgerError as error:
                self.fail(error)
                return

    def fail(self, error: LedgerError) -> None:
        """Start nothing more because of an error; what is in flight goes on."""
        self._failure = self._failure or error
        self._stopping = True

    @property
    def stopping(self) -> bool:
        return self._stopping

    async def make(self, lane: Lane, endpoint: Endpoint, job: Job) -> Completion | Problem | None:
        """Make one request; None where the work is stopping."""
        async with self._requests, self._bytes.held(job.size_bytes):
            if self._stopping:
                return None
            self._in_flight += 1
            try:
                return await endpoint.ask(lane.purpose, job.request_key, job.prompt(), self._recorder(job))
            except LedgerError as error:
                self.fail(error)
                return None
            finally:
                self._in_flight -= 1

    def _recorder(self, job: Job) -> Callable[[Attempt], Awaitable[None]]:
        async def record(attempt: Attempt) -> None:
            await self._journal.append(intake.journal_line(attempt, job.rubric_points))

        return record

    def tell(self, job: Job, meaning: Completion | Problem) -> None:
        if isinstance(meaning, Completion):
            self._progress.step(self._outcome(job, meaning), meaning.completion_tokens or 0)
        else:
            self._progress.step("refused" if meaning.refusal else "failed", 0)

    def say(self, message: str) -> None:
        self._progress.say(message)


class _Served:
    """One lane being worked off."""

    def __init__(self, work: _Work, lane: Lane, endpoint: Endpoint) -> None:
        self._work, self._lane, self._endpoint = work, lane, endpoint
        self._waiting = deque(lane.jobs)
        self._proven = asyncio.Event()
        self._stopped_by: Problem | None = None

    async def run(self) -> None:
        workers = min(self._lane.route.concurrency, len(self._lane.jobs))
        async with asyncio.TaskGroup() as group:
            for number in range(workers):
                group.create_task(self._worker(first=number < _FIRST_REQUESTS))
        if self._stopped_by is not None:
            mend = f"; the config field to change: {self._stopped_by.field}" if self._stopped_by.field else ""
            self._work.say(
                f"{self._lane.route.model}: stopped, since every request would meet this: {self._stopped_by.detail}{mend}"
            )

    async def _worker(self, *, first: bool) -> None:
        if not first:
            await self._proven.wait()
        while self._waiting and self._stopped_by is None and not self._work.stopping:
            job = self._waiting.popleft()
            meaning = await self._work.make(self._lane, self._endpoint, job)
            if meaning is None:
                break
            if isinstance(meaning, Completion):
                self._proven.set()
            elif meaning.stops_route:
                self._stopped_by = self._stopped_by or meaning
            self._work.tell(job, meaning)
        self._proven.set()  # nothing is left for this lane: the others may end too


class _Budget:
    """A bound on bytes held at once. What is larger than all of it is let through alone."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._waiting = 0
        self._freed = asyncio.Condition()

    @asynccontextmanager
    async def held(self, size: int) -> AsyncIterator[None]:
        if self._held and self._held + size > self._limit:
            self._waiting += 1
            try:
                async with self._freed:
                    await self._freed.wait_for(lambda: self._held == 0 or self._held + size <= self._limit)
                    self._held += size
            finally:
                self._waiting -= 1
        else:
            self._held += size
        try:
            yield
        finally:
            self._held -= size
            if self._waiting:
                async with self._freed:
                    self._freed.notify_all()
