"""The question: does an answer give what is asked for, correctly.

Gold's solutions are looked for among the numbers that the answer gives as its result, exactly or rounded to the places
that are written. If all are there the answer is right. A question may ask for fewer than gold lists: then those that
are there suffice, unless the answer states another value for one of gold's quantities. It may ask for something that
gold's numbers give, as the number 63 for the digits 6 and 3. Where the row says what is asked for (`asked`), that must
be there, all of it. Where it does not, an answer with gold's derivation and without a slip
is right if a result of its own, consistent with its set-up, stands at its end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.answers.finals import Final
from draw_dataset.answers.setup import Worked
from draw_dataset.core.quantities import Agreement
from draw_dataset.core.quantities.agreement import UNITS


def is_value(final: Final, wanted: Fraction) -> bool:
    """Say whether a number of an answer is a value, exactly or rounded to the places that are written."""
    for shown in (final.value, final.value / 100) if final.percent else (final.value,):
        off = abs(shown - wanted)
        if not off or off <= abs(wanted) / 1000:
            return True
        unit = Fraction(1, 10**final.places)
        if final.places and off <= unit / 2 and abs(wanted) > unit:
            return True
        # Cut off, or rounded from what was rounded before.
        if final.places > 1 and off <= unit:
            return True
        # People and coins are counted: 36.92 stamps are 37.
        if not final.places and wanted.denominator > 1 and abs(wanted) >= 10 and off < 1:
            return True
    return False


def solution_is_right(
    solutions: Sequence[Fraction],
    setup: Worked,
    agreement: Agreement,
    finals: Sequence[Final],
    stated: Sequence[Final],
    question: str,
    asked: Sequence[Fraction] = (),
) -> bool:
    """Say whether the result of an answer is right.

    Args:
        solutions: gold's solutions.
        setup: what the answer sets up.
        agreement: what of gold's derivation it has.
        finals: the numbers it gives as its result.
        stated: the values that it states of its unknowns.
        question: the text of the problem.
        asked: the values that the question asks for, where that is known; then these decide.
    """
    given = [*finals, *stated]
    if asked:
        return _gives(asked, solutions, setup, finals, given) or (
            agreement.complete
            and not setup.slips
            and any(_gives([wanted * scale for wanted in asked], (), setup, finals, finals) for scale in UNITS)
        )
    there = [any(is_value(final, wanted) for final in finals) for wanted in solutions]
    if all(there):
        return True
    anywhere = [any(is_value(final, wanted) for final in given) for wanted in solutions]
    if all(anywhere) and any(there):
        return True
    if _contradicts(solutions, setup, agreement):
        return False
    if any(there) and (agreement.matches or asks_for_one(question)):
        return not setup.slips or agreement.complete or asks_for_one(question)
    if not agreement.complete or setup.slips:
        return False
    for wanted in solutions:
        for scale in UNITS:
            if any(is_value(final, wanted * scale) for final in finals):
                return True
    return any(is_value(final, value) for final in finals for value in set(setup.values.values()))


def _gives(
    wanted: Sequence[Fraction],
    solutions: Sequence[Fraction],
    setup: Worked,
    finals: Sequence[Final],
    given: Sequence[Final],
) -> bool:
    """Say whether an answer comes to all values: at its end, or on the way if it ends in one of them or of gold's."""
    left = [value for value in wanted if not any(is_value(final, value) for final in finals)]
    if not left:
        return True
    if not any(is_value(final, value) for final in finals for value in (*wanted, *solutions)):
        return False
    results = {abs(result.stated.amount) for result in setup.results}
    return all(any(is_value(final, value) for final in given) or abs(value) in results for value in left)


_SEVERAL = re.compile(
    r"\b(?:each|both|numbers|integers|ages|dimensions|angles|respectively|amounts|values|rates|speeds|prices|costs|digits"
    r"|what are|how many .{1,60}\band\b|find .{1,60}\band\b|what (?:is|was) .{1,60}\band\b)\b",
    re.IGNORECASE,
)


def asks_for_one(question: str) -> bool:
    """Say whether the last question of a text asks for one thing only.

    >>> asks_for_one("A sum is 20 . How many dimes are there ?"), asks_for_one("Find the two numbers .")
    (True, False)
    """
    sentences = [sentence for sentence in re.split(r"(?<=[.?!])\s+", question.strip()) if len(sentence) > 3]
    asked = [sentence for sentence in sentences if sentence.rstrip().endswith("?")] or sentences[-1:]
    return len(asked) == 1 and _SEVERAL.search(asked[-1]) is None


def _contradicts(solutions: Sequence[Fraction], setup: Worked, agreement: Agreement) -> bool:
    """Say whether the answer states another value for one of gold's quantities."""
    for match in agreement.matches:
        if match.node[0] == "name" and match.node[1] in setup.stated:
            wanted = solutions[match.unknown] * match.scale if match.unknown < len(solutions) else None
            last = setup.stated[match.node[1]][-1][0]
            if wanted is not None and abs(last - wanted) > max(abs(wanted) / 100, Fraction(1, 100)):
                return True
    return False
