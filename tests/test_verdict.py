"""What a judge's reply is read as: one number that every strict reader would take, or `unparsed` (protocol §4)."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ledger import verdict

POINTS = (Decimal(40), Decimal(35), Decimal(25))
GOOD = '{"points_awarded":[40,20,10],"total":70}'


def total_of(reply: str, finish_reason: str | None = "stop") -> Decimal | None:
    """Return the total that a reply is read as, None where it is unparsed."""
    found = verdict.parse(reply, finish_reason, POINTS)
    assert (found.status == "ok") == (found.total is not None) == (found.reason is None)
    return found.total


@pytest.mark.parametrize(
    ("reply", "total"),
    [
        pytest.param(GOOD, 70, id="bare"),
        pytest.param(f"```json\n{GOOD}\n```", 70, id="fenced"),
        pytest.param(f"```\n{GOOD}\n```", 70, id="fenced-without-a-language"),
        pytest.param(
            'Assessment {strict mode}: P1 present, P2 partial, P3 partial.\n'
            '{"points_awarded":[40,15,10],"total":65}\nEnd of grading.',
            65, id="prose-with-braces-around",
        ),
        pytest.param(f"[P1] present, [P2] {{partial}} [see §2].\n{GOOD}", 70, id="prose-with-brackets-before"),
        pytest.param(f"P1 (40pts)] present\n{GOOD}", 70, id="stray-closing-bracket-before"),
        pytest.param(f'Seen: {{"note": "P1"}}\n{GOOD}', 70, id="another-object-without-a-total"),
        pytest.param(
            '<think>\nFirst idea {"points_awarded":[40,35,25],"total":100}; but P2 is not in the answer.\n</think>\n\n'
            '{"points_awarded":[40,0,25],"total":65}',
            65, id="draft-in-a-think-block",
        ),
        pytest.param(f'<Thinking>{{"total":100}}</Thinking>{GOOD}', 70, id="other-spelling-of-the-block"),
        pytest.param(f'I start with {{"total":100}}.</think>{GOOD}', 70, id="block-whose-opening-tag-was-cut-off"),
        pytest.param(f"<think>a</think><reasoning>b</reasoning>{GOOD}", 70, id="two-closed-blocks"),
        pytest.param(
            'Reply JSON: {"points_awarded":[<pts>],"total":<sum>}\n{"points_awarded":[40,30,10],"total":80}',
            80, id="request-repeated-then-the-verdict",
        ),
        pytest.param(
            '{"points_awarded":[40,20,10],"note":"cites A, B, ] and {C,} only","total":70}', 70, id="string-like-a-stray-comma"
        ),
        pytest.param(r'{"note":"she wrote {\"total\": 99}","total":70}', 70, id="verdict-quoted-in-a-string"),
        pytest.param('{"details":[{"total":1}],"total":70}', 70, id="a-total-inside-does-not-compete"),
        pytest.param(f"\ufeff{GOOD}", 70, id="byte-order-mark-in-front"),
        pytest.param('{"points_awarded":[0,0,0],"total":0}', 0, id="zero-is-a-score"),
        pytest.param('{"total":-0.0}', 0, id="minus-zero-is-zero"),
        pytest.param('{"total":100}', 100, id="full-marks"),
        pytest.param('{"total":1e2}', 100, id="exponent"),
        pytest.param('{"points_awarded":[40,27.5,20],"total":87.5}', "87.5", id="half-points"),
        pytest.param('{"total":33.3333333335}', "33.333333334", id="more-than-9-decimals-round-half-up"),
        pytest.param('{"total":1}', 1, id="one-point-without-a-list"),
        pytest.param('{"points_awarded":[1,0,0],"total":1}', 1, id="one-point-that-its-list-confirms"),
    ],
)  # fmt: skip
def test_a_reply_with_one_verdict_is_read(reply: str, total: int | str) -> None:
    """One JSON object with a finite total in 0…points is taken, whatever fence, prose or closed reasoning is around it."""
    assert total_of(reply) == Decimal(total)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        pytest.param("", "no JSON object with a total", id="empty"),
        pytest.param(" \n\t", "no JSON object with a total", id="white-space"),
        pytest.param("I'm not able to grade this response.", "no JSON object with a total", id="refusal-in-prose"),
        pytest.param("**Total: 75/100**\nP1 40, P2 35, P3 0", "no JSON object with a total", id="labelled-text"),
        pytest.param("70", "no JSON object with a total", id="a-number-alone"),
        pytest.param("[70]", "no JSON object with a total", id="a-list-alone"),
        pytest.param(
            'P1 (40pts): names the date\nP2 (35pts): names the place\nP3 (25pts): names the sum\n'
            'Reply JSON: {"points_awarded":[<pts>],"total":<sum>}',
            "no JSON object with a total",
            id="request-repeated-and-no-verdict",
        ),
        pytest.param('{"points_awarded":[40,20,10]}', "no JSON object with a total", id="points-without-a-total"),
        pytest.param('{"rationale":"Could not evaluate this answer"}', "no JSON object with a total", id="no-score-at-all"),
        pytest.param('{"得分":[40,25,20],"总分":85}', "no JSON object with a total", id="keys-in-another-language"),
        pytest.param('{"Total":70}', "no JSON object with a total", id="another-letter-case"),
        pytest.param("{'points_awarded':[40,20,10],'total':70}", "no JSON object with a total", id="single-quotes"),
        pytest.param("{“points_awarded”:[40,20,10],“total”:70}", "no JSON object with a total", id="curly-quotes"),
        pytest.param(
            '｛"points_awarded"：［40，20，10］，"total"：70｝',  # noqa: RUF001 - full-width punctuation is the case
            "no JSON object with a total", id="full-width-punctuation",
        ),
        pytest.param(json.dumps(GOOD), "a broken JSON object|no JSON object with a total", id="json-inside-a-json-string"),
        pytest.param('{"points_awarded":[40,20,],"total":60,}', "a broken JSON object", id="trailing-commas"),
        pytest.param(
            '{"points_awarded":[40,20,0],"total":60 // P3 missing, otherwise 85\n}', "a broken JSON object", id="comment"
        ),
        pytest.param(
            '{"points_awarded":[40,15,0],"reason":"line one\nline two","total":55}',
            "a broken JSON object", id="line-break-inside-a-string",
        ),
        pytest.param('{"points_awarded":[40,35,0],"total":75', "a broken JSON object", id="closing-brace-missing"),
        pytest.param('{"total":7', "a broken JSON object", id="number-perhaps-cut"),
        pytest.param(f'{{"total":80 oops}} {GOOD}', "a broken JSON object", id="a-broken-object-beside-a-whole-one"),
        pytest.param(
            '{"points_awarded":[40,35,0],"total":75}\n\nWait, P2 is absent. Corrected:\n'
            '{"points_awarded":[40,0,0],"total":40}',
            "2 candidate", id="judge-corrects-itself",
        ),
        pytest.param(
            'The response ends with {"points_awarded":[40,35,25],"total":100}, which I disregard.\n'
            '{"points_awarded":[0,10,0],"total":10}',
            "2 candidate", id="answer-quoted-first",
        ),
        pytest.param(f"{GOOD}\n```json\n{GOOD}\n```", "2 candidate", id="the-same-verdict-twice"),
        pytest.param(f"[{GOOD}]", "inside other brackets", id="object-in-a-list"),
        pytest.param(f"{{verdict: {GOOD}}}", "inside other brackets", id="object-in-braces"),
        pytest.param('{"result":{"points_awarded":[40,30,10],"total":80}}', "not a number of the reply's", id="one-level-down"),
        pytest.param('{"points_awarded":[40,25,20],"total":"85"}', "not a number of the reply's", id="string"),
        pytest.param(
            '{"points_awarded":[40,25,20],"total":"85/100"}', "not a number of the reply's", id="string-with-a-denominator"
        ),
        pytest.param('{"points_awarded":[0,0,0],"total":null}', "not a number of the reply's", id="null"),
        pytest.param('{"total":true}', "not a number of the reply's", id="boolean"),
        pytest.param('{"total":[70]}', "not a number of the reply's", id="list"),
        pytest.param('{"points_awarded":[40,20,10],"total":NaN}', "NaN is not a number", id="NaN"),
        pytest.param('{"total":Infinity}', "Infinity is not a number", id="infinity"),
        pytest.param('{"total":-Infinity}', "-Infinity is not a number", id="minus-infinity"),
        pytest.param('{"points_awarded":[NaN],"total":70}', "NaN is not a number", id="NaN-among-the-points"),
        pytest.param('{"points_awarded":[40,35,25],"total":120}', "not within 0 and 100", id="above-the-sum"),
        pytest.param('{"points_awarded":[40,35,25,10],"total":110}', "not within 0 and 100", id="an-invented-criterion"),
        pytest.param('{"total":100.0000000001}', "not within 0 and 100", id="a-hair-above-the-sum"),
        pytest.param('{"points_awarded":[0,0,-5],"total":-5}', "not within 0 and 100", id="negative"),
        pytest.param('{"total":-1e-30}', "not within 0 and 100", id="a-hair-below-zero"),
        pytest.param('{"total":1e400}', "not within 0 and 100", id="beyond-any-double"),
        pytest.param(f'{{"total":{"9" * 5000}}}', "not within 0 and 100", id="5000-digits"),
        pytest.param(f'{{"total":1e{"9" * 30}}}', "out of range", id="beyond-any-decimal"),
        pytest.param('{"total":70,"total":90}', "a key stands twice", id="total-twice"),
        pytest.param('{"a":{"b":1,"b":1},"total":70}', "a key stands twice", id="another-key-twice"),
        pytest.param(f"<think>P1 is there, so {GOOD}", "unclosed reasoning", id="reasoning-that-never-closes"),
        pytest.param(f"<think>a</think><think>{GOOD}", "unclosed reasoning", id="second-block-never-closes"),
        pytest.param('{"points_awarded":[40,20,10],"total":0.7}', "a fraction, the points are not", id="a-fraction-of-one"),
        pytest.param('{"points_awarded":[40,20,10],"total":0}', "a fraction, the points are not", id="zero-against-points"),
        pytest.param('{"a":' * 600 + "1" + "}" * 600 + GOOD, "nested too deeply", id="deep-objects"),
        pytest.param('{"total":70,"a":' + "[" * 600 + "]" * 600 + "}", "nested too deeply", id="deep-lists"),
        pytest.param('{"a":' * 100_000, "nested too deeply|a broken JSON object", id="deeper-than-any-stack"),
    ],
)  # fmt: skip
def test_a_reply_that_needs_a_guess_is_unparsed(reply: str, reason: str) -> None:
    """Whatever two readers might read differently has no total, and a reason in words."""
    found = verdict.parse(reply, "stop", POINTS)
    assert (found.status, found.total, found.points_awarded, found.total_matches_points) == ("unparsed", None, None, None)
    assert any(words in (found.reason or "") for words in reason.split("|"))


@pytest.mark.parametrize("finish_reason", ["length", "LENGTH", "max_tokens"])
def test_a_reply_cut_by_its_budget_is_unparsed(finish_reason: str) -> None:
    """Even a whole object is not taken where the provider says that the reply was cut."""
    assert total_of(GOOD + "\n\nExplanation: the response mentions the date and", finish_reason) is None


@pytest.mark.parametrize("finish_reason", ["stop", "end_turn", "content_filter", "", None])
def test_other_finish_reasons_do_not_matter(finish_reason: str | None) -> None:
    """A whole verdict counts whatever else the provider says about its end."""
    assert total_of(GOOD, finish_reason) == 70


@pytest.mark.parametrize(
    ("reply", "total", "awarded", "count_matches", "total_matches"),
    [
        pytest.param(GOOD, 70, (40, 20, 10), True, True, id="agree"),
        pytest.param('{"points_awarded":[30,20,10],"total":90}', 90, (30, 20, 10), True, False, id="total-is-not-the-sum"),
        pytest.param('{"points_awarded":[40,20],"total":60}', 60, (40, 20), False, True, id="a-criterion-is-missing"),
        pytest.param('{"points_awarded":[],"total":60}', 60, (), False, False, id="no-points-listed"),
        pytest.param('{"total":60}', 60, None, None, None, id="no-list"),
        pytest.param('{"points_awarded":60,"total":60}', 60, None, None, None, id="a-number-for-a-list"),
        pytest.param('{"points_awarded":["40",20],"total":60}', 60, None, None, None, id="strings-in-the-list"),
        pytest.param('{"points_awarded":[{"pts":40}],"total":40}', 40, None, None, None, id="objects-in-the-list"),
        pytest.param('{"points_awarded":[true],"total":40}', 40, None, None, None, id="booleans-in-the-list"),
        pytest.param('{"points_awarded":[1e9999999],"total":40}', 40, None, None, None, id="points-beyond-any-number"),
        pytest.param('{"points_awarded":[-1e9999999],"total":40}', 40, None, None, None, id="points-below-any-number"),
        pytest.param('{"points_awarded":[1e-9999999,40],"total":40}', 40, (0, 40), False, True, id="points-next-to-nothing"),
    ],
)
def test_the_points_are_kept_and_compared_but_the_total_counts(
    reply: str, total: int, awarded: tuple[int, ...] | None, *, count_matches: bool | None, total_matches: bool | None
) -> None:
    """The protocol scores `total`; points that disagree with it or with the rubric are flagged, never used instead."""
    found = verdict.parse(reply, "stop", POINTS)
    assert (found.status, found.total) == ("ok", Decimal(total))
    assert found.points_awarded == (None if awarded is None else tuple(map(Decimal, awarded)))
    assert (found.points_count_matches, found.total_matches_points) == (count_matches, total_matches)


def test_a_rubric_that_does_not_sum_to_100_sets_its_own_range() -> None:
    """The range is 0 to the rubric's own sum, fractions included."""
    rubric = [Decimal("0.25"), Decimal("0.5")]
    assert verdict.parse('{"points_awarded":[0.25,0.5],"total":0.75}', "stop", rubric).total == Decimal("0.75")
    assert verdict.parse('{"total":0.76}', "stop", rubric).status == "unparsed"
    assert verdict.parse('{"total":0}', "stop", []).total == 0


PIECES = st.sampled_from(
    ['{"total":', '"points_awarded":[', "70", "1e999", "-1", "NaN", "}", "]", "{", "[", ",", '"', "\\", "\ud800", "<think>",
     "</think>", "```json\n", "total", '{"points_awarded":[<pts>],"total":<sum>}', GOOD, " ", "\n"]
)  # fmt: skip
NUMBERS = st.decimals(0, 1000, places=3)


@given(st.lists(PIECES | st.text(max_size=5), max_size=25).map("".join), st.lists(NUMBERS, max_size=4))
@example('{"total":1e-9999999999}', [Decimal(1)])
@settings(max_examples=150, deadline=None)
def test_any_text_gives_a_verdict_within_the_range(reply: str, points: list[Decimal]) -> None:
    """Parsing never raises, and a total is always within 0 and the rubric's sum."""
    found = verdict.parse(reply, None, points)
    assert found.status in {"ok", "unparsed"}
    assert (found.status == "ok") == (found.total is not None) == (found.reason is None)
    assert found.total is None or 0 <= found.total <= sum(points)


@given(
    st.lists(st.tuples(NUMBERS, st.integers(0, 4)), min_size=1, max_size=6),
    st.sampled_from(["{}", "```json\n{}\n```", "<think>x</think>{}", "Graded {strictly}: {}\nDone."]),
    st.sampled_from([None, 2]),
)
@settings(max_examples=100, deadline=None)
def test_a_well_formed_reply_is_read_as_it_was_written(
    criteria: list[tuple[Decimal, int]], around: str, indent: int | None
) -> None:
    """Points and total come back exactly, in any layout and wrapping that judges use."""
    points = [possible for possible, _ in criteria]
    awarded = [possible * quarters / 4 for possible, quarters in criteria]
    total = sum(awarded, Decimal(0))
    numbers = {"points_awarded": [float(number) for number in awarded], "total": float(total)}
    found = verdict.parse(around.replace("{}", json.dumps(numbers, indent=indent)), "stop", points)
    assert (found.status, found.total, found.points_awarded) == ("ok", total, tuple(awarded))
    assert (found.points_count_matches, found.total_matches_points) == (True, True)
