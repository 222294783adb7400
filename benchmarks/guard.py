"""What the guard adds to a query: analysis alone, and the whole of it beyond running the query, on a seeded ledger.

    python benchmarks/guard.py [--runs 12] [--tasks 100] [--repeats 5]

Over the labelled queries of the tests that are analysed: (a) parsing and rewriting alone; (b) the query with the analysis
beside it, as the child does it, less the query alone; (c) the whole command against `wildtrace runs`, which reads too.
Quoted are medians over queries of medians over repeats. Each library and view is loaded beforehand for (a) and (b).
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import sqlglot
from sqlglot import exp

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from guard_queries import CLEAN, MIXED
from seeded import seed

from ledger.guard.masks import Unanalysable
from ledger.guard.probe import Probe
from ledger.guard.rewrite import Rewriter


def median_ms(work: Callable[[], object], repeats: int) -> float:
    """Return the median time of some work in milliseconds."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def analysed(probe: Probe, query: str) -> str:
    """Parse and rewrite a query; return its SQL."""
    tree = sqlglot.parse_one(query, dialect="duckdb")
    if not isinstance(tree, exp.Query):
        return ""
    try:
        made, _ = Rewriter(probe.catalog).root(tree)
    except Unanalysable:
        return ""
    return made.sql("duckdb")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        runs = tuple(
            {"model": f"m-{'abcd'[index % 4]}", "label": str(index), "replicate": index // 8}
            | ({"max_tokens": 4096} if index % 8 >= 4 else {})
            for index in range(given.runs)
        )
        store = seed(Path(name), runs, given.tasks)
        with duckdb.connect(str(store.path), read_only=True, config={"threads": 2}) as connection:
            measure(connection, given.repeats)
        for words in (["runs"], ["sql", "SELECT 1"], ["sql", "SELECT class_id, AVG(overall) FROM run_scores GROUP BY ALL"]):
            command = [str(Path(sys.executable).parent / "wildtrace"), "--ledger", str(store.path), *words]
            took = median_ms(lambda command=command: subprocess.run(command, capture_output=True, check=True), given.repeats)  # type: ignore[misc]
            print(f"(c) wildtrace {' '.join(words)}: {took:.0f} ms")


def measure(connection: duckdb.DuckDBPyConnection, repeats: int) -> None:
    """Print (a) and (b)."""
    classes = [row[0] for row in connection.execute("SELECT DISTINCT class_id FROM run_classes ORDER BY 1").fetchall()]
    queries = [query.replace("$A", classes[0]).replace("$B", classes[-1]) for query in [*MIXED.values(), *CLEAN.values()]]
    alone, added, rewriting = [], [], []
    with ThreadPoolExecutor(1) as beside:
        for query in queries:
            probe = Probe(connection.cursor())
            probe.finding(query, suggest=False)

            def both(query: str = query, probe: Probe = probe) -> None:
                later = beside.submit(probe.finding, query, suggest=False)
                connection.execute(query).fetchall()
                later.result()

            first = median_ms(lambda query=query: connection.execute(query).fetchall(), repeats)  # type: ignore[misc]
            alone.append(first)
            added.append(median_ms(both, repeats) - first)
            rewriting.append(median_ms(lambda query=query, probe=probe: analysed(probe, query), repeats))  # type: ignore[misc]
    print(f"{len(queries)} queries, the query alone: median {statistics.median(alone):.1f} ms")
    print(f"(a) parsing and rewriting: median {statistics.median(rewriting):.1f} ms, most {max(rewriting):.1f}")
    print(f"(b) the guard beyond running the query: median {statistics.median(added):.1f} ms, most {max(added):.1f}")


if __name__ == "__main__":
    main()
