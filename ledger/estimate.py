"""What a planned run would cost: requests, characters and estimated tokens, and who would receive the documents."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from ledger.config import Config
from ledger.identity import Json
from ledger.plan import Plan

CHARS_PER_TOKEN_EN: Final = 3.3
CHARS_PER_TOKEN_CJK: Final = 1.5
"""Protocol §3: about 3.3 characters a token in English, 1.5 in Chinese."""


def of_plan(planned: Plan, config: Config, answered: set[str]) -> Json:
    """Return the facts of a plan by name. Token counts are estimates; judge requests assume that every task is answered."""
    asked = {request.request_key: request.task for request in planned.requests if request.request_key not in {None, *answered}}
    in_context = sum(1 for request in planned.requests if request.request_key)
    tokens = sum(task.prompt_chars / (CHARS_PER_TOKEN_CJK if task.is_cjk else CHARS_PER_TOKEN_EN) for task in asked.values())
    judges = config.judges or ()
    return {
        "run_id": planned.run.run_id,
        "model": planned.run.model,
        "tasks": len(planned.requests),
        "out_of_context": len(planned.requests) - in_context,
        "already_answered": len(set(planned.keys) & answered),
        "requests_to_make": len(asked),
        "prompt_characters": sum(task.prompt_chars for task in asked.values()),
        "prompt_tokens_estimated": round(tokens),
        "completion_tokens_at_most": len(asked) * int(config.route.parameters.get("max_tokens") or 0),
        "judge_requests_at_most": in_context * len(judges),
        "cap_en": next((r.cap_chars for r in planned.requests if not r.task.is_cjk), None),
        "cap_cjk": next((r.cap_chars for r in planned.requests if r.task.is_cjk), None),
        "cap_source": planned.requests[0].cap_source if planned.requests else None,
        "documents_go_to": urlsplit(config.route.base_url).netloc,
        "answers_go_to": ", ".join(sorted({urlsplit(judge.base_url).netloc for judge in judges})) or None,
    }
