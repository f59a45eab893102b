"""There is one table of units; every other list of unit words, factors or constants agrees with it."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from draw_dataset.checks.suspicions import unit_of
from draw_dataset.reading.points import UNITS as ANSWER_UNITS
from draw_dataset.reading.provenance import SCALES
from draw_dataset.reading.setup import BETWEEN_UNITS
from draw_dataset.reading.tokens import UNIT_LETTERS
from draw_dataset.reading.tokens import UNITS as PROSE_UNITS
from draw_dataset.text.lexicon import LEXICON, MEASURES, singular
from draw_dataset.text.units import _TABLE, UNITS, conversion, spellings, unit_named, units_in


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("Hours", "hour"), ("hrs", "hour"), ("inches", "inch"), ("feet", "foot"), ("pennies", "penny"), ("$", "dollar"),
        ("kilometres", "kilometer"), ("lbs", "pound"), ("%", "percent"), ("apples", None), ("s", None), ("", None),
    ],
)  # fmt: skip
def test_a_word_names_a_unit(word: str, name: str | None) -> None:
    assert unit_named(word) == name


def test_no_word_names_two_units() -> None:
    words = [word for unit in UNITS.values() for word in unit.spellings]
    assert len(words) == len(set(words))


@pytest.mark.parametrize(
    ("unit", "other", "factor"),
    [
        ("hour", "minute", 60), ("week", "hour", 168), ("year", "month", 12), ("dollar", "dime", 10),
        ("mile", "foot", 5280), ("gallon", "pint", 8), ("kilogram", "gram", 1000), ("day", "month", None),
        ("meter", "foot", None), ("hour", "mile", None),
    ],
)  # fmt: skip
def test_factors_between_units(unit: str, other: str, factor: int | None) -> None:
    assert conversion(unit, other) == factor
    assert factor is None or conversion(other, unit) == Fraction(1, factor)


def test_factors_that_an_answer_may_convert_by_are_factors_between_units() -> None:
    known = {conversion(one, other) for one in UNITS for other in UNITS}
    assert known.issuperset(ANSWER_UNITS)
    assert known.issuperset(SCALES)
    assert BETWEEN_UNITS.issuperset(ANSWER_UNITS)


def test_named_constants_have_the_sizes_of_the_units() -> None:
    checked = 0
    for value, name, _ in _TABLE:
        for part in re.split(r", or ", name):
            match = re.fullmatch(r"(\w+) (?:in|of) an? (\w+(?:-\w+)?)", part)
            small, large = map(unit_named, match.groups()) if match else (None, None)
            if small and large and (factor := conversion(large, small)) is not None:
                assert Fraction(value) == factor, name
                checked += 1
    assert checked >= 20


def test_readers_of_prose_and_checks_know_the_same_units() -> None:
    for word in spellings(least=2):
        family, name = PROSE_UNITS[word]
        assert (family, name) == (UNITS[name].family, unit_named(word))
        assert unit_of(f"It takes 5 {word} .", 9, 10) == {name: 1}
    assert {letter: unit for letter, (_, unit) in UNIT_LETTERS.items()} == {
        "h": "hour", "m": "meter", "g": "gram", "l": "liter", "s": "second",
    }  # fmt: skip


def test_coins_are_numbers_of_a_text_in_dollars() -> None:
    for word in spellings(["penny", "nickel", "dime", "half-dollar"]):
        assert LEXICON[word][1] == conversion(unit_named(word) or "", "dollar")
    assert {"hour", "dollar", "metre"} <= MEASURES


def test_units_in_a_text() -> None:
    assert units_in("It's 5 km in 2 hours for $3") == {"kilometer", "hour", "dollar"}
    assert {singular(word) for word in ("hrs", "inches", "feet")} == {"hr", "inch", "foot"}
