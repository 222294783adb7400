"""Which documents are asked about: the protocol's caps for every model, and its CJK rule at the edges (§3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger import config, plan, protocol, scope
from ledger.dataset import Dataset, Task
from ledger.protocol import CapPair

WIDE = CapPair(2_850_000, 850_000)
TABLE = {
    "gpt-4.1": WIDE,
    "gpt-5.4": WIDE,
    "gpt-5.5": WIDE,
    "qwen3.5-plus": WIDE,
    "qwen3.6-plus": WIDE,
    "qwen3.7-max": WIDE,
    "qwen3.7-plus": WIDE,
    "gemini-2.5-pro": WIDE,
    "gemini-3.1": WIDE,
    "deepseek-v4": WIDE,
    "glm-5.2": WIDE,
    "claude-opus-4.6": WIDE,
    "claude-opus-4.8": WIDE,
    "deepseek-v3.2": CapPair(1_200_000, 400_000),
    "gpt-5.1": CapPair(1_050_000, 320_000),
    "kimi-k2.6": CapPair(1_000_000, 320_000),
    "doubao-seed-2.1": CapPair(1_000_000, 320_000),
    "qwen3-max": CapPair(690_000, 210_000),
    "minimax-m2.7": CapPair(570_000, 220_000),
}


def test_the_built_in_table_is_the_protocols() -> None:
    """Every model of the protocol's table, its default, and no other."""
    assert protocol.caps_table() == {**TABLE, "default": WIDE}


@pytest.mark.parametrize("model", TABLE)
def test_a_listed_model_has_the_protocols_caps(model: str) -> None:
    """A model of the table takes its pair; saying the same in a config is no override."""
    assert scope.resolve_caps(model, None, {}) == scope.Caps(TABLE[model], "protocol", None)
    assert scope.resolve_caps(model, None, {model: TABLE[model]}) == scope.Caps(TABLE[model], "config", None)


OWN = CapPair(100, 50)


@pytest.mark.parametrize(
    ("model", "cap_model", "caps", "resolved"),
    [
        pytest.param("new", None, {}, (WIDE, "default", None), id="unlisted"),
        pytest.param("GPT-5.1", None, {}, (WIDE, "default", None), id="another-spelling-is-unlisted"),
        pytest.param("default", None, {}, (WIDE, "default", None), id="a-model-called-default"),
        pytest.param("new", None, {"new": OWN}, (OWN, "config", None), id="own-entry-of-an-unlisted-model"),
        pytest.param("new", None, {"other": OWN}, (WIDE, "default", None), id="entry-of-another-model"),
        pytest.param("new", None, {"default": OWN}, (OWN, "config", None), id="own-default"),
        pytest.param("gpt-5.1", None, {"default": OWN}, (TABLE["gpt-5.1"], "protocol", None), id="own-default-of-a-listed-model"),
        pytest.param("gpt-5.1", None, {"gpt-5.1": OWN}, (OWN, "config", OWN), id="override-of-a-listed-model"),
        pytest.param("vendor/gpt-5.1", "gpt-5.1", {}, (TABLE["gpt-5.1"], "protocol", None), id="another-name-for-a-listed-model"),
        pytest.param("vendor/gpt-5.1", "gpt-5.1", {"gpt-5.1": OWN}, (OWN, "config", OWN), id="override-by-another-name"),
        pytest.param("gpt-5.1", "qwen3-max", {}, (TABLE["qwen3-max"], "protocol", TABLE["qwen3-max"]), id="anothers-caps"),
        pytest.param("gpt-5.1", "mine", {"mine": OWN}, (OWN, "config", OWN), id="own-entry-for-a-listed-model"),
        pytest.param("new", "default", {}, (WIDE, "default", None), id="the-default-by-name"),
    ],
)
def test_caps_come_from_the_config_the_table_or_the_default(
    model: str, cap_model: str | None, caps: dict[str, CapPair], resolved: tuple[CapPair, str, CapPair | None]
) -> None:
    """The config's entry wins, then the table's, then the default; what differs from the protocol's own is an override."""
    assert scope.resolve_caps(model, cap_model, caps) == scope.Caps(*resolved)


def requests_for(tmp_path: Path, documents: list[tuple[int, int]], **keys: Any) -> list[plan.PlannedRequest]:
    """Return what a run would ask of documents of these lengths and ideographs in their heads."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"base_url": "http://127.0.0.1:9", "model": "m-a", **keys}), encoding="utf-8")
    tasks = [Task(f"t{n}", f"{n:064}", "Q?", (), "d", chars, ideographs, "p") for n, (chars, ideographs) in enumerate(documents)]
    return list(plan.make_plan(Dataset("0" * 64, "tasks.json", tuple(tasks)), config.load(path)).requests)


@pytest.mark.parametrize("model", [*TABLE, "unlisted"])
def test_a_document_at_the_cap_is_sent_and_one_above_it_is_not(tmp_path: Path, model: str) -> None:
    """A length equal to the cap is in context; one character more is out, for both kinds of documents."""
    en, cjk = TABLE.get(model, WIDE)
    documents = [(en, 20), (en + 1, 20), (cjk, 21), (cjk + 1, 21), (1, 0)]
    requests = requests_for(tmp_path, documents, model=model)
    assert [request.request_key is not None for request in requests] == [True, False, True, False, True]
    assert [request.cap_chars for request in requests] == [en, en, cjk, cjk, en]
    assert {request.cap_source for request in requests} == {"default" if model == "unlisted" else "protocol"}


def test_a_configs_caps_decide_for_its_run(tmp_path: Path) -> None:
    """A cap of the config's own moves the edge, and says where it came from."""
    requests = requests_for(tmp_path, [(100, 0), (101, 0), (50, 21), (51, 21)], caps={"m-a": {"en": 100, "cjk": 50}})
    assert [request.request_key is not None for request in requests] == [True, False, True, False]
    assert {request.cap_source for request in requests} == {"config"}


@pytest.mark.parametrize(
    ("text", "count", "is_cjk"),
    [
        pytest.param("", 0, False, id="empty"),
        pytest.param("漢" * 20, 20, False, id="20-ideographs"),
        pytest.param("漢" * 21, 21, True, id="21-ideographs"),
        pytest.param("漢" * 20 + "x" * 3980 + "漢", 20, False, id="the-21st-at-character-4001"),
        pytest.param("漢" * 20 + "x" * 3979 + "漢", 21, True, id="the-21st-at-character-4000"),
        pytest.param("x" * 4000 + "漢" * 9000, 0, False, id="all-after-the-head"),
        pytest.param("😀" * 3979 + "漢" * 21, 21, True, id="characters-are-code-points"),
        pytest.param("一" * 11 + "\u9fff" * 10, 21, True, id="first-and-last-of-the-range"),
        pytest.param("\u4dff" * 30 + "\ua000" * 30, 0, False, id="just-outside-the-range"),
        pytest.param("\u3400" * 30 + "\U00020000" * 30 + "\uf900" * 30, 0, False, id="extensions-and-compatibility-forms"),
        pytest.param("あア한。、「」" * 30, 0, False, id="kana-hangul-and-punctuation"),
    ],
)
def test_more_than_20_ideographs_in_the_first_4000_characters_make_a_document_cjk(text: str, count: int, *, is_cjk: bool) -> None:
    """The rule counts U+4E00 to U+9FFF in the head, and nothing else."""
    assert scope.cjk_head_n(text) == count
    assert scope.is_cjk(count) == is_cjk


@given(st.text(st.sampled_from("漢一\u9fff\ua000xあ\n"), max_size=50), st.integers(0, 4010))
@settings(max_examples=80, deadline=None)
def test_the_count_is_that_of_a_plain_loop(text: str, shift: int) -> None:
    """Wherever the ideographs stand, the count is that of the protocol's words."""
    whole = "x" * shift + text
    assert scope.cjk_head_n(whole) == sum("\u4e00" <= character <= "\u9fff" for character in whole[:4000])
