"""config.json becomes frozen models: the one place that knows the user's keys, defaults and what is refused.

The invariant: what two configs send is equal exactly where their routes' fingerprints are; keys, labels,
families, timeouts and concurrency are never part of one. An API key is read from the environment, never from the file.
"""

from __future__ import annotations

import difflib
import ipaddress
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Self
from urllib.parse import urlsplit, urlunsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from ledger import protocol, strict_json
from ledger.errors import InputError
from ledger.identity import Json, canonical_json, fingerprint
from ledger.protocol import CapPair

_DEFAULT_KEY_ENV: Final = "API_KEY"
_INLINE_KEYS: Final = re.compile(
    r"(.*[._-])?(secret|password|passwd|credentials?|auth|authorization|bearer|headers|cookies?)"
    r"|.*(api|access|auth|bearer|secret|private)[._-]?(keys?|tokens?|secrets?)"
    r"|(x.)?(keys?|token)",
    re.IGNORECASE,
)
_NEVER_IN_EXTRA_BODY: Final = {
    "messages": "the protocol's prompt is the only message",
    "prompt": "the protocol's prompt is the only message",
    "input": "the protocol's prompt is the only message",
    "instructions": "the protocol sends no system prompt",
    "system": "the protocol sends no system prompt",
    "previous_response_id": "each task is asked on its own",
    "n": "one answer a task",
    "best_of": "one answer a task",
    "stream": "one whole answer a request",
    "stream_options": "one whole answer a request",
    "model": "it is a field of its own",
    "models": "one model answers",
    "fallbacks": "one model answers",
    "temperature": "it is a field of its own",
    "max_tokens": "it is a field of its own",
}
_WITHHELD: Final = re.compile(
    r"tool|plugin|function|search|retriev|browse|grounding|data_sources|file_ids|connector|mcp", re.IGNORECASE
)


def _http_url(text: str) -> str:
    """Return the normal form of an address. No message holds a part of it: any part may be a key."""
    if "@" in text:
        raise ValueError("holds a user name or password: put the key in an environment variable and name it in api_key_env")
    if "?" in text or "#" in text:
        raise ValueError("must not hold a query or fragment")
    try:
        parts = urlsplit(text)
        sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # no host, or no number for its port
        sound = False
    if not sound or not text.isprintable() or " " in text:
        raise ValueError('must be an address such as "https://gateway.example/v1"')
    return normal_url(text)


def normal_url(text: str) -> str:
    """Return a base URL as identity sees it: without user part and trailing slash, scheme and host in lower case."""
    parts = urlsplit(text)
    host = parts.netloc.rpartition("@")[2].lower()
    return urlunsplit((parts.scheme.lower(), host, parts.path.rstrip("/"), "", ""))


def _allowed_extra(body: dict[str, Any]) -> dict[str, Any]:
    for name in body:
        if why := _NEVER_IN_EXTRA_BODY.get(name.lower()):
            raise ValueError(f"must not hold {name}: {why}")
    for name in _names(body):
        if _INLINE_KEYS.fullmatch(name):
            raise ValueError(f"must not hold {name}: keys come from the environment, by api_key_env")
        if _WITHHELD.search(name):
            raise ValueError(f"must not hold {name}: the model gets the document and the question only (protocol §1)")
    try:
        canonical_json(body)
    except ValueError:
        raise ValueError("holds a value without an exact JSON form: an integer beyond 2^53 or a lone surrogate") from None
    return body


def _names(value: Any) -> Iterator[str]:
    """Yield the names of a JSON value's objects, at any depth."""
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _names(inner)


_ENV_NAME = r"^[A-Za-z_][A-Za-z0-9_]*$"
_Text = Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f\x7f]+$")]
_Url = Annotated[str, AfterValidator(_http_url)]
_EnvName = Annotated[str, StringConstraints(pattern=_ENV_NAME)]
_ExtraBody = Annotated[dict[str, Any], AfterValidator(_allowed_extra)]
_Positive = Annotated[int, Field(gt=0, lt=2**31)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True, defer_build=True)


class CapsEntry(_Strict):
    """Context caps of one model in characters (§3)."""

    en: Annotated[int, Field(gt=0, lt=2**53)]
    cjk: Annotated[int, Field(gt=0, lt=2**53)]


class _RouteFields(_Strict):
    model: _Text
    label: _Text | None = None
    family: _Text | None = None
    send_temperature: bool = True
    temperature: Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)] = protocol.TEMPERATURE
    concurrency: Annotated[int, Field(gt=0, le=10_000)] | None = None
    extra_body: _ExtraBody = Field(default_factory=dict)


class JudgeFields(_RouteFields):
    """One judge; what it leaves out of base_url, api_key_env and timeout_s it takes from the config."""

    base_url: _Url | None = None
    api_key_env: _EnvName | None = None
    timeout_s: Annotated[float, Field(gt=0, le=86_400)] | None = None
    temperature: Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)] = protocol.JUDGE_TEMPERATURE
    max_tokens: _Positive | None = protocol.JUDGE_MAX_TOKENS


class ConfigFields(_RouteFields):
    """The keys of config.json, as written."""

    base_url: _Url
    api_key_env: _EnvName | None = _DEFAULT_KEY_ENV
    timeout_s: Annotated[float, Field(gt=0, le=86_400)] = 600
    reasoning: bool | None = None
    max_tokens: _Positive | None = None
    caps: dict[str, CapsEntry] = Field(default_factory=dict)
    cap_model: _Text | None = None
    replicate: Annotated[int, Field(ge=0, lt=2**31)] = 0
    judge_replicate: Annotated[int, Field(ge=0, lt=2**31)] = 0
    judges: list[JudgeFields] | None = None

    @model_validator(mode="after")
    def _cap_model_is_known(self) -> Self:
        known = {*self.caps, *protocol.caps_table()}
        if self.cap_model is not None and self.cap_model not in known:
            raise ValueError(f"cap_model: no caps entry named {self.cap_model!r}{_nearest(self.cap_model, known)}")
        return self


@dataclass(frozen=True)
class Route:
    """A model behind an endpoint with its decoding settings.

    `parameters` is every parameter as sent, but for the model and the prompt. The rest says how to reach it,
    and is no part of its identity. `api_key_env` is None where no key is to be sent; `needs_key` says whether the
    request may do without where that variable is not set.
    """

    base_url: str
    model: str
    parameters: Mapping[str, Json]
    api_key_env: str | None = field(compare=False)
    needs_key: bool = field(compare=False)
    timeout_s: float = field(compare=False)
    concurrency: int = field(compare=False)
    label: str | None = field(compare=False)
    family: str | None = field(compare=False)

    def config(self) -> Json:
        """Return what is sent, and where: the body whose fingerprint is the route's."""
        return {"base_url": self.base_url, "model": self.model, "parameters": dict(self.parameters)}

    def fingerprint(self) -> str:
        """Return the fingerprint of `config`."""
        return fingerprint(self.config())

    def policy(self) -> Json:
        """Return what is sent, wherever it is sent to: a judge's part of its panel's policy."""
        return {"model": self.model, "parameters": dict(self.parameters)}

    def decoding_policy(self) -> Json:
        """Return what of the decoding settings must be equal for scores to be compared (§2).

        The protocol's own choices count as one: temperature 0.1 or left out, max_tokens 32768 or 8192.
        """
        parameters = dict(self.parameters)
        temperature = parameters.pop("temperature", protocol.TEMPERATURE)
        max_tokens = parameters.pop("max_tokens", None)
        budgets = {protocol.MAX_TOKENS, protocol.MAX_TOKENS_REASONING}
        return {
            "temperature": "protocol" if temperature == protocol.TEMPERATURE else temperature,
            "max_tokens": "protocol" if max_tokens in budgets else max_tokens,
            "extra_body": parameters,
        }

    def api_key(self) -> str | None:
        """Return the key from the environment; None for loopback without one, or where the config says null.

        Raises InputError for a named variable that is not set, and for a host that needs a key.
        """
        if self.api_key_env is None:
            return None
        if key := os.environ.get(self.api_key_env, "").strip():
            return key
        if not self.needs_key:
            return None
        named = (
            f"${self.api_key_env}" if self.api_key_env.isupper() else "the variable that api_key_env names"
        )  # not a key itself
        raise InputError(
            f"{self.model} at {urlsplit(self.base_url).netloc}: {named} is not set; "
            "export the key, name another variable in api_key_env, or set api_key_env to null if no key is needed"
        )


def is_loopback(base_url: str) -> bool:
    """Tell whether an address is this machine's own."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


@dataclass(frozen=True)
class Config:
    """A run's configuration, resolved: every default filled in.

    `judges` is None where the file names no panel at all, empty where it names one without judges.
    `concurrency` counts all requests in flight.
    """

    route: Route
    judges: tuple[Route, ...] | None
    label: str | None
    family: str | None
    reasoning: bool | None
    caps: Mapping[str, CapPair]
    cap_model: str | None
    concurrency: int
    replicate: int
    judge_replicate: int


def load(path: Path) -> Config:
    """Read config.json. Raises InputError with one line for each problem, naming the key; never a value of one."""
    try:
        fields = ConfigFields.model_validate(_read_object(path))
    except ValidationError as error:
        raise InputError(*(f"{path}: {problem}" for problem in _in_words(error))) from None
    judges = None if fields.judges is None else tuple(_judge(fields, judge) for judge in fields.judges)
    if judges and len({judge.fingerprint() for judge in judges}) < len(judges):
        raise InputError(f"{path}: judges: a panel names no judge twice")
    return Config(
        route=_route(fields),
        judges=judges,
        label=fields.label,
        family=fields.family,
        reasoning=fields.reasoning,
        caps={model: CapPair(entry.en, entry.cjk) for model, entry in fields.caps.items()},
        cap_model=fields.cap_model,
        concurrency=_concurrency(fields),
        replicate=fields.replicate,
        judge_replicate=fields.judge_replicate,
    )


def _concurrency(fields: ConfigFields) -> int:
    return fields.concurrency or 8


def _route(fields: ConfigFields) -> Route:
    max_tokens = fields.max_tokens
    if "max_tokens" not in fields.model_fields_set:
        max_tokens = protocol.MAX_TOKENS_REASONING if fields.reasoning else protocol.MAX_TOKENS
    return Route(
        base_url=fields.base_url,
        model=fields.model,
        parameters=_parameters(fields, max_tokens),
        api_key_env=fields.api_key_env,
        needs_key="api_key_env" in fields.model_fields_set or not is_loopback(fields.base_url),
        timeout_s=fields.timeout_s,
        concurrency=_concurrency(fields),
        label=fields.label,
        family=fields.family,
    )


def _judge(fields: ConfigFields, judge: JudgeFields) -> Route:
    base_url = judge.base_url or fields.base_url
    return Route(
        base_url=base_url,
        model=judge.model,
        parameters=_parameters(judge, judge.max_tokens),
        api_key_env=judge.api_key_env if "api_key_env" in judge.model_fields_set else fields.api_key_env,
        needs_key="api_key_env" in judge.model_fields_set | fields.model_fields_set or not is_loopback(base_url),
        timeout_s=judge.timeout_s or fields.timeout_s,
        concurrency=min(judge.concurrency or _concurrency(fields), _concurrency(fields)),
        label=judge.label,
        family=judge.family,
    )


def _parameters(fields: _RouteFields, max_tokens: int | None) -> dict[str, Json]:
    parameters: dict[str, Json] = {}
    if fields.send_temperature:
        parameters["temperature"] = fields.temperature
    if max_tokens is not None:
        parameters["max_tokens"] = max_tokens
    return {**parameters, **fields.extra_body}


def _read_object(path: Path) -> Any:
    found = strict_json.without_decimals(strict_json.load(path))
    if not isinstance(found, dict):
        raise InputError(f"{path}: must be an object")
    return found


def _in_words(error: ValidationError) -> Iterator[str]:
    for problem in error.errors(include_input=False, include_url=False, include_context=True):
        where = [str(part) for part in problem["loc"]]
        name = where[-1] if where else ""
        place = ".".join(where)
        if problem["type"] == "extra_forbidden":
            if _INLINE_KEYS.fullmatch(name):
                yield (
                    f"{place}: a key in the file is refused; put it in an environment variable "
                    f'and name that: "api_key_env": "{_DEFAULT_KEY_ENV}"'
                )
                continue
            known = JudgeFields if "judges" in where[:-1] else CapsEntry if "caps" in where[:-1] else ConfigFields
            yield f"{place}: unknown key{_nearest(name, known.model_fields)}"
        elif name == "api_key_env" and problem["type"] == "string_pattern_mismatch":
            yield f"{place}: must be the name of an environment variable (letters, digits and _), not the key itself"
        elif problem["type"] == "string_pattern_mismatch":
            yield f"{place}: must hold no control characters"
        elif problem["type"] == "missing":
            yield f"{place}: missing"
        else:
            message = problem["msg"].removeprefix("Value error, ")
            yield f"{place}: {message}" if place else message


def _nearest(name: str, known: Mapping[str, Any] | set[str]) -> str:
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"; did you mean {found[0]}?" if found else f"; known are {', '.join(sorted(known))}"
