"""What an HTTP exchange means: an answer, an empty or refused one, or a problem and what to do about it (protocol §2, §5)."""

from __future__ import annotations

import json
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ledger import completion
from ledger.completion import Completion, Problem

NOW_S = 1_800_000_000.0
USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def chat(message: Any, finish_reason: Any = "stop", **fields: Any) -> bytes:
    """Return the body of a chat completion."""
    choices = [{"index": 0, "finish_reason": finish_reason, "message": message}]
    return json.dumps({"object": "chat.completion", "model": "stub-1", "choices": choices, "usage": USAGE, **fields}).encode()


def said(content: Any, finish_reason: str = "stop", **message: Any) -> Completion:
    """Return what a chat completion with this content means."""
    meaning = completion.read(200, {}, chat({"role": "assistant", "content": content, **message}, finish_reason), NOW_S)
    assert isinstance(meaning, Completion)
    return meaning


def problem(status: int, body: str | bytes | dict[str, Any] = b"", **headers: str) -> Problem:
    """Return the problem that an HTTP response means."""
    raw = body.encode() if isinstance(body, str) else json.dumps(body).encode() if isinstance(body, dict) else body
    meaning = completion.read(status, {name.replace("_", "-"): value for name, value in headers.items()}, raw, NOW_S)
    assert isinstance(meaning, Problem)
    return meaning


@pytest.mark.parametrize(
    ("content", "status", "text"),
    [
        pytest.param("ANSWER-1", "answered", "ANSWER-1", id="text"),
        pytest.param(" ANSWER-1\n", "answered", " ANSWER-1\n", id="white-space-around-is-kept"),
        pytest.param("<think>plan</think>ANSWER-1", "answered", "<think>plan</think>ANSWER-1", id="think-tags-are-content"),
        pytest.param("I cannot say.", "answered", "I cannot say.", id="declining-in-prose-is-an-answer"),
        pytest.param("X\0Y", "answered", "X\0Y", id="NUL"),
        pytest.param("\ufeff答案 😀", "answered", "\ufeff答案 😀", id="byte-order-mark-cjk-and-emoji"),
        pytest.param("a\ud800b\udc00", "answered", "a\ufffdb\ufffd", id="lone-surrogates-have-no-utf8-form"),
        pytest.param(
            [{"type": "thinking", "thinking": [{"type": "text", "text": "hmm"}]}, {"type": "text", "text": "ANSWER-1"}],
            "answered", "ANSWER-1", id="text-parts-without-the-thinking",
        ),
        pytest.param([{"type": "text", "text": "A"}, {"type": "output_text", "text": "B"}], "answered", "AB", id="text-parts"),
        pytest.param([{"type": "text"}, "C", None, {"type": "text", "text": 7}], "empty", "", id="parts-that-hold-no-text"),
        pytest.param([], "empty", "", id="no-parts"),
        pytest.param("", "empty", "", id="empty"),
        pytest.param(" \n \n", "empty", " \n \n", id="white-space-only-is-kept-as-it-came"),
        pytest.param(None, "empty", None, id="null"),
        pytest.param({"text": "A"}, "empty", None, id="an-object"),
    ],
)  # fmt: skip
def test_content_is_an_answer_or_empty(content: Any, status: str, text: str | None) -> None:
    """A string or the text parts of a list are the answer, as they came; nothing or white space is an empty output."""
    assert (said(content).status, said(content).text) == (status, text)


def test_a_message_without_content_is_empty() -> None:
    """A completed choice whose message has no content at all is an empty output."""
    meaning = completion.read(200, {}, chat({"role": "assistant"}), NOW_S)
    assert isinstance(meaning, Completion)
    assert (meaning.status, meaning.text) == ("empty", None)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_is_evidence_and_never_the_answer(field: str) -> None:
    """An answer that stands only in the reasoning text is an empty output; the text is kept apart."""
    meaning = said(None, **{field: "We should answer ANSWER-1"})
    assert (meaning.status, meaning.text, meaning.reasoning) == ("empty", None, "We should answer ANSWER-1")


def test_a_cut_answer_is_an_answer_with_its_finish_reason() -> None:
    """A partial answer is judged as it is, and the cut stays visible."""
    meaning = said("PARTIAL ANS", "length")
    assert (meaning.status, meaning.text, meaning.finish_reason) == ("answered", "PARTIAL ANS", "length")


@pytest.mark.parametrize(
    ("content", "finish_reason", "refusal", "status"),
    [
        pytest.param(None, "stop", "I cannot help with that.", "refused", id="refusal-field"),
        pytest.param("", "content_filter", None, "refused", id="content-filter-without-content"),
        pytest.param(None, "content_filter", None, "refused", id="content-filter-with-null"),
        pytest.param("Half an ans", "content_filter", None, "answered", id="content-filter-after-some-content"),
        pytest.param("ANSWER-1", "stop", "", "answered", id="an-empty-refusal-field"),
    ],
)
def test_a_refusal_is_told_by_field_or_filter(content: str | None, finish_reason: str, refusal: str | None, status: str) -> None:
    """A filled refusal field, or a content filter that left nothing, is a refusal; its words are kept."""
    meaning = said(content, finish_reason, refusal=refusal)
    assert (meaning.status, meaning.refusal) == (status, refusal)


def test_what_the_provider_says_of_itself_is_kept() -> None:
    """Served model, fingerprint and token counts are evidence."""
    usage = {**USAGE, "completion_tokens_details": {"reasoning_tokens": 3}}
    meaning = completion.read(200, {}, chat({"content": "A"}, system_fingerprint="fp_1", usage=usage), NOW_S)
    assert isinstance(meaning, Completion)
    assert (meaning.served_model, meaning.system_fingerprint) == ("stub-1", "fp_1")
    assert (meaning.prompt_tokens, meaning.completion_tokens, meaning.reasoning_tokens) == (10, 5, 3)


@pytest.mark.parametrize(
    "usage",
    [
        pytest.param(None, id="null"),
        pytest.param([], id="a-list"),
        pytest.param({}, id="nothing-in-it"),
        pytest.param({"prompt_tokens": "10", "completion_tokens": True}, id="no-integers"),
        pytest.param({"prompt_tokens": -1, "completion_tokens": 2**53}, id="no-counts"),
    ],
)
def test_an_unknown_token_count_is_none(usage: Any) -> None:
    """What the provider did not count, or counted as no number, is None and never 0."""
    meaning = completion.read(200, {}, chat({"content": "A"}, usage=usage), NOW_S)
    assert isinstance(meaning, Completion)
    assert (meaning.prompt_tokens, meaning.completion_tokens, meaning.reasoning_tokens) == (None, None, None)


@pytest.mark.parametrize("before", [b"\n\n\n\n", b"\xef\xbb\xbf", b" \r\n"], ids=["keep-alive-lines", "byte-order-mark", "crlf"])
def test_what_may_stand_before_json_is_no_matter(before: bytes) -> None:
    """Blank lines sent to keep a connection alive, or a byte order mark, come before a completion without harm."""
    meaning = completion.read(200, {}, before + chat({"content": "ANSWER-1"}), NOW_S)
    assert isinstance(meaning, Completion)
    assert meaning.text == "ANSWER-1"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="zero-bytes"),
        pytest.param(b"<!DOCTYPE html><html><title>API console</title></html>", id="html"),
        pytest.param(chat({"content": "ANSWER-1"})[:60], id="cut-in-the-middle"),
        pytest.param(b'data: {"choices":[{"delta":{"content":"ANS"}}]}\n\ndata: [DONE]\n\n', id="a-stream"),
        pytest.param(b'{"choices":[],"usage":{"prompt_tokens":4241}}', id="no-choices"),
        pytest.param(b'{"choices":null}', id="null-choices"),
        pytest.param(b'{"choices":{"0":{}}}', id="choices-are-no-list"),
        pytest.param(b'{"choices":[null]}', id="null-choice"),
        pytest.param(b'{"choices":[{"finish_reason":"stop"}]}', id="no-message"),
        pytest.param(b'{"choices":[{"text":"ANSWER-1"}]}', id="not-the-chat-form"),
        pytest.param(b'{"choices":[{"message":"ANSWER-1"}]}', id="message-is-a-string"),
        pytest.param(b'{"ok":true}', id="another-object"),
        pytest.param(b"null", id="null"),
        pytest.param(b"[]", id="a-list"),
        pytest.param(b"\xff\xfe", id="not-utf8"),
        pytest.param(b"[" * 100_000, id="deeper-than-any-stack"),
        pytest.param(b'{"usage":' + b"1" * 5000 + b"}", id="a-number-of-5000-digits"),
    ],
)
def test_a_200_without_a_chat_completion_is_asked_again(body: bytes) -> None:
    """A page, a stream, a cut or an empty body is transient and never an answer."""
    found = problem(200, body)
    assert (found.error, found.retry, found.stops_route) == ("no_completion", True, False)
    assert len(found.detail) < 300


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"error": {"message": "Upstream overloaded", "code": 502}}, id="in-the-body"),
        pytest.param({"error": "Upstream overloaded", "choices": [{"message": {"content": "half"}}]}, id="beside-choices"),
        pytest.param(
            {"choices": [{"error": {"message": "Upstream cut"}, "finish_reason": "error", "message": {"content": ""}}]},
            id="in-the-choice",
        ),
        pytest.param({"choices": [{"finish_reason": "error", "message": {"content": "half"}}]}, id="finish-reason-error"),
    ],
)
def test_an_error_under_200_is_asked_again_and_never_an_answer(body: dict[str, Any]) -> None:
    """An error that comes with status 200 is an error, whatever content stands beside it."""
    found = problem(200, body)
    assert (found.error, found.retry) == ("error_with_200", True)


@pytest.mark.parametrize(
    ("message", "error"),
    [("Insufficient Balance", "quota"), ("Incorrect API key provided", "auth"), ("prompt is too long: 9 > 8", "context_length")],
)
def test_an_error_under_200_is_told_by_its_words(message: str, error: str) -> None:
    """An error with status 200 that waiting cannot mend is not asked again."""
    found = problem(200, {"error": {"message": message}})
    assert (found.error, found.retry) == (error, False)


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 520, 524, 529, 599])
def test_transient_statuses_are_asked_again(status: int) -> None:
    """Timeouts, conflicts, rate limits and server errors are transient, whatever page comes with them."""
    for body in (b"", b"<html>" + b"x" * 9000, b'{"type":"error","error":{"type":"api_error","message":"Overloaded"}}'):
        found = problem(status, body)
        assert (found.error, found.retry) == ("rate_limited" if status == 429 else f"status_{status}", True)
        assert (found.stops_route, found.wait_s, found.refusal) == (False, None, False)
        assert len(found.detail) < 700


@pytest.mark.parametrize(
    ("status", "stops_route"),
    [(400, False), (404, True), (405, True), (410, False), (418, False), (422, False), (501, False), (505, False)],
)
def test_other_statuses_are_not_asked_again(status: int, stops_route: bool) -> None:  # noqa: FBT001 - a column of the table
    """Every other status is permanent; a path that is not there would be missed by every task."""
    found = problem(status, b"")
    assert (found.error, found.retry, found.stops_route) == (f"status_{status}", False, stops_route)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_stops_the_route_and_names_where_it_leads(status: int) -> None:
    """A redirect is never followed; the message names the address, without a query that might hold a key."""
    found = problem(status, b"", location="https://other.example/v1?key=SECRET99")
    assert (found.error, found.retry, found.stops_route) == ("redirect", False, True)
    assert "https://other.example/v1" in found.detail
    assert "SECRET99" not in found.detail


@pytest.mark.parametrize(
    ("status", "body"),
    [
        pytest.param(429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}, id="429"),
        pytest.param(402, {"error": {"message": "Insufficient Balance", "code": "invalid_request_error"}}, id="402"),
        pytest.param(402, {}, id="402-without-words"),
        pytest.param(403, {"code": "INSUFFICIENT_BALANCE", "message": "Insufficient account balance"}, id="403-other-shape"),
        pytest.param(400, {"error": {"message": "Your credit balance is too low to access the API"}}, id="400"),
        pytest.param(400, {"code": "Arrearage", "message": "Access denied, please make sure your account is paid"}, id="arrears"),
        pytest.param(503, {"error": {"message": "余额不足"}}, id="503-in-chinese"),
    ],
)
def test_an_empty_account_stops_the_route_under_any_status(status: int, body: dict[str, Any]) -> None:
    """Waiting does not fill an account: no retry, no more requests, and the message says what to do."""
    found = problem(status, body)
    assert (found.error, found.retry, found.stops_route) == ("quota", False, True)
    assert "top up" in found.detail


@pytest.mark.parametrize(
    ("status", "body", "error", "field"),
    [
        pytest.param(
            401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}, "auth", "api_key_env", id="401"
        ),
        pytest.param(403, "<html>Forbidden</html>", "auth", "api_key_env", id="403-page"),
        pytest.param(400, {"message": "Invalid API-key provided."}, "auth", "api_key_env", id="400-about-the-key"),
        pytest.param(
            404, {"error": {"message": "The model does not exist", "code": 404}}, "model", "model", id="404-about-the-model"
        ),
        pytest.param(400, {"error": {"message": "x", "code": "model_not_found"}}, "model", "model", id="400-about-the-model"),
        pytest.param(
            400,
            {"error": {"message": "Unsupported parameter: max_tokens; use max_completion_tokens", "param": "max_tokens"}},
            "parameter", "max_tokens", id="max_tokens",
        ),
        pytest.param(
            400,
            {"error": {"message": "temperature does not support 0.1 with this model; only the default (1) is supported"}},
            "parameter", "send_temperature", id="temperature",
        ),
        pytest.param(
            400,
            {"error": {"message": "parameter.enable_thinking must be set to false for non-streaming calls", "param": None}},
            "parameter", "extra_body", id="another-parameter",
        ),
        pytest.param(
            422, {"detail": [{"loc": ["body", "top_k"], "msg": "Extra inputs are not permitted"}]},
            "parameter", "extra_body", id="422-list-of-details",
        ),
    ],
)  # fmt: skip
def test_an_error_that_every_task_would_meet_stops_the_route_and_names_the_field(
    status: int, body: str | dict[str, Any], error: str, field: str
) -> None:
    """A wrong key, model or parameter is said once, with the config's field that mends it."""
    found = problem(status, body)
    assert (found.error, found.retry, found.stops_route) == (error, False, True)
    assert (found.field or "").startswith(field)


def test_a_refused_parameter_is_named_in_the_message() -> None:
    """The provider's own words, with the parameter's name, reach the user."""
    body = {"error": {"message": "parameter.enable_thinking must be set to false", "code": "invalid_parameter_error"}}
    assert "enable_thinking" in problem(400, body).detail


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 131072 tokens, got 180001",
        "Input tokens exceed the configured limit of 272000 tokens",
        "The input (300000 tokens) is longer than the model's context length (131072 tokens)",
        "input length and `max_tokens` exceed context limit: 179413 + 32768 > 200000",
        "prompt is too long: 209303 tokens > 200000 maximum",
        "Prompt contains 300000 tokens, too large for model with 262144 maximum context length",
        "Range of input length should be [1, 258048]",
        "The total length of all messages is too long",
    ],
)
def test_a_prompt_beyond_the_window_is_told_in_any_wording(message: str) -> None:
    """A context-length error has its own name, is not asked again, and does not stop the other tasks."""
    found = problem(400, {"error": {"message": message, "type": "invalid_request_error"}})
    assert (found.error, found.retry, found.stops_route, found.refusal) == (completion.CONTEXT_LENGTH, False, False, False)


def test_a_request_too_large_is_beyond_the_window() -> None:
    """Status 413 means the same, whatever page comes with it."""
    assert problem(413, "<html>Request Entity Too Large</html>").error == completion.CONTEXT_LENGTH


@pytest.mark.parametrize(
    ("status", "body"),
    [
        pytest.param(
            400,
            {"error": {"code": "data_inspection_failed", "message": "Input data may contain inappropriate content."}},
            id="data-inspection",
        ),
        pytest.param(400, {"error": {"code": "content_filter", "message": "The prompt was filtered"}}, id="content-filter"),
        pytest.param(403, {"error": {"message": "Blocked by content_policy_violation"}}, id="403"),
    ],
)
def test_moderation_of_the_prompt_is_a_refusal_of_this_task_alone(status: int, body: dict[str, Any]) -> None:
    """A provider that refuses a document refuses this task for good, and the run goes on."""
    found = problem(status, body)
    assert (found.error, found.refusal, found.retry, found.stops_route) == (completion.MODERATION, True, False, False)


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        pytest.param({}, None, id="unsaid"),
        pytest.param({"retry-after": "2"}, 2, id="seconds"),
        pytest.param({"retry-after": " 0.5 "}, 0.5, id="half-a-second"),
        pytest.param({"retry-after": "0"}, 0, id="at-once"),
        pytest.param({"retry-after": "2\x1f"}, 2, id="a-control-character-behind"),
        pytest.param({"retry-after": formatdate(NOW_S + 3, usegmt=True)}, 3, id="date"),
        pytest.param({"retry-after": formatdate(NOW_S - 3, usegmt=True)}, 0, id="date-gone-by"),
        pytest.param({"retry-after-ms": "1500", "retry-after": "9"}, 1.5, id="milliseconds-come-first"),
        pytest.param({"retry-after": "soon"}, None, id="unreadable"),
        pytest.param({"retry-after": ""}, None, id="empty"),
        pytest.param({"retry-after": "-5"}, None, id="negative"),
        pytest.param({"retry-after": "1e3"}, None, id="exponent"),
        pytest.param({"retry-after": "nan"}, None, id="nan"),
        pytest.param({"retry-after": "Wed, 99 Foo 9999999 00:00:00 GMT"}, None, id="no-date"),
        pytest.param({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m30s"}, 90, id="reset-in-m-and-s"),
        pytest.param({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "250ms"}, 0.25, id="reset-in-ms"),
        pytest.param({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "12"}, 12, id="reset-in-seconds"),
        pytest.param({"x-ratelimit-remaining-requests": "0", "ratelimit-reset": f"{NOW_S + 7:.0f}"}, 7, id="reset-at-an-epoch"),
        pytest.param({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset": "later"}, None, id="reset-unreadable"),
        pytest.param({"x-ratelimit-remaining-requests": "0"}, None, id="reset-unsaid"),
        pytest.param({"x-ratelimit-remaining-requests": "5", "x-ratelimit-reset-requests": "9s"}, None, id="some-remain"),
        pytest.param(
            {
                "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "2s",
                "x-ratelimit-remaining-tokens": "90000", "x-ratelimit-reset-tokens": "6m0s",
            },
            2, id="only-the-limit-that-was-met",
        ),
        pytest.param(
            {
                "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "2s",
                "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "5s",
            },
            5, id="the-longer-of-both",
        ),
    ],
)  # fmt: skip
def test_the_wait_asked_for_is_read_in_every_form(headers: dict[str, str], wait_s: float | None) -> None:
    """Retry-After in seconds, as a date or in milliseconds, else a rate limit's reset; what cannot be read is unsaid."""
    assert completion.wait_asked_for(headers, NOW_S) == wait_s


def test_a_wait_of_a_minute_is_honoured_and_a_longer_one_is_not() -> None:
    """Up to 60 s the wait is part of the retry; beyond it the request fails, and its message names the wait."""
    assert problem(429, retry_after="60").wait_s == 60
    assert problem(503, retry_after="2").wait_s == 2
    found = problem(429, retry_after="3600")
    assert (found.error, found.retry, found.stops_route) == ("wait_too_long", False, False)
    assert "3600 s" in found.detail


@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_lone_surrogate_in_an_error_can_be_kept(status: int) -> None:
    """The words of an error always have a UTF-8 form."""
    body = rb'{"error":{"message":"broken \ud800 text","param":"\udfff"}}'
    assert problem(status, body).detail.encode("utf-8")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("\ud800"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "error", "code", "param", "usage", "finish_reason", "refusal", "text", "type"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)
HEADERS = st.dictionaries(
    st.sampled_from(["retry-after", "retry-after-ms", "location", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"]),
    st.text(max_size=12) | st.sampled_from(["0", "9s", "Wed, 21 Oct 2015 07:28:00 GMT", "Mon, 01 Jan 0001 00:00:00 +2359"]),
)


@given(
    st.integers(100, 599) | st.just(200),
    HEADERS,
    st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()),
)
@example(200, {}, b'{"choices":[{"message":{"content":[{"type":"text","text":"\\ud800"}]}}]}')
@settings(max_examples=200, deadline=None)
def test_any_response_has_a_meaning_that_can_be_kept(status: int, headers: dict[str, str], body: bytes) -> None:
    """Reading never raises, whatever the bytes, and every text of the meaning has a UTF-8 form."""
    meaning = completion.read(status, headers, body, NOW_S)
    texts = (
        [
            meaning.text,
            meaning.refusal,
            meaning.reasoning,
            meaning.finish_reason,
            meaning.served_model,
            meaning.system_fingerprint,
        ]
        if isinstance(meaning, Completion)
        else [meaning.detail]
    )
    for text in texts:
        if text is not None:
            text.encode("utf-8")
    if isinstance(meaning, Problem):
        assert meaning.error
        assert not (meaning.retry and meaning.stops_route)
        assert meaning.wait_s is None or 0 <= meaning.wait_s <= completion.MAX_WAIT_S


def test_any_2xx_is_read_as_a_completion_or_asked_again() -> None:
    """A gateway that answers 201 with a completion is taken at its word; one without a body is asked again."""
    body = json.dumps({"choices": [{"message": {"content": "ANSWER-1"}}]}).encode()
    assert isinstance(completion.read(201, {}, body, 0.0), Completion)
    found = completion.read(204, {}, b"", 0.0)
    assert isinstance(found, Problem)
    assert (found.error, found.retry) == ("no_completion", True)


def test_a_reset_in_milliseconds_of_the_epoch_is_no_wait_of_centuries() -> None:
    """Reset headers hold seconds, a span, or an epoch time in seconds or milliseconds."""
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1764590412000"}
    assert completion.wait_asked_for(headers, 1764590400.0) == 12.0
