"""Annotations that do not fit the text of a problem: numbers, values and Equiv groups.

Each function looks for one kind of defect in one problem and returns its message, or None.
"""

from __future__ import annotations

from fractions import Fraction

from draw_dataset.core.alignment import Place, TextNumber
from draw_dataset.core.exact import exact, is_stored
from draw_dataset.core.problem import Problem
from draw_dataset.errors import RowError
from draw_dataset.text import locate_numbers
from draw_dataset.text.numbers import find_numbers
from draw_dataset.text.rules import number_words_of


def number_missed(problem: Problem) -> str | None:
    """Find aligned tokens that the rules for numbers do not see."""
    found = {(n.sentence, n.token) for n in find_numbers(problem.question, number_words_of(problem))}
    missed = [a for a in problem.alignment if (a.sentence, a.token) not in found]
    if not missed:
        return None
    return "expected numbers that the rules find, but got " + ", ".join(
        f"slot {a.slot} at {_where((a.sentence, a.token))}" for a in missed
    )


def value_mismatch(problem: Problem) -> str | None:
    """Find annotated values that do not stand on their tokens."""
    try:
        numbers, _ = locate_numbers(
            problem.question,
            {(a.sentence, a.token): exact(a.value) for a in problem.alignment},
            number_words_of(problem),
        )
    except RowError as error:
        return str(error)
    value_at = {number.place: number.value for number in numbers}
    for a in problem.alignment:
        value = value_at[a.sentence, a.token]
        if value is not None and not is_stored(a.value, value):
            return f"slot {a.slot}: expected {value}, the value at {_where((a.sentence, a.token))}, but got {a.value}"
    return None


def equiv_token(problem: Problem) -> str | None:
    """Find members of Equiv groups that are not numbers, or have another value than their group.

    The value of a group is that of its aligned number; of its first number if none is aligned.
    """
    # Broad, because an annotator may call an article the same as an aligned number.
    known: dict[Place, Fraction | None] = {
        (n.sentence, n.token): n.value for n in find_numbers(problem.question, "broad")
    }
    known |= {number.place: number.value for number in problem.numbers}
    aligned = {(a.sentence, a.token) for a in problem.alignment}
    for group in problem.equiv_tnum:
        for member in group:
            if member.place not in known:
                return f"there is no number at {_where(member.place)}"
        leading = sorted(group, key=lambda member: member.place not in aligned)
        wanted = known[leading[0].place] if leading else None
        for member in group:
            message = _other_value(member, known[member.place], wanted)
            if message:
                return message
    return None


def _other_value(member: TextNumber, value: Fraction | None, wanted: Fraction | None) -> str | None:
    for got in (value, member.value):
        if got is not None and wanted is not None and not is_stored(got, wanted):
            return f"expected the value {wanted} of the group, but got {got} at {_where(member.place)}"
    return None


def equiv_joins_slots(problem: Problem) -> str | None:
    """Find Equiv groups that hold the numbers of two slots."""
    slot_at: dict[Place, str] = {(a.sentence, a.token): a.slot for a in problem.alignment}
    for group in problem.equiv_tnum:
        joined = [slot_at[member.place] for member in group if member.place in slot_at]
        if len(joined) > 1:
            return f"expected a group with the number of one slot, but got those of {', '.join(sorted(joined))}"
    return None


def _where(place: Place) -> str:
    return f"sentence {place[0]}, token {place[1]}"
