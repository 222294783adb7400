"""A loopback HTTP server: a small OpenAI-compatible endpoint whose behaviour is one function.

Serves the demo, and the tests with behaviours of their own. Plain HTTP/1.1 with Content-Length requests and
keep-alive, on 127.0.0.1 only; runs in a thread of its own.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Request:
    """One request; header names are lower-case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """Return the body as JSON."""
        return json.loads(self.body)


Handler = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


class LoopbackEndpoint:
    """A server on 127.0.0.1 as a context manager; `handler` answers each request by writing to its writer."""

    def __init__(self, handler: Handler, port: int = 0) -> None:
        """Port 0 takes any free one; another that is taken is replaced by a free one."""
        self._handler = handler
        self._wanted_port = port
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._connections: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name="endpoint", daemon=True)
        self.port = 0

    @property
    def base_url(self) -> str:
        """The address to put into a config's base_url."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(self._listen())
        self.port = server.sockets[0].getsockname()[1]
        self._started.set()
        self._loop.run_forever()
        server.close()
        for connection in self._connections:
            connection.cancel()
        self._loop.run_until_complete(asyncio.gather(*self._connections, return_exceptions=True))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    async def _listen(self) -> asyncio.Server:
        try:
            return await asyncio.start_server(self._on_connection, "127.0.0.1", self._wanted_port, limit=1 << 20, backlog=1024)
        except OSError:
            return await asyncio.start_server(self._on_connection, "127.0.0.1", 0, limit=1 << 20, backlog=1024)

    async def _on_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while (request := await _read_request(reader)) is not None:
                await self._handler(request, writer)
                await writer.drain()
                if writer.is_closing():
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")[:-2]
    method, path, _ = first.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Request(method, path, headers, await reader.readexactly(int(headers.get("content-length", "0"))))


def http_response(status: int, body: bytes, content_type: str = "application/json", **headers: str) -> bytes:
    """Return a whole HTTP response; header names are given with _ for -."""
    lines = [f"HTTP/1.1 {status} -", f"content-type: {content_type}", f"content-length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def completion_body(model: str, content: str | None, finish_reason: str = "stop", **message: Any) -> bytes:
    """Return the JSON body of a chat completion."""
    return json.dumps(
        {
            "id": "chatcmpl-loopback",
            "object": "chat.completion",
            "model": model,
            "choices": [
                {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", "content": content, **message}}
            ],
        },
        ensure_ascii=False,
    ).encode("utf-8")
