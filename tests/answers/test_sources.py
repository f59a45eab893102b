"""The origins of a number, found by tables of whole numbers, are those that plain fractions give."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from draw_dataset.reading.provenance import MULTIPLES, SCALES, NumberOrigins
from draw_dataset.reading.quantities import Change, Literal, Origin, TextOrigin

numbers = st.one_of(
    st.integers(-3, 130).map(Fraction),
    st.builds(Fraction, st.integers(-12, 250), st.sampled_from([2, 3, 4, 10, 60, 100])),
)


def literal(value: Fraction, percent: bool = False) -> Literal:
    """Return a number as an answer writes it, without decimals."""
    return Literal(value, 0, 0, str(value), percent=percent)


def rarer(values: list[Fraction], shown: Fraction) -> list[Origin]:
    """Return the complements and other units of numbers that have a value, by fractions alone."""
    hundredth, factors = Fraction(1, 100), {*SCALES, *MULTIPLES} - {Fraction(1, 100)}
    found = []
    for index, value in enumerate(values):
        changes = [(hundredth, 1), (-hundredth, 1), (1, 1), (-1, 1), (1, -1), (-1, 100), (1, 100)]
        found += [
            TextOrigin(index, Change(Fraction(scale), Fraction(offset)))
            for scale, offset in changes
            if value and shown == scale * value + offset
        ]
        if value not in (0, 1) and shown / value in factors:
            found.append(TextOrigin(index, Change(shown / value)))
    return found


@given(st.lists(numbers, min_size=1, max_size=4), numbers, st.booleans())
def test_rarer_forms_are_those_of_plain_fractions(values: list[Fraction], value: Fraction, percent: bool) -> None:
    shown = value / 100 if percent else value
    expected = rarer(values, shown) if shown else []
    assert NumberOrigins(values).rarer_forms(literal(value, percent)) == expected


@given(st.lists(numbers, min_size=1, max_size=4), numbers)
def test_numbers_percentages_and_reciprocals_are_found_by_value(values: list[Fraction], value: Fraction) -> None:
    text = NumberOrigins(values)
    same = [TextOrigin(i) for i, given_ in enumerate(values) if given_ == value]
    negative = Change(Fraction(-1))
    other_sign = [TextOrigin(i, negative) for i, given_ in enumerate(values) if value and given_ == -value]
    assert text.direct(literal(value)) == (same or other_sign)
    assert list(text.with_value(value.as_integer_ratio())) == same
    forms = []
    for index, given_ in enumerate(values):
        if given_ and given_ / 100 == value:
            forms.append(TextOrigin(index, Change(Fraction(1, 100))))
        if given_ not in (0, 1) and 1 / given_ == value:
            forms.append(TextOrigin(index, Change(inverse=True)))
    assert text.other_forms(literal(value)) == forms
