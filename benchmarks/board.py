"""How long reading takes on a ledger of many runs: `python benchmarks/board.py LEDGER [--repeats 5]` (big_ledger.py makes one).

Quoted are medians of wall seconds on a connection that has read before, and their ratio to a plain sum over all verdicts.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ledger import why
from ledger.store import Store


def median_s(work: Callable[[], Any], repeats: int) -> float:
    """Return the median time of some work, a first time aside."""
    work()
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ledger", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    with Store(arguments.ledger).reading() as connection:
        connection.execute("SET threads = 2")
        run_id, task_id = (
            next(iter(connection.select("SELECT run_id, task_id FROM run_requests LIMIT 1")[0].values())),
            "bench-100",
        )
        works: dict[str, Callable[[], Any]] = {
            "sum over verdicts": lambda: connection.select("SELECT SUM(total) AS s FROM verdicts"),
            "leaderboard": lambda: connection.rows("select_leaderboard"),
            "figures of a run": lambda: connection.rows("select_figures", run_id=run_id),
            "mixing": lambda: connection.select("FROM mixing"),
            "why a task": lambda: why.explain_task(connection, run_id, task_id),
            "why a run": lambda: why.explain_run(connection, run_id),
        }
        for name, work in works.items():
            print(f"{name:20} {median_s(work, arguments.repeats):8.3f} s")


if __name__ == "__main__":
    main()
