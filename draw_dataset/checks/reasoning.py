"""Gold derivations that do not fit their solutions and equations, or have slots without effect.

Each function looks for one kind of defect in one problem and returns its message, or None. They expect a problem that
can be read: see `unreadable`.
"""

from __future__ import annotations

from math import isclose

from draw_dataset.checks.derivable import is_derivable
from draw_dataset.core.algebra import factors, primitive_vector
from draw_dataset.core.asked import read_asked
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import SolutionKind, solution_set
from draw_dataset.core.limits import comparing
from draw_dataset.core.problem import Problem
from draw_dataset.core.references import read_equations
from draw_dataset.errors import DrawError, LimitError, NotLinearError

ROUNDED = 1e-3
"""The largest relative difference of a solution from the exact one: gold solutions are rounded, once to four digits."""

ZERO = 1e-6
"""How far a solution may be from zero."""


def unreadable(problem: Problem) -> str | None:
    """Find what cannot be read at all, so that nothing can be said of the rest."""
    try:
        _ = problem.derivation
        _ = problem.number_classes
        read_equations(problem.equations)
        read_asked(problem)
    except DrawError as error:
        return str(error)
    return None


def solution_mismatch(problem: Problem) -> str | None:
    """Find a template that with its numbers has no unique solution, or another than the gold one."""
    derivation = problem.derivation
    unknown = [slot for slot, number in derivation.alignment.items() if number.value is None]
    if unknown:
        return f"expected a number for each slot, but slot {unknown[0]} has none"
    solution = derivation.solve()
    if solution.kind is not SolutionKind.UNIQUE:
        return f"expected one solution, but the grounded template has {solution.kind}"
    got = [float(value) for value in solution.numbers]
    wanted = sorted(problem.solutions)
    if len(got) == len(wanted) and all(
        isclose(g, w, rel_tol=ROUNDED, abs_tol=ZERO) for g, w in zip(got, wanted, strict=True)
    ):
        return None
    return f"expected the solutions {_listed(wanted)}, but the grounded template gives {_listed(got)}"


def _listed(values: list[float]) -> str:
    return ", ".join(f"{value:.6g}" for value in values)


def not_derivable(problem: Problem) -> str | None:
    """Find a derivation that no reading of the equations gives."""
    try:
        if is_derivable(problem.equations, _as_written(problem)):
            return None
    except (NotLinearError, LimitError) as error:
        return f"undecided: {error}"
    return "expected a derivation that some reading of the equations gives, but got another"


def _as_written(problem: Problem) -> Derivation:
    """Return the gold derivation with the values that stand in the text: a wrong annotated value is another defect."""
    known = {number.place: number for number in problem.numbers}
    gold = problem.derivation
    return Derivation(gold.template, {slot: known.get(n.place, n) for slot, n in gold.alignment.items()})


def slot_cancels(problem: Problem) -> str | None:
    """Find slots that do not influence the solution."""
    template = problem.derivation.template
    solutions = solution_set(template.system)
    if solutions.kind is SolutionKind.NONE:
        return None
    rows = [solutions.vector] if solutions.kind is SolutionKind.UNIQUE else solutions.rows
    # Without a common factor, a slot that influences nothing does not occur.
    reduced = [primitive_vector(row, comparing()) for row in rows]
    used = {index for row in reduced for polynomial in row for monomial in polynomial for index in factors(monomial)}
    idle = [slot for index, slot in enumerate(template.slots) if index not in used]
    return f"expected slots that matter, but got {', '.join(idle)}" if idle else None
