"""Sums of plain products are read without the grammar, and come to the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_dataset.algebra.grammar import EVERY_NAME_UNKNOWN, Names, TokenError, scan
from draw_dataset.algebra.system import Sides, _read_any, _read_sums
from draw_dataset.data.sample import load_sample
from draw_dataset.errors import DrawError

NAMES = Names(unknowns=frozenset("mn"))


def same(quick: Sides, slow: Sides) -> bool:
    """Both are left minus right over their scales."""
    one = {m: c * slow.value.scale for m, c in quick.value.numerator.items()}
    return one == {m: c * quick.value.scale for m, c in slow.value.numerator.items()} and slow.divisors == ()


@pytest.mark.parametrize(
    "text",
    ["m = a", "-m + 2n = -3.5", "0.01*a*m - - b*n = 1,000", "a m n = 2*-3*b", "m - m = 0*n", "2 = 2", "+m = .5a",
     "m = (a)", "(0.01*5)*m + (n) = -(3*a)", "(2)*(a*m) - (b) = 4"],
)  # fmt: skip
def test_a_plain_equation_is_read_both_ways(text: str) -> None:
    tokens = scan(text, NAMES).tokens
    quick = _read_sums(tokens)
    assert quick is not None
    assert same(quick, _read_any(tokens))


@pytest.mark.parametrize(
    "text",
    ["m", "m =", "= m", "m = a = b", "m = 2 3", "m = a 3", "m + = 2", "m = * 2", "m = 2 *", "m = (a + b)", "m = a/2",
     "m = (a)(b)", "m = (-a)", "m = ((a))", "m = (a", "m = a)", "m = ()", "m = (a)^2", "m = 2(a)", "(m = a)",
     "m = a^2", "m = .", "m = #", "m = [2]", "m = " + "9" * 61, "m = a" + " + a" * 40],
)  # fmt: skip
def test_anything_else_is_for_the_grammar(text: str) -> None:
    assert _read_sums(scan(text, NAMES).tokens) is None


def test_most_equations_of_problems_are_plain() -> None:
    texts = [t for listed in load_sample().values() for p in listed for t in (*p.template, *p.equations)]
    plain = 0
    for text in texts:
        tokens = scan(text, EVERY_NAME_UNKNOWN).tokens
        quick = _read_sums(tokens)
        if quick is not None:
            plain += 1
            assert same(quick, _read_any(tokens))
    assert plain > 0.6 * len(texts)


@settings(max_examples=500, deadline=None)
@given(
    st.lists(
        st.sampled_from(["m", "n", "a", "b", "2", "0.5", "0", "+", "-", "*", "=", "= m", "m = ", "(", ")"]), max_size=12
    )
)
def test_no_text_is_read_in_two_ways(parts: list[str]) -> None:
    tokens = scan(" ".join(parts), NAMES).tokens
    quick = _read_sums(tokens)
    if quick is not None:
        try:
            slow = _read_any(tokens)
        except (TokenError, DrawError) as error:
            raise AssertionError(f"{parts} is no equation: {error}") from error
        assert same(quick, slow)
