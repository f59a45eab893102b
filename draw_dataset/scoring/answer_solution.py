"""The solution of an answer: does it give what the question asks for, correctly.

The gold solutions are searched among the numbers that the answer gives as its result, exactly or rounded to the written
places. If all are there, the answer is right. A question may ask for fewer than gold lists. Then those that are there
suffice, unless the answer states another value for a gold quantity, or marks as its result a list as long as gold's
with a wrong number in it. A question may also ask for something that follows from the gold numbers, such as the number
63 for the digits 6 and 3. If the row says what is asked for (`asked`), all of that must be there. If it does not, an
answer with the gold derivation and without a slip is right if it ends in a result of its own that is consistent with
its set-up.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from draw_dataset.answers.finals import Final
from draw_dataset.answers.setup import Worked
from draw_dataset.core.exact import is_rounded
from draw_dataset.core.quantities import Agreement
from draw_dataset.core.quantities.points import UNITS
from draw_dataset.text.units import conversion, unit_named


@dataclass(frozen=True, slots=True)
class Results:
    """The numbers that an answer gives as its result, and the rule by which they are compared with values.

    A number is a value exactly, rounded to the digits that are written (`is_rounded`), or within the tolerance.

    Attributes:
        finals: the numbers.
        tolerance: the largest difference from a value, relative to the value if that is larger than one.
        mentions: all numbers of the answer, with the words beside them.
        units: the units that the answer names.
        asked: the units that the question names.
    """

    finals: Sequence[Final]
    tolerance: Fraction
    mentions: Sequence[Final]
    units: frozenset[str]
    asked: frozenset[str]

    def has(self, wanted: Fraction) -> bool:
        """Decide whether a value is among the numbers."""
        return any(is_value(final, wanted, self.tolerance) for final in self.finals)

    def has_all(self, wanted: Sequence[Fraction], stated: Sequence[Final] = ()) -> bool:
        """Decide whether all values are among the numbers, or, if one is, among them and the values stated before."""
        there = [self.has(value) for value in wanted]
        if all(there):
            return True
        before = [any(is_value(final, value, self.tolerance) for final in stated) for value in wanted]
        return any(there) and all(a or b for a, b in zip(there, before, strict=True))

    def names_unit(self, scale: Fraction, value: Fraction, beside: bool = False) -> bool:
        """Decide whether the answer names a unit in which a quantity of the question is so many times its value.

        The unit must stand beside the number, here or where the answer mentions it before, if any unit does: 21 weeks
        are not 3 weeks. If none does, it may be named anywhere in the answer.

        Args:
            scale: the factor between the units.
            value: the quantity in the unit of the answer.
            beside: whether it must stand beside the number.
        """
        if scale == _MILLION:
            return any("million" in final.unit[:1] for final in self.finals)
        # A price may have no sign, and a part of a whole no name.
        asked = self.asked | _UNNAMED
        counted: set[str] = set()
        per: set[str] = set()
        for numbers in (self.finals, () if beside else self.mentions):
            there = [f for f in numbers if abs(f.value) == abs(value) or is_value(f, value, self.tolerance)]
            counted = {unit for final in there for unit in _counted(final, value)}
            per = {unit for final in there for unit in _per(final)}
            if counted or per:
                break
        if not counted and not per and not beside:
            counted = per = set(self.units)
            if (counted | self.asked) & _PERCENT:
                counted |= {"fraction", "%"}
        return any(
            (own in counted and conversion(unit, own) == scale) or (own in per and conversion(own, unit) == scale)
            for own in counted | per
            for unit in asked
        )


_UNNAMED = frozenset({"fraction", "one", "dollar", "cent"})
_PERCENT = frozenset({"%", "percent", "percentage"})
_MILLION = Fraction(10**6)


def _counted(final: Final, value: Fraction) -> list[str]:
    """Return the unit that a number counts, where it stands for a value: 25 % may stand for 25, and for a quarter."""
    if final.percent:
        return ["%" if abs(final.value) == abs(value) else "fraction"]
    words = [word for word in final.unit if word not in ("of", "a", "an", "more")][:1]
    return [unit for word in words if (unit := unit_named(word)) is not None]


def _per(final: Final) -> list[str]:
    """Return the unit that a rate is for: an hour in 8 miles per hour."""
    words = final.unit
    found = [after for before, after in pairwise(words) if before in ("per", "each", "every")]
    if words[:1] and words[0] in ("mph", "kph", "kmh"):
        found.append("hour")
    return [unit for word in found if (unit := unit_named(word)) is not None]


def is_value(final: Final, wanted: Fraction, tolerance: Fraction) -> bool:
    """Decide whether a number of an answer is a value: exactly, within the tolerance, or rounded as it is written."""
    if _is_value(final.value, wanted, final.step, tolerance):
        return True
    return final.percent and _is_value(final.value / 100, wanted, final.step / 100, tolerance)


def _is_value(shown: Fraction, wanted: Fraction, step: Fraction, tolerance: Fraction) -> bool:
    off = abs(shown - wanted)
    return not off or off <= tolerance * max(abs(wanted), _ONE) or is_rounded(wanted, shown, step)


_ONE = Fraction(1)


def solution_is_right(
    solutions: Sequence[Fraction],
    setup: Worked,
    agreement: Agreement,
    results: Results,
    stated: Sequence[Final],
    question: str,
    given: Collection[Fraction],
    exact: bool,
) -> bool:
    """Say whether the result of an answer is right.

    Args:
        solutions: the gold solutions.
        setup: the set-up of the answer.
        agreement: how much of the gold derivation it has.
        results: the numbers that it gives as its result.
        stated: the values that it states for its unknowns.
        question: the text of the problem.
        given: the numbers of the text, which are not what is asked for.
        exact: whether gold is what the question asks for, and nothing that follows from it.
    """
    there = [results.has(wanted) for wanted in solutions]
    if results.has_all(solutions, stated):
        return True
    if len(solutions) == 2 and _DIGITS.search(question):
        # A single digit is not the number that is asked for.
        first, second = solutions
        return results.has(10 * first + second) or results.has(10 * second + first)
    if _contradicts(solutions, setup, agreement) or _is_list_of_others(there, results.finals, question):
        return False
    if any(there) and (agreement.matches or asks_for_one(question)):
        return not setup.slips or agreement.complete or asks_for_one(question)
    if len(solutions) == 1 and _in_another_unit(solutions, results, beside=True):
        return True
    if not agreement.complete or (setup.slips and not _is_healed(setup, results.finals)):
        return False
    found = replace(results, finals=[final for final in results.finals if final.value not in given])
    if any(_in_another_unit([wanted], found) for wanted in solutions) or _ASKS_FOR_EQUATIONS.search(question):
        return True
    return not exact and any(map(found.has, set(setup.values.values()).difference(given)))


def _in_another_unit(wanted: Sequence[Fraction], results: Results, beside: bool = False) -> bool:
    """Decide whether the answer gives all values in another unit and names it; beside the number, if that is asked."""
    return any(
        results.has_all([value * scale for value in wanted])
        and all(results.names_unit(scale, value * scale, beside) for value in wanted)
        for scale in (*UNITS, _MILLION)
    )


def gives_what_is_asked(
    asked: Sequence[Fraction],
    solutions: Sequence[Fraction],
    setup: Worked,
    agreement: Agreement,
    results: Results,
    stated: Sequence[Final],
) -> bool:
    """Say whether an answer gives all that the question asks for, if the row says what that is.

    All values must be among the numbers of its result; or on the way there, if it ends in one of them or in a gold
    value; or in another unit, if it has the gold derivation and no slip.

    Args:
        asked: the values that are asked for.
        solutions: the gold solutions.
        setup: the set-up of the answer.
        agreement: how much of the gold derivation it has.
        results: the numbers that it gives as its result.
        stated: the values that it states for its unknowns.
    """
    left = [value for value in asked if not results.has(value)]
    if not left:
        return True
    if any(map(results.has, (*asked, *solutions))):
        before = replace(results, finals=stated)
        calculated = {abs(result.stated.amount) for result in setup.results}
        if all(before.has(value) or abs(value) in calculated for value in left):
            return True
    return agreement.complete and not setup.slips and _in_another_unit(asked, results)


def _is_list_of_others(there: Sequence[bool], finals: Sequence[Final], question: str) -> bool:
    """Say whether a marked result has as many numbers as gold and other values: ``Answer: 36, 85``."""
    marked = len({final.value for final in finals if final.marked})
    return len(there) > 1 and marked == len(there) and any(there) and not all(there) and not asks_for_one(question)


def _is_healed(setup: Worked, finals: Sequence[Final]) -> bool:
    """Say whether a slip did no harm: nothing is set up after it, it is not the result, and values are right."""
    if {slip.got for slip in setup.slips} & {final.value for final in finals}:
        return False
    first = min(slip.at for slip in setup.slips)
    if not setup.fits or any(at > first for _, _, at in setup.equations):
        return False
    known = [(setup.known[name], values[-1][0]) for name, values in setup.stated.items() if name in setup.known]
    return all(is_rounded(value, stated) for value, stated in known)


_DIGITS = re.compile(r"\b(?:two|2)[- ]digit\b|\bdigits\b", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\b(?:each|both|numbers|integers|ages|dimensions|angles|respectively|amounts|values|rates|speeds|prices|costs|digits"
    r"|what are|how many .{1,60}\band\b|find .{1,60}\band\b|what (?:is|was) .{1,60}\band\b)\b",
    re.IGNORECASE,
)


_ASKS_FOR_EQUATIONS = re.compile(
    r"\b(?:write|set up|form|give|which)\b[^.?!]{0,60}\b(?:equations?|systems?)\b", re.IGNORECASE
)
"""Matches a question that asks for the equations and not for their solution."""


def asks_for_one(question: str) -> bool:
    """Say whether the last question of a text asks for one thing only.

    >>> asks_for_one("A sum is 20 . How many dimes are there ?"), asks_for_one("Find the two numbers .")
    (True, False)
    """
    sentences = [sentence for sentence in re.split(r"(?<=[.?!])\s+", question.strip()) if len(sentence) > 3]
    asked = [sentence for sentence in sentences if sentence.rstrip().endswith("?")] or sentences[-1:]
    return len(asked) == 1 and _SEVERAL.search(asked[-1]) is None


def _contradicts(solutions: Sequence[Fraction], setup: Worked, agreement: Agreement) -> bool:
    """Say whether the answer states another value for a gold quantity."""
    for match in agreement.matches:
        if match.node[0] == "name" and match.node[1] in setup.stated:
            wanted = solutions[match.unknown] * match.scale if match.unknown < len(solutions) else None
            last = setup.stated[match.node[1]][-1][0]
            if wanted is not None and not is_rounded(wanted, last):
                return True
    return False
