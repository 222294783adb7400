"""The journal keeps what was acknowledged, through kills, torn lines and full disks, and nothing that a living process holds."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import journal
from ledger.errors import StoreError
from ledger.journal import Journal

WRITER = """
import asyncio, sys
from pathlib import Path
from ledger.journal import Journal

async def write():
    journal = Journal(Path(sys.argv[1]))
    for line in sys.argv[2:]:
        await journal.append(line.encode())
    print("written", flush=True)
    await asyncio.sleep(60)

asyncio.run(write())
"""
FULL_DISK = """
import asyncio, json, resource, sys
from pathlib import Path
from ledger.errors import StoreError
from ledger.journal import Journal

async def write():
    journal, acknowledged, messages = Journal(Path(sys.argv[1])), [], []
    for number in range(100):
        line = f"{number:03d}" + "x" * 60
        try:
            await journal.append(line.encode())
            acknowledged.append(line)
        except StoreError as error:
            messages.append(str(error))
    print(json.dumps([acknowledged, messages]))

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))  # no file may grow beyond: a write first takes a part, then fails
asyncio.run(write())
"""
NO_RIGHT = """
import asyncio, os, sys
from pathlib import Path
from ledger.errors import StoreError
from ledger.journal import Journal

if os.geteuid() == 0:
    os.setuid(65534)  # root may write anywhere
try:
    asyncio.run(Journal(Path(sys.argv[1])).append(b"line"))
except StoreError as error:
    print(error)
"""


def run(script: str, *arguments: str | Path) -> str:
    """Run a script in a process of its own; return what it printed."""
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], capture_output=True, text=True, check=True, timeout=60
    ).stdout


@contextmanager
def writer(folder: Path, *lines: str) -> Iterator[subprocess.Popen[str]]:
    """Start a process that has journalled these lines and goes on living; end it at last."""
    command = [sys.executable, "-c", WRITER, str(folder), *lines]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "written\n"
        try:
            yield process
        finally:
            process.kill()


def append(to: Journal, *lines: bytes) -> None:
    """Append lines at once and wait until all are acknowledged."""

    async def appended() -> None:
        await asyncio.gather(*(to.append(line) for line in lines))

    asyncio.run(appended())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A journal folder that does not exist yet."""
    return tmp_path / "wildtrace.duckdb.journal"


@pytest.fixture
def open_journal(folder: Path) -> Iterator[Journal]:
    """A journal in that folder."""
    made = Journal(folder)
    yield made
    made.close()
    with made.sealed():
        pass


def test_an_acknowledged_line_is_on_disk(folder: Path, open_journal: Journal) -> None:
    """When append returns, the line stands whole in the segment, in the order in which lines were appended."""
    append(open_journal, b"one", "zwei ä".encode())
    (segment,) = folder.glob("*" + journal.OPEN)
    assert segment.read_bytes() == b"one\nzwei \xc3\xa4\n"
    append(open_journal, b"x" * 1_000_000)
    assert journal.read_lines(segment)[1] == [b"one", "zwei ä".encode(), b"x" * 1_000_000]


def test_many_lines_at_once_are_all_acknowledged(folder: Path, open_journal: Journal) -> None:
    """Lines that arrive together are written together, each once."""
    lines = [str(number).encode() for number in range(500)]
    append(open_journal, *lines)
    (segment,) = folder.glob("*" + journal.OPEN)
    assert journal.read_lines(segment)[1] == lines


def test_only_its_user_can_read_a_journal(folder: Path, open_journal: Journal) -> None:
    """Folder and segments are private: they hold prompts and answers."""
    append(open_journal, b"one")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_a_segment_is_sealed_and_the_next_line_begins_another(folder: Path, open_journal: Journal) -> None:
    """A sealed segment is held while it is taken in; lines written meanwhile go to a new one."""
    append(open_journal, b"one")
    with open_journal.sealed() as first:
        assert first is not None
        assert first.suffix == journal.SEALED
        append(open_journal, b"two")
        assert journal.abandoned(folder) == []
        assert journal.read_lines(first)[1] == [b"one"]
    assert journal.abandoned(folder) == [first]
    with open_journal.sealed() as second:
        assert second is not None
        assert journal.read_lines(second)[1] == [b"two"]


def test_nothing_written_is_nothing_to_seal(folder: Path, open_journal: Journal) -> None:
    """A journal without a line makes no file and no folder."""
    with open_journal.sealed() as segment:
        assert segment is None
    assert not folder.exists()
    assert journal.abandoned(folder) == []


def test_only_segments_of_dead_processes_are_abandoned(folder: Path, open_journal: Journal) -> None:
    """While its process lives a segment is its own; killed, what it had acknowledged is found."""
    append(open_journal, b"mine")
    with writer(folder, "one", "two") as process:
        assert len(list(folder.glob("*" + journal.OPEN))) == 2
        assert journal.abandoned(folder) == []
        process.send_signal(signal.SIGKILL)
        process.wait()
        (segment,) = journal.abandoned(folder)
        assert f"-{process.pid}-" in segment.name
        assert journal.read_lines(segment)[1] == [b"one", b"two"]


def test_abandoned_segments_come_oldest_first_and_done_ones_not_at_all(folder: Path) -> None:
    """What is left to take in is listed by age, sealed or not; what was taken in is left alone."""
    folder.mkdir()
    for name in ("20270102T000000-1-a.open", "20270101T000000-9-b.sealed", "20260101T000000-1-c.done", "20250101T000000-1-d"):
        (folder / name).write_bytes(b"line\n")
    assert [path.name for path in journal.abandoned(folder)] == ["20270101T000000-9-b.sealed", "20270102T000000-1-a.open"]


def test_two_journals_share_a_folder(folder: Path, open_journal: Journal) -> None:
    """Two runs beside each other write segments of their own, even in one process."""
    other = Journal(folder)
    append(open_journal, b"one")
    append(other, b"two")
    append(open_journal, b"three")
    found = sorted(journal.read_lines(path)[1] for path in folder.iterdir())
    assert found == [[b"one", b"three"], [b"two"]]
    assert journal.abandoned(folder) == []
    other.close()
    with other.sealed() as segment:
        assert segment is not None


def test_a_torn_last_line_is_left_out(folder: Path) -> None:
    """What a kill cut in the middle was never acknowledged, and is not read."""
    with writer(folder, "one") as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    (segment,) = journal.abandoned(folder)
    with segment.open("ab") as file:
        file.write(b'{"attempt": {"bo')
    assert journal.read_lines(segment) == (b"one\n", [b"one"])


@given(st.lists(st.binary(max_size=8).filter(lambda line: b"\n" not in line), max_size=5), st.binary(max_size=8))
@settings(max_examples=60, deadline=None)
def test_any_bytes_are_read_as_their_whole_lines(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], torn: bytes
) -> None:
    """Whole lines come back as they were written, whatever stands behind the last newline."""
    torn = torn.replace(b"\n", b"")
    path = tmp_path_factory.mktemp("lines") / "x.open"
    path.write_bytes(b"".join(line + b"\n" for line in lines) + torn)
    acknowledged, found = journal.read_lines(path)
    assert (acknowledged + torn, found) == (path.read_bytes(), lines)


def test_a_full_disk_is_an_error_and_loses_nothing_acknowledged(folder: Path) -> None:
    """The line that did not fit, and every later one, is refused; each line acknowledged before is whole on disk."""
    acknowledged, messages = json.loads(run(FULL_DISK, folder))
    (segment,) = journal.abandoned(folder)
    assert [line.decode() for line in journal.read_lines(segment)[1]] == acknowledged
    assert len(acknowledged) == 15
    assert segment.stat().st_size == 1000
    assert len(messages) == 85
    (message,) = set(messages)
    assert message.startswith(f"{folder}: the journal cannot be written (File too large)")
    assert message.endswith("make room, then run the same command again")


def test_a_folder_that_may_not_be_written_is_an_error(folder: Path) -> None:
    """Without the right to write, the journal says so in one line that names the folder."""
    folder.mkdir(mode=0o500)
    assert run(NO_RIGHT, folder).startswith(f"{folder}: the journal cannot be written (Permission denied)")


def test_a_folder_that_cannot_be_made_is_an_error(folder: Path) -> None:
    """A file where the folder should be is an error for this line and the next."""
    folder.write_bytes(b"")
    made = Journal(folder)
    for _ in range(2):
        with pytest.raises(StoreError, match="the journal cannot be written"):
            append(made, b"line")
    made.close()
    assert list(folder.parent.iterdir()) == [folder]


def test_a_cancelled_task_does_not_stop_the_others(folder: Path, open_journal: Journal) -> None:
    """A line whose task was cancelled while it was written does no harm to the lines beside it."""

    async def cancel_one() -> None:
        one, other = (asyncio.ensure_future(open_journal.append(line)) for line in (b"one", b"other"))
        await asyncio.sleep(0)
        one.cancel()
        await other

    asyncio.run(cancel_one())
    (segment,) = folder.glob("*" + journal.OPEN)
    assert journal.read_lines(segment)[1] == [b"one", b"other"]
