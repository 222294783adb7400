"""Journal lines become evidence rows; a stored reply becomes a verdict.

The one place where an exchange's raw bytes are read into `responses`, `judge_replies` and `verdicts`, both for a
living run and when a dead process's journal is recovered, so the same bytes always give the same rows.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from typing import Any

from ledger import completion, verdict
from ledger.completion import Completion, Problem
from ledger.evidence import Attempt, JudgeReply, Response, Verdict
from ledger.identity import decimal_text, sha256_text

ANSWER, JUDGE = "answer", "judge"


def journal_line(attempt: Attempt, rubric_points: Sequence[Decimal] | None) -> bytes:
    """Return an exchange as a journal line. A judge's request comes with the points of its rubric."""
    fields = asdict(attempt)
    try:
        fields["body"] = {"utf8": attempt.body.decode("utf-8")}
    except UnicodeDecodeError:
        fields["body"] = {"base64": base64.b64encode(attempt.body).decode("ascii")}
    points = None if rubric_points is None else [decimal_text(number) for number in rubric_points]
    return json.dumps({"attempt": fields, "rubric_points": points}, ensure_ascii=False).encode("utf-8")


def rows(lines: Iterable[bytes]) -> list[Attempt | Response | JudgeReply | Verdict]:
    """Return the evidence rows of journal lines."""
    found: list[Attempt | Response | JudgeReply | Verdict] = []
    for line in lines:
        record = json.loads(line)
        fields = record["attempt"]
        body = fields["body"]
        fields["body"] = body["utf8"].encode("utf-8") if "utf8" in body else base64.b64decode(body["base64"])
        attempt = Attempt(**fields)
        found.append(attempt)
        points = record["rubric_points"]
        found.extend(replies(attempt, None if points is None else [Decimal(number) for number in points]))
    return found


def replies(attempt: Attempt, rubric_points: Sequence[Decimal] | None) -> list[Response | JudgeReply | Verdict]:
    """Return what an exchange adds beside itself: a response, or a judge's reply with its verdict, or nothing."""
    if attempt.status is None or attempt.error not in {None, completion.MODERATION}:
        return []
    meaning = completion.read(attempt.status, attempt.headers, attempt.body, _epoch_s(attempt.ended_at))
    if attempt.purpose == ANSWER:
        return [_response(attempt, meaning)]
    if not isinstance(meaning, Completion):
        return []
    text = meaning.text or ""
    reply = JudgeReply(reply_sha256=sha256_text(text), text=text, **_common(attempt, meaning))
    return [reply, judged(reply, rubric_points or ())]


def judged(reply: JudgeReply, rubric_points: Sequence[Decimal]) -> Verdict:
    """Return what the current parser makes of a reply."""
    found = verdict.parse(reply.text, reply.finish_reason, rubric_points)
    awarded = None if found.points_awarded is None else [decimal_text(number) for number in found.points_awarded]
    return Verdict(
        request_key=reply.request_key,
        attempt_key=reply.attempt_key,
        reply_sha256=reply.reply_sha256,
        parser_version=verdict.PARSER_VERSION,
        status=found.status,
        reason=found.reason,
        total=found.total,
        points_awarded=awarded,
        points_count_matches=found.points_count_matches,
        total_matches_points=found.total_matches_points,
        ended_at=reply.ended_at,
    )


def _response(attempt: Attempt, meaning: Completion | Problem) -> Response:
    if isinstance(meaning, Problem):  # the provider's moderation refused the prompt: final, and its own reason
        meaning = Completion("refused", None, completion.MODERATION, meaning.detail, None, None, None, None, None, None)
    text = meaning.text or ""
    return Response(response_sha256=sha256_text(text), status=meaning.status, text=text, **_common(attempt, meaning))


def _common(attempt: Attempt, meaning: Completion) -> dict[str, Any]:
    """Return the columns that answers and judge replies share."""
    return {
        "request_key": attempt.request_key,
        "finish_reason": meaning.finish_reason,
        "served_model": meaning.served_model,
        "system_fingerprint": meaning.system_fingerprint,
        "reasoning": meaning.reasoning,
        "refusal": meaning.refusal,
        "prompt_tokens": meaning.prompt_tokens,
        "completion_tokens": meaning.completion_tokens,
        "reasoning_tokens": meaning.reasoning_tokens,
        "ended_at": attempt.ended_at,
        "attempt_key": attempt.attempt_key,
    }


def _epoch_s(timestamp: str) -> float:
    return datetime.fromisoformat(timestamp).timestamp()
