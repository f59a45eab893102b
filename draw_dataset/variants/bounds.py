"""Natural values: which values would be natural for a number, and which numbers never change.

Each rule looks at a number, at the words around it, and at the words of the text. It either fixes the number (a word
that counts the unknowns, a year, a clock time, a whole 100 %), or bounds it (a percentage, minutes below an hour, an
age), or lists the only values (coins and notes).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from draw_dataset.text.lexicon import Kind, listed
from draw_dataset.variants.surroundings import Surroundings


@dataclass(frozen=True, slots=True)
class Bounds:
    """Which values are natural.

    Attributes:
        least: the smallest absolute value.
        most: the largest absolute value.
        only: the only values, if there are few.
        fixed: why the value never changes; empty if it may.
    """

    least: Fraction = Fraction(0)
    most: Fraction = Fraction(10**12)
    only: tuple[Fraction, ...] = ()
    fixed: str = ""

    def allow(self, value: Fraction) -> bool:
        """Say whether a value is within the bounds."""
        return self.least <= abs(value) <= self.most and (not self.only or value in self.only)


@dataclass(frozen=True, slots=True)
class Seen:
    """A number as a rule sees it; see `bounds_of`."""

    kind: Kind
    value: Fraction
    around: Surroundings
    words: Sequence[str]


# Nouns whose count belongs to the structure of a problem, and words that may stand before them.
_COUNTED = frozenset(
    listed(
        "number numbers integer integers intergers integars digit digits consecutive consective angle angles side "
        "sides unknown unknowns variable variables part parts piece pieces multiples kinds types sorts brands "
        "varieties different types grades denominations smallest largest greatest biggest"
    )
)
_BETWEEN = frozenset(
    listed(
        "consecutive positive negative odd even whole natural real unknown other different equal , and such numbered"
    )
)
_DENOMINATIONS = tuple(map(Fraction, (1, 5, 10, 20, 25, 50, 100)))
_MONEY_NAMES = frozenset(listed("dollar peso cent pound rupee euro rs ruble yen ¢ php p"))
_NOTES = frozenset(listed("bill bills coin coins note notes piece pieces"))

# How many of a unit make the next larger one; the number stays below that if the larger unit occurs as well.
_SMALLER: dict[str, tuple[int, frozenset[str]]] = {
    unit: (most, frozenset(listed(larger)))
    for units, most, larger in (
        ("second seconds sec", 60, "minute minutes min hour hours"),
        ("minute minutes min mins", 60, "hour hours hr hrs"),
        ("cent cents", 100, "dollar dollars $"),
        ("inch inches", 12, "foot feet"),
        ("ounce ounces oz", 16, "pound pounds lb lbs"),
        ("month months", 12, "year years"),
        ("day days", 7, "week weeks"),
        ("hour hours", 24, "day days"),
        ("quart quarts", 4, "gallon gallons"),
    )
    for unit in listed(units)
}
_ALWAYS_BELOW = {"minute": 60, "minutes": 60, "min": 60, "mins": 60, "seconds": 60}
_SIZES_OF_UNITS: dict[int, frozenset[str]] = {
    60: frozenset(listed("minutes minute seconds")),
    24: frozenset(listed("hours")),
    7: frozenset(listed("days")),
    12: frozenset(listed("months inches")),
    52: frozenset(listed("weeks")),
    365: frozenset(listed("days")),
    100: frozenset(listed("cents centimeters")),
    16: frozenset(listed("ounces")),
}
_ANGLES = frozenset(listed("degree degrees ° deg"))
AGES = frozenset(listed("old older younger age ages aged"))
_MORE = frozenset(listed("more less fewer greater larger smaller"))
_CLOCK = frozenset(listed("am pm a.m p.m a.m. p.m. o'clock noon midnight"))
OLDEST = 100


def bounds_of(kind: Kind, value: Fraction, around: Surroundings, words: Sequence[str]) -> Bounds:
    """Return which values are natural in the place of a number.

    Args:
        kind: how the number is written.
        value: its value.
        around: what stands around it.
        words: all words of the text, in lower case.
    """
    seen = Seen(kind, value, around, words)
    for rule in _FIXING:
        why = rule(seen)
        if why:
            return Bounds(fixed=why)
    # Zero and one have no plural, and little to divide.
    whole = value.denominator == 1 and kind != "digits"
    bounds = Bounds(least=Fraction(2) if whole or (abs(value) >= 2 and value.denominator == 1) else Fraction(1, 100))
    for bounding in _BOUNDING:
        bounds = bounding(bounds, seen)
    return bounds


Rule = Callable[[Seen], str]
Bounding = Callable[[Bounds, Seen], Bounds]


def _names_what_it_is(seen: Seen) -> str:
    return {"parity": "odd or even", "coin": "a coin", "article": "an article", "neighbour": "next or last"}.get(
        seen.kind, ""
    )


def _counts_unknowns(seen: Seen) -> str:
    if seen.value.denominator > 1 or seen.value > 12 or seen.kind == "multiplier" or seen.around.unit in ("$", "%"):
        return ""
    for word in seen.around.near:
        if word in _COUNTED:
            return "a counting word"
        if word not in _BETWEEN:
            return ""
    return ""


_BODY = frozenset(listed("leg legs wheel wheels wing wings eye eyes tail tails horn horns"))


def _counts_limbs(seen: Seen) -> str:
    """Fix the number of legs or wheels of one thing; 3010 legs are a sum and may change."""
    limbs = seen.value <= 12 and not _BODY.isdisjoint(seen.around.near[:2])
    return "what creatures and things have" if limbs else ""


def _counts_the_others(seen: Seen) -> str:
    return (
        "a counting word" if seen.value <= 6 and seen.around.previous in ("other", "all", "remaining", "these") else ""
    )


def _is_one(seen: Seen) -> str:
    plain = seen.around.unit in ("$", "%") or seen.around.next in _MORE
    if seen.value == 1 and not plain:
        return "a singular"
    return "nothing" if not seen.value else ""


def _is_year(seen: Seen) -> str:
    if (
        seen.kind != "digits"
        or seen.value.denominator > 1
        or not 1900 <= seen.value <= 2099
        or seen.around.unit in ("$", "%")
    ):
        return ""
    counted = seen.around.next.isalpha() and seen.around.next not in (
        "the",
        "and",
        "was",
        "is",
        "to",
        "he",
        "she",
        "they",
        "a",
    )
    return "" if counted and seen.around.previous not in ("in", "since", "of", "year") else "a year"


def _is_clock_time(seen: Seen) -> str:
    next_word = seen.around.next.rstrip(".")
    timed = (
        seen.around.next in _CLOCK
        or next_word in _CLOCK
        or seen.around.near[:1] == (":",)
        or seen.around.previous == ":"
    )
    return (
        "a clock time"
        if timed and seen.around.previous not in ("ratio", "to") and ":" not in seen.around.after[:1]
        else ""
    )


def _is_whole(seen: Seen) -> str:
    return "a whole" if seen.around.unit == "%" and seen.value in (0, 100) else ""


def _is_angle(seen: Seen) -> str:
    return "a right or straight angle" if seen.value in (90, 180, 360) and seen.around.next in _ANGLES else ""


def _is_size_of_unit(seen: Seen) -> str:
    if seen.value.denominator > 1 or seen.around.next not in _SIZES_OF_UNITS.get(int(seen.value), ()):
        return ""
    following = seen.around.after[1:3] if not seen.around.glued else seen.around.after[:2]
    return "the size of a unit" if following[:1] in (("in",), ("per",), ("=",)) else ""


_CALENDAR: dict[str, frozenset[str]] = {
    unit: frozenset(listed(larger))
    for unit, larger in (
        ("second", "minute"), ("minute", "hour"), ("hour", "day"), ("day", "week month year february"),
        ("week", "month year"), ("month", "year"),
    )
}  # fmt: skip
_CALENDAR_SIZES = frozenset(map(Fraction, (4, 5, 7, 12, 24, 28, 29, 30, 31, 52, 60, 365, 366)))


def _is_calendar(seen: Seen) -> str:
    """Fix the length of a month or a week: a 30 day month, a 7-day week."""
    near = seen.around.near
    larger = _CALENDAR.get(near[0].rstrip("s"), frozenset()) if len(near) > 1 else frozenset()
    known = seen.value in _CALENDAR_SIZES and near[1:2] and near[1].rstrip("s") in larger
    return "the size of a unit" if known else ""


def _is_temperature_scale(seen: Seen) -> str:
    scales = sum(any(word.startswith(name) for word in seen.words) for name in ("fahrenheit", "celsius", "centigrade"))
    known = (Fraction(32), Fraction(9, 5), Fraction(5, 9))
    return "the scale of a thermometer" if scales > 1 and seen.value in known else ""


_FIXING: tuple[Rule, ...] = (
    _names_what_it_is, _counts_unknowns, _counts_limbs, _counts_the_others, _is_one, _is_year, _is_clock_time,
    _is_whole, _is_angle, _is_size_of_unit, _is_calendar, _is_temperature_scale,
)  # fmt: skip


def _as_percentage(bounds: Bounds, seen: Seen) -> Bounds:
    return replace(bounds, most=Fraction(99)) if seen.around.unit == "%" and seen.value < 100 else bounds


def _as_part(bounds: Bounds, seen: Seen) -> Bounds:
    """Keep a part below one: 0.75 of a line."""
    return replace(bounds, most=min(bounds.most, Fraction(99, 100))) if 0 < seen.value < 1 else bounds


def _as_denomination(bounds: Bounds, seen: Seen) -> Bounds:
    near = [word.rstrip("s") if word.rstrip("s") in _MONEY_NAMES else word for word in seen.around.near[:3]]
    money = (bool(near) and near[0] in _MONEY_NAMES) or seen.around.previous in ("$", "¢")
    if not (money and _NOTES & set(near[:3]) and seen.value in (*_DENOMINATIONS, 2)):
        return bounds
    there_are = _DENOMINATIONS if seen.value != 2 else (*_DENOMINATIONS, seen.value)
    return replace(bounds, least=Fraction(1), only=there_are)


def _below_larger_unit(bounds: Bounds, seen: Seen) -> Bounds:
    below = _ALWAYS_BELOW.get(seen.around.next)
    if seen.around.next in _SMALLER:
        most, larger = _SMALLER[seen.around.next]
        if not larger.isdisjoint(seen.words):
            below = most
    return replace(bounds, most=Fraction(below - 1)) if below is not None and seen.value < below else bounds


def _as_age(bounds: Bounds, seen: Seen) -> Bounds:
    """Keep people alive, and grown-ups about as old as they were: a father of 38 may be 60, but not 100."""
    if AGES.isdisjoint(seen.words) or seen.around.unit not in ("", "year", "yr") or seen.value > OLDEST:
        return bounds
    most = Fraction(OLDEST) if seen.value < 18 else max(seen.value, min(Fraction(90), seen.value * Fraction(8, 5)))
    return replace(bounds, most=min(bounds.most, most))


def _as_angle(bounds: Bounds, seen: Seen) -> Bounds:
    if seen.around.next not in _ANGLES or seen.value >= 180:
        return bounds
    return replace(bounds, most=Fraction(89 if seen.value < 90 else 179))


_TALLEST = {"foot": 7, "feet": 7, "ft": 7, "inches": 84, "inch": 84, "cm": 210, "centimeters": 210}


def _as_height(bounds: Bounds, seen: Seen) -> Bounds:
    """Keep people as tall as people are: a child of 4 feet may have 5, but not 12."""
    most = _TALLEST.get(seen.around.next, 0)
    tall = seen.value <= most and "tall" in seen.around.near[1:2]
    return replace(bounds, most=min(bounds.most, Fraction(most))) if tall else bounds


_BOUNDING: tuple[Bounding, ...] = (
    _as_percentage, _as_part, _as_denomination, _below_larger_unit, _as_age, _as_angle, _as_height,
)  # fmt: skip
