"""A real loopback endpoint whose answers a test scripts, and which remembers every request it got."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any, Self

from ledger.demo.endpoint import LoopbackEndpoint, Request, completion_body, http_response

VERDICT = '{"points_awarded":[60,20],"total":80}'
Behaviour = Callable[[str, str, int], "bytes | tuple[float, bytes] | None"]
"""(model, prompt, how often this model was asked this prompt before) -> raw HTTP bytes, None to cut the connection, or
(seconds to wait, raw HTTP bytes)."""


class Cut(bytes):
    """Raw HTTP bytes after which the connection is closed."""


def ok(content: str | None, **message: Any) -> bytes:
    """Return a raw 200 with a chat completion."""
    finish_reason = message.pop("finish_reason", "stop")
    return http_response(200, completion_body("stub-1", content, finish_reason, **message))


def error(status: int, message: str, code: str | None = None, **headers: str) -> bytes:
    """Return a raw error response with an OpenAI-shaped body."""
    return http_response(status, json.dumps({"error": {"message": message, "code": code}}).encode(), **headers)


def sensible(model: str, prompt: str, seen: int) -> bytes:
    """Answer with a text of the model's own; judge with one verdict."""
    del seen
    return ok(VERDICT if is_judging(prompt) else f"Answer of {model} to {question_of(prompt)}")


def is_judging(prompt: str) -> bool:
    """Tell a judge's prompt from a contestant's."""
    return prompt.startswith("STRICT grader.")


def question_of(prompt: str) -> str:
    """Return the question that a prompt holds."""
    return prompt.split("Question: " if "Question: " in prompt else "QUESTION: ", 1)[1].split("\n", 1)[0]


class ScriptedEndpoint:
    """A server on 127.0.0.1; `behaviour` may be changed while it runs."""

    def __init__(self, behaviour: Behaviour = sensible) -> None:
        self.behaviour = behaviour
        self.requests: list[Request] = []
        self.on_start: Callable[[str], None] = lambda _: None
        self.on_end: Callable[[str], None] = lambda _: None
        self._seen: dict[tuple[str, str], int] = {}
        self._lock = threading.Lock()
        self._server = LoopbackEndpoint(self._answer)

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(self, *exit_info: object) -> None:
        self._server.__exit__(None, None, None)

    @property
    def base_url(self) -> str:
        """The address for a config."""
        return self._server.base_url

    @property
    def prompts(self) -> list[str]:
        """The prompts received, in order."""
        return [request.json()["messages"][0]["content"] for request in self.requests]

    def asked(self, model: str) -> int:
        """Return how many requests named this model."""
        return sum(request.json()["model"] == model for request in self.requests)

    def forget(self) -> None:
        """Start the count of requests anew."""
        self.requests.clear()

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        body = request.json()
        model, prompt = body["model"], body["messages"][0]["content"]
        with self._lock:
            self.requests.append(request)
            seen = self._seen.get((model, prompt), 0)
            self._seen[model, prompt] = seen + 1
        self.on_start(model)
        outcome = self.behaviour(model, prompt, seen)
        if isinstance(outcome, tuple):
            await asyncio.sleep(outcome[0])
            outcome = outcome[1]
        self.on_end(model)
        if outcome is not None:
            writer.write(outcome)
        if outcome is None or isinstance(outcome, Cut):
            writer.close()
