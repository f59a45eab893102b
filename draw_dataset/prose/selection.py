"""Selection: which statements, taken in order, determine their unknowns, and which of those are needed.

Statements are taken one by one, each if those taken do not imply it (exact elimination), until the unknowns of a
connected group are determined. After that a statement is taken only if it adds one unknown and a number of the question
that is not used yet. A statement whose unknown occurs nowhere else, and whose numbers the others use, is dropped again.
The taken statements do not imply each other, so they determine their unknowns as soon as there are as many statements
as unknowns: counting is enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from fractions import Fraction

from draw_dataset.prose.coverage import Coverage
from draw_dataset.prose.linear import Elimination, residual
from draw_dataset.prose.statements import Kind, Statement

Coverages = Mapping[int, Coverage]
"""The coverage of each statement, by its identity: equal statements may stand in several lines."""

MAX_TAKEN = 20
"""Among how many statements a group is searched; a word problem has few unknowns."""

ROUNDING = Fraction(1, 200)
"""Relative difference up to which a later step agrees: tutors round on the way."""


class Refusal(StrEnum):
    """Why an explanation gives no equations."""

    NO_EXPLANATION = "no explanation"
    NO_EQUATION = "no equation was found"
    ONLY_ANSWER = "only the answer is given"
    NOT_LINEAR = "an equation is not linear"
    CONTRADICTION = "statements contradict each other"
    UNITS = "units of different size are mixed in one equation"
    NUMBERS = "numbers of the equations are not in the question"
    UNDETERMINED = "the equations do not determine their unknowns"
    DOUBTFUL = "an equation could be read in more than one way and nothing confirms the reading"


def strangers(coverage: Coverage) -> int:
    """Return how many literals the question does not have as they are."""
    return len(coverage.missing) + len(coverage.derived)


def determined(
    order: Sequence[Statement], coverage: Coverages, usable: Sequence[Statement]
) -> list[Statement] | Refusal:
    """Return the first group of statements that determines its unknowns, extended by what brings new numbers."""
    taken: list[Statement] = []
    elimination = Elimination()
    group: list[Statement] = []
    for statement in order:
        if statement.linear is None:
            continue
        rest, constant = elimination.reduce(statement.linear)
        if not rest:
            if constant and not statement.doubt and not nearly_holds(statement, elimination.values()):
                return Refusal.CONTRADICTION
        elif not group:
            if statement.doubt and _refuted(statement, usable):
                continue
            taken.append(statement)
            elimination.add(statement.linear)
            group = _group(taken)
            if not group and len(taken) == MAX_TAKEN:
                break
        elif _extends(statement, group, coverage):
            elimination.add(statement.linear)
            group = [*group, statement]
    return group


def _extends(statement: Statement, group: Sequence[Statement], coverage: Coverages) -> bool:
    """Say whether a certain statement determines one more unknown by a number of the question not used so far."""
    if statement.linear is None or statement.doubt or statement.kind is not Kind.EQUATION:
        return False
    known = {name for s in group if s.linear for name in s.linear.coefficients}
    used = frozenset().union(*(coverage[id(s)].covered for s in group))
    entry = coverage[id(statement)]
    return len(statement.linear.coefficients.keys() - known) == 1 and not entry.missing and bool(entry.covered - used)


def _refuted(statement: Statement, usable: Sequence[Statement]) -> bool:
    """Say whether a doubtful statement in one unknown disagrees with a certain one about it."""
    if statement.linear is None or len(statement.linear.coefficients) != 1:
        return False
    values = Elimination([statement.linear]).values()
    return any(
        not s.doubt and is_about(s, values) and not nearly_holds(s, values) for s in usable if s is not statement
    )


def _group(statements: Sequence[Statement]) -> list[Statement]:
    """Return the connected statements around the last one, if they determine all their unknowns."""
    group, others = [statements[-1]], list(statements[:-1])
    names = set(group[0].linear.coefficients) if group[0].linear else set()
    grew = True
    while grew:
        grew = False
        for statement in list(others):
            if statement.linear and names & statement.linear.coefficients.keys():
                group.append(statement)
                others.remove(statement)
                names |= statement.linear.coefficients.keys()
                grew = True
    return group if len(group) == len(names) else []


def smallest(chosen: list[Statement], coverage: Coverages) -> list[Statement]:
    """Drop statements whose unknown occurs nowhere else and whose numbers the others use."""
    for statement in list(reversed(chosen)):
        others = [s for s in chosen if s is not statement]
        if not others or statement.linear is None:
            continue
        elsewhere = {name for s in others if s.linear for name in s.linear.coefficients}
        own = set(statement.linear.coefficients) - elsewhere
        used = frozenset().union(*(coverage[id(s)].covered for s in others))
        if len(own) == 1 and coverage[id(statement)].covered <= used:
            chosen = others
    return chosen


def without_auxiliaries(
    chosen: list[Statement], order: Sequence[Statement], coverage: Coverages, usable: Sequence[Statement]
) -> list[Statement]:
    """Do without unknowns such as d1 and d2 that nobody asks for, if the same numbers determine the others."""
    names = {name for s in chosen if s.linear for name in s.linear.coefficients}
    told = {name for s in usable if s.kind is Kind.VALUE and s.linear for name in s.linear.coefficients}
    auxiliary = {name for name in names - told if len(name) > 1}
    if not auxiliary:
        return chosen
    rest = [s for s in order if s.linear and not auxiliary & s.linear.coefficients.keys()]
    smaller = determined(rest, coverage, usable)
    if isinstance(smaller, Refusal) or not smaller:
        return chosen
    smaller = smallest(smaller, coverage)
    used = frozenset().union(*(coverage[id(s)].covered for s in chosen))
    again = frozenset().union(*(coverage[id(s)].covered for s in smaller))
    return smaller if used <= again and not any(strangers(coverage[id(s)]) for s in smaller) else chosen


def is_about(statement: Statement, values: dict[str, Fraction]) -> bool:
    """Say whether all unknowns of a statement have a value."""
    return statement.linear is not None and statement.linear.coefficients.keys() <= values.keys()


def nearly_holds(statement: Statement, values: dict[str, Fraction]) -> bool:
    """Say whether a statement holds at some values, up to rounding."""
    if statement.linear is None:
        return True
    rest, total, size = residual(statement.linear, values)
    if rest or not total:
        return True
    if abs(total) <= ROUNDING * size:
        return True
    if statement.kind is Kind.VALUE:
        if statement.approximate:
            return abs(total) <= Fraction(1, 2) * max(abs(c) for c in statement.linear.coefficients.values())
        if "0.01*" in statement.equation:  # x = 5% where x counts percent
            scaled = {name: value / 100 for name, value in values.items()}
            return not residual(statement.linear, scaled)[1]
    return False
