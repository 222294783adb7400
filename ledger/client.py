"""One request becomes attempts: the only module that speaks HTTP.

A request is tried up to six times (protocol §2), each exchange is handed to `record` (the journal) before its answer
counts, and no key of the user's is ever part of what is handed over. Redirects are not followed, proxy variables are
not used for loopback, and a body is read up to a limit.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import socket
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Final, Self

import httpx
import tenacity

from ledger import completion, identity, protocol
from ledger.completion import Completion, Problem
from ledger.config import Route, is_loopback
from ledger.errors import InputError
from ledger.evidence import Attempt, timestamp

KEPT_HEADERS: Final = frozenset(
    {
        "content-type", "date", "retry-after", "retry-after-ms", "request-id", "x-request-id", "cf-ray", "x-amzn-requestid",
        "apim-request-id", "x-ms-region", "x-ratelimit-limit-requests", "x-ratelimit-limit-tokens",
        "x-ratelimit-remaining-requests", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-requests",
        "x-ratelimit-reset-tokens", "ratelimit-reset", "x-ratelimit-reset", "location",
    }
)  # fmt: skip
BODY_LIMIT_BYTES: Final = 64 * 1024 * 1024
_PIECE_BYTES: Final = 256 * 1024
_BLACKED_OUT: Final = b"[key removed]"

if importlib.util.find_spec("sniffio") is None:
    # httpcore looks for it several times a request; where it is not installed, each look searches the disk: a third of all CPU
    sys.modules["sniffio"] = None  # type: ignore[assignment]  # how Python marks a module as not there

Record = Callable[[Attempt], Awaitable[None]]


class Client:
    """Connections to the endpoints of one command's routes."""

    def __init__(self) -> None:
        self._clients: dict[bool, httpx.AsyncClient] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for client in self._clients.values():
            await client.aclose()

    def endpoint(self, route: Route) -> Endpoint:
        """Return the way to ask a route. Raises InputError where its key or a proxy variable is not usable."""
        return Endpoint(self._client(route), route, route.api_key())

    def _client(self, route: Route) -> httpx.AsyncClient:
        loopback = is_loopback(route.base_url)
        if loopback not in self._clients:
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
            try:
                self._clients[loopback] = httpx.AsyncClient(limits=limits, trust_env=not loopback, follow_redirects=False)
            except (ImportError, ValueError, httpx.InvalidURL) as error:
                raise InputError(
                    f"a proxy variable of the environment cannot be used (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY): {error}"
                ) from None
        return self._clients[loopback]


class Endpoint:
    """One route, ready to be asked."""

    def __init__(self, client: httpx.AsyncClient, route: Route, api_key: str | None) -> None:
        self._client = client
        self._route = route
        self._url = route.base_url + "/chat/completions"
        self._host = httpx.URL(route.base_url).netloc.decode("ascii")
        self._key = None if api_key is None else api_key.encode("utf-8")
        self._headers = {"content-type": "application/json", "accept": "application/json", "user-agent": "wildtrace-ledger"}
        if api_key is not None:
            try:
                self._headers["authorization"] = "Bearer " + api_key.encode("ascii").decode("ascii")
            except UnicodeEncodeError:
                raise InputError(f"${route.api_key_env} holds characters that no API key has; export it again") from None

    async def ask(self, purpose: str, request_key: str, prompt: str, record: Record) -> Completion | Problem:
        """Return what the route makes of a prompt, after as many attempts as the protocol allows."""
        body = request_body(self._route.model, prompt, self._route.parameters)
        del prompt
        retrying = tenacity.AsyncRetrying(
            stop=tenacity.stop_after_attempt(1 + protocol.RETRIES),
            retry=tenacity.retry_if_result(_asks_for_retry),
            wait=_wait,
            retry_error_callback=_last_result,
        )
        return await retrying(self._exchange, purpose, request_key, body, record)

    async def _exchange(self, purpose: str, request_key: str, body: bytes, record: Record) -> Completion | Problem:
        started_s, clock = time.time(), time.perf_counter()
        status: int | None = None
        headers: dict[str, str] = {}
        received = b""
        meaning: Completion | Problem
        try:
            async with asyncio.timeout(self._route.timeout_s):
                status, headers, received = await self._post(body)
            ended_s = started_s + time.perf_counter() - clock
            meaning = completion.read(status, headers, received, ended_s)
        except TimeoutError:
            meaning = Problem(
                "timeout", f"{self._host}: no whole answer within {self._route.timeout_s:g} s (timeout_s)", retry=True
            )
        except httpx.HTTPError as error:
            meaning = self._transport_problem(error)
        except _BodyTooLarge:
            meaning = Problem("body_too_large", f"{self._host}: an answer of more than {BODY_LIMIT_BYTES} bytes")
        ended_s = started_s + time.perf_counter() - clock
        problem = meaning if isinstance(meaning, Problem) else None
        started_at, code = timestamp(started_s), problem.error if problem else None
        await record(
            Attempt(
                attempt_key=identity.attempt_key(request_key, started_at, status, received, code),
                request_key=request_key,
                purpose=purpose,
                started_at=started_at,
                ended_at=timestamp(ended_s),
                status=status,
                headers=headers,
                body=received,
                error=code,
                error_detail=problem.detail if problem else None,
            )
        )
        return meaning

    async def _post(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        content: bytes | AsyncIterator[bytes] = body
        headers = self._headers
        if len(body) > _PIECE_BYTES:  # in pieces: the transport would copy what the socket does not take at once
            content, headers = _pieces(body), {**headers, "content-length": str(len(body))}
        request = self._client.build_request("POST", self._url, content=content, headers=headers, timeout=self._route.timeout_s)
        response = await self._client.send(request, stream=True)
        try:
            chunks, size = [], 0
            async for chunk in response.aiter_bytes():
                chunks.append(chunk)
                size += len(chunk)
                if size > BODY_LIMIT_BYTES:
                    raise _BodyTooLarge
            kept = {name: self._without_key(value) for name, value in response.headers.items() if name in KEPT_HEADERS}
            return response.status_code, kept, self._blacked_out(b"".join(chunks))
        finally:
            await response.aclose()

    def _blacked_out(self, data: bytes) -> bytes:
        return data.replace(self._key, _BLACKED_OUT) if self._key and self._key in data else data

    def _without_key(self, text: str) -> str:
        return self._blacked_out(text.encode("utf-8", "replace")).decode("utf-8")

    def _transport_problem(self, error: httpx.HTTPError) -> Problem:
        words = self._without_key(str(error) or type(error).__name__)
        if _unresolved(error):
            return Problem("unresolved_host", f"{self._host}: the host name cannot be resolved; check base_url", stops_route=True)
        if isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError):
            return Problem("bad_request", f"{self._host}: {words}", stops_route=True)
        return Problem("transport", f"{self._host}: {words}", retry=True)


class _BodyTooLarge(Exception):
    """A response went on past the limit."""


def request_body(model: str, prompt: str, parameters: Mapping[str, Any]) -> bytes:
    """Return the JSON body of a chat completion request: one user turn, and no key that is not meant."""
    body = {"model": model, "messages": [{"role": "user", "content": prompt}], **parameters}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), _PIECE_BYTES):
        yield body[start : start + _PIECE_BYTES]


def _asks_for_retry(meaning: Completion | Problem) -> bool:
    return isinstance(meaning, Problem) and meaning.retry


_BACKOFF = tenacity.wait_random_exponential(multiplier=1, max=completion.MAX_WAIT_S)


def _wait(state: tenacity.RetryCallState) -> float:
    """Return the seconds to wait: what the provider asked for, else exponential back-off with full jitter."""
    meaning = state.outcome.result() if state.outcome else None
    if isinstance(meaning, Problem) and meaning.wait_s is not None:
        return meaning.wait_s
    return _BACKOFF(state)


def _last_result(state: tenacity.RetryCallState) -> Any:
    return state.outcome.result() if state.outcome else None


def _unresolved(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, socket.gaierror):
            return True
        error = error.__cause__ or error.__context__
    return False
