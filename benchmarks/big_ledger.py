"""A ledger of many runs, written by SQL alone: 1,000 runs x 481 tasks x 3 judges are 1.4 million judge replies.

python benchmarks/big_ledger.py LEDGER [--runs 1000]
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path

from calls import JUDGES, TASKS, make_config, make_data

from ledger import config, dataset, plan
from ledger.generate import record_run
from ledger.identity import sha256_text
from ledger.store import Store

FILL = (Path(__file__).parent / "big_ledger.sql").read_text(encoding="utf-8")


def make(path: Path, runs: int) -> None:
    """Make a ledger with this many complete runs of as many models."""
    store = Store(path)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, corpus = make_data(folder)
        settings = config.load(make_config(folder, "http://127.0.0.1:9/v1"))
        loaded = dataset.load(data, corpus)
        first = plan.make_plan(loaded.dataset, settings)
        record_run(store, first, settings, loaded)
        rows = []
        for number in range(1, runs):
            model = f"model-{number:04d}"
            run = replace(first.run, run_id=sha256_text(model)[:12], model=model)
            requests = (replace(r, request_key=sha256_text(f"{model} {r.task.task_id}")) for r in first.requests)
            rows += [row for row in plan.run_rows(replace(first, run=run, requests=tuple(requests))) if hasattr(row, "run_id")]
            if len(rows) > 50_000 or number == runs - 1:
                with store.writing() as connection:
                    connection.insert(rows)
                rows = []
    with store.writing() as connection:
        connection.execute(FILL)
    print(f"{path}: {runs} runs x {TASKS} tasks x {JUDGES} judges, {path.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ledger", type=Path)
    parser.add_argument("--runs", type=int, default=1000)
    arguments = parser.parse_args()
    make(arguments.ledger, arguments.runs)
