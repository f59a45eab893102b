"""Units of gold's equations: can the equations hold for quantities with units (distance times speed is never a time).

Each number of the text has the unit that its neighbouring words say, if they say one: hours, miles, miles per hour,
dollars a pound. All terms of an equation must have the same unit. The units of the unknowns, and of numbers without a
stated unit, are free. For each base unit they are the solution of a linear system in exponents. If it has no solution,
the equations do not fit the units.

Hours and minutes, dollars and cents are different units as long as the equations convert nothing. If the equations have
a constant such as 60 or 0.01, the two count as one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from draw_dataset.core.problem import Problem

Unit = dict[str, int]
"""Base units with their exponents."""

_WORDS: dict[str, tuple[str, str]] = {}
for _kind, _unit, _names in (
    ("time", "hour", "hour hours hr hrs h"),
    ("time", "minute", "minute minutes min mins"),
    ("time", "second", "second seconds sec s"),
    ("time", "day", "day days"),
    ("time", "week", "week weeks"),
    ("time", "month", "month months"),
    ("length", "mile", "mile miles mi"),
    ("length", "kilometre", "km kilometer kilometers kilometre kilometres kms"),
    ("length", "metre", "meter meters metre metres m"),
    ("length", "foot", "foot feet ft"),
    ("length", "inch", "inch inches in."),
    ("length", "centimetre", "cm centimeter centimeters"),
    ("money", "dollar", "dollar dollars"),
    ("money", "cent", "cent cents"),
    ("weight", "pound", "pound pounds lb lbs lb. lbs."),
    ("weight", "ounce", "ounce ounces oz"),
    ("weight", "kilogram", "kg kilogram kilograms kgs"),
    ("weight", "gram", "gram grams g"),
    ("volume", "litre", "liter liters litre litres l"),
    ("volume", "millilitre", "ml milliliter milliliters mls"),
    ("volume", "gallon", "gallon gallons gal"),
    ("volume", "quart", "quart quarts"),
    ("volume", "pint", "pint pints"),
):
    for _name in _names.split():
        _WORDS[_name] = (_kind, _unit)

_SPEEDS = {
    "mph": ("mile", "hour"), "mi/h": ("mile", "hour"), "miles/hour": ("mile", "hour"), "mi/hr": ("mile", "hour"),
    "km/h": ("kilometre", "hour"), "km/hr": ("kilometre", "hour"), "kph": ("kilometre", "hour"),
    "kmph": ("kilometre", "hour"), "m/s": ("metre", "second"), "ft/s": ("foot", "second"),
    "m.p.h": ("mile", "hour"), "mph.": ("mile", "hour"), "m/min": ("metre", "minute"), "k/m": ("kilometre", "?"),
}  # fmt: skip
_KIND_OF = {unit: kind for kind, unit in _WORDS.values()}
_PER = frozenset(("per", "a", "an", "each", "every", "/"))
_WORD = re.compile(r"[A-Za-z/.%$]+")
_PLAIN = frozenset(("times", "of"))
_PERCENT = frozenset(("%", "percent"))
_FASTER = re.compile(r"[^.,;?]{0,25}\b(?:faster|slower|more per|less per|more|less|quicker)\b", re.IGNORECASE)


def dimension_mismatch(problem: Problem) -> str | None:
    """Find equations whose terms cannot all have one unit."""
    derivation = problem.derivation
    system = derivation.template.system
    numbers = derivation.alignment.in_slots(derivation.template.slots)
    units = [unit_of(problem.question, number.start, number.end) for number in numbers]
    if sum(bool(unit) for unit in units) < 2:
        return None
    converts = any(len({abs(Fraction(coefficient)) for _, coefficient, _ in terms}) > 1 for terms in system.terms)
    if converts:
        units = [None if unit is None else _by_kind(unit) for unit in units]
    if any(unit and _is_price(unit) for unit in units):
        # "3 and 4 dollars a pound": a sum of money next to a price may be a price, too.
        units = [None if unit in ({"dollar": 1}, {"cent": 1}, {"money": 1}) else unit for unit in units]
    found: list[dict[str, Fraction]] = [{} for _ in range(system.unknown_count)]
    for base in sorted({name for unit in units if unit for name in unit}):
        exponents = _exponents(system.terms, units, base, system.unknown_count)
        if exponents is None:
            return f"expected terms of the same unit, but the units differ in {base}"
        for unknown, exponent in zip(found, exponents, strict=True):
            if exponent:
                unknown[base] = exponent
    for unknown, name in zip(found, derivation.template.unknowns, strict=True):
        kinds = [_KIND_OF.get(base, base) for base in unknown]
        mixed = sorted(base for base in unknown if kinds.count(_KIND_OF.get(base, base)) > 1)
        if mixed:
            return f"expected an unknown in one unit, but {name} has {' and '.join(mixed)}"
    return None


def unit_of(text: str, start: int | None, end: int | None) -> Unit | None:
    """Return the unit of a number by its neighbouring words; None if they do not say.

    >>> unit_of("at 40 miles per hour for $ 3 a pound", 3, 5)
    {'mile': 1, 'hour': -1}
    >>> unit_of("at 40 miles per hour for $ 3 a pound", 27, 28)
    {'dollar': 1, 'pound': -1}
    """
    if start is None or end is None:
        return None
    words = [w.lower() for w in _WORD.findall(text[end : end + 60].split(" , ")[0])][:5]
    unit: Unit = {}
    if _FASTER.match(text, end) and not (words and words[0] in _PERCENT):
        return None  # 5 miles faster: of what it is a difference is not said
    if text[:start].rstrip().endswith("$"):
        unit["dollar"] = 1
    elif words and words[0] in _SPEEDS:
        above, below = _SPEEDS[words[0]]
        return {above: 1} if below == "?" else {above: 1, below: -1}
    elif words and words[0] in _WORDS:
        unit[_WORDS[words[0]][1]] = 1
        words = words[1:]
    elif words and words[0] in _PERCENT:
        return {"percent": 1}
    elif words and words[0] in _PLAIN:
        return {}
    else:
        return None
    if len(words) > 1 and words[0] in _PER and words[1] in _WORDS:
        below = _WORDS[words[1]][1]
        unit[below] = unit.get(below, 0) - 1
    elif words and words[0] in ("per", "each", "apiece", "every", "for", "a", "an"):
        return None  # per something that is no unit of ours
    return unit


def _is_price(unit: Mapping[str, int]) -> bool:
    return any(unit.get(name) == 1 for name in ("dollar", "cent", "money")) and len(unit) > 1


def _by_kind(unit: Mapping[str, int]) -> Unit:
    found: Unit = {}
    for name, exponent in unit.items():
        if name == "percent":
            continue  # 0.01 is what converts it
        kind = _KIND_OF[name]
        found[kind] = found.get(kind, 0) + exponent
    return found


def _exponents(
    equations: Sequence[Sequence[tuple[int, int, Sequence[int]]]],
    units: Sequence[Unit | None],
    base: str,
    unknown_count: int,
) -> list[Fraction | None] | None:
    """Return the exponent of one base unit in each unknown, None where it may be any; None if there are none."""
    free = {slot: unknown_count + n for n, slot in enumerate(s for s, unit in enumerate(units) if unit is None)}
    width = unknown_count + len(free)
    rows: list[list[Fraction]] = []
    for terms in equations:
        exponents: list[list[Fraction]] = []
        for column, _, slots in terms:
            if column >= unknown_count and not slots:
                continue  # a constant has whatever unit it needs
            row = [Fraction(0)] * (width + 1)
            if column < unknown_count:
                row[column] += 1
            for slot in slots:
                unit = units[slot]
                if unit is None:
                    row[free[slot]] += 1
                else:
                    row[-1] -= unit.get(base, 0)
            exponents.append(row)
        rows += [[a - b for a, b in zip(exponents[0], row, strict=True)] for row in exponents[1:]]
    solved = _reduced(rows, width)
    if any(row[-1] and not any(row[:-1]) for row in solved):
        return None
    known: dict[int, Fraction] = {}
    for row in solved:
        columns = [column for column in range(width) if row[column]]
        if len(columns) == 1:
            known[columns[0]] = row[-1] / row[columns[0]]
    return [known.get(column) for column in range(unknown_count)]


def _reduced(rows: Sequence[list[Fraction]], width: int) -> list[list[Fraction]]:
    """Return a linear system by Gauss and Jordan; the last entry of a row is its right side."""
    left = [row[:] for row in rows]
    done: list[list[Fraction]] = []
    for column in range(width):
        pivot = next((row for row in left if row[column]), None)
        if pivot is None:
            continue
        left.remove(pivot)
        left, done = ([_less(row, pivot, column) for row in part] for part in (left, done))
        done.append(pivot)
    return done + left


def _less(row: list[Fraction], pivot: list[Fraction], column: int) -> list[Fraction]:
    factor = row[column] / pivot[column]
    return [a - b * factor for a, b in zip(row, pivot, strict=True)] if factor else row
