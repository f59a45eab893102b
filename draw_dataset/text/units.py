"""Units of measure and well-known constants: the one table of each; every list of unit words or factors is a view."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple


class Unit(NamedTuple):
    """A unit of measure."""

    name: str  # in the singular
    family: str  # the quantity: time, money, length ...
    system: int  # units of one system have fixed factors between them: hours and days, but not days and months
    size: Fraction  # in the smallest unit of its system
    spellings: tuple[str, ...]  # plurals included


_SYSTEMS: tuple[tuple[tuple[str, str, str], ...], ...] = (
    # family, size, and words, the name first; plurals in -s are added to words of two letters and more
    (("time", "1", "second sec"), ("time", "60", "minute min"), ("time", "3600", "hour hr h"), ("time", "86400", "day"),
     ("time", "604800", "week")),
    (("time", "1", "month"), ("time", "12", "year yr"), ("time", "120", "decade"),
     ("time", "1200", "century centuries")),
    (("money", "1", "cent ¢"), ("money", "100", "dollar buck usd $"), ("coin", "1", "penny pennies"),
     ("coin", "5", "nickel nickle"), ("coin", "10", "dime"), ("coin", "25", "quarter"), ("coin", "50", "half-dollar")),
    (("length", "1", "inch inches"), ("length", "12", "foot feet ft"), ("length", "36", "yard yd"),
     ("length", "63360", "mile mi")),
    (("length", "1", "millimeter millimetre mm"), ("length", "10", "centimeter centimetre cm"),
     ("length", "1000", "meter metre m"), ("length", "1000000", "kilometer kilometre km")),
    (("weight", "1", "ounce oz"), ("weight", "16", "pound lb"), ("weight", "32000", "ton")),
    (("weight", "1", "milligram mg"), ("weight", "1000", "gram gm g"), ("weight", "1000000", "kilogram kg kilo")),
    (("volume", "1", "cup"), ("volume", "2", "pint pt"), ("volume", "4", "quart qt"), ("volume", "16", "gallon gal")),
    (("volume", "1", "milliliter millilitre ml cc"), ("volume", "1000", "liter litre ltr l")),
    (("part", "1", "percent % percentage"), ("part", "100", "fraction whole")),
    (("count", "1", "one"), ("count", "12", "dozen"), ("count", "100", "hundred"), ("count", "1000", "thousand"),
     ("count", "1000000", "million"), ("count", "1000000000", "billion"), ("count", "1000000000000", "trillion")),
)  # fmt: skip

MEASURED = frozenset({"time", "money", "length", "weight", "volume"})
"""Families of continuous quantities: no coins, parts or numbers."""


def _spellings(words: list[str]) -> tuple[str, ...]:
    return *words, *(f"{word}s" for word in words if len(word) > 1 and word[-1] != "s")


UNITS: dict[str, Unit] = {
    (name := words.split()[0]): Unit(name, family, system, Fraction(size), _spellings(words.split()))
    for system, units in enumerate(_SYSTEMS)
    for family, size, words in units
}
"""Units by name."""

_BY_SPELLING = {spelling: unit for unit in UNITS.values() for spelling in unit.spellings}
_WORD = re.compile(r"[^\W\d_]+|[$¢%]")


def unit_named(word: str) -> str | None:
    """Return the name of the unit that a word spells; None if it is no unit.

    >>> unit_named("Hours"), unit_named("hrs"), unit_named("apples")
    ('hour', 'hour', None)
    """
    unit = _BY_SPELLING.get(word.lower())
    return None if unit is None else unit.name


def units_in(text: str) -> frozenset[str]:
    """Return the names of the units in a text."""
    return frozenset(unit for word in set(_WORD.findall(text)) if (unit := unit_named(word)) is not None)


def conversion(unit: str, other: str) -> Fraction | None:
    """Return the factor from one unit to another; None if there is no fixed one.

    >>> conversion("hour", "minute"), conversion("day", "week"), conversion("hour", "mile")
    (Fraction(60, 1), Fraction(1, 7), None)
    """
    one, two = UNITS[unit], UNITS[other]
    return one.size / two.size if one.system == two.system else None


def spellings(names: Iterable[str] | None = None, least: int = 1) -> frozenset[str]:
    """Return the words for some units, by default for all of `MEASURED`, of at least some length.

    >>> sorted(spellings(["hour"], least=2))
    ['hour', 'hours', 'hr', 'hrs']
    """
    chosen = names if names is not None else [unit.name for unit in UNITS.values() if unit.family in MEASURED]
    return frozenset(word for name in chosen for word in UNITS[name].spellings if len(word) >= least)


def whole_factors() -> frozenset[int]:
    """Return the whole factors between units of `MEASURED` and coins.

    >>> {60, 5280, 16, 25} <= whole_factors(), 18 in whole_factors()
    (True, False)
    """
    units = [unit for unit in UNITS.values() if unit.family in MEASURED | {"coin"}]
    factors = [one.size / other.size for one in units for other in units if one.system == other.system]
    return frozenset(int(factor) for factor in factors if factor > 1 and factor.denominator == 1)


# Constants that everyone knows. A number of an equation that is not in the text is one of these, or its source is
# unknown. Sixty is "minutes in an hour" only if the text, or the line of a solution, mentions minutes or hours.

HALF_OR_DOUBLE = "a half, a double or a pair"

COUNTED = 12  #: the largest number that a solution may have counted for itself: two parents, ten fingers

_TABLE: tuple[tuple[str, str, str], ...] = (
    # value, name, words that mention it
    ("0", "nothing", ""),
    ("1", "one, or the whole", ""),
    ("60", "minutes in an hour", r"hours?|minutes?|mins?|mph|o'clock"),
    ("60", "seconds in a minute", r"minutes?|seconds?"),
    ("3600", "seconds in an hour", r"hours?|seconds?"),
    ("24", "hours in a day", r"hours?|days?|daily"),
    ("1440", "minutes in a day", r"minutes?|days?"),
    ("7", "days in a week", r"weeks?|weekly|days?|daily|everyday|nightly|nights?"),
    ("5", "working days in a week", r"weekdays?|work(?:ing|s|days?)?|school|monday|weekly|weeks?"),
    ("2", "days of a weekend", r"weekends?|saturdays?"),
    ("14", "days in two weeks", r"fortnight|weeks?"),
    ("12", "months in a year", r"months?|monthly|years?|yearly|annual(?:ly)?"),
    ("6", "months in half a year", r"months?|half a year|biannual(?:ly)?"),
    ("3", "months in a quarter", r"quarter(?:s|ly)?"),
    ("4", "quarters of a year", r"quarter(?:s|ly)?"),
    ("4", "weeks in a month", r"months?|monthly"),
    ("30", "days in a month", r"months?|monthly|april|june|september|november"),
    ("31", "days in a month", r"months?|monthly|january|march|may|july|august|october|december"),
    ("28", "days in a month", r"months?|monthly|february"),
    ("52", "weeks in a year", r"weeks?|weekly|years?|yearly|annual(?:ly)?"),
    ("365", "days in a year", r"days?|daily|years?|yearly|annual(?:ly)?"),
    ("10", "years in a decade", r"decades?"),
    ("100", "years in a century", r"century|centuries"),
    ("12", "things in a dozen", r"dozens?"),
    ("12", "inches in a foot", r"inch(?:es)?|foot|feet"),
    ("3", "feet in a yard", r"yards?"),
    ("36", "inches in a yard", r"yards?"),
    ("5280", "feet in a mile", r"miles?"),
    ("1760", "yards in a mile", r"miles?"),
    ("16", "ounces in a pound", r"ounces?|pounds?|oz"),
    ("2000", "pounds in a ton", r"tons?"),
    ("2", "cups in a pint, or pints in a quart", r"pints?"),
    ("4", "quarts in a gallon", r"gallons?|quarts?"),
    ("8", "pints in a gallon, or ounces in a cup", r"gallons?|pints?|cups?"),
    ("16", "cups in a gallon", r"gallons?"),
    ("128", "ounces in a gallon", r"gallons?"),
    ("1000", "thousand: kilo- and milli-", r"kilo\w*|kg|km|milli\w*|ml|mm|lit(?:er|re)s?|grams?|meters?|metres?|tons?"),
    ("100", "centimetres in a metre", r"met(?:er|re)s?|centi\w*|cm"),
    ("10", "millimetres in a centimetre", r"centi\w*|cm|milli\w*|mm"),
    ("100", "per cent", r"percent\w*|per cent|%"),
    ("100", "cents in a dollar", r"cents?|dollars?|\$|penn(?:y|ies)|¢"),
    ("1", "cents of a penny", r"penn(?:y|ies)"),
    ("5", "cents of a nickel", r"nickels?"),
    ("10", "cents of a dime", r"dimes?"),
    ("25", "cents of a quarter", r"quarters?"),
    ("50", "cents of a half-dollar", r"half[ -]?dollars?"),
    ("4", "quarters in a dollar", r"quarters?"),
    ("10", "ones in a ten", r"digits?|tens"),
    ("100", "ones in a hundred", r"digits?|hundreds?"),
    ("1000", "ones in a thousand", r"thousands?"),
    ("1000000", "ones in a million", r"millions?"),
    ("1000000000", "ones in a billion", r"billions?"),
    ("2", HALF_OR_DOUBLE,
     r"half|halves|both|twice|doubl\w+|pairs?|couple|twins?|midpoint|middle|equally|other|same"),
    ("2", "things that are averaged", r"average|mean"),
    ("2", "equal sides of a rectangle, or radii of a diameter",
     r"rectang\w+|perimeter|diameter|radius|width|wide|length|long|triang\w+|isosceles|circle"),
    ("2", "directions of a way", r"round[ -]?trip|ways?|return\w*|back|forth|there and back"),
    ("2", "from one even or odd number to the next", r"consecutive|even|odd"),
    ("4", "from one even or odd number to the next but one", r"consecutive"),
    ("3", "a third, or three times", r"third|thirds|tripl\w+|thrice"),
    ("4", "a fourth", r"quarters?|fourths?|quadrupl\w+"),
    ("3", "sides of a triangle", r"triang\w+|equilateral|tricycles?"),
    ("4", "sides of a square or rectangle", r"squares?|rectang\w+|rhombus|fields?|rooms?|walls?"),
    ("5", "sides of a pentagon", r"pentagon\w*"),
    ("6", "sides of a hexagon, a cube or a die", r"hexagon\w*|cubes?|dice|die"),
    ("8", "sides of an octagon", r"octagon\w*"),
    ("180", "degrees of the angles of a triangle", r"angles?|triang\w+|degrees?|supplement\w+"),
    ("90", "degrees of a right angle", r"angles?|degrees?|complement\w+"),
    ("360", "degrees of a circle", r"circles?|degrees?|angles?"),
    ("3.14", "pi", r"circ\w+|round|diameter|radius"),
    ("2", "legs of a person or bird, eyes, hands", r"legs?|feet|eyes?|ears?|hands?|arms?|wings?|shoes?|socks?|gloves?"),
    ("4", "legs of an animal or table, wheels of a car", r"legs?|feet|paws?|wheels?|tires?|hoo[fv]\w*"),
    ("6", "legs of an insect", r"legs?|insects?|ants?"),
    ("8", "legs of a spider", r"legs?|spiders?|octop\w+|tentacles?"),
    ("3", "meals in a day", r"meals?|breakfast|lunch|dinner"),
    ("2", "lunch and dinner", r"lunch|dinner"),
    ("26", "letters of the alphabet", r"alphabet|letters?"),
    ("18", "the age of an adult", r"adult|legal age|college"),
)  # fmt: skip

_BY_VALUE: dict[Fraction | int, list[int]] = {}
for _place, (_value, _, _) in enumerate(_TABLE):
    _BY_VALUE.setdefault(Fraction(_value), []).append(_place)


def _is_one_word(pattern: str) -> bool:
    """Decide whether a pattern matches one word of letters."""
    return not re.search(r"[ '$%¢]|^[^a-z]", pattern)


def _literal_prefix(pattern: str) -> str:
    r"""Return the text that a pattern begins with.

    >>> _literal_prefix("half[ -]?dollars?"), _literal_prefix(r"\$")
    ('half', '$')
    """
    found = re.match(r"\\?([$%¢]|(?:[a-z' ](?![?*+]))+)", pattern)
    return found[1] if found else ""


_PATTERNS = [re.split(r"\|(?![^(]*\))", words) for _, _, words in _TABLE]
_OF_WORDS = [re.compile("|".join(filter(_is_one_word, patterns)) or "(?!)") for patterns in _PATTERNS]
_OF_ANY = re.compile("|".join(pattern for patterns in _PATTERNS for pattern in patterns if _is_one_word(pattern)))
_OF_PHRASES = [
    (place, _literal_prefix(pattern), re.compile(rf"(?<![^\W\d_])(?:{pattern})(?![^\W\d_])"))
    for place, patterns in enumerate(_PATTERNS)
    for pattern in patterns
    if not _is_one_word(pattern)
]
_ALWAYS = frozenset(place for place, (_, _, words) in enumerate(_TABLE) if not words)
_CONSTANT_WORD = re.compile(r"[^\W\d_]+")


@lru_cache(maxsize=1 << 10)
def _find_in_word(word: str) -> frozenset[int]:
    """Return the places of the table that a word mentions."""
    if _OF_ANY.fullmatch(word) is None:
        return frozenset()  # most words
    return frozenset(place for place, words in enumerate(_OF_WORDS) if words.fullmatch(word))


@lru_cache(maxsize=1 << 7)
def _find_in_text(text: str) -> frozenset[int]:
    """Return the places of the table that a text mentions; cached because callers ask about one text many times."""
    folded = text.lower()
    # Few texts have the beginning of a phrase, and a search for that is many times faster than for a pattern.
    found = {place for place, beginning, phrase in _OF_PHRASES if beginning in folded and phrase.search(folded)}
    return _ALWAYS.union(found, *map(_find_in_word, set(_CONSTANT_WORD.findall(folded))))


def names_of_constant(value: Fraction, text: str) -> Iterator[str]:
    """Yield the names of a constant, or of its reciprocal, that a text mentions.

    >>> list(names_of_constant(Fraction(7), "How many does he eat in a week?"))
    ['days in a week']
    >>> list(names_of_constant(Fraction(1, 60), "Half of the minutes")), list(names_of_constant(Fraction(19), "a week"))
    (['minutes in an hour', 'seconds in a minute'], [])
    """
    places = _places(abs(value))
    if places:
        mentioned = _find_in_text(text)
        for place in places:
            if place in mentioned:
                yield _TABLE[place][1]


def _places(value: Fraction) -> Sequence[int]:
    """Return the places of the table that have a value or its reciprocal; whole numbers are found fastest."""
    if value.denominator == 1:
        return _BY_VALUE.get(value.numerator, ())
    if value.numerator == 1:
        return _BY_VALUE.get(value.denominator, ())
    return _BY_VALUE.get(value) or _BY_VALUE.get(1 / value) or ()


def name_of_constant(value: Fraction, text: str) -> str | None:
    """Return the first name of a constant in a text, if it has one."""
    return next(names_of_constant(value, text), None)


def is_known(value: Fraction) -> bool:
    """Decide whether a value is a constant of the table, or the reciprocal of one."""
    return bool(_places(abs(value)))
