"""Content hashes, canonical JSON and keys: pure functions, the one place that decides what is the same.

The invariant: the same work has the same key on any machine and any version. `docs/identity.md`
lists each hash's ingredients with test vectors. Nothing here reads a file, a clock or a config.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import rfc8785

Json = Any
RUN_ID_DIGITS = 12


def sha256_text(text: str) -> str:
    """Return the lower-case hex sha256 of the text's UTF-8 bytes.

    Raises UnicodeEncodeError for a lone surrogate, which has no UTF-8 form.
    """
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def sha256_bytes(data: bytes) -> str:
    """Return the lower-case hex sha256 of the bytes."""
    return hashlib.sha256(data).hexdigest()


def canonical_json(body: Json) -> bytes:
    """Return the RFC 8785 form of a JSON value. Raises ValueError where it has none (NaN, integers beyond 2^53)."""
    return rfc8785.dumps(body)


def fingerprint(body: Json) -> str:
    """Return the sha256 of the canonical JSON of a config."""
    return sha256_bytes(canonical_json(body))


def decimal_text(number: Decimal) -> str:
    """Return a number as plain digits without trailing zeros: 40, 12.5 (never 4E+1 or 40.0)."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def task_sha256(task_id: str, question: str, document_sha256: str, rubric: Sequence[tuple[Decimal, str]]) -> str:
    """Return a task's hash: its id, question, document and rubric. Its other attributes are not in it."""
    return fingerprint(
        {
            "task_id": task_id,
            "question": question,
            "document_sha256": document_sha256,
            "rubric": [{"points": decimal_text(points), "correct_criterion": text} for points, text in rubric],
        }
    )


def dataset_sha256(task_hashes_by_id: Mapping[str, str]) -> str:
    """Return a dataset's hash: its task hashes in the order of their task ids."""
    return fingerprint([task_hashes_by_id[task_id] for task_id in sorted(task_hashes_by_id)])


def answer_key(prompt_sha256: str, base_url: str, model: str, parameters: Json, replicate: int) -> str:
    """Return the request key of a generation request. Parameters: every parameter as sent but the prompt and the model."""
    return fingerprint(
        {
            "prompt_sha256": prompt_sha256,
            "base_url": base_url,
            "model": model,
            "parameters": parameters,
            "replicate": replicate,
        }
    )


def judge_key(prompt_sha256: str, base_url: str, model: str, parameters: Json, judge_replicate: int) -> str:
    """Return the request key of a judge request."""
    return fingerprint(
        {
            "prompt_sha256": prompt_sha256,
            "base_url": base_url,
            "model": model,
            "parameters": parameters,
            "judge_replicate": judge_replicate,
        }
    )


def run_id(ingredients: Mapping[str, Json]) -> str:
    """Return a run's id: the first 12 hex digits of its ingredients' fingerprint."""
    return fingerprint(dict(ingredients))[:RUN_ID_DIGITS]


def attempt_key(request_key: str, started_at: str, status: int | None, body: bytes, error: str | None) -> str:
    """Return the key of one HTTP exchange: what was asked, when, and what came back."""
    return fingerprint(
        {
            "request_key": request_key,
            "started_at": started_at,
            "status": status,
            "body_sha256": sha256_bytes(body),
            "error": error,
        }
    )


def panel_order(judge_fingerprints: Iterable[str]) -> list[str]:
    """Return a panel's judges in the order that its fingerprint uses: the panel's own order is not part of it."""
    return sorted(judge_fingerprints)
