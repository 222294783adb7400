"""A zero-latency OpenAI-compatible endpoint in a process of its own. Prints its address when it serves."""

from __future__ import annotations

import asyncio
import hashlib
import sys
import threading

from ledger.demo.endpoint import LoopbackEndpoint, Request, completion_body, http_response

VERDICT = '{"points_awarded":[40,30],"total":70}'


async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
    """Answer with a text that depends on the prompt, and judge with one verdict."""
    judged = request.body.find(b"STRICT grader.", 0, 400) >= 0
    content = VERDICT if judged else "Answer " + hashlib.sha256(request.body).hexdigest() * 8
    writer.write(http_response(200, completion_body("bench", content)))


if __name__ == "__main__":
    with LoopbackEndpoint(answer) as endpoint:
        sys.stdout.write(endpoint.base_url + "\n")
        sys.stdout.flush()
        threading.Event().wait()
