"""The evaluation protocol's constants, each with the section that states it.

A number or a text of the protocol stands here once and nowhere else in Python. Nothing here reads
a file at import: `caps_table` does, when it is asked.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Final, NamedTuple

from ledger import resources

PROTOCOL_VERSION: Final = "wildtrace-1"


class CapPair(NamedTuple):
    """A model's context caps in characters (§3): `en` for every other document, `cjk` for CJK ones."""

    en: int
    cjk: int


class Slot(NamedTuple):
    """A place in a prompt template that one text fills, cut to its first `cut` characters (None: whole)."""

    name: str
    cut: int | None = None


# §1: the answer prompt. Ordered parts, so that a text is inserted once and never searched again.
ANSWER_TEMPLATE: Final[tuple[str | Slot, ...]] = (
    "Answer using ONLY the document below. Include every specific detail from the text.\n\nQuestion: ",
    Slot("question"),
    "\n\nDocument:\n",
    Slot("document"),
)

# §4: the judge prompt. The rubric slot holds one CRITERION_LINE a criterion, joined by newlines.
JUDGE_TEMPLATE: Final[tuple[str | Slot, ...]] = (
    "STRICT grader. Only award points for SPECIFIC details present.\nQUESTION: ",
    Slot("question", 600),
    "\nRUBRIC:\n",
    Slot("rubric", 260),
    "\nRESPONSE:\n",
    Slot("response", 5000),
    '\nReply JSON: {"points_awarded":[<pts>],"total":<sum>}',
)
REPLY_TEMPLATE: Final = '{"points_awarded":[<pts>],"total":<sum>}'

# §2: generation settings.
TEMPERATURE: Final = 0.1
MAX_TOKENS_REASONING: Final = 32768
MAX_TOKENS: Final = 8192
RETRIES: Final = 5

# §3: context caps.
CJK_HEAD_CHARS: Final = 4000
CJK_HEAD_MORE_THAN: Final = 20
CJK_FIRST: Final = "\u4e00"
CJK_LAST: Final = "\u9fff"

# §4: judge settings.
JUDGE_TEMPERATURE: Final = 0.1
JUDGE_MAX_TOKENS: Final = 16384
RUBRIC_POINTS: Final = 100


@cache
def caps_table() -> dict[str, CapPair]:
    """Return the protocol's caps by model (§3), with the entry `default` for unlisted models."""
    entries = json.loads((resources.DATA / "caps.json").read_text(encoding="utf-8"))["caps"]
    return {model: CapPair(entry["en"], entry["cjk"]) for model, entry in entries.items()}
