"""The lexical baseline: answers by plain retrieval, grades by matching words. It is no model and says so in its name.

As a contestant it returns the passages of the document that share the most, and the rarest, words with the question: a
floor for any dataset. As a judge it gives a criterion's points by how many of its words stand in the response.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections import Counter
from typing import Final

from ledger import protocol
from ledger.demo.endpoint import Request, completion_body, http_response

ANSWER_MODELS: Final = {"lexical-baseline-top3": 3, "lexical-baseline-top1": 1}
"""Contestants: how many passages each returns."""

JUDGE_MODELS: Final = {"lexical-judge-lenient": 0.5, "lexical-judge-even": 0.65, "lexical-judge-strict": 0.8}
"""Judges: the share of a criterion's words that earns its points."""

NOTICE: Final = "CONFIDENTIAL - NOT FOR AUTOMATED PROCESSING"
_STOP_WORDS: Final = frozenset(
    "the and for with that this from are was were what which when where who whom whose why how many much did does its "
    "into than then they them their there have has had not but his her she him our you your all any each one two of to "
    "in on at by it is as be or an a he we so if no do states names says gives".split()
)
_TERM = re.compile(r"[0-9A-Za-z]+|[\u4e00-\u9fff]+")


async def answer_or_judge(request: Request, writer: asyncio.StreamWriter) -> None:
    """Serve one chat completion request."""
    asked = request.json()
    model, prompt = asked["model"], asked["messages"][0]["content"]
    if model in JUDGE_MODELS:
        body = completion_body(model, grade(prompt, JUDGE_MODELS[model]))
    elif model in ANSWER_MODELS:
        body = _answer(model, prompt)
    else:
        error = {"error": {"message": f"The model {model} does not exist", "code": "model_not_found"}}
        writer.write(http_response(404, json.dumps(error).encode()))
        return
    writer.write(http_response(200, body))


def _answer(model: str, prompt: str) -> bytes:
    head, separator = protocol.ANSWER_TEMPLATE[0], protocol.ANSWER_TEMPLATE[2]
    question, _, document = prompt.removeprefix(str(head)).partition(str(separator))
    if document.startswith(NOTICE):
        return completion_body(model, None, refusal="The document asks not to be processed automatically.")
    return completion_body(model, retrieve(question, document, ANSWER_MODELS[model]))


def retrieve(question: str, document: str, passages_n: int) -> str:
    """Return the passages that match the question best, in the document's order; nothing where none matches."""
    passages = [passage.strip() for passage in re.split(r"\n\s*\n", document) if passage.strip()]
    terms = [set(_terms(passage)) for passage in passages]
    frequency = Counter(term for passage_terms in terms for term in passage_terms)
    wanted = set(_terms(question))
    weights = [sum(math.log(1 + len(passages) / frequency[term]) for term in passage_terms & wanted) for passage_terms in terms]
    best = sorted(range(len(passages)), key=lambda index: (-weights[index], index))[:passages_n]
    return "\n\n".join(passages[index] for index in sorted(best) if weights[index] > 0)


def grade(prompt: str, threshold: float) -> str:
    """Return a judge's reply to a judge prompt: all points of a criterion, half of them, or none."""
    rubric, _, response = prompt.partition("\nRUBRIC:\n")[2].partition("\nRESPONSE:\n")
    response = response.rpartition("\nReply JSON: ")[0]
    found = set(_terms(response))
    awarded = []
    for points, criterion in re.findall(r"^P\d+ \(([0-9.]+)pts\): (.*)$", rubric, re.MULTILINE):
        terms = set(_terms(criterion))
        share = len(terms & found) / len(terms) if terms else 0.0
        awarded.append(int(float(points)) if share >= threshold else int(float(points)) // 2 if share >= threshold / 2 else 0)
    return json.dumps({"points_awarded": awarded, "total": sum(awarded)})


def _terms(text: str) -> list[str]:
    """Return a text's words, of Chinese its pairs of characters."""
    found: list[str] = []
    for run in _TERM.findall(text):
        if run[0] >= "\u4e00":
            found += [run[start : start + 2] for start in range(len(run) - 1)] or [run]
        elif (word := run.lower()) not in _STOP_WORDS and (len(word) > 1 or word.isdigit()):
            found.append(word)
    return found
