"""Whatever text comes: an answer or one of our errors, within a second of work."""

from __future__ import annotations

import time
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from draw_dataset import Derivation, Template, canonical_key, derivations_equivalent, find_slot_map, solve
from draw_dataset.errors import DrawError

GOLD = "a * m + b * n = c * d; m + n = d"
PIECES = [
    *"abcdefmno=+-*/^()[];,. \n0123456789",
    "**", " = ", "m", "n", "q1", "q2", "x", ".01", "1e9", "1,000", "9**9", "^64", "((", "))", "/(m-n)", "1/0",
    "×", "÷", "−", "²", "\0", "🙂", "é", "ⅷ", "__", "lambda", "max", "\r", "\t", "\u2028", "٣", "e5", "==",
]  # fmt: skip

anything = st.text(max_size=60)
pieces = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A template with pieces inserted, removed or doubled."""
    text = draw(st.sampled_from([GOLD, "12/(15+m) = a/(15-m)", "m = (a+b)(c+d)^3", "m = 1/a + 1/b; n = [m - 2]/c"]))
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(text)))
        until = min(len(text), at + draw(st.integers(0, 6)))
        text = text[:at] + draw(st.sampled_from([*PIECES, text[at:until] * 2])) + text[until:]
    return text


def try_everything(text: str) -> None:
    started = time.process_time()
    try:
        template = Template(text)
    except DrawError:
        pass
    else:
        again = Template(str(template))
        assert str(again) == str(template)
        template.to_latex()
        with suppress(DrawError):
            canonical_key(template)
            find_slot_map(template, GOLD)
    for attempt in (solve, Derivation.read, lambda t: derivations_equivalent(t, "m + n = q2; q1*m = q3")):
        with suppress(DrawError):
            attempt(text)
    assert time.process_time() - started < 1


@given(anything | pieces)
@settings(max_examples=10_000, deadline=None)
def test_any_text_is_answered_or_refused(text: str) -> None:
    try_everything(text)


@given(mutated())
@settings(max_examples=10_000, deadline=None)
def test_any_mutation_of_a_template_is_answered_or_refused(text: str) -> None:
    try_everything(text)
