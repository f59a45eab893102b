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
from fractions import Fraction

from draw_dataset.answers.finals import Final
from draw_dataset.answers.setup import Worked
from draw_dataset.core.quantities import Agreement
from draw_dataset.core.quantities.points import UNITS

_MILLION = Fraction(10**6)


def is_value(final: Final, wanted: Fraction) -> bool:
    """Say whether a number of an answer equals a value, exactly or rounded to the written places."""
    if _is_value(final.value, wanted, final.places):
        return True
    return final.percent and _is_value(final.value / 100, wanted, final.places)


def _is_value(shown: Fraction, wanted: Fraction, places: int) -> bool:
    # It is asked of every number and every value, so nothing but whole numbers is computed with: all are multiplied by
    # the denominators of both.
    above, below = wanted.as_integer_ratio()
    shown_above, shown_below = shown.as_integer_ratio()
    both = below * shown_below
    off, size = abs(shown_above * below - above * shown_below), abs(above) * shown_below
    if off * 1000 <= size:
        return True
    unit = 10**places
    if places:
        if 2 * off * unit <= both and size * unit > both:
            return True
        # Truncated, or rounded twice.
        return places > 1 and off * unit <= both
    # People and coins are counted: 36.92 stamps are 37, and 36 full ones.
    if abs(above - round(wanted) * below) * 50 <= below:
        return False
    return (size >= 10 * both and off < both) or (size >= 4 * both and 4 * off <= both)


def solution_is_right(
    solutions: Sequence[Fraction],
    setup: Worked,
    agreement: Agreement,
    finals: Sequence[Final],
    stated: Sequence[Final],
    question: str,
    given: Collection[Fraction] = (),
) -> bool:
    """Say whether the result of an answer is right.

    Args:
        solutions: the gold solutions.
        setup: the set-up of the answer.
        agreement: how much of the gold derivation it has.
        finals: the numbers that it gives as its result.
        stated: the values that it states for its unknowns.
        question: the text of the problem.
        given: the numbers of the text, which are not what is asked for.
    """
    there = [any(is_value(final, wanted) for final in finals) for wanted in solutions]
    if all_are_given(solutions, finals, stated):
        return True
    if len(solutions) == 2 and _DIGITS.search(question):
        # A single digit is not the number that is asked for.
        first, second = solutions
        return all_are_given([10 * first + second], finals, ()) or all_are_given([10 * second + first], finals, ())
    if _contradicts(solutions, setup, agreement) or _is_list_of_others(there, finals, question):
        return False
    if any(there) and (agreement.matches or asks_for_one(question)):
        return not setup.slips or agreement.complete or asks_for_one(question)
    if not agreement.complete or (setup.slips and not _is_healed(setup, finals)):
        return False
    found = [final for final in finals if final.value not in given]
    for wanted in solutions:
        for scale in (*UNITS, _MILLION):
            if any(is_value(final, wanted * scale) for final in found):
                return True
    if _ASKS_FOR_EQUATIONS.search(question):
        return True
    others = set(setup.values.values()).difference(given)
    return any(is_value(final, value) for final in found for value in others)


def gives_what_is_asked(
    asked: Sequence[Fraction],
    solutions: Sequence[Fraction],
    setup: Worked,
    agreement: Agreement,
    finals: Sequence[Final],
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
        finals: the numbers that it gives as its result.
        stated: the values that it states for its unknowns.
    """
    left = [value for value in asked if not any(is_value(final, value) for final in finals)]
    if not left:
        return True
    if any(is_value(final, value) for final in finals for value in (*asked, *solutions)):
        results = {abs(result.stated.amount) for result in setup.results}
        if all(any(is_value(final, value) for final in stated) or abs(value) in results for value in left):
            return True
    if not agreement.complete or setup.slips:
        return False
    scales = (*UNITS, _MILLION)
    return any(all_are_given([value * scale for value in asked], finals, ()) for scale in scales)


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
    return all(abs(value - stated) <= abs(value) / 500 for value, stated in known)


def all_are_given(wanted: Sequence[Fraction], finals: Sequence[Final], stated: Sequence[Final]) -> bool:
    """Say whether all values are among the numbers of a result, or among those and values stated before.

    Args:
        wanted: the values.
        finals: the numbers that an answer gives as its result; at least one of the values must be there.
        stated: the values that it states for its unknowns.
    """
    there = [any(is_value(final, value) for final in finals) for value in wanted]
    if all(there):
        return True
    before = [any(is_value(final, value) for final in stated) for value in wanted]
    return any(there) and all(a or b for a, b in zip(there, before, strict=True))


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
            if wanted is not None and abs(last - wanted) > max(abs(wanted) / 100, Fraction(1, 100)):
                return True
    return False
