"""What an HTTP exchange means: a chat completion, or an error and what to do about it (protocol §2, §5).

Pure functions from status, headers and raw body to a meaning, so that the same bytes, read again from the
ledger, give the same rows. The invariant: only a well-formed chat completion becomes an answer; an error
page, a cut body or reasoning text never does. Nothing here speaks HTTP or keeps state.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Final

CONTEXT_LENGTH: Final = "context_length"
MODERATION: Final = "provider_moderation"
MAX_WAIT_S: Final = 60.0


@dataclass(frozen=True)
class Completion:
    """A chat completion's first choice.

    `status` is answered, empty (a completed choice without content) or refused. `text` is the content as it
    came, None where there was none. `reasoning` and `refusal` are evidence, never the answer. Token counts
    are None where the provider gave none.
    """

    status: str
    text: str | None
    finish_reason: str | None
    refusal: str | None
    reasoning: str | None
    served_model: str | None
    system_fingerprint: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None


@dataclass(frozen=True)
class Problem:
    """Why an exchange gave no completion.

    `error` is a short code. `retry` asks for another attempt, after `wait_s` seconds where the provider said
    so. `stops_route` means that every request would meet it, `field` the config field that would mend it.
    `refusal` is the provider's moderation refusing this prompt: final for this task only.
    """

    error: str
    detail: str
    retry: bool = False
    wait_s: float | None = None
    stops_route: bool = False
    field: str | None = None
    refusal: bool = False


def read(status: int, headers: Mapping[str, str], body: bytes, now_s: float) -> Completion | Problem:
    """Return what an HTTP response means. `headers` have lower-case names; `now_s` is the time of receipt."""
    if 200 <= status < 300:
        return _read_completion(status, body)
    return _read_error(status, headers, body, now_s)


def _read_completion(status: int, body: bytes) -> Completion | Problem:
    try:
        reply = json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return Problem("no_completion", f"status {status} with a body that is not JSON: {_excerpt(body)}", retry=True)
    choices = reply.get("choices") if isinstance(reply, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    for place in (reply, choice):
        if isinstance(place, dict) and (place.get("error") or place.get("finish_reason") == "error"):
            return _classify(status, _error_text(place), None) or Problem(
                "error_with_200", f"status {status} with an error: {_excerpt(body)}", retry=True
            )
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        reason = "an empty list of choices" if choices == [] else "a body that is no chat completion"
        return Problem("no_completion", f"status {status} with {reason}: {_excerpt(body)}", retry=True)
    text = _content_text(message.get("content"))
    refusal = _string(message.get("refusal"))
    finish_reason = _string(choice.get("finish_reason"))
    blank = text is None or not text.strip()
    refused = bool(refusal) or (blank and finish_reason == "content_filter")
    usage = reply["usage"] if isinstance(reply.get("usage"), dict) else {}
    details = usage.get("completion_tokens_details")
    return Completion(
        status="refused" if refused else "empty" if blank else "answered",
        text=text,
        finish_reason=finish_reason,
        refusal=refusal,
        reasoning=_string(message.get("reasoning_content")) or _string(message.get("reasoning")),
        served_model=_string(reply.get("model")),
        system_fingerprint=_string(reply.get("system_fingerprint")),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        reasoning_tokens=_count(details.get("reasoning_tokens")) if isinstance(details, dict) else None,
    )


def _content_text(content: Any) -> str | None:
    """Return the answer's text: a string as it is, of a list of parts the text parts."""
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict) and part.get("type") in {"text", "output_text"}]
        return "".join(text for part in parts if (text := _string(part.get("text"))) is not None)
    return _string(content)


def _string(value: Any) -> str | None:
    """Return a string that the ledger can keep: a lone surrogate, which has no UTF-8 form, becomes U+FFFD."""
    if not isinstance(value, str):
        return None
    return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


_TRANSIENT: Final = {408, 409, 425, 429}
_NOT_TRANSIENT_5XX: Final = {501, 505}
_CONTEXT = re.compile(
    r"context.?(length|limit|window)|maximum context|prompt is too long|input is too long|input (tokens?|length) exceed"
    r"|(exceed|longer than|too large).{0,60}(tokens|context)|range of input length|total length of all messages"
    r"|too many (input )?tokens|reduce the length|max_model_len|context_length_exceeded|string_above_max_length",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient.?(quota|balance|account balance|credit|funds)|exceeded your current quota|billing_hard_limit|credit balance"
    r"|arrearage|payment required|余额不足",
    re.IGNORECASE,
)
_MODERATION = re.compile(
    r"data_inspection_failed|content_?filter|content_policy_violation|content management policy|inappropriate content"
    r"|responsible.?ai.?policy|prompt_blocked|sensitive_words|risk control",
    re.IGNORECASE,
)
_AUTH = re.compile(r"invalid.?(api.?key|authentication|token)|incorrect api key|unauthorized|no api key", re.IGNORECASE)
_MODEL = re.compile(
    r"model.{0,60}(does not exist|not found|not exist|not supported|is not available)|model_not_found|unknown model",
    re.IGNORECASE,
)
_PARAMETER = re.compile(
    r"unsupported.?(parameter|value)|unknown.?(parameter|field)|unrecognized|invalid.?(parameter|value)|does not support"
    r"|not supported|must be|extra (inputs|fields)|\"param\"|out of range",
    re.IGNORECASE,
)


def _read_error(status: int, headers: Mapping[str, str], body: bytes, now_s: float) -> Problem:
    try:
        text = _error_text(json.loads(body.decode("utf-8-sig")))
    except (ValueError, RecursionError):
        text = _excerpt(body)
    detail = f"status {status}: {text}" if text else f"status {status}"
    if 300 <= status < 400:
        where = headers.get("location", "nowhere").split("?")[0]
        return Problem(
            "redirect",
            f"status {status}, a redirect to {where}: never followed; set base_url to the right address",
            stops_route=True,
        )
    if known := _classify(status, text, detail):
        return known
    if status in _TRANSIENT or (500 <= status < 600 and status not in _NOT_TRANSIENT_5XX):
        wait_s = wait_asked_for(headers, now_s)
        if wait_s is not None and wait_s > MAX_WAIT_S:
            return Problem("wait_too_long", f"{detail}: the provider asks to wait {wait_s:.0f} s, more than {MAX_WAIT_S:.0f} s")
        return Problem("rate_limited" if status == 429 else f"status_{status}", detail, retry=True, wait_s=wait_s)
    return Problem(f"status_{status}", detail, stops_route=status in {404, 405})


def _classify(status: int, text: str, detail: str | None) -> Problem | None:
    """Return the problem that an error's words name, whatever its status; None where they name none."""
    detail = detail or f"status {status}: {text}"
    client_error = 200 <= status < 300 or 400 <= status < 500
    if _QUOTA.search(text) or status == 402:
        return Problem("quota", f"{detail}: top up the account, then run the same command again", stops_route=True)
    if not client_error or status in _TRANSIENT:
        return None
    if status in {401, 403} or _AUTH.search(text):
        if _MODERATION.search(text):
            return Problem(MODERATION, detail, refusal=True)
        return Problem("auth", detail, stops_route=True, field="api_key_env")
    if _CONTEXT.search(text) or status == 413:
        return Problem(CONTEXT_LENGTH, detail)
    if _MODERATION.search(text):
        return Problem(MODERATION, detail, refusal=True)
    if _MODEL.search(text):
        return Problem("model", detail, stops_route=True, field="model")
    if status in {400, 422} and _PARAMETER.search(text):
        return Problem("parameter", detail, stops_route=True, field=_parameter_field(text))
    return None


def _parameter_field(text: str) -> str:
    """Return the config field behind a refused parameter."""
    if "temperature" in text:
        return "send_temperature (false leaves the temperature out)"
    if "max_tokens" in text or "max_completion_tokens" in text:
        return 'max_tokens (null leaves it out; extra_body {"max_completion_tokens": …} sends the other name)'
    return "extra_body"


def _error_text(reply: Any) -> str:
    """Return the words of an error body: its messages, codes and types, wherever they stand."""
    return _clip(" | ".join(dict.fromkeys(_words(reply))), 600)


def _words(value: Any, depth: int = 0) -> Iterator[str]:
    if depth > 4:
        return
    if (text := _string(value)) is not None:
        yield text
    elif isinstance(value, dict):
        for name in ("message", "msg", "detail", "code", "type", "param", "error", "errors"):
            if name == "param" and value.get(name):
                yield f'"param" {_string(str(value[name]))}'
            elif name in value:
                yield from _words(value[name], depth + 1)
    elif isinstance(value, list):
        for inner in value[:5]:
            yield from _words(inner, depth + 1)


def _excerpt(body: bytes) -> str:
    return _clip(" ".join(body[:2000].decode("utf-8", "replace").split()), 200) or "(empty)"


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


_SPAN = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)")
_UNIT_S: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def wait_asked_for(headers: Mapping[str, str], now_s: float) -> float | None:
    """Return the seconds that a provider asks to wait, from Retry-After in any form or a rate-limit reset; None if unsaid."""
    if (wait_ms := _number(headers.get("retry-after-ms"))) is not None:
        return wait_ms / 1000
    if (text := headers.get("retry-after")) is not None:
        if (seconds := _number(text)) is not None:
            return seconds
        try:
            return max(0.0, parsedate_to_datetime(text).timestamp() - now_s)
        except (ValueError, OverflowError):
            return None
    used_up = [what for what in ("requests", "tokens") if headers.get(f"x-ratelimit-remaining-{what}") == "0"]
    if not used_up:
        return None
    names = [*(f"x-ratelimit-reset-{what}" for what in used_up), "ratelimit-reset", "x-ratelimit-reset"]
    spans = [span for name in names if (span := _span(headers.get(name, ""), now_s)) is not None]
    return max(spans, default=None)


def _number(text: str | None) -> float | None:
    digits = (text or "").strip()
    return float(digits) if re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,9})?", digits) else None


def _span(text: str, now_s: float) -> float | None:
    """Return the seconds of 1m30s, 250ms, 12 or an epoch time."""
    if (seconds := _number(text)) is not None:
        if seconds > 1e12:  # an epoch time in milliseconds
            seconds /= 1000
        return max(0.0, seconds - now_s) if seconds > 1e9 else seconds
    parts = _SPAN.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text.strip():
        return None
    return sum(float(number) * _UNIT_S[unit] for number, unit in parts)
