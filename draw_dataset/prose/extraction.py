"""Extraction: the equations of a question, from explanations that people or programs wrote for it.

Each explanation is read by itself, since some on a page are about another problem. If one is not linear, there are no
equations. Of those that give equations, the one with the fewest literals missing from the question wins, then the one
that uses more of the question's numbers, then one that its own steps confirm, then the first.

Within an explanation the problem's own equations come first and use the numbers of the question; the rest is derived
from them. So statements are ordered by missing literals, certainty and place, and `selection` takes the smallest set of
the first ones that determines its unknowns. Nothing is trusted that the explanation itself contradicts: every certain
statement about the same unknowns must hold for the solution, up to rounding. A doubtful reading is used only if another
statement confirms the solution, and ignored if it does not fit. If most numbers of the set are not those of the
question, or the explanation begins with an equation that has other numbers, there are no equations: they are steps, or
belong to another problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from draw_dataset.prose.coverage import Coverage, QuestionNumbers
from draw_dataset.prose.linear import Elimination
from draw_dataset.prose.plain import MAX_CHARACTERS
from draw_dataset.prose.selection import (
    Coverages,
    Refusal,
    determined,
    is_about,
    nearly_holds,
    smallest,
    strangers,
    without_auxiliaries,
)
from draw_dataset.prose.statements import MORE_READINGS, Kind, Statement, statements_of

USED = Fraction(1, 2)
"""More than this share of the question's numbers must be used; otherwise the equations belong to another problem.

Of the 600 training problems of Draw-1k, 592 use more than half of the numbers in their text.
"""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The equations of a question.

    Attributes:
        equations: the chosen set, in the core's plain form; empty if there is a reason.
        solution: the exact value of each unknown.
        reason: why there are none.
        detail: what exactly stood in the way.
        confirmed: how many other statements of the explanation agree with the solution.
        used: the share of the question's numbers that the chosen set uses.
        missing: literals of the chosen set that do not occur in the question, as 2.5 for .25*10.
        explanation: which explanation they come from, from 0.
        others: all statements of that explanation that were not chosen.
    """

    equations: tuple[str, ...] = ()
    solution: dict[str, Fraction] = field(default_factory=dict)
    reason: Refusal | None = None
    detail: str = ""
    confirmed: int = 0
    used: Fraction = Fraction(0)
    missing: tuple[Fraction, ...] = ()
    explanation: int | None = None
    others: tuple[Statement, ...] = ()


def extract_equations(question: str, explanations: Sequence[str]) -> Extraction:
    r"""Return the equations of a question, or the reason why there are none.

    >>> question = "How much 10% acid must be mixed with 30% acid for 10 liters of 25% acid?"
    >>> found = extract_equations(question, ["Let x = amt of 10%\n.10x + .30(10-x) = .25(10)\n-.2x = -.5\nx = 2.5"])
    >>> found.equations, found.solution
    (('.10*x + .30*(10 - x) = .25*10',), {'x': Fraction(5, 2)})
    >>> str(extract_equations(question, ["twice x + 3 = 15"]).reason)
    'no equation was found'
    """
    numbers = QuestionNumbers(question) if question.strip() else None
    best: Extraction | None = None
    refused: Extraction | None = None
    for place, explanation in enumerate(explanations):
        if not explanation.strip():
            continue
        found = replace(choose(statements_of(explanation[:MAX_CHARACTERS]), numbers), explanation=place)
        if found.reason is Refusal.NOT_LINEAR:
            return found  # one tutor treats the problem as linear, another does not, and nothing decides between them
        if found.reason is not None:
            refused = refused or found
        elif best is None or _rank(found) < _rank(best):
            best = found
    return best or refused or Extraction(reason=Refusal.NO_EXPLANATION)


def _rank(found: Extraction) -> tuple[int, Fraction, bool]:
    return len(found.missing), -found.used, not found.confirmed


def choose(statements: Sequence[Statement], numbers: QuestionNumbers | None = None) -> Extraction:
    """Return the equations among the statements of one explanation, or the reason why there are none.

    Args:
        statements: all of them, in order.
        numbers: the numbers of the question; without, literals are not compared.

    >>> from draw_dataset.prose.statements import statements_of
    >>> choose(statements_of("x + y = 10; x - y = 4; 2x = 14; x = 7; y = 3")).equations
    ('x + y = 10', 'x - y = 4')
    >>> str(choose(statements_of("x + y = 10; x - y = 4; x = 8")).reason)
    'statements contradict each other'
    """
    problem = next((s for s in statements if s.kind is Kind.NOT_LINEAR and not s.doubt), None)
    if problem is not None:
        return _none(statements, Refusal.NOT_LINEAR, problem.text)
    usable = [s for s in statements if s.linear is not None and s.linear.coefficients]
    pool = [s for s in usable if s.kind in (Kind.EQUATION, Kind.COMPUTED)]
    if not pool:
        return _without_pool(statements, usable)
    coverage = {id(s): numbers.cover(s.literals) if numbers else Coverage() for s in pool}
    # The first statement comes first even if its reading is doubtful; if that fails, the certain ones come first.
    first = sorted(pool, key=lambda s: (s.kind is Kind.COMPUTED, strangers(coverage[id(s)])))
    found = _choose_in_order(first, statements, usable, coverage, numbers)
    if found.equations or not any(s.doubt for s in pool):
        return found
    certain = sorted(first, key=lambda s: (s.kind is Kind.COMPUTED, strangers(coverage[id(s)]), bool(s.doubt)))
    return _choose_in_order(certain, statements, usable, coverage, numbers)


def _choose_in_order(
    order: Sequence[Statement],
    statements: Sequence[Statement],
    usable: Sequence[Statement],
    coverage: Coverages,
    numbers: QuestionNumbers | None,
) -> Extraction:
    chosen = determined(order, coverage, usable)
    if isinstance(chosen, Refusal):
        return _none(statements, chosen, "")
    if not chosen:
        units = next((s for s in statements if s.note.startswith("units")), None)
        if units is not None:
            return _none(statements, Refusal.UNITS, f"{units.text}: {units.note}")
        return _none(statements, Refusal.UNDETERMINED, "; ".join(s.equation for s in order[:4]))
    chosen = without_auxiliaries(smallest(chosen, coverage), order, coverage, usable)
    return _judge(statements, sorted(chosen, key=lambda s: statements.index(s)), usable, coverage, numbers)


def _without_pool(statements: Sequence[Statement], usable: Sequence[Statement]) -> Extraction:
    if usable:
        return _none(statements, Refusal.ONLY_ANSWER, usable[0].equation)
    units = next((s for s in statements if s.note.startswith("units")), None)
    if units is not None:
        return _none(statements, Refusal.UNITS, f"{units.text}: {units.note}")
    return _none(statements, Refusal.NO_EQUATION, next((s.note for s in statements if s.note), ""))


def _judge(
    statements: Sequence[Statement],
    chosen: Sequence[Statement],
    usable: Sequence[Statement],
    coverage: Coverages,
    numbers: QuestionNumbers | None,
) -> Extraction:
    """Compare a set with everything else that the explanation says."""
    solution = Elimination([s.linear for s in chosen if s.linear]).values()
    for statement in chosen:
        for coefficients, constant in statement.linear.divisors if statement.linear else ():
            if not sum((c * solution[n] for n, c in coefficients.items()), constant):
                return _none(statements, Refusal.CONTRADICTION, f"{statement.equation} divides by zero")
    texts = {s.equation for s in chosen}
    places = {(s.line, s.text) for s in chosen if s.doubt}
    confirmed = 0
    for statement in usable:
        if statement.equation in texts or not is_about(statement, solution):
            continue
        if nearly_holds(statement, solution):
            # Another reading of the same words confirms nothing.
            confirmed += (statement.line, statement.text) not in places and statement.doubt != MORE_READINGS
        elif not statement.doubt:
            return _none(
                statements, Refusal.CONTRADICTION, f"{statement.equation} does not follow from {_listed(chosen)}"
            )
    covered = frozenset().union(*(coverage[id(s)].covered for s in chosen))
    missing = tuple(literal for s in chosen for literal in coverage[id(s)].missing)
    if numbers is not None and not _fits(numbers.share(covered), len(covered), len(missing)):
        return _none(statements, Refusal.NUMBERS, _listed(chosen))
    if numbers is not None and _begins_elsewhere([s for s in usable if s in chosen or not s.doubt], coverage):
        return _none(statements, Refusal.NUMBERS, f"the explanation does not begin with {_listed(chosen)}")
    doubtful = next((s for s in chosen if s.doubt), None)
    if doubtful is not None and not confirmed:
        return _none(statements, Refusal.DOUBTFUL, f"{doubtful.text}: {doubtful.doubt}")
    return Extraction(
        equations=tuple(s.equation for s in chosen),
        solution=solution,
        confirmed=confirmed,
        used=numbers.share(covered) if numbers else Fraction(0),
        missing=missing,
        others=tuple(s for s in statements if s not in chosen),
    )


def _fits(share: Fraction, covered: int, missing: int) -> bool:
    """Say whether equations are of the question: they use most of its numbers, and have few others."""
    return missing < covered and share > USED


def _begins_elsewhere(usable: Sequence[Statement], coverage: Coverages) -> bool:
    """Say whether the first equations of an explanation are of another problem, so that only a later step fits this."""
    first = determined([s for s in usable if s.kind is Kind.EQUATION], coverage, usable)
    if isinstance(first, Refusal) or not first:
        return False
    covered = frozenset().union(*(coverage[id(s)].covered for s in first))
    return sum(len(coverage[id(s)].missing) for s in first) >= max(1, len(covered))


def _listed(chosen: Sequence[Statement]) -> str:
    return "; ".join(s.equation for s in chosen)


def _none(statements: Sequence[Statement], reason: Refusal, detail: str) -> Extraction:
    return Extraction(reason=reason, detail=detail[:300], others=tuple(statements))
