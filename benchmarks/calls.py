"""CPU of a whole run against a bare httpx loop making the same 1,924 calls, and of the run that finds nothing to do.

    python benchmarks/calls.py [--repeats 5]

481 tasks over documents of 4 kB, three judges, concurrency 32, a zero-latency endpoint in another process. The two are
run in turn; quoted are medians of CPU seconds (user and system, of the client's process alone) and their ratio.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ledger import config, dataset, prompts
from ledger.client import request_body

HERE = Path(__file__).parent
TASKS, JUDGES, DOCUMENT_CHARS = 481, 3, 4000


def make_data(folder: Path) -> tuple[Path, Path]:
    """Write 481 tasks over as many documents of 4,000 characters."""
    pick = random.Random(481)
    words = ["".join(pick.choices("abcdefghijklmnopqrstuvwxyz", k=pick.randint(2, 9))) for _ in range(5000)]
    corpus = folder / "corpus"
    corpus.mkdir()
    tasks = []
    for number in range(TASKS):
        (corpus / f"d{number}.txt").write_text(" ".join(pick.choices(words, k=1000))[:DOCUMENT_CHARS], encoding="utf-8")
        rubric = [
            {"points": 60, "correct_criterion": f"Names item {number}"},
            {"points": 40, "correct_criterion": "Names the year"},
        ]
        tasks.append(
            {
                "task_id": f"bench-{number:03d}",
                "question_text": f"Which item is number {number}, and in which year was it made?",
                "corpus_file": f"d{number}.txt",
                "ground_truth": {"scoring_rubric": rubric},
            }
        )
    data = folder / "tasks.json"
    data.write_text(json.dumps(tasks), encoding="utf-8")
    return data, corpus


def make_config(folder: Path, base_url: str) -> Path:
    """Write a config of one model and three judges."""
    path = folder / "config.json"
    judges = [{"model": f"judge-{number}"} for number in range(JUDGES)]
    path.write_text(json.dumps({"base_url": base_url, "model": "bench", "concurrency": 32, "judges": judges}), encoding="utf-8")
    return path


def same_calls(folder: Path, data: Path, corpus: Path, settings: Path) -> Path:
    """Write the bodies that a run sends, for the bare loop."""
    loaded, chosen = dataset.load(data, corpus), config.load(settings)
    bodies = []
    for task in loaded.dataset.tasks:
        prompt = prompts.answer_prompt(task.question, loaded.text(task.document_sha256))
        bodies.append(json.loads(request_body(chosen.route.model, prompt, chosen.route.parameters)))
    for task in loaded.dataset.tasks:
        prompt = prompts.judge_prompt(task.question, task.rubric, "Answer " + "0" * 512)
        bodies.extend(json.loads(request_body(judge.model, prompt, judge.parameters)) for judge in chosen.judges or ())
    path = folder / "calls.json"
    path.write_text(json.dumps(bodies), encoding="utf-8")
    return path


def cpu_of(command: list[str]) -> tuple[float, float]:
    """Run a command; return its CPU seconds and wall seconds."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit {process.returncode}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    wildtrace = str(Path(sys.executable).parent / "wildtrace")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = subprocess.Popen([sys.executable, str(HERE / "zero_latency_endpoint.py")], stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            base_url = server.stdout.readline().strip()
            data, corpus = make_data(folder)
            settings = make_config(folder, base_url)
            calls = same_calls(folder, data, corpus, settings)
            bare, full, again, nothing = [], [], [], []
            for repeat in range(repeats):
                arguments = ["--config", str(settings), "--data", str(data), "--corpus", str(corpus)]
                command = [wildtrace, "--ledger", str(folder / f"{repeat}.duckdb"), "run", *arguments]
                bare.append(cpu_of([sys.executable, str(HERE / "bare_loop.py"), str(calls), base_url]))
                full.append(cpu_of(command))
                again.append(cpu_of(command))
                nothing.append(cpu_of([sys.executable, "-c", "pass"]))
        finally:
            server.terminate()
            server.wait()
    rows = {"bare": bare, "run": full, "again": again, "python": nothing}
    cpu = {label: statistics.median(seconds for seconds, _ in runs) for label, runs in rows.items()}
    wall = {label: statistics.median(seconds for _, seconds in runs) for label, runs in rows.items()}
    for label in rows:
        print(f"{label:8} {cpu[label]:6.2f} s CPU  {wall[label]:6.2f} s wall")
    print(f"run / bare loop, CPU: {cpu['run'] / cpu['bare']:.2f}")
    beyond = f"{wall['again'] - wall['python']:.2f} s wall, {cpu['again'] - cpu['python']:.2f} s CPU"
    print(f"no-op re-run beyond `python -c pass`: {beyond}")


if __name__ == "__main__":
    main()
