"""Which documents a model is asked about: the CJK rule and the context caps of protocol §3.

Characters are code points of the decoded text. A document over the cap is never sent; one at the cap is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ledger import protocol
from ledger.protocol import CapPair

_CJK = re.compile(f"[{protocol.CJK_FIRST}-{protocol.CJK_LAST}]")
_KANA_OR_HANGUL = re.compile("[\u3040-\u30ff\u31f0-\u31ff\u1100-\u11ff\uac00-\ud7af]")


def cjk_head_n(text: str) -> int:
    """Return how many CJK ideographs stand in the first 4,000 characters."""
    return len(_CJK.findall(text, 0, protocol.CJK_HEAD_CHARS))


def is_cjk(head_n: int) -> bool:
    """Tell whether a document with that many ideographs in its head takes the `cjk` cap."""
    return head_n > protocol.CJK_HEAD_MORE_THAN


def looks_kana_or_hangul(text: str) -> bool:
    """Tell whether the head of a text is mostly written in kana or hangul, which the CJK rule does not count."""
    return len(_KANA_OR_HANGUL.findall(text, 0, protocol.CJK_HEAD_CHARS)) > protocol.CJK_HEAD_MORE_THAN


@dataclass(frozen=True)
class Caps:
    """The effective caps of one route.

    `source` is protocol (the built-in table), config (the user's `caps`) or default (an unlisted model).
    `override` is set where the pair differs from the protocol's own entry for the model or its `cap_model`.
    """

    pair: CapPair
    source: str
    override: CapPair | None

    def cap_chars(self, *, cjk: bool) -> int:
        """Return the cap in characters for a CJK or another document."""
        return self.pair.cjk if cjk else self.pair.en


def resolve_caps(model: str, cap_model: str | None, caps: Mapping[str, CapPair]) -> Caps:
    """Return the caps for a model: the user's entry, else the protocol's, else the user's or the protocol's default (§3)."""
    table = protocol.caps_table()
    entry = cap_model or model
    if entry in caps:
        pair, source = caps[entry], "config"
    elif entry in table and entry != "default":
        pair, source = table[entry], "protocol"
    elif "default" in caps:
        pair, source = caps["default"], "config"
    else:
        pair, source = table["default"], "default"
    stated = [table[name] for name in (entry, model) if name in table and name != "default"]
    return Caps(pair, source, pair if any(pair != known for known in stated) else None)
