"""A look at the words of a text must never hide what a pattern would find."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from draw_dataset.collect import filters
from draw_dataset.reading import extraction as coverage
from draw_dataset.reading import segments

SPOTTERS = [
    filters._NOT_LINEAR_QUESTION,
    filters._NOT_LINEAR_EXPLANATION,
    segments._NAMED_LABEL,
    *(spotter for spotter, _ in coverage._BY_WORD),
]
# The pieces of the patterns themselves, so that texts made of them come close to what is looked for.
PIECES = sorted(
    {piece for spotter in SPOTTERS for piece in re.findall(r"[A-Za-z]+|\^", spotter.pattern.pattern)}
    | {word for spotter in SPOTTERS for word in spotter.words}
    | {"2", "(", ")", ".", "#", "x", "²", "³", "K", "ſ", "a.m", "P.M."}
)
TEXTS = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(["", " ", "\n"])), max_size=8).map(
    lambda pairs: "".join(piece + blank for piece, blank in pairs)
)


@settings(max_examples=300)
@given(st.one_of(TEXTS, TEXTS.map(str.upper)))
def test_nothing_is_missed(text: str) -> None:
    for spotter in SPOTTERS:
        found, expected = spotter.search(text), spotter.pattern.search(text)
        assert (found and found.span()) == (expected and expected.span()), spotter


def test_each_word_of_a_pattern_is_spotted() -> None:
    """Every word by itself, in the smallest text that the pattern takes it from."""
    for text in ("Quadratic", "the square root", "x^2", "their product", "7 cubed", "COMBINATION", "half-life", "y²"):
        assert filters._NOT_LINEAR_QUESTION.search(text), text
    for text in ("complete the square", "vertex", "sqrt(4)", "log (x)", "3n ^2", "Discriminant"):
        assert filters._NOT_LINEAR_EXPLANATION.search(text), text
    for text in ("Eq. 1", "[STEP 2]", "no 3", "line 4", "Part A", "# 5"):
        assert segments._NAMED_LABEL.search(text), text
