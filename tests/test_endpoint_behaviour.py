"""What endpoints do, met over real HTTP: what is asked again, what stops a run, what is final, what is never sent (§2)."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import Finished, Workshop, task
from endpoint import VERDICT, Behaviour, Cut, ScriptedEndpoint, error, is_judging, ok, question_of

from ledger.demo.endpoint import completion_body, http_response

SECRET = "sk-test-SECRET99"
FINE = ok("ANSWER-1")


def generate(workshop: Workshop, endpoint: ScriptedEndpoint, behaviour: Behaviour, tasks: int = 1, **keys: Any) -> Finished:
    """Generate with an endpoint that behaves so."""
    endpoint.behaviour = behaviour
    return workshop.run("generate", *workshop.config(endpoint.base_url, **keys), *workshop.some_data(tasks))


TRANSIENT: dict[str, bytes | None] = {
    "HTML 502 from a CDN": http_response(502, b"<html><body>Bad gateway</body></html>", "text/html", retry_after="0"),
    "529 overloaded": error(529, "Overloaded", retry_after="0"),
    "500 that says Overloaded": error(500, "Overloaded", retry_after_ms="1"),
    "408": error(408, "timeout", retry_after="0"),
    "425": error(425, "too early", retry_after="0"),
    "429": error(429, "rate limited", retry_after="0"),
    "429 with a date": error(429, "rate limited", retry_after="Wed, 21 Oct 2015 07:28:00 GMT"),
    "429 with words": error(429, "rate limited", retry_after="soon"),
    "524": error(524, "a timeout occurred", retry_after="0"),
    "closed without a word": None,
    "body cut short": Cut(http_response(200, completion_body("stub-1", "ANSWER-1"))[:-30]),
    "chunks cut short": Cut(b'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"id"\r\n'),
    "200 with an empty body": http_response(200, b""),
    "gzip announced, plain sent": http_response(200, completion_body("stub-1", "ANSWER-1"), content_encoding="gzip"),
    "no choices": http_response(200, b'{"choices":[]}'),
    "HTML with 200": http_response(200, b"<!DOCTYPE html><html><title>API console</title></html>", "text/html"),
}  # fmt: skip


def test_a_transient_failure_is_asked_again(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """After one transient failure of any kind the second request's answer counts, once, and both exchanges are kept."""
    endpoint.behaviour = lambda _, prompt, seen: FINE if seen else TRANSIENT[question_of(prompt)]
    data = workshop.data([task(kind, kind, "d.txt") for kind in TRANSIENT], {"d.txt": "A document."})
    done = workshop.run("generate", *workshop.config(endpoint.base_url, concurrency=32), *data)
    assert done.status == 0, done.err
    rows = workshop.rows("SELECT task_id, text, attempts_n FROM run_tasks INNER JOIN responses USING (request_key)")
    assert {row["task_id"]: (row["text"], row["attempts_n"]) for row in rows} == dict.fromkeys(TRANSIENT, ("ANSWER-1", 2))


def test_a_wait_that_is_asked_for_is_honoured(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """Retry-After: 2 means no request within two seconds; a wait over a minute ends the task, resumable, and is named."""
    times: list[float] = []

    def behaviour(_: str, prompt: str, seen: int) -> bytes:
        if "t01" in prompt:
            return error(429, "rate limited", retry_after="7200")
        times.append(time.monotonic())
        return FINE if seen else error(429, "rate limited", retry_after="2")

    done = generate(workshop, endpoint, behaviour, tasks=2)
    assert done.status == 2
    assert "7200 s" in done.err
    assert times[1] - times[0] >= 2
    assert len(endpoint.requests) == 3
    assert {row["status"] for row in workshop.rows("SELECT status FROM run_tasks")} == {"answered", "failed"}


STOPS = {
    "max_tokens": (
        error(400, "Unsupported parameter: max_tokens; use max_completion_tokens", "unsupported_parameter"),
        "max_tokens",
    ),
    "temperature": (error(400, "temperature does not support 0.1 with this model", "unsupported_value"), "send_temperature"),
    "quota": (error(429, "You exceeded your current quota", "insufficient_quota"), "top up"),
    "model": (error(404, "The model does not exist", "404"), "model"),
    "redirect": (http_response(307, b"", location="http://127.0.0.1:9/v1/chat/completions"), "redirect"),
}


@pytest.mark.parametrize(("response", "word"), STOPS.values(), ids=STOPS.keys())
def test_an_error_that_every_task_would_meet_stops_the_run(
    workshop: Workshop, endpoint: ScriptedEndpoint, response: bytes, word: str
) -> None:
    """Not asked again, at most the first two requests of ten are made, the rest stays missing, and what to do is named."""
    done = generate(workshop, endpoint, lambda *_: response, tasks=10)
    assert done.status == 2
    assert word in done.err
    assert len(endpoint.requests) <= 2
    counts = workshop.rows("SELECT failed_n, missing_n, empty_n, refused_n, complete FROM run_scores")[0]
    assert counts["failed_n"] == len(endpoint.requests)
    assert counts["failed_n"] + counts["missing_n"] == 10
    assert counts["complete"] is False


def test_a_key_that_stops_working_stops_the_run(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """401 after three answers: they are kept, the rest stays for the next command, and the key is nowhere to be found."""
    answers = iter([FINE] * 3)
    refused = error(401, f"Incorrect API key provided: {SECRET}", "invalid_api_key", x_request_id=f"for-{SECRET}")
    workshop.environment["API_KEY"] = SECRET
    done = generate(workshop, endpoint, lambda *_: next(answers, refused), tasks=20, concurrency=2)
    assert done.status == 2
    assert "api_key_env" in done.err
    assert len(endpoint.requests) <= 8
    assert all(request.headers["authorization"] == f"Bearer {SECRET}" for request in endpoint.requests)
    assert workshop.rows("SELECT count(*) AS n FROM responses") == [{"n": 3}]
    written = [path.read_bytes() for path in workshop.folder.rglob("*") if path.is_file()]
    assert not any(SECRET[:8].encode() in content for content in [*written, done.out.encode(), done.err.encode()])


def test_what_is_final_for_one_task_is_not_asked_again(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """Refusals, empty outputs and a moderated prompt are final, one request each; a too long prompt is failed, resumable."""
    behaviours = {
        "refusal field": ok(None, refusal="I cannot help with that."),
        "content filter": ok(None, finish_reason="content_filter"),
        "moderation": error(400, "Input data may contain inappropriate content.", "data_inspection_failed"),
        "empty": ok(""),
        "white space": ok(" \n \n"),
        "reasoning only": ok(None, reasoning_content="We should answer ANSWER-1"),
        "context length": error(400, "This model's maximum context length is 131072 tokens, got 180001"),
        "prose that declines": ok("I'm sorry, I can't find that in the document."),
        "parts": http_response(200, completion_body("m", None).replace(
            b'"content": null', b'"content": [{"type": "thinking", "thinking": "hmm"}, {"type": "text", "text": "ANSWER-1"}]')),
        "cut": ok("PARTIAL", finish_reason="length"),
        "thinking aloud": ok("<think>plan</think>ANSWER-1"),
    }  # fmt: skip
    endpoint.behaviour = lambda _, prompt, __: behaviours[question_of(prompt)]
    data = workshop.data([task(kind, kind, "d.txt") for kind in behaviours], {"d.txt": "A document."})
    arguments = ["generate", *workshop.config(endpoint.base_url), *data]
    assert workshop.run(*arguments).status == 2
    assert len(endpoint.requests) == len(behaviours)
    endpoint.forget()
    assert workshop.run(*arguments).status == 2
    assert [question_of(prompt) for prompt in endpoint.prompts] == ["context length"]
    rows = workshop.rows("SELECT task_id, status, finish_reason FROM run_tasks")
    statuses = {row["task_id"]: row["status"] for row in rows}
    assert statuses == {
        "refusal field": "refused", "content filter": "refused", "moderation": "refused", "empty": "empty",
        "white space": "empty", "reasoning only": "empty", "context length": "failed", "prose that declines": "answered",
        "parts": "answered", "cut": "answered", "thinking aloud": "answered",
    }  # fmt: skip
    assert {row["finish_reason"] for row in rows if row["task_id"] in {"moderation", "cut"}} == {"provider_moderation", "length"}
    kept = workshop.rows("SELECT text, reasoning, refusal FROM responses")
    assert {"text": "", "reasoning": "We should answer ANSWER-1", "refusal": None} in kept
    assert {"text": "<think>plan</think>ANSWER-1", "reasoning": None, "refusal": None} in kept
    assert {"text": " \n \n", "reasoning": None, "refusal": None} in kept
    assert [row["text"] for row in kept].count("ANSWER-1") == 1
    errors = workshop.rows("SELECT DISTINCT error FROM attempts WHERE error IS NOT NULL ORDER BY error")
    assert [row["error"] for row in errors] == ["context_length", "provider_moderation"]


def test_a_timeout_is_the_configured_one(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """An answer within timeout_s counts, one that takes longer does not, each time; all is resumable."""
    endpoint.behaviour = lambda _, prompt, seen: (0.4 if "t00" in prompt else 5 if seen == 0 else 0, FINE)
    done = generate(workshop, endpoint, endpoint.behaviour, tasks=2, timeout_s=1)
    assert done.status == 0, done.err
    assert workshop.rows("SELECT task_id, attempts_n FROM run_tasks ORDER BY task_id") == [
        {"task_id": "t00", "attempts_n": 1},
        {"task_id": "t01", "attempts_n": 2},
    ]
    assert workshop.rows("SELECT error FROM attempts WHERE error IS NOT NULL") == [{"error": "timeout"}]


def test_a_host_that_cannot_be_resolved_is_named(workshop: Workshop) -> None:
    """No such host: one clear line that names it, exit 2, nothing counted against the model."""
    workshop.environment["API_KEY"] = SECRET
    done = workshop.run("generate", *workshop.config("http://no-such-host.invalid/v1"), *workshop.some_data(2))
    assert done.status == 2
    assert "no-such-host.invalid" in done.err
    assert workshop.rows("SELECT failed_n + missing_n AS n FROM run_scores") == [{"n": 2}]


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "ALL_PROXY"])
def test_proxy_variables_are_not_used_for_loopback(workshop: Workshop, endpoint: ScriptedEndpoint, variable: str) -> None:
    """A document for a loopback endpoint goes there, whatever proxy the environment names."""
    workshop.environment[variable] = "socks5://127.0.0.1:9" if variable == "ALL_PROXY" else "http://127.0.0.1:9"
    done = generate(workshop, endpoint, lambda *_: FINE)
    assert done.status == 0, done.err
    assert len(endpoint.requests) == 1


def test_what_is_sent_is_the_protocols(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """One user turn and the decoding settings; a temperature that is left out is not there, and nothing is null."""
    data = workshop.some_data(1)
    for keys in ({}, {"send_temperature": False, "reasoning": True}, {"max_tokens": None, "extra_body": {"top_p": 0.9}}):
        assert workshop.run("run", *workshop.config(endpoint.base_url, judges=1, **keys), *data).status == 0
    answers = [request.json() for request in endpoint.requests if request.json()["model"] == "m-a"]
    assert [{name: body[name] for name in body if name != "messages"} for body in answers] == [
        {"model": "m-a", "temperature": 0.1, "max_tokens": 8192},
        {"model": "m-a", "max_tokens": 32768},
        {"model": "m-a", "temperature": 0.1, "top_p": 0.9},
    ]
    expected = (
        "Answer using ONLY the document below. Include every specific detail from the text.\n\n"
        "Question: What does t00 say?\n\nDocument:\nDocument 0."
    )
    assert [body["messages"] for body in answers] == [[{"role": "user", "content": expected}]] * 3
    judged = [request.json() for request in endpoint.requests if request.json()["model"] == "judge-1"]
    assert [(body["temperature"], body["max_tokens"]) for body in judged] == [(0.1, 16384)]  # the same answer thrice: judged once


def test_concurrency_bounds_the_requests_in_flight(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """`concurrency` counts all requests; a judge may set a lower one for itself."""
    in_flight: dict[str, int] = {}
    most: dict[str, int] = {}
    endpoint.behaviour = lambda _, prompt, __: (0.05, ok(VERDICT if is_judging(prompt) else "x" + question_of(prompt)))
    endpoint.on_start = lambda model: _count(in_flight, most, model, 1)
    endpoint.on_end = lambda model: _count(in_flight, most, model, -1)
    judges: list[dict[str, Any]] = [{"model": "judge-1", "concurrency": 2}, {"model": "judge-2"}]
    done = workshop.run("run", *workshop.config(endpoint.base_url, concurrency=5, judges=judges), *workshop.some_data(25))
    assert done.status == 0, done.err
    assert most["m-a"] == 5
    assert most["judge-1"] == 2
    assert most["all"] == 5


def _count(in_flight: dict[str, int], most: dict[str, int], model: str, change: int) -> None:
    for name in (model, "all"):
        in_flight[name] = in_flight.get(name, 0) + change
        most[name] = max(most.get(name, 0), in_flight[name])


def test_no_key_is_written_anywhere(workshop: Workshop, endpoint: ScriptedEndpoint) -> None:
    """A whole cycle with failures leaves no trace of the key in files and output; a config that holds it is refused unread."""
    workshop.environment["MY_KEY"] = SECRET

    def behaviour(_: str, prompt: str, seen: int) -> bytes:
        if seen == 0:
            return error(500, f"your key {SECRET} met an error", retry_after="0")
        return ok(VERDICT if is_judging(prompt) else f"I was asked with {SECRET}.")

    endpoint.behaviour = behaviour
    config, data = workshop.config(endpoint.base_url, api_key_env="MY_KEY"), workshop.some_data(2)
    outputs = [
        workshop.run("run", *config, *data, "--out", workshop.folder / "scores.json"),
        workshop.run("generate", *config, *data, "--out", workshop.folder / "responses.json"),
        workshop.run("show", workshop.rows("SELECT run_id FROM runs")[0]["run_id"]),
        workshop.run("sql", "--format", "json", "SELECT * FROM attempts"),
    ]
    assert [done.status for done in outputs] == [0, 0, 0, 0]
    assert all(request.headers["authorization"] == f"Bearer {SECRET}" for request in endpoint.requests)
    path = workshop.folder / "inline.json"
    path.write_text(
        json.dumps({"base_url": endpoint.base_url, "model": "m-a", "api_key": SECRET, "headers": {"X-Api-Key": SECRET}})
    )
    refused = workshop.run("generate", "--config", path, *data)
    path.unlink()
    assert refused.status == 1
    assert "api_key_env" in refused.err
    written = [file.read_bytes() for file in Path(workshop.folder).rglob("*") if file.is_file()]
    written += [text.encode() for done in [*outputs, refused] for text in (done.out, done.err)]
    assert not any(SECRET[:8].encode() in content for content in written)
