"""Prompts, exactly as the protocol writes them (§1, §4), and the templates as configs.

A template is a list of parts; a text is inserted once and never searched for placeholders, so braces
and placeholder words in a document or question stay literal. `sql/views/prompt_texts.sql` rebuilds the
same texts from the ledger, and a test holds the two together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from decimal import Decimal

from ledger import protocol
from ledger.identity import Json, decimal_text
from ledger.protocol import Slot


def template_config(template: Sequence[str | Slot]) -> Json:
    """Return a template as a config body: its parts in order."""
    return {"parts": [part if isinstance(part, str) else {"slot": part.name, "cut": part.cut} for part in template]}


def answer_prompt(question: str, document: str) -> str:
    """Return the prompt that a model under test receives (§1)."""
    return _fill(protocol.ANSWER_TEMPLATE, {"question": question, "document": document})


def answer_prompt_sha256(question: str, document_utf8: bytes) -> str:
    """Return the hash of the answer prompt from the document's UTF-8 bytes, without building the prompt."""
    digest = hashlib.sha256(answer_prompt(question, "").encode("utf-8"))  # the document is the template's last part
    digest.update(document_utf8)
    return digest.hexdigest()


def answer_prompt_chars(question: str, document_chars: int) -> int:
    """Return the length of the answer prompt in characters."""
    return len(answer_prompt(question, "")) + document_chars


def judge_prompt(question: str, rubric: Sequence[tuple[Decimal, str]], response: str) -> str:
    """Return the prompt that each judge receives (§4): question, criteria and response cut to 600, 260 and 5,000."""
    cut = {part.name: part.cut for part in protocol.JUDGE_TEMPLATE if isinstance(part, Slot)}["rubric"]
    lines = [
        f"P{position} ({decimal_text(points)}pts): {criterion[:cut]}"
        for position, (points, criterion) in enumerate(rubric, start=1)
    ]
    return _fill(protocol.JUDGE_TEMPLATE, {"question": question, "response": response}, rubric="\n".join(lines))


def _fill(template: Sequence[str | Slot], texts: Mapping[str, str], rubric: str = "") -> str:
    """Join the parts. The rubric comes ready made: its cut is by criterion."""
    return "".join(
        part if isinstance(part, str) else rubric if part.name == "rubric" else texts[part.name][: part.cut] for part in template
    )
