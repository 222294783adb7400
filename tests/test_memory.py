"""Memory: as many of the longest documents in flight as the concurrency allows, within a gigabyte."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest
from conftest import WILDTRACE, Workshop, task
from endpoint import ScriptedEndpoint, ok

DOCUMENTS_N, CHARS = 64, 2_850_000
LIMIT_BYTES = 1_000_000_000
MEASURE = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
MEASURE += (
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"  # a process started by this one would count from its memory
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.mark.parametrize("rare", ["", "—", "😀"], ids=["ascii", "two bytes a character in memory", "four bytes"])
def test_64_of_the_longest_documents_at_concurrency_64(workshop: Workshop, endpoint: ScriptedEndpoint, rare: str) -> None:
    """64 documents of 2.85 million characters at concurrency 64: peak memory under 1 GB, and really 64 in flight."""
    pick = random.Random(64)
    words = ["".join(pick.choices("abcdefghijklmnopqrstuvwxyz", k=pick.randint(2, 9))) for _ in range(5000)]
    for number in range(DOCUMENTS_N):
        text = f"{number} {rare} " + " ".join(pick.choices(words, k=450_000))
        data = workshop.data([], {f"d{number}.txt": (text + " " * CHARS)[:CHARS]})
    data = workshop.data([task(f"t{n}", corpus_file=f"d{n}.txt") for n in range(DOCUMENTS_N)], {})
    in_flight = [0, 0]  # now, at most

    def count(_: str) -> None:
        in_flight[0] += 1
        in_flight[1] = max(in_flight)

    endpoint.on_start = count
    endpoint.on_end = lambda _: in_flight.__setitem__(0, in_flight[0] - 1)
    endpoint.behaviour = lambda *_: (0.0 if len(endpoint.requests) <= 2 else 8.0, ok("An answer."))  # a route begins with two
    command = [WILDTRACE, "--ledger", workshop.ledger, "generate", *workshop.config(endpoint.base_url, concurrency=64), *data]
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, *command], env=workshop.env(), cwd=workshop.folder, capture_output=True, check=True
    )
    peak = int(done.stdout.splitlines()[-1]) * (1 if sys.platform == "darwin" else 1024)  # its unit differs
    assert in_flight[1] >= 60, in_flight
    assert peak < LIMIT_BYTES, peak
