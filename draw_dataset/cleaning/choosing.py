"""The question: which statements of an explanation are the equations of the problem.

The problem's own equations come first in an explanation and use the numbers of the question; what follows is derived
from them. So statements are taken in the order of missing literals, certainty and place, each if it says something
that those taken do not imply (exact elimination), until the unknowns of a connected group are determined. Statements
that add a new unknown from a number of the question not used so far are taken as well; one whose unknown occurs
nowhere else and whose numbers are used anyway is dropped again: the smallest set.

Nothing is trusted that the explanation itself contradicts: every certain statement about the same unknowns must hold
for the solution, up to rounding. A doubtful reading is used only if another statement confirms the solution, and
ignored if it does not fit. If the numbers of the set are mostly not those of the question, or the explanation begins
with an equation that has others, there are no equations: they are steps, or belong to another problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.cleaning.covering import Coverage, QuestionNumbers
from draw_dataset.cleaning.outcome import Extraction, Kind, Reason, Statement
from draw_dataset.cleaning.reading import Elimination, residual

ROUNDING = Fraction(1, 200)
"""Relative difference up to which a later step agrees: tutors round on the way."""

USED = Fraction(1, 2)
"""The share of the question's numbers that its equations must use: others are of another problem."""


def choose(statements: Sequence[Statement], numbers: QuestionNumbers | None = None) -> Extraction:
    """Return the equations among the statements of one explanation, or the reason why there are none.

    Args:
        statements: all of them, in order.
        numbers: the numbers of the question; without, literals are not compared.
    """
    problem = next((s for s in statements if s.kind is Kind.NOT_LINEAR and not s.doubt), None)
    if problem is not None:
        return _none(statements, Reason.NOT_LINEAR, problem.text)
    usable = [s for s in statements if s.linear is not None and s.linear.coefficients]
    pool = [s for s in usable if s.kind in (Kind.EQUATION, Kind.COMPUTED)]
    if not pool:
        return _without_pool(statements, usable)
    coverage = {id(s): numbers.cover(s.literals) if numbers else Coverage() for s in pool}
    order = sorted(pool, key=lambda s: (s.kind is Kind.COMPUTED, _strangers(coverage[id(s)]), bool(s.doubt)))
    chosen = _determined(order, coverage, usable)
    if isinstance(chosen, Reason):
        return _none(statements, chosen, "")
    if not chosen:
        units = next((s for s in statements if s.note.startswith("units")), None)
        if units is not None:
            return _none(statements, Reason.UNITS, f"{units.text}: {units.note}")
        return _none(statements, Reason.UNDETERMINED, "; ".join(s.equation for s in order[:4]))
    chosen = _without_auxiliaries(_smallest(chosen, coverage), order, coverage, usable)
    return _judge(statements, sorted(chosen, key=lambda s: statements.index(s)), usable, coverage, numbers)


def _strangers(coverage: Coverage) -> int:
    return len(coverage.missing) + len(coverage.derived)


def _without_pool(statements: Sequence[Statement], usable: Sequence[Statement]) -> Extraction:
    if usable:
        return _none(statements, Reason.ONLY_ANSWER, usable[0].equation)
    units = next((s for s in statements if s.note.startswith("units")), None)
    if units is not None:
        return _none(statements, Reason.UNITS, f"{units.text}: {units.note}")
    return _none(statements, Reason.NO_EQUATION, next((s.note for s in statements if s.note), ""))


def _determined(
    order: Sequence[Statement], coverage: dict[int, Coverage], usable: Sequence[Statement]
) -> list[Statement] | Reason:
    """Return the first group of statements that determines its unknowns, extended by what brings new numbers."""
    taken: list[Statement] = []
    elimination = Elimination()
    group: list[Statement] = []
    for statement in order:
        if statement.linear is None:
            continue
        rest, constant = elimination.reduce(statement.linear)
        if not rest:
            if constant and not statement.doubt and not _nearly(statement, elimination.values()):
                return Reason.CONTRADICTION
            continue
        if group:
            known = {name for s in group if s.linear for name in s.linear.coefficients}
            new = set(statement.linear.coefficients) - known
            used = frozenset().union(*(coverage[id(s)].covered for s in group))
            entry = coverage[id(statement)]
            extends = (
                len(new) == 1
                and len(statement.linear.coefficients) > 1
                and statement.kind is Kind.EQUATION
                and not entry.missing
                and not statement.doubt
                and entry.covered - used
            )
            if not extends:
                continue
        elif statement.doubt and _refuted(statement, usable):
            continue
        taken.append(statement)
        elimination.add(statement.linear)
        if not group:
            group = _group(taken)
        elif _group([*group, statement]):
            group = [*group, statement]
    return group


def _refuted(statement: Statement, usable: Sequence[Statement]) -> bool:
    """Say whether a doubtful statement in one unknown disagrees with a certain one about it."""
    if statement.linear is None or len(statement.linear.coefficients) != 1:
        return False
    values = Elimination([statement.linear]).values()
    return any(not s.doubt and _about(s, values) and not _nearly(s, values) for s in usable if s is not statement)


def _group(statements: Sequence[Statement]) -> list[Statement]:
    """Return the connected statements around the last one, if they determine all their unknowns."""
    group = [statements[-1]]
    names = set(group[0].linear.coefficients) if group[0].linear else set()
    grew = True
    while grew:
        grew = False
        for statement in statements:
            if statement not in group and statement.linear and names & statement.linear.coefficients.keys():
                group.append(statement)
                names |= statement.linear.coefficients.keys()
                grew = True
    values = Elimination([s.linear for s in group if s.linear]).values()
    return group if names and values.keys() == names else []


def _smallest(chosen: list[Statement], coverage: dict[int, Coverage]) -> list[Statement]:
    """Drop statements whose unknown occurs nowhere else and whose numbers the others use."""
    for statement in list(reversed(chosen)):
        others = [s for s in chosen if s is not statement]
        if not others or statement.linear is None:
            continue
        elsewhere = {name for s in others if s.linear for name in s.linear.coefficients}
        own = set(statement.linear.coefficients) - elsewhere
        used = frozenset().union(*(coverage[id(s)].covered for s in others))
        if len(own) == 1 and coverage[id(statement)].covered <= used and _determines(others, elsewhere):
            chosen = others
    return chosen


def _without_auxiliaries(
    chosen: list[Statement], order: Sequence[Statement], coverage: dict[int, Coverage], usable: Sequence[Statement]
) -> list[Statement]:
    """Do without unknowns such as d1 and d2 that nobody asks for, if the same numbers determine the others."""
    names = {name for s in chosen if s.linear for name in s.linear.coefficients}
    told = {name for s in usable if s.kind is Kind.VALUE and s.linear for name in s.linear.coefficients}
    auxiliary = {name for name in names - told if len(name) > 1}
    if not auxiliary:
        return chosen
    rest = [s for s in order if s.linear and not auxiliary & s.linear.coefficients.keys()]
    smaller = _determined(rest, coverage, usable)
    if isinstance(smaller, Reason) or not smaller:
        return chosen
    smaller = _smallest(smaller, coverage)
    used = frozenset().union(*(coverage[id(s)].covered for s in chosen))
    again = frozenset().union(*(coverage[id(s)].covered for s in smaller))
    return smaller if used <= again and not any(_strangers(coverage[id(s)]) for s in smaller) else chosen


def _determines(statements: Sequence[Statement], names: set[str]) -> bool:
    return Elimination([s.linear for s in statements if s.linear]).values().keys() == names


def _judge(
    statements: Sequence[Statement],
    chosen: Sequence[Statement],
    usable: Sequence[Statement],
    coverage: dict[int, Coverage],
    numbers: QuestionNumbers | None,
) -> Extraction:
    """Hold a set against everything else that the explanation says."""
    solution = Elimination([s.linear for s in chosen if s.linear]).values()
    for statement in chosen:
        for coefficients, constant in statement.linear.divisors if statement.linear else ():
            if not sum((c * solution[n] for n, c in coefficients.items()), constant):
                return _none(statements, Reason.CONTRADICTION, f"{statement.equation} divides by zero")
    texts = {s.equation for s in chosen}
    confirmed = 0
    for statement in usable:
        if statement.equation in texts or not _about(statement, solution):
            continue
        if _nearly(statement, solution):
            confirmed += 1
        elif not statement.doubt:
            return _none(
                statements, Reason.CONTRADICTION, f"{statement.equation} does not follow from {_listed(chosen)}"
            )
    covered = frozenset().union(*(coverage[id(s)].covered for s in chosen))
    missing = tuple(literal for s in chosen for literal in coverage[id(s)].missing)
    if numbers is not None and not _fits(numbers.share(covered), len(covered), len(missing)):
        return _none(statements, Reason.NUMBERS, _listed(chosen))
    if numbers is not None and _begins_elsewhere([s for s in usable if s in chosen or not s.doubt], coverage):
        return _none(statements, Reason.NUMBERS, f"the explanation begins otherwise than {_listed(chosen)}")
    doubtful = next((s for s in chosen if s.doubt), None)
    if doubtful is not None and not confirmed:
        return _none(statements, Reason.DOUBTFUL, f"{doubtful.text}: {doubtful.doubt}")
    return Extraction(
        equations=tuple(s.equation for s in chosen),
        solution=solution,
        confirmed=confirmed,
        used=numbers.share(covered) if numbers else Fraction(0),
        missing=missing,
        others=tuple(s for s in statements if s not in chosen),
    )


def _fits(share: Fraction, covered: int, missing: int) -> bool:
    """Say whether equations are of the question: they use half of its numbers, or more if they have others as well."""
    return missing < covered and (share > USED or (share == USED and not missing))


def _begins_elsewhere(usable: Sequence[Statement], coverage: dict[int, Coverage]) -> bool:
    """Say whether the first equations of an explanation are of another problem, so that only a later step fits this."""
    first = _determined([s for s in usable if s.kind is Kind.EQUATION], coverage, usable)
    if isinstance(first, Reason) or not first:
        return False
    covered = frozenset().union(*(coverage[id(s)].covered for s in first))
    return sum(len(coverage[id(s)].missing) for s in first) >= max(1, len(covered))


def _listed(chosen: Sequence[Statement]) -> str:
    return "; ".join(s.equation for s in chosen)


def _about(statement: Statement, values: dict[str, Fraction]) -> bool:
    return statement.linear is not None and statement.linear.coefficients.keys() <= values.keys()


def _nearly(statement: Statement, values: dict[str, Fraction]) -> bool:
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


def _none(statements: Sequence[Statement], reason: Reason, detail: str) -> Extraction:
    return Extraction(reason=reason, detail=detail[:300], others=tuple(statements))
