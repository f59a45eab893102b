"""Consistency: checks that the text of a variant makes sense with its numbers and its answer.

Each rule reads the text and the roles of the unknowns, and yields checks: bounds on sums of quantities, exact. A check
that the original does not pass is dropped, so that no rule needs to know why a text is unusual.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import prod

from draw_dataset.algebra.number import decimals_of
from draw_dataset.derivation.problem import read_asked, value_at
from draw_dataset.text.lexicon import singular, split_words
from draw_dataset.text.tokens import tokenize
from draw_dataset.text.units import MEASURED, UNITS, spellings
from draw_dataset.variants.fields import AGES, NumberContext, VariableProblem, Words

Values = Sequence[Fraction]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A coefficient times fields, times an unknown if there is one."""

    factor: Fraction
    fields: tuple[int, ...] = ()
    unknown: int | None = None

    def at(self, values: Values, solution: Values) -> Fraction:
        """Return its value for values of the fields and of the unknowns."""
        found = self.factor * prod([values[position] for position in self.fields])
        return found if self.unknown is None else found * solution[self.unknown]

    def times(self, factor: int) -> Quantity:
        """Return a multiple of it."""
        return Quantity(self.factor * factor, self.fields, self.unknown)


@dataclass(frozen=True, slots=True)
class Check:
    """Bounds on the sum of some quantities."""

    rule: str  # the rule that asks for it, in words for the report
    terms: tuple[Quantity, ...]
    least: Fraction | None = None
    most: Fraction | None = None
    whole: bool = False  # whether the sum is a whole number

    def holds(self, values: Values, solution: Values) -> bool:
        """Return True if the sum is within the bounds."""
        total = sum([term.at(values, solution) for term in self.terms], Fraction(0))
        return (
            (self.least is None or total >= self.least)
            and (self.most is None or total <= self.most)
            and (not self.whole or total.denominator == 1)
        )


@dataclass(frozen=True, slots=True)
class Reader:
    """The text of a problem, as the rules see it."""

    variable: VariableProblem
    words: Words
    arounds: tuple[NumberContext, ...]  # the words around each number
    roles: tuple[str, ...]  # what each unknown is, in lower case; empty if the row does not say it

    @classmethod
    def of(cls, variable: VariableProblem) -> Reader:
        """Read a problem."""
        problem = variable.problem
        words = Words(tokenize(problem.question, variable.rule))
        arounds = tuple([words.around(number) for number in problem.numbers])
        names = problem.derivation.template.unknowns
        return cls(variable, words, arounds, tuple([problem.role_of.get(name, "").lower() for name in names]))

    def number(self, rank: int) -> Quantity:
        """Return a number of the text."""
        column = self.variable.columns[rank]
        if column is None:
            return Quantity(self.variable.problem.numbers[rank].value or Fraction(0))
        return Quantity(Fraction(1), (column,))

    def value(self, rank: int) -> Fraction:
        """Return the value of a number in the original."""
        return self.variable.problem.numbers[rank].value or Fraction(0)

    def value_of(self, quantity: Quantity) -> Fraction:
        """Return the value of a quantity in the original."""
        return quantity.at(self.variable.values, self.variable.solution)

    def sentence(self, rank: int) -> tuple[str, str]:
        """Return the words of a number's sentence before and after it."""
        number = self.variable.problem.numbers[rank]
        start, end = number.start or 0, number.end or 0
        here = [token for token in self.words.tokens if token.sentence == number.sentence]
        before = " ".join(token.text.lower() for token in here if token.start < start)
        return before, " ".join(token.text.lower() for token in here if token.start >= end)

    def has(self, words: Iterable[str]) -> bool:
        """Return True if the text has one of some words."""
        return not frozenset(words).isdisjoint(self.words.lower)


def _unknown(at: int) -> Quantity:
    return Quantity(Fraction(1), (), at)


# Ages.

_PARENTS = frozenset(split_words("father mother dad mom mum parent papa mama grandfather grandmother grandpa grandma"))
_CHILDREN = frozenset(split_words("son daughter child children kid grandson granddaughter grandchild sons daughters"))
_KIN = re.compile(rf"\b({'|'.join(sorted(_PARENTS | _CHILDREN))})\b")
_GRAND = re.compile(r"\bgrand(?:father|mother|pa|ma|son|daughter|child)")
_AGE = re.compile(r"\bages?\b|\bold\b")
_AGO = frozenset(split_words("ago earlier before back"))
_GENERATION = 14  # years at least between a parent and a child
_MOST_GENERATION = 60


@dataclass(frozen=True, slots=True)
class _Age:
    """The age of a person: an unknown or a number of the text."""

    quantity: Quantity
    side: str  # parent, child or other
    now: bool  # whether it is an unknown, at present


def _side(text: str) -> str:
    found = _KIN.findall(text)
    return "other" if not found else "parent" if found[-1] in _PARENTS else "child"


def _ages(reader: Reader) -> list[_Age]:
    """Return the ages of a text about ages."""
    if not reader.has(AGES):
        return []
    found = [
        _Age(_unknown(at), _side(role), True)
        for at, role in enumerate(reader.roles)
        if _AGE.search(role) and not re.search(r"\bsum\b|\btotal\b|\bdifference\b|\bages\b|\byears\b", role)
    ]
    return found + [
        _Age(reader.number(rank), _side(reader.sentence(rank)[0]), False)
        for rank, around in enumerate(reader.arounds)
        if _is_age(around)
    ]


def _is_age(around: NumberContext) -> bool:
    near = around.near
    if not near or singular(near[0]) in ("year", "yr"):
        return near[1:2] == ("old",) or near[1:3] == ("of", "age")
    told = around.previous in ("is", "was", "am", "are", "age", "aged", "turned") or around.before[-2:] == ("is", "now")
    return told and near[0] in ("and", "but", ".", ",", "his", "her", "now", "when", "while", "today")


def _ages_at_all_times(reader: Reader) -> Iterator[Check]:
    """Keep ages above zero at each time that the text names."""
    rule = "an age below nothing"
    ages = _ages(reader)
    times = [
        reader.number(rank)
        for rank, around in enumerate(reader.arounds)
        if singular(around.near[0] if around.near else "") in ("year", "yr") and _AGO & set(around.near[1:2])
    ]
    for age in ages:
        yield Check(rule, (age.quantity,), least=Fraction(1))
        if age.now:
            for time in times:
                yield from _at_least(reader, rule, (age.quantity, time.times(-1)))
    for at, role in enumerate(reader.roles):
        if re.search(r"\byears (?:ago|before)\b", role):
            for age in ages:
                yield from _at_least(reader, rule, (age.quantity, _unknown(at).times(-1)))


def _at_least(reader: Reader, rule: str, terms: tuple[Quantity, ...]) -> Iterator[Check]:
    """Yield the check that a sum stays above zero; zero if it was that."""
    total = sum([reader.value_of(term) for term in terms], Fraction(0))
    yield Check(rule, terms, least=Fraction(1, 100) if total > 0 else Fraction(0))


def _generations(reader: Reader) -> Iterator[Check]:
    """Keep parents older than their children, by a number of years that is possible."""
    rule = "generations out of order"
    if not reader.has(_PARENTS | _CHILDREN) or not reader.has(AGES | {"born"}):
        return
    gap = _GENERATION * (2 if _GRAND.search(" ".join(reader.words.lower)) else 1)
    most = max(_MOST_GENERATION, 3 * gap)
    for now in (True, False):
        ages = [age for age in _ages(reader) if age.now is now]
        parents, children = ([a for a in ages if a.side == side] for side in ("parent", "child"))
        others = [a for a in ages if a.side == "other"]
        if len(others) == 1:
            parents, children = parents or (others if children else []), children or (others if parents else [])
        if len(parents) == 1:
            for child in children:
                yield from _gap(reader, rule, (parents[0].quantity, child.quantity.times(-1)), gap, most)
    for rank, around in enumerate(reader.arounds):
        before, after = reader.sentence(rank)
        compared = singular(around.near[0] if around.near else "") == "year" and {"older", "younger"} & set(around.near)
        alone = "times" not in after and "twice" not in after
        if (compared and alone and _KIN.search(f"{before} {after}")) or "born" in around.near:
            yield from _gap(reader, rule, (reader.number(rank),), gap, most)


def _gap(reader: Reader, rule: str, terms: tuple[Quantity, ...], gap: int, most: int) -> Iterator[Check]:
    years = sum([reader.value_of(term) for term in terms], Fraction(0))
    if years > 0:
        yield Check(rule, terms, Fraction(gap) if years >= gap else Fraction(1), max(Fraction(most), years))


# Times.

_DURATIONS = frozenset(split_words("hour minute day week"))
_ORDERED_TIMES = frozenset(split_words("later after before earlier head start"))


def _times(reader: Reader) -> Iterator[Check]:
    """Keep the order of durations if one of them is a delay, so that a later departure stays before the arrival."""
    rule = "times out of order"
    found = [
        (rank, UNITS[unit].size, not _ORDERED_TIMES.isdisjoint(around.near[1:3]))
        for rank, around in enumerate(reader.arounds)
        if (unit := _unit_name(around)) in _DURATIONS
    ]
    for place, (one, size, delay) in enumerate(found):
        for other, other_size, other_delay in found[place + 1 :]:
            if size != other_size or not (delay or other_delay) or reader.value(one) == reader.value(other):
                continue
            low, high = sorted((one, other), key=reader.value)
            yield from _at_least(reader, rule, (reader.number(high), reader.number(low).times(-1)))


_UNIT_OF = {word: name for name, unit in UNITS.items() for word in unit.spellings if unit.family in MEASURED}


def _unit_name(around: NumberContext) -> str:
    return _UNIT_OF.get(around.near[0] if around.near else "", "")


# Digits and numbers of digits.

_DIGIT = re.compile(r"(?<![-\w])(?<!two )(?<!three )(?<!four )digit\b")
_FIRST_DIGIT = re.compile(r"\b(?:first|tens|ten's|hundreds|hundred's|left|leftmost)\b")


def _digits(reader: Reader) -> Iterator[Check]:
    """Keep digits whole and at most 9, the first above 0, and the number of digits of a number."""
    rule = "no digit"
    text = " ".join(reader.words.lower)
    for at, role in enumerate(reader.roles):
        value = reader.variable.solution[at]
        if _DIGIT.search(role) and "sum" not in role:
            first = "two" not in text or not _FIRST_DIGIT.search(role)
            yield Check(rule, (_unknown(at),), Fraction(0 if first else 1), Fraction(9), whole=True)
        elif re.search(r"\b(?:two|three|2|3)[- ]digit\b|\bdigits\b", text) and "number" in role and value >= 10:
            least = 10 ** (len(str(int(value))) - 1)
            yield Check(rule, (_unknown(at),), Fraction(least), Fraction(10 * least - 1), whole=True)


# Counts, parts and percentages.

_UNCOUNTED = spellings() | frozenset(
    split_words(
        "amount money cost price value speed rate age sum time length width height distance weight area perimeter "
        "percent percentage interest principal the a an one another first second third his her their my original total "
        "number base angle side worth share salary wage profit charge fee what how"
    )
)


def _is_counted(role: str) -> bool:
    """Return True if a role says that an unknown counts things: the number of dimes, or chickens."""
    words = re.findall(r"[a-z]+", role)
    if words[:1] == ["the"]:
        words = words[1:]
    if words[:2] == ["number", "of"]:
        return words[2:3] != [] and words[2] not in _UNCOUNTED
    return bool(words) and words[0] not in _UNCOUNTED and words[0].endswith("s") and not words[0].endswith("'s")


def _whole_parts(reader: Reader) -> Iterator[Check]:
    """Keep a part of counted things a whole number of them: 30 % of 50 students."""
    variable = reader.variable
    parts = {
        column
        for rank, column in enumerate(variable.columns)
        if column is not None and (reader.arounds[rank].unit == "%" or 0 < reader.value(rank) < 1)
    }
    things = {
        column
        for rank, column in enumerate(variable.columns)
        if column is not None
        and reader.value(rank).denominator == 1
        and (unit := reader.arounds[rank].unit) not in ("", "$", "%")
        and reader.arounds[rank].near[0] not in _UNCOUNTED
        and reader.arounds[rank].near[0] != unit  # a plural
    }
    counted = [_is_counted(role) for role in reader.roles]
    for terms in variable.system.terms:
        for column, _, slots in terms:
            fields = tuple(variable.field_of[slot] for slot in slots)
            unknown = column if column < len(counted) else None
            if not parts.intersection(fields) or not (
                counted[unknown] if unknown is not None else things.intersection(fields)
            ):
                continue
            # The equations of a system have whole coefficients: a percentage is a part only when divided by a hundred.
            scale = Fraction(1, 100 ** sum(variable.fields[position].unit == "%" for position in fields))
            yield Check("a part of a count that is not whole", (Quantity(scale, fields, unknown),), whole=True)


_REST = frozenset(split_words("rest remaining remainder others"))


def _parts(reader: Reader) -> Iterator[Check]:
    """Keep parts below their wholes, percentages below a hundred, and mixtures between the two concentrations."""
    rule = "a part above its whole"
    percentages = [
        rank for rank, around in enumerate(reader.arounds) if around.unit == "%" and reader.value(rank) < 100
    ]
    columns = {reader.variable.columns[rank]: rank for rank in percentages}
    if reader.has(_REST) and len(columns) > 1:
        yield Check(rule, tuple([reader.number(rank) for rank in columns.values()]), most=Fraction(99))
    for rank, around in enumerate(reader.arounds[:-1]):
        if around.after[:2] == ("out", "of") or around.after[:2] == ("of", "the"):
            whole = next(
                (r for r in range(rank + 1, len(reader.arounds)) if reader.arounds[r].previous in ("of", "the")), None
            )
            if whole is not None and reader.value(rank) < reader.value(whole):
                yield from _at_least(reader, rule, (reader.number(whole), reader.number(rank).times(-1)))
    for at, role in enumerate(reader.roles):
        if re.search(r"\bpercent(?:age)?\b|\bconcentration\b|^%", role) and "at" not in role.split():
            shares = [reader.value(rank) for rank in percentages]
            yield Check(rule, (_unknown(at),), Fraction(0), Fraction(100))
            value = reader.variable.solution[at]
            if len(shares) > 1 and min(shares) < value < max(shares):
                low, high = (reader.number(chosen(percentages, key=reader.value)) for chosen in (min, max))
                yield from _at_least(reader, rule, (_unknown(at), low.times(-1)))
                yield from _at_least(reader, rule, (high, _unknown(at).times(-1)))


# Speeds and prices.

_FASTEST: tuple[tuple[int, frozenset[str]], ...] = tuple(
    (most, frozenset(split_words(words)))
    for most, words in (
        (1000, "plane planes airplane airplanes jet jets airliner aircraft rocket fly flies flew flying helicopter"),
        (200, "train trains"),
        (90, "car cars truck trucks bus buses busses van motorcycle motorist drive drives drove driving driver auto"),
        (60, "boat boats ship ships canoe kayak steamer ferry current stream river downstream upstream row rows"),
        (35, "bike bikes bicycle bicycles cyclist cyclists bicyclist biker cycled cycling biked horse"),
        (15, "walk walks walked walking hike hikes hiked hiking hiker jog jogs jogged run runs ran runner skates"),
    )
)
_ON_A_TRIP = 90  # miles an hour, if the text does not say in what
_KILOMETERS = Fraction(8, 5)


def _is_speed(around: NumberContext) -> bool:
    near = around.near
    if near[:1] in (("mph",), ("kph",), ("kmph",), ("kmh",), ("km/h",), ("km/hr",), ("mi/h",), ("mi/hr",), ("m/hr",)):
        return True
    length = UNITS[_unit_name(around)].family == "length" if _unit_name(around) else False
    return length and near[1:2] in (("per",), ("an",), ("/",)) and near[2:3] in (("hour",), ("hr",), ("h",))


def _speeds(reader: Reader) -> Iterator[Check]:
    """Keep speeds possible for those who travel, and their order."""
    rule = "an unlikely speed"
    ranks = [rank for rank, around in enumerate(reader.arounds) if _is_speed(around)]
    limits = [most for most, words in _FASTEST if reader.has(words)]
    metric = any(around.near[:1] and around.near[0].startswith("k") for around in reader.arounds)
    if limits or ranks:
        most = max(limits, default=_ON_A_TRIP) * (_KILOMETERS if metric else 1)
        for rank in ranks:
            yield Check(rule, (reader.number(rank),), most=Fraction(most))
        for at, role in enumerate(reader.roles):
            if re.search(r"\bspeed\b", role) or (ranks and re.search(r"\brate\b", role)):
                yield Check(rule, (_unknown(at),), most=Fraction(most))
    plain = [rank for rank in ranks if not {"faster", "slower", "less", "more"} & set(reader.arounds[rank].near)]
    plain.sort(key=reader.value)
    for low, high in pairwise(plain):
        if reader.value(low) < reader.value(high):
            yield from _at_least(reader, "speeds out of order", (reader.number(high), reader.number(low).times(-1)))


_MOST_TIMES = 5


def _sizes(reader: Reader) -> Iterator[Check]:
    """Keep prices, percentages and speeds within a factor of five."""
    for rank, around in enumerate(reader.arounds):
        value = reader.value(rank)
        if value > 0 and (around.unit in ("$", "%", "cent") or _is_speed(around)):
            yield Check(
                "a number far from the original's", (reader.number(rank),), value / _MOST_TIMES, value * _MOST_TIMES
            )


_RULES: tuple[Callable[[Reader], Iterator[Check]], ...] = (
    _ages_at_all_times, _generations, _times, _digits, _whole_parts, _parts, _speeds, _sizes,
)  # fmt: skip

SAME_ANSWER = "the answer stays the same"
SIGN = "an answer with another sign"
NOT_WHOLE = "an answer that is not whole"


class Consistency:
    """The checks of one problem, with a count of the candidates that each rule refused."""

    def __init__(self, variable: VariableProblem) -> None:
        self._variable = variable
        reader = Reader.of(variable)
        self.checks = tuple(
            dict.fromkeys(
                check for rule in _RULES for check in rule(reader) if check.holds(variable.values, variable.solution)
            )
        )
        self.refused: Counter[str] = Counter()
        self._asked = read_asked(variable.problem)
        self._answer = self._asked_values(variable.values, variable.solution)

    def accepts(self, values: Values, solution: Values) -> bool:
        """Return True if numbers and their solution fit the text; count the rule that refuses them otherwise."""
        why = next((check.rule for check in self.checks if not check.holds(values, solution)), "")
        why = why or self._change(self._asked_values(values, solution))
        self.refused.update([why] if why else [])
        return not why

    def _asked_values(self, values: Values, solution: Values) -> list[Fraction] | None:
        """Return what is asked for, all unknowns if that is not decided; None if it divides by zero."""
        if not self._asked:
            return list(solution)
        numbers = self._variable.number_values(tuple(values))
        forms = [expression.form(numbers) for expression in self._asked]
        return None if None in forms else [value_at(form, solution) for form in forms if form is not None]

    def _change(self, answer: list[Fraction] | None) -> str:
        if answer is None or self._answer is None:
            return SIGN
        if sorted(answer) == sorted(self._answer):
            return SAME_ANSWER
        places = max(self._variable.places, default=0)
        moved = any((new > 0) != (old > 0) for new, old in zip(answer, self._answer, strict=True) if old)
        parted = any(
            new.denominator > 1 and decimals_of(new) > places
            for new, old in zip(answer, self._answer, strict=True)
            if old.denominator == 1
        )
        return SIGN if moved else NOT_WHOLE if parted else ""
