"""Fields: the numbers of a problem that may take other values, and the relations that must hold among them.

A field is an aligned number together with its EquivTNum copies. It stays if its number is fixed (`bounds_of`), or
cannot be written with another value (`writing`). No field takes the value of another number of the text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import gcd

from draw_dataset.algebra.solution import SolutionKind, solve_grounded
from draw_dataset.algebra.system import System
from draw_dataset.derivation.derivation import Place, TextNumber
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import DrawError
from draw_dataset.text.lexicon import Kind, singular, split_words
from draw_dataset.text.numbers import find_numbers, number_words_of, rule_of
from draw_dataset.text.tokens import Rule, Token, tokenize
from draw_dataset.text.units import MEASURED, UNITS, spellings
from draw_dataset.variants.writing import NumberStyle, style_of

_NO_UNITS = frozenset(
    split_words("of the a an and or to as than in at by is are was were for from with on per if then , . ? !")
)


@dataclass(frozen=True, slots=True)
class NumberContext:
    """Words around one number, in lower case."""

    before: tuple[str, ...]  # the words before it, the nearest last
    glued: str  # the end of its own token, as ``-peso`` or ``%``
    after: tuple[str, ...]  # the words after it, the nearest first
    starts: bool  # whether it begins a sentence
    article: Token | None  # the token before it if that is the article a or an

    @property
    def next(self) -> str:
        """The word after the number, a glued one included."""
        glued = self.glued.strip("-").lower()
        return glued or (self.after[0] if self.after else "")

    @property
    def previous(self) -> str:
        """The word before the number."""
        return self.before[-1] if self.before else ""

    @property
    def near(self) -> tuple[str, ...]:
        """The next words, a glued one first; hyphenated words are cut."""
        glued = [part for part in self.glued.lower().split("-") if part]
        return (*glued, *(part for word in self.after[:5] for part in word.split("-") if part))

    @property
    def unit(self) -> str:
        """The unit of the number: a currency, a percent sign, or the next word in the singular."""
        if self.previous in ("$", "£", "€") or self.near[:1] in (("dollars",), ("dollar",)):
            return "$"
        if self.near[:1] in (("%",), ("percent",)) or self.near[:2] == ("per", "cent"):
            return "%"
        word = self.near[0] if self.near else ""
        return "" if word in _NO_UNITS else singular(word)


class Words:
    """The tokens of a text, to look around in."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.lower = [token.text.lower() for token in tokens]
        self._starts = [token.start for token in tokens]

    def around(self, number: TextNumber) -> NumberContext:
        """Return the surroundings of a number."""
        start, end = number.start or 0, number.end or 0
        first = max(bisect_left(self._starts, start + 1) - 1, 0)
        after = bisect_left(self._starts, end)
        last = self.tokens[after - 1]
        article = self.tokens[first - 1] if first and self.lower[first - 1] in ("a", "an") else None
        return NumberContext(
            before=tuple(self.lower[max(first - 5, 0) : first]),
            glued=last.text[end - last.start :] if end < last.end else "",
            after=tuple(self.lower[after : after + 6]),
            starts=not first or self.tokens[first - 1].sentence != self.tokens[first].sentence,
            article=article,
        )


# Each rule looks at a number and the words around it. It fixes the number (a word that counts the unknowns, a year, a
# clock time), bounds it (a percentage, minutes below an hour, an age), or lists the only values (coins and notes).


@dataclass(frozen=True, slots=True)
class Bounds:
    """Natural values of a number."""

    least: Fraction = Fraction(0)  # the smallest absolute value
    most: Fraction = Fraction(10**12)  # the largest absolute value
    only: tuple[Fraction, ...] = ()  # the only values, if there are few
    fixed: str = ""  # why the value never changes; empty if it may

    def allow(self, value: Fraction) -> bool:
        """Return True if a value is within the bounds."""
        return self.least <= abs(value) <= self.most and (not self.only or value in self.only)


@dataclass(frozen=True, slots=True)
class Seen:
    """A number, the words around it, and all words of the text in lower case, as a rule of `bounds_of` sees them."""

    kind: Kind
    value: Fraction
    around: NumberContext
    words: Sequence[str]


# Nouns whose count belongs to the structure of a problem, and words that may stand before them.
_COUNTED = frozenset(
    split_words(
        "number numbers integer integers intergers integars digit digits consecutive consective angle angles side "
        "sides unknown unknowns variable variables part parts piece pieces multiples kinds types sorts brands "
        "varieties different types grades denominations smallest largest greatest biggest"
    )
)
_BETWEEN = frozenset(
    split_words(
        "consecutive positive negative odd even whole natural real unknown other different equal , and such numbered"
    )
)
_DENOMINATIONS = tuple(map(Fraction, (1, 5, 10, 20, 25, 50, 100)))
_MONEY_NAMES = frozenset(split_words("dollar peso cent pound rupee euro rs ruble yen ¢ php p"))
_NOTES = frozenset(split_words("bill bills coin coins note notes piece pieces"))


def _smaller_units() -> Iterator[tuple[str, tuple[int, frozenset[str]]]]:
    """Yield each word for a unit with how many of it make the next larger unit, and the words for larger ones."""
    for unit in UNITS.values():
        larger = [
            u for u in UNITS.values() if (u.family, u.system) == (unit.family, unit.system) and u.size > unit.size
        ]
        if larger and unit.family in MEASURED:
            words = spellings(u.name for u in larger)
            yield from ((word, (int(larger[0].size / unit.size), words)) for word in unit.spellings)


# A number stays below the next larger unit if a larger unit occurs as well.
_SMALLER = dict(_smaller_units())
_ALWAYS_BELOW = dict.fromkeys(spellings(["minute"]) | {"seconds"}, 60)
_SIZES_OF_UNITS: dict[int, frozenset[str]] = {
    size: spellings(split_words(names))
    for size, names in (
        (60, "minute second"), (24, "hour"), (7, "day"), (12, "month inch"), (52, "week"), (365, "day"),
        (100, "cent centimeter"), (16, "ounce"), (128, "ounce"), (36, "inch"), (5280, "foot"), (1000, "gram meter"),
    )
}  # fmt: skip
_ANGLES = frozenset(split_words("degree degrees ° deg"))
AGES = frozenset(split_words("old older younger age ages aged"))
_MORE = frozenset(split_words("more less fewer greater larger smaller"))
_CLOCK = frozenset(split_words("am pm a.m p.m a.m. p.m. o'clock noon midnight"))
OLDEST = 100


def bounds_of(kind: Kind, value: Fraction, around: NumberContext, words: Sequence[str]) -> Bounds:
    """Return the values that are natural in the place of a number."""
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


def _names_what_it_is(seen: Seen) -> str:
    kinds = {"parity": "odd or even", "coin": "a coin", "article": "an article", "neighbour": "next or last"}
    return kinds.get(seen.kind, "")


def _counts_unknowns(seen: Seen) -> str:
    if seen.value.denominator > 1 or seen.value > 12 or seen.kind == "multiplier" or seen.around.unit in ("$", "%"):
        return ""
    for word in seen.around.near:
        if word in _COUNTED:
            return "a counting word"
        if word not in _BETWEEN:
            return ""
    return ""


_BODY = frozenset(split_words("leg legs wheel wheels wing wings eye eyes tail tails horn horns"))


def _counts_limbs(seen: Seen) -> str:
    """Fix the number of legs or wheels of one thing; 3010 legs are a sum and may change."""
    limbs = seen.value <= 12 and not _BODY.isdisjoint(seen.around.near[:2])
    return "what creatures and things have" if limbs else ""


def _counts_the_others(seen: Seen) -> str:
    counts = seen.value <= 6 and seen.around.previous in ("other", "all", "remaining", "these")
    return "a counting word" if counts else ""


def _is_one(seen: Seen) -> str:
    plain = seen.around.unit in ("$", "%") or seen.around.next in _MORE
    if seen.value == 1 and not plain:
        return "a singular"
    return "nothing" if not seen.value else ""


_NOT_COUNTED = frozenset(split_words("the and was is to he she they a"))


def _is_year(seen: Seen) -> str:
    digits = seen.kind == "digits" and seen.value.denominator == 1 and seen.around.unit not in ("$", "%")
    if not digits or not 1900 <= seen.value <= 2099:
        return ""
    counted = seen.around.next.isalpha() and seen.around.next not in _NOT_COUNTED
    return "" if counted and seen.around.previous not in ("in", "since", "of", "year") else "a year"


def _is_clock_time(seen: Seen) -> str:
    around = seen.around
    timed = bool({around.next, around.next.rstrip(".")} & _CLOCK) or ":" in (*around.near[:1], around.previous)
    return "a clock time" if timed and around.previous not in ("ratio", "to") and ":" not in around.after[:1] else ""


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
    unit: frozenset(split_words(larger))
    for unit, larger in (
        ("second", "minute"), ("minute", "hour"), ("hour", "day"), ("day", "week month year february"),
        ("week", "month year"), ("month", "year"),
    )
}  # fmt: skip
_CALENDAR_SIZES = frozenset(map(Fraction, (4, 5, 7, 12, 24, 28, 29, 30, 31, 52, 60, 365, 366)))


def _is_half_a_unit(seen: Seen) -> str:
    """Fix the fraction before an article: 1/2 an ounce, but 9/10 of an ounce."""
    return "a fraction before an article" if 0 < seen.value < 1 and seen.around.next in ("a", "an") else ""


def _is_calendar(seen: Seen) -> str:
    """Fix the length of a month or a week: a 30 day month, a 7-day week."""
    near = seen.around.near
    larger = _CALENDAR.get(singular(near[0]), frozenset()) if len(near) > 1 else frozenset()
    known = seen.value in _CALENDAR_SIZES and near[1:2] and singular(near[1]) in larger
    return "the size of a unit" if known else ""


def _is_temperature_scale(seen: Seen) -> str:
    scales = sum(any(word.startswith(name) for word in seen.words) for name in ("fahrenheit", "celsius", "centigrade"))
    known = (Fraction(32), Fraction(9, 5), Fraction(5, 9))
    return "the scale of a thermometer" if scales > 1 and seen.value in known else ""


def _is_known_alloy(seen: Seen) -> str:
    known = seen.value in (Fraction(15, 2), Fraction(185, 2)) and "sterling" in seen.words
    return "the share in a known alloy" if known and seen.around.unit == "%" else ""


_FIXING: tuple[Callable[[Seen], str], ...] = (
    _names_what_it_is, _counts_unknowns, _counts_limbs, _counts_the_others, _is_one, _is_year, _is_clock_time,
    _is_whole, _is_angle, _is_size_of_unit, _is_half_a_unit, _is_calendar, _is_temperature_scale,
    _is_known_alloy,
)  # fmt: skip


def _as_percentage(bounds: Bounds, seen: Seen) -> Bounds:
    return replace(bounds, most=Fraction(99)) if seen.around.unit == "%" and seen.value < 100 else bounds


def _as_part(bounds: Bounds, seen: Seen) -> Bounds:
    """Keep a part below one: 0.75 of a line."""
    return replace(bounds, most=min(bounds.most, Fraction(99, 100))) if 0 < seen.value < 1 else bounds


def _as_denomination(bounds: Bounds, seen: Seen) -> Bounds:
    near = [singular(word) if singular(word) in _MONEY_NAMES else word for word in seen.around.near[:3]]
    money = (bool(near) and near[0] in _MONEY_NAMES) or seen.around.previous in ("$", "¢")
    listed = 5 if near[:1] in (["and"], ["or"]) else 3  # $ 1 and $ 2 coins
    if not (money and _NOTES & set(seen.around.near[:listed]) and seen.value in (*_DENOMINATIONS, 2)):
        return bounds
    there_are = _DENOMINATIONS if seen.value != 2 else (*_DENOMINATIONS, seen.value)
    if seen.around.unit == "$" and seen.value != 25 and {"bill", "bills"} & set(seen.around.near[:listed]):
        there_are = tuple([value for value in there_are if value != 25])
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


_TALLEST = {word: most for name, most in (("foot", 7), ("inch", 84), ("centimeter", 210)) for word in spellings([name])}


def _as_height(bounds: Bounds, seen: Seen) -> Bounds:
    """Keep people as tall as people are: a child of 4 feet may have 5, but not 12."""
    most = _TALLEST.get(seen.around.next, 0)
    tall = seen.value <= most and "tall" in seen.around.near[1:2]
    return replace(bounds, most=min(bounds.most, Fraction(most))) if tall else bounds


_BOUNDING: tuple[Callable[[Bounds, Seen], Bounds], ...] = (
    _as_percentage, _as_part, _as_denomination, _below_larger_unit, _as_age, _as_angle, _as_height,
)  # fmt: skip


_ORDERED = frozenset({"$", "%"})  # units of which the larger number stays the larger one: prices and percentages


def without_stated(fields: list[Field], numbers: tuple[TextNumber, ...], columns: Sequence[int | None]) -> list[Field]:
    """Fix the fields whose sum, difference or product is a number of the text that would not change with them."""
    loose = [n.value for n, column in zip(numbers, columns, strict=True) if column is None and n.value is not None]
    fixed: set[int] = set()
    for total in loose:
        if total < _LEAST_TOTAL:
            continue
        others: list[tuple[int | None, Fraction]] = [(None, value) for value in loose if value != total]
        parts = [*enumerate(field.value for field in fields), *others]
        for count in (2, 3):
            for chosen in combinations(parts, count):
                values = [value for _, value in chosen]
                made = {sum(values)} if count == 3 else {sum(values), abs(values[0] - values[1]), values[0] * values[1]}
                if total in made:
                    fixed |= {at for at, _ in chosen if at is not None}
    why = Bounds(fixed="part of a total that the text states")
    return [replace(one, bounds=why) if at in fixed and one.moves else one for at, one in enumerate(fields)]


def without_counted(fields: list[Field], counted: frozenset[Fraction]) -> list[Field]:
    """Fix the numbers that may be among those that somebody counted: two zebras, another and one more are four."""
    most = max(counted, default=Fraction(0))
    why = Bounds(fixed="part of what the solution counts")
    return [
        replace(one, bounds=why)
        if one.moves and one.value.denominator == 1 and 0 < one.value < most and one.unit not in _ORDERED
        else one
        for one in fields
    ]


_LEAST_TOTAL = 5  # smaller numbers are too often the sum of others by chance


def is_halved(system: System, field_of: Sequence[int], fields: Sequence[Field]) -> bool:
    """Return True if the unknowns are halves of even numbers: a word for 2, as odd or two, multiplies one of them."""
    twos = {f for f, one in enumerate(fields) if not one.moves and one.value == 2}
    terms = [(column, slots) for row in system.terms for column, _, slots in row]
    return any(c < system.unknown_count and any(field_of[slot] in twos for slot in slots) for c, slots in terms)


def adds_percentages(system: System, field_of: Sequence[int], fields: Sequence[Field]) -> bool:
    """Return True if a percentage is added as it stands, so that the one unknown is a percentage, too."""
    return system.unknown_count == 1 and any(
        column == 1 and len(slots) == 1 and fields[field_of[slots[0]]].unit == "%"
        for terms in system.terms
        for column, _, slots in terms
    )


def orders(fields: list[Field]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of fields of which the first stays the smaller one."""
    pairs = [(i, j) for i in range(len(fields)) for j in range(len(fields)) if fields[i].value < fields[j].value]
    return tuple((i, j) for i, j in pairs if fields[i].unit in _ORDERED and fields[i].unit == fields[j].unit)


def ratios(
    fields: list[Field],
    numbers: tuple[TextNumber, ...],
    columns: list[int | None],
    arounds: Sequence[NumberContext],
    words: Words,
) -> tuple[tuple[int, int], ...]:
    """Return the pairs of fields that are written as a ratio in lowest terms."""
    found = []
    for first, second in zip(range(len(numbers)), range(1, len(numbers)), strict=False):
        one, two = columns[first], columns[second]
        start, end = numbers[first].end, numbers[second].start
        if one is None or two is None or one == two or start is None or end is None:
            continue
        between = [t.text.lower() for t in words.tokens if start <= t.start and t.end <= end]
        told = (
            between in (["to"], [":"])
            or (between == ["and"] and "ratio" in words.lower)
            or (arounds[first].previous == "every" and not {".", "?", "!"} & set(between))
        )
        values = fields[one].value, fields[two].value
        if told and all(v.denominator == 1 for v in values) and gcd(*map(int, values)) == 1:
            found.append((one, two))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class UnknownBounds:
    """Natural values of the unknowns."""

    most: Fraction  # the largest value of any of them
    modulus: int  # their remainders by this stay, as those of odd numbers by 2


def unknown_bounds(
    words: Sequence[str],
    solution: Sequence[Fraction],
    unaligned: Sequence[Fraction],
    halved: bool = False,
    percentage: bool = False,
) -> UnknownBounds:
    """Return the natural values of the unknowns: those of digits, ages, percentages, odd and even numbers."""
    text = set(words)
    largest = max(map(abs, solution), default=Fraction(0))
    most = min([value for value in unaligned if value > largest and value >= 10], default=Fraction(10**12))
    if text & {"digit", "digits"} or any("-digit" in word for word in words):
        most = min(most, Fraction(9)) if largest <= 9 else most
    if text & AGES and largest <= OLDEST + 20:
        most = min(most, max(Fraction(OLDEST), largest))
    if largest <= 100 and len(solution) == 1 and (percentage or not _PER_CENT.isdisjoint(_last_sentence(words))):
        most = min(most, Fraction(100))
    whole = all(value.denominator == 1 for value in solution)
    modulus = 2 if whole and not halved and text & {"odd", "even"} else 1
    return UnknownBounds(most, modulus)


_PER_CENT = frozenset(split_words("percent percentage %"))


def _last_sentence(words: Sequence[str]) -> Sequence[str]:
    ends = [place for place, word in enumerate(words[:-1]) if word in (".", "?", "!")]
    return words[ends[-1] + 1 :] if ends else words


class CannotVary(DrawError, ValueError):
    """A row that gives no variants; the message says why."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One number of the text that changes with its field."""

    rank: int  # its rank among the numbers of the text, from 0
    style: NumberStyle  # how it is written
    article: Token | None  # the article before it, which may have to change with it


@dataclass(frozen=True, slots=True)
class Field:
    """A number that fills a slot, with its copies."""

    value: Fraction
    mentions: tuple[Mention, ...]  # its places, if it can move
    bounds: Bounds  # its natural values, or the reason why it is fixed
    unit: str  # its unit

    @property
    def moves(self) -> bool:
        """Whether it may take another value."""
        return not self.bounds.fixed

    def allows(self, value: Fraction) -> bool:
        """Return True if a value is natural and can be written at every place."""
        return self.bounds.allow(value) and all(mention.style.write(value) is not None for mention in self.mentions)


@dataclass(frozen=True, slots=True)
class VariableProblem:
    """A problem, prepared for other numbers."""

    problem: Problem
    rule: Rule  # how its text is cut into tokens
    system: System  # its template's system
    field_of: tuple[int, ...]  # the field in each slot
    fields: tuple[Field, ...]
    columns: tuple[int | None, ...]  # for each number of the text, the field that it belongs to, or None
    others: frozenset[Fraction]  # the values of the numbers that belong to no field
    orders: tuple[tuple[int, int], ...]  # pairs of fields of which the first is the smaller one
    ratios: tuple[tuple[int, int], ...]  # pairs of fields that stay in lowest terms
    solution: tuple[Fraction, ...]  # the values of the unknowns, in the template's order
    unknowns: UnknownBounds  # their natural values
    places: tuple[int, ...] = ()  # the decimals that each unknown may have; those of the solution if it is empty

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The values of the fields."""
        return tuple([field.value for field in self.fields])

    def slot_values(self, values: tuple[Fraction, ...]) -> list[Fraction]:
        """Return the value in each slot for values of the fields."""
        return [values[field] for field in self.field_of]

    def number_values(self, values: tuple[Fraction, ...]) -> list[Fraction]:
        """Return the value of each number of the text for values of the fields."""
        return [
            number.value or Fraction(0) if column is None else values[column]
            for number, column in zip(self.problem.numbers, self.columns, strict=True)
        ]


def check_numbers(problem: Problem) -> None:
    """Check that the numbers of a problem stand in its text, and gold's among them."""
    if any(problem.question[number.start : number.end] != number.text for number in problem.numbers):
        raise CannotVary("its numbers are not those of its text")
    if not {(one.sentence, one.token) for one in problem.alignment} <= {number.place for number in problem.numbers}:
        raise CannotVary("a number of gold is not in the text")


def analyse(problem: Problem, must_move: bool = True, counted: frozenset[Fraction] = frozenset()) -> VariableProblem:
    """Prepare a problem for other numbers."""
    check_numbers(problem)
    derivation = problem.derivation
    rule = rule_of(problem)
    words = Words(tokenize(problem.question, rule))
    found = find_numbers(problem.question, number_words_of(problem), rule)
    kind_of: dict[tuple[int, int], Kind] = {(n.sentence, n.token): n.kind for n in found}
    around_of = [words.around(number) for number in problem.numbers]
    class_of = _classes(problem, around_of, set(derivation.places))
    by_class: dict[Place, list[int]] = {}
    for rank, number in enumerate(problem.numbers):
        by_class.setdefault(class_of[number.place], []).append(rank)
    order: dict[Place, int] = {}
    field_of = tuple(order.setdefault(class_of.get(place, place), len(order)) for place in derivation.places)
    fields: list[Field] = []
    columns: list[int | None] = [None] * len(problem.numbers)
    for position, (place, slot) in enumerate(zip(order, map(field_of.index, range(len(order))), strict=True)):
        aligned = derivation.alignment[derivation.template.slots[slot]]
        ranks = by_class.get(place, [])
        for rank in ranks:
            columns[rank] = position
        members = [problem.numbers[rank] for rank in ranks]
        at = next((m for m in members if m.place == aligned.place), None)
        if aligned.value is None or at is None:
            raise CannotVary("a number of gold is not in the text")
        # A number that only the annotation has is a word that the rules read as something else.
        kinds = [kind_of.get((member.sentence or 0, member.token), "article") for member in members]
        near = [around_of[rank] for rank in ranks]
        fields.append(_field(aligned.value, ranks, members, kinds, near, words, around_of[problem.numbers.index(at)]))
    fields = without_counted(without_stated(fields, problem.numbers, columns), counted)
    solution = solve_grounded(
        derivation.template.system, [fields[f].value for f in field_of], derivation.template.unknowns
    )
    if solution.kind is not SolutionKind.UNIQUE:
        raise CannotVary("gold has no unique solution")
    if must_move and not any(field.moves for field in fields):
        why = ", ".join(dict.fromkeys(field.bounds.fixed for field in fields)) or "no number fills a slot"
        raise CannotVary(f"no number can be changed: {why}")
    exact = tuple(solution.values[name] for name in derivation.template.unknowns)
    others = [
        n.value for n, column in zip(problem.numbers, columns, strict=True) if column is None and n.value is not None
    ]
    return VariableProblem(
        problem=problem,
        rule=rule,
        system=derivation.template.system,
        field_of=field_of,
        fields=tuple(fields),
        columns=tuple(columns),
        others=frozenset(others),
        orders=orders(fields),
        ratios=ratios(fields, problem.numbers, columns, around_of, words),
        solution=exact,
        unknowns=unknown_bounds(
            words.lower,
            exact,
            others,
            halved=is_halved(derivation.template.system, field_of, fields),
            percentage=adds_percentages(derivation.template.system, field_of, fields),
        ),
    )


_AGAIN = frozenset({"same", "these", "those"})
_BACK = frozenset({"the", "that", "this"})
_NO_REPEAT = frozenset(split_words("year time hour minute day week month second"))  # 5 years ago, and in 5 years


def _classes(problem: Problem, arounds: Sequence[NumberContext], aligned: set[Place]) -> dict[Place, Place]:
    """Return the class of each number by the annotation, or by words: "the same 16 miles" are those of before.

    A number that fills no slot also belongs to a class if the text says it again with the same noun: 12 % solution.
    """
    classes = problem.number_classes
    class_of = {number.place: classes.of_place(number.place) for number in problem.numbers}
    numbers = problem.numbers
    for rank, number in enumerate(numbers):
        around, free = arounds[rank], number.place not in aligned
        again, back = around.previous in _AGAIN, around.previous in _BACK and around.unit != ""
        repeat = free and around.unit not in ("", *_NO_REPEAT)
        meant = [
            one.place
            for other, one in enumerate(numbers)
            if other != rank
            and one.value == number.value
            and arounds[other].unit == around.unit
            and ((other < rank and again) or (one.place in aligned and (back or repeat)))
        ]
        if free and len({class_of[place] for place in meant} - {class_of[number.place]}) > 1:
            raise CannotVary(f"the text says {number.text} {around.unit} again, and it may be one of several numbers")
        if meant:
            old, new = class_of[number.place], class_of[meant[0]]
            class_of = {place: new if own == old else own for place, own in class_of.items()}
    return class_of


def _field(
    value: Fraction,
    ranks: list[int],
    members: list[TextNumber],
    kinds: list[Kind],
    arounds: list[NumberContext],
    words: Words,
    around: NumberContext,
) -> Field:
    bounds: Bounds | None = None
    mentions: list[Mention] = []
    for rank, member, kind, near in zip(ranks, members, kinds, arounds, strict=True):
        own = bounds_of(kind, value, near, words.lower)
        style = style_of(kind, member.text, value) if member.value == value else None
        if not own.fixed and style is None:
            own = Bounds(fixed="cannot be written otherwise")
        if style is not None:
            mentions.append(Mention(rank, style, near.article))
        if bounds is None or own.fixed:
            bounds = own
        elif not bounds.fixed:
            only = own.only or bounds.only
            bounds = Bounds(max(bounds.least, own.least), min(bounds.most, own.most), only)
    return Field(value, tuple(mentions), bounds or Bounds(fixed="does not stand in the text"), around.unit)
