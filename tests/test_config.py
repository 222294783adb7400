"""config.json: what its keys mean by default, what a judge inherits, and what is refused without showing a secret."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from ledger import config
from ledger.config import Config, Route
from ledger.errors import InputError
from ledger.protocol import CapPair

SECRET = "SECRET99"
BASE: dict[str, Any] = {"base_url": "https://gateway.example/v1", "model": "m-a"}


@pytest.fixture
def load(tmp_path: Path) -> Any:
    """Load a config from its text, or from BASE with some keys changed."""

    def loaded(text: str | bytes | None = None, **keys: Any) -> Config:
        path = tmp_path / "config.json"
        body = json.dumps({**BASE, **keys}) if text is None else text
        path.write_bytes(body if isinstance(body, bytes) else body.encode("utf-8"))
        return config.load(path)

    return loaded


@pytest.fixture
def problem(load: Any) -> Any:
    """Return the message with which a config is refused."""

    def refused(text: str | bytes | None = None, **keys: Any) -> str:
        with pytest.raises(InputError) as caught:
            load(text, **keys)
        message = str(caught.value)
        assert SECRET not in message
        assert "config.json: " in message
        return message

    return refused


def route(load: Any, **keys: Any) -> Route:
    """Return the route of a config."""
    found: Route = load(**keys).route
    return found


# Defaults and inheritance.


def test_two_keys_are_enough(load: Any) -> None:
    """A base URL and a model make a config; all else has the protocol's defaults."""
    found = load()
    assert (found.route.base_url, found.route.model) == ("https://gateway.example/v1", "m-a")
    assert found.route.parameters == {"temperature": 0.1, "max_tokens": 8192}
    assert (found.route.api_key_env, found.route.timeout_s, found.concurrency) == ("API_KEY", 600, 8)
    assert (found.judges, found.label, found.family, found.reasoning) == (None, None, None, None)
    assert (found.caps, found.cap_model, found.replicate, found.judge_replicate) == ({}, None, 0, 0)


@pytest.mark.parametrize(
    ("keys", "parameters"),
    [
        pytest.param({"reasoning": True}, {"temperature": 0.1, "max_tokens": 32768}, id="reasoning"),
        pytest.param({"reasoning": False}, {"temperature": 0.1, "max_tokens": 8192}, id="not-reasoning"),
        pytest.param({"reasoning": True, "max_tokens": 9}, {"temperature": 0.1, "max_tokens": 9}, id="max_tokens-wins"),
        pytest.param({"reasoning": True, "max_tokens": None}, {"temperature": 0.1}, id="null-leaves-max_tokens-out"),
        pytest.param({"send_temperature": False}, {"max_tokens": 8192}, id="temperature-left-out"),
        pytest.param({"temperature": 1}, {"temperature": 1.0, "max_tokens": 8192}, id="another-temperature"),
        pytest.param(
            {"extra_body": {"top_p": 0.9, "seed": 1}},
            {"temperature": 0.1, "max_tokens": 8192, "top_p": 0.9, "seed": 1},
            id="extra",
        ),
    ],
)
def test_the_parameters_sent_follow_from_the_keys(load: Any, keys: dict[str, Any], parameters: dict[str, Any]) -> None:
    """What is sent is temperature and max_tokens, by the protocol unless the config says otherwise, and extra_body."""
    assert route(load, **keys).parameters == parameters


def test_a_judge_has_the_protocols_settings_and_inherits_where_it_asks(load: Any) -> None:
    """A judge inherits base URL, key variable, timeout and concurrency, and nothing of the decoding settings."""
    (judge,) = load(
        judges=[{"model": "j"}], api_key_env="MY_KEY", timeout_s=7, concurrency=3, temperature=0.9, max_tokens=5, reasoning=True,
        send_temperature=False, extra_body={"top_p": 1}, label="L", family="F",
    ).judges  # fmt: skip
    assert (judge.base_url, judge.api_key_env, judge.timeout_s, judge.concurrency) == (BASE["base_url"], "MY_KEY", 7, 3)
    assert (judge.parameters, judge.label, judge.family) == ({"temperature": 0.1, "max_tokens": 16384}, None, None)


def test_a_judge_may_say_otherwise(load: Any) -> None:
    """A judge's own keys win over what it would inherit; its concurrency can only be lower."""
    own = {
        "model": "j", "base_url": "http://127.0.0.1:9/x/", "api_key_env": None, "timeout_s": 1, "concurrency": 99, "label": "J",
        "family": "f", "temperature": 0, "max_tokens": None, "send_temperature": True, "extra_body": {"top_k": 2},
    }  # fmt: skip
    (judge,) = load(judges=[own], concurrency=4).judges
    assert (judge.base_url, judge.api_key_env, judge.timeout_s, judge.concurrency) == ("http://127.0.0.1:9/x", None, 1, 4)
    assert (judge.parameters, judge.label, judge.family) == ({"temperature": 0, "top_k": 2}, "J", "f")


def test_no_panel_and_a_panel_of_none_are_told_apart(load: Any) -> None:
    """Without the key there is no panel to judge by; an empty list is a panel of none."""
    assert load().judges is None
    assert load(judges=None).judges is None
    assert load(judges=[]).judges == ()


def test_a_panel_names_no_judge_twice(load: Any, problem: Any) -> None:
    """The same model with the same settings at the same address cannot sit twice; anything else differs."""
    assert "names no judge twice" in problem(judges=[{"model": "j"}, {"model": "j", "label": "again", "concurrency": 1}])
    assert len(load(judges=[{"model": "j"}, {"model": "j", "temperature": 0.2}]).judges) == 2


def test_caps_and_cap_model(load: Any, problem: Any) -> None:
    """Caps add to the protocol's table, and cap_model must name an entry of either."""
    found = load(caps={"new": {"en": 10, "cjk": 5}}, cap_model="new")
    assert (found.caps, found.cap_model) == ({"new": CapPair(10, 5)}, "new")
    assert load(cap_model="gpt-5.1").cap_model == "gpt-5.1"
    assert "no caps entry named 'gpt5.4'; did you mean gpt-5.4?" in problem(cap_model="gpt5.4")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("https://gateway.example/v1/", "https://gateway.example/v1"),
        ("HTTPS://Gateway.Example:8443/V1//", "https://gateway.example:8443/V1"),
        ("http://127.0.0.1:9", "http://127.0.0.1:9"),
        ("http://[::1]:9/v1", "http://[::1]:9/v1"),
    ],
)
def test_an_address_has_one_form(load: Any, written: str, read: str) -> None:
    """A trailing slash and the case of scheme and host are no difference; the path's case is."""
    assert route(load, base_url=written).base_url == read


# Identity and comparability.


def test_what_is_not_sent_is_no_part_of_a_route(load: Any) -> None:
    """Key variable, timeout, concurrency, label and family leave route, fingerprint and equality as they are."""
    plain = route(load)
    other = route(load, api_key_env=None, timeout_s=1, concurrency=1, label="L", family="f", base_url=BASE["base_url"] + "/")
    assert plain == other
    assert plain.fingerprint() == other.fingerprint()


@pytest.mark.parametrize(
    "keys",
    [{"model": "m-b"}, {"base_url": "https://h.example"}, {"temperature": 0.2}, {"max_tokens": 1}, {"extra_body": {"seed": 0}}],
    ids=lambda keys: next(iter(keys)),
)
def test_what_is_sent_is_part_of_a_route(load: Any, keys: dict[str, Any]) -> None:
    """A change of address, model or any parameter is another route."""
    assert route(load, **keys).fingerprint() != route(load).fingerprint()


@pytest.mark.parametrize(
    ("keys", "policy"),
    [
        pytest.param({}, {}, id="defaults"),
        pytest.param({"reasoning": True}, {}, id="the-reasoning-budget"),
        pytest.param({"send_temperature": False}, {}, id="temperature-left-out"),
        pytest.param({"max_tokens": 8192, "temperature": 0.1}, {}, id="the-same-in-words"),
        pytest.param({"temperature": 0.7}, {"temperature": 0.7}, id="another-temperature"),
        pytest.param({"max_tokens": 4096}, {"max_tokens": 4096}, id="another-budget"),
        pytest.param({"max_tokens": None}, {"max_tokens": None}, id="no-budget"),
        pytest.param({"extra_body": {"top_p": 0.9}}, {"extra_body": {"top_p": 0.9}}, id="extra-body"),
    ],
)
def test_the_decoding_policy_counts_the_protocols_choices_as_one(load: Any, keys: dict[str, Any], policy: dict[str, Any]) -> None:
    """Temperature 0.1 or left out and a budget of 8192 or 32768 are the protocol's; anything else is a policy of its own."""
    usual = {"temperature": "protocol", "max_tokens": "protocol", "extra_body": {}}
    assert route(load, **keys).decoding_policy() == {**usual, **policy}


# Refusals.


@pytest.mark.parametrize(
    "name",
    [
        "api_key", "apiKey", "api-key", "API_KEY", "apikey", "api_keys", "x-api-key", "X_API_KEY", "openai_api_key",
        "openaiApiKey", "key", "keys", "token", "access_token", "auth_token", "api_token", "bearer_token", "secret",
        "api_secret", "client_secret", "secret_key", "access-key", "password", "passwd", "credentials", "auth",
        "authorization", "Authorization", "bearer", "headers", "extra_headers", "default-headers", "cookie", "cookies",
    ],
)  # fmt: skip
def test_a_key_in_the_file_is_refused_and_the_right_way_named(problem: Any, name: str) -> None:
    """Whatever the spelling and place, a key in the file is refused without showing it."""
    for message in (problem(**{name: SECRET}), problem(judges=[{"model": "j", name: SECRET}])):
        assert f"{name}: a key in the file is refused" in message
        assert '"api_key_env": "API_KEY"' in message
    assert f"must not hold {name}" in problem(extra_body={name: SECRET})
    assert f"must not hold {name}" in problem(extra_body={"provider": [{name: SECRET}]})


@pytest.mark.parametrize(
    ("base_url", "words"),
    [
        (f"https://{SECRET}@h.example/v1", "user name or password"),
        (f"https://user:{SECRET}@h.example/v1", "user name or password"),
        (f"https://user:pa/{SECRET}@h.example/v1", "user name or password"),
        (f"https://h.example/v1?key={SECRET}", "query or fragment"),
        (f"https://h.example/v1#{SECRET}", "query or fragment"),
        (f"https://h.example:{SECRET}/v1", "must be an address such as"),
        (f"https://[{SECRET}]/v1", "must be an address such as"),
        (f"https://h\u2100{SECRET}/v1", "must be an address such as"),
        (f"https://h.example/ {SECRET}", "must be an address such as"),
        ("https://h.example:99999/v1", "must be an address such as"),
        ("https://h.example\n/v1", "must be an address such as"),
        ("ftp://h.example/v1", "must be an address such as"),
        ("h.example/v1", "must be an address such as"),
        ("https://", "must be an address such as"),
        ("", "must be an address such as"),
    ],
)
def test_an_address_that_is_none_or_may_hold_a_key_is_refused(problem: Any, base_url: str, words: str) -> None:
    """User parts, queries and what is no address are refused, and no message repeats the address."""
    assert words in problem(base_url=base_url)
    assert words in problem(judges=[{"model": "j", "base_url": base_url}])


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        pytest.param({"temprature": 1}, "temprature: unknown key; did you mean temperature?", id="letters-missing"),
        pytest.param({"max_token": 1}, "max_token: unknown key; did you mean max_tokens?", id="max_token"),
        pytest.param({"jugdes": []}, "jugdes: unknown key; did you mean judges?", id="letters-swapped"),
        pytest.param({"zzz": SECRET}, "zzz: unknown key; known are api_key_env, base_url", id="nothing-near"),
        pytest.param({"judges": [{"model": "j", "reasoning": True}]}, "judges.0.reasoning: unknown key", id="not-for-judges"),
        pytest.param(
            {"caps": {"m-a": {"en": 1, "zh": 1, "cjk": 1}}}, "caps.m-a.zh: unknown key; known are cjk, en", id="in-caps"
        ),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_name(problem: Any, keys: dict[str, Any], words: str) -> None:
    """A misspelt key never passes in silence."""
    assert words in problem(**keys)


@pytest.mark.parametrize(
    "name",
    [
        "messages", "Messages", "prompt", "system", "instructions", "n", "best_of", "stream", "stream_options", "model", "models",
        "temperature", "max_tokens", "tools", "tool_choice", "plugins", "functions", "web_search_options", "enable_search",
        "retrieval", "mcp_servers", "previous_response_id",
    ],
)  # fmt: skip
def test_extra_body_cannot_end_what_the_protocol_withholds(problem: Any, name: str) -> None:
    """Nothing in extra_body may add evidence, answers or messages, or repeat a key of its own."""
    assert f"extra_body: must not hold {name}: " in problem(extra_body={name: 1})


def test_what_is_withheld_is_withheld_at_any_depth(problem: Any) -> None:
    """A search hidden in a nested object of extra_body is found."""
    assert "must not hold enable_search" in problem(extra_body={"chat_template_kwargs": [{"enable_search": True}]})


def test_extra_body_takes_what_providers_need(load: Any) -> None:
    """Parameters that only say how to decode pass, at any depth."""
    extra = {
        "enable_thinking": False, "max_completion_tokens": 5, "top_p": 0.9, "seed": 7, "reasoning": {"effort": "high"},
        "prompt_cache_key": "x", "stop_token_ids": [1], "response_format": {"type": "text"},
    }  # fmt: skip
    assert route(load, extra_body=extra, max_tokens=None).parameters == {"temperature": 0.1, **extra}


@pytest.mark.parametrize(
    ("keys", "where"),
    [
        pytest.param({"replicate": True}, "replicate", id="boolean-for-an-integer"),
        pytest.param({"concurrency": True}, "concurrency", id="boolean-for-a-count"),
        pytest.param({"max_tokens": True}, "max_tokens", id="boolean-for-max_tokens"),
        pytest.param({"temperature": False}, "temperature", id="boolean-for-a-number"),
        pytest.param({"send_temperature": 0}, "send_temperature", id="integer-for-a-boolean"),
        pytest.param({"caps": {"m-a": {"en": True, "cjk": 1}}}, "caps.m-a.en", id="boolean-for-a-cap"),
        pytest.param({"replicate": 1.5}, "replicate", id="fraction"),
        pytest.param({"replicate": -1}, "replicate", id="negative"),
        pytest.param({"replicate": "1"}, "replicate", id="string-for-an-integer"),
        pytest.param({"temperature": SECRET}, "temperature", id="string-for-a-number"),
        pytest.param({"temperature": -0.1}, "temperature", id="negative-temperature"),
        pytest.param({"concurrency": 0}, "concurrency", id="no-concurrency"),
        pytest.param({"timeout_s": 0}, "timeout_s", id="no-time"),
        pytest.param({"max_tokens": 0}, "max_tokens", id="no-tokens"),
        pytest.param({"model": ""}, "model", id="no-name"),
        pytest.param({"model": f"m\n{SECRET}"}, "model", id="line-break-in-a-name"),
        pytest.param({"label": "\ud800"}, "label", id="lone-surrogate"),
        pytest.param({"judges": {}}, "judges", id="object-for-a-list"),
        pytest.param({"judges": [{}]}, "judges.0.model: missing", id="a-judge-without-a-model"),
        pytest.param({"caps": {"m-a": {"en": 1}}}, "caps.m-a.cjk: missing", id="half-a-cap-pair"),
        pytest.param({"caps": {"m-a": {"en": 0, "cjk": 1}}}, "caps.m-a.en", id="a-cap-of-zero"),
        pytest.param({"api_key_env": f"sk-{SECRET}"}, "api_key_env: must be the name of an environment variable", id="a-key"),
        pytest.param({"api_key_env": "$API_KEY"}, "api_key_env: must be the name of an environment variable", id="dollar"),
        pytest.param({"extra_body": {"seed": 2**53 + 1}}, "extra_body", id="integer-beyond-2^53"),
        pytest.param({"extra_body": {"user": f"{SECRET}\ud800"}}, "extra_body", id="lone-surrogate-in-extra_body"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_by_name(problem: Any, keys: dict[str, Any], where: str) -> None:
    """Each key takes its own kind of value and range, and the message names the key, not the value."""
    assert f"config.json: {where}" in problem(**keys)


def test_every_problem_is_told_in_one_go(problem: Any) -> None:
    """Several wrong keys give one line each."""
    lines = problem('{"modle": "m", "temperature": "hot", "judges": [{"model": 7}]}').splitlines()
    assert len(lines) == 5
    assert [line.split(": ")[1] for line in lines] == ["model", "temperature", "base_url", "judges.0.model", "modle"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", "line 1, column 1: not JSON", id="empty"),
        pytest.param('{"base_url":"https://h.example",}', "not JSON", id="trailing-comma"),
        pytest.param("[]", "must be an object", id="a-list"),
        pytest.param('{"model":"a","model":"b"}', "the key 'model' stands twice", id="duplicate-key"),
        pytest.param(f'{{"api_key":"{SECRET}","api_key":"b"}}', "the key 'api_key' stands twice", id="duplicate-secret"),
        pytest.param('{"extra_body":{"a":1,"a":2}}', "the key 'a' stands twice", id="duplicate-inner-key"),
        pytest.param('{"temperature":NaN}', "NaN is not JSON", id="NaN"),
        pytest.param('{"temperature":-Infinity}', "-Infinity is not JSON", id="infinity"),
        pytest.param('{"temperature":1e999}', "a number out of range", id="beyond-a-double"),
        pytest.param(f'{{"temperature":1e{"9" * 30}}}', "a number out of range", id="beyond-any-number"),
        pytest.param('{"a":' * 500 + "1" + "}" * 500, "nested too deeply", id="deep"),
        pytest.param('{"a":' * 100_000, "nested too deeply", id="deeper-than-any-stack"),
        pytest.param(b'{"model":"\xff"}', "not UTF-8 at byte 10", id="not-utf8"),
    ],
)
def test_a_file_that_readers_could_read_differently_is_refused(problem: Any, text: str | bytes, words: str) -> None:
    """Only strict JSON is a config: no duplicate key, no NaN, no number or depth that some reader cannot follow."""
    assert words in problem(text)


def test_a_byte_order_mark_does_no_harm(load: Any) -> None:
    """An editor's BOM in front of the object is read over."""
    assert load(b"\xef\xbb\xbf" + json.dumps(BASE).encode()).route.model == "m-a"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """A config that is not there is said with its path."""
    with pytest.raises(InputError, match=r"none\.json: cannot be read"):
        config.load(tmp_path / "none.json")


# The API key.


def test_the_key_comes_from_the_environment(load: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """$API_KEY unless another variable is named; white space around it is no part of it."""
    monkeypatch.setenv("API_KEY", f" {SECRET}\n")
    monkeypatch.setenv("OTHER", "other")
    assert route(load).api_key() == SECRET
    assert route(load, api_key_env="OTHER").api_key() == "other"
    assert route(load, api_key_env=None).api_key() is None
    assert [judge.api_key() for judge in load(judges=[{"model": "j"}, {"model": "k", "api_key_env": None}]).judges] == [
        SECRET,
        None,
    ]


@pytest.mark.parametrize("value", [None, "", "  "], ids=["unset", "empty", "blank"])
def test_a_key_that_is_needed_and_not_set_is_an_error(load: Any, monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    """A named variable must be set, and a host that is not loopback needs a key; the message says what to do."""
    for name in ("API_KEY", "MY_KEY"):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    local = "http://127.0.0.1:9/v1"
    for keys in (
        {},
        {"api_key_env": "MY_KEY"},
        {"api_key_env": "MY_KEY", "base_url": local},
        {"api_key_env": "API_KEY", "base_url": local},
    ):
        with pytest.raises(InputError, match=r"m-a at .*: \$(API|MY)_KEY is not set; export the key"):
            route(load, **keys).api_key()
    (judge,) = load(base_url=local, judges=[{"model": "j", "base_url": "https://other.example:8443/v1"}]).judges
    with pytest.raises(InputError, match=r"j at other\.example:8443: \$API_KEY is not set"):
        judge.api_key()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "[::1]", "localhost", "a.localhost", "LOCALHOST"])
def test_loopback_needs_no_key(load: Any, monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    """Endpoints on this machine are asked without a key where none is set, and with it where one is."""
    monkeypatch.delenv("API_KEY", raising=False)
    local = f"http://{host}:9/v1"
    assert route(load, base_url=local).api_key() is None
    assert [judge.api_key() for judge in load(base_url=local, judges=[{"model": "j"}]).judges] == [None]
    monkeypatch.setenv("API_KEY", "k")
    assert route(load, base_url=local).api_key() == "k"


@pytest.mark.parametrize("host", ["10.0.0.1", "localhost.example", "0.0.0.0", "127.0.0.1.example"])  # noqa: S104 - not bound to
def test_other_hosts_are_not_loopback(host: str) -> None:
    """A name that only looks like this machine's is not."""
    assert not config.is_loopback(f"http://{host}:9/v1")


def test_a_number_is_the_one_that_was_written(load: Any) -> None:
    """Decimals reach the route as the doubles that other readers make of them."""
    assert route(load, temperature=0.3).parameters["temperature"] == 0.3
    assert math.isclose(route(load, extra_body={"top_p": 1e-7}).parameters["top_p"], 1e-7, rel_tol=0)
