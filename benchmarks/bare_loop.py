"""The limit to compare with: the same calls by a bare httpx loop that keeps nothing. Arguments: prompts file, base URL."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import httpx

CONCURRENCY = 32


async def main(prompts: list[dict[str, object]], base_url: str) -> None:
    """Make every call of the file, in its order of stages."""
    limit = asyncio.Semaphore(CONCURRENCY)
    async with httpx.AsyncClient(limits=httpx.Limits(max_connections=None), timeout=60) as client:

        async def call(body: dict[str, object]) -> str:
            async with limit:
                reply = await client.post(base_url + "/chat/completions", json=body)
                return str(reply.json()["choices"][0]["message"]["content"])

        await asyncio.gather(*(call(body) for body in prompts))


if __name__ == "__main__":
    asyncio.run(main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), sys.argv[2]))
