"""The journal: each finished HTTP exchange is on disk (fdatasync) before the run counts it.

A segment is a file of JSON lines beside the ledger, `<ledger>.journal/<name>.open`, held by flock while its
process lives. It is sealed, ingested, and kept as `.done`. The invariant: a line whose `append` returned is
whole on disk; a torn last line was never acknowledged. Nothing here knows what a line means or what DuckDB is.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import BinaryIO

from ledger.errors import StoreError

OPEN, SEALED, DONE = ".open", ".sealed", ".done"


class Journal:
    """The writer of this process. Lines that arrive together share one fdatasync."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._queue: SimpleQueue[tuple[bytes, asyncio.Future[None]] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()  # held while the segment is written to or changed for another
        self._file: BinaryIO | None = None
        self._path: Path | None = None
        self._failure: StoreError | None = None

    async def append(self, line: bytes) -> None:
        """Return once the line is on disk. Raises StoreError where it cannot be written, and from then on."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._write_forever, name="journal", daemon=True)
            self._thread.start()
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.put((line, future))
        await future

    @contextmanager
    def sealed(self) -> Iterator[Path | None]:
        """Seal the open segment and yield its path (None where nothing was written), held until the block ends."""
        with self._lock:
            file, path, self._file, self._path = self._file, self._path, None, None
        if file is None or path is None:
            yield None
            return
        with file:
            target = path.with_suffix(SEALED)
            try:
                path.rename(target)
            except OSError as error:
                raise StoreError(f"{path}: the segment cannot be sealed ({error.strerror}); it is kept as it is") from error
            yield target

    def close(self) -> None:
        """End the writing thread. What was appended stays to be sealed."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    def _write_forever(self) -> None:
        while (item := self._queue.get()) is not None:
            batch = [item]
            while not self._queue.empty():
                if (item := self._queue.get()) is None:
                    self._queue.put(None)
                    break
                batch.append(item)
            failure = self._write([line for line, _ in batch])
            loop = batch[0][1].get_loop()
            loop.call_soon_threadsafe(_settle, [future for _, future in batch], failure)

    def _write(self, lines: list[bytes]) -> StoreError | None:
        with self._lock:
            if self._failure is not None:
                return self._failure
            try:
                if self._file is None:
                    self._open()
                assert self._file is not None
                unwritten = memoryview(b"".join(line + b"\n" for line in lines))
                while unwritten:  # a disk that is nearly full takes a part, and says so only of the next
                    unwritten = unwritten[self._file.write(unwritten) :]
                os.fdatasync(self._file.fileno()) if hasattr(os, "fdatasync") else os.fsync(self._file.fileno())
            except OSError as error:
                self._failure = StoreError(
                    f"{self._directory}: the journal cannot be written ({error.strerror}); "
                    "what was acknowledged before is kept: make room, then run the same command again"
                )
            return self._failure

    def _open(self) -> None:
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{os.getpid()}-{secrets.token_hex(4)}"
        new, self._path = self._directory / name, self._directory / (name + OPEN)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        new.rename(self._path)  # only now others see it, and see it held
        self._file = os.fdopen(descriptor, "wb", buffering=0)
        folder = os.open(self._directory, os.O_RDONLY)
        try:
            os.fsync(folder)  # the file's name survives a power cut too
        finally:
            os.close(folder)


def _settle(futures: list[asyncio.Future[None]], failure: StoreError | None) -> None:
    for future in futures:
        if future.done():  # its task was cancelled meanwhile; the line is on disk all the same
            continue
        if failure is None:
            future.set_result(None)
        else:
            future.set_exception(failure)


def abandoned(directory: Path) -> list[Path]:
    """Return the segments, open or sealed, that no living process holds, oldest first."""
    found = []
    for path in sorted((*directory.glob("*" + OPEN), *directory.glob("*" + SEALED))):
        try:
            with path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                found.append(path)
        except (BlockingIOError, FileNotFoundError):
            continue
    return found


def read_lines(path: Path) -> tuple[bytes, list[bytes]]:
    """Return a segment's acknowledged bytes and their lines. A torn last line, never acknowledged, is left out."""
    whole = path.read_bytes()
    acknowledged = whole[: whole.rfind(b"\n") + 1]
    return acknowledged, acknowledged.split(b"\n")[:-1]
