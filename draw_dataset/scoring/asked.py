"""The values that a question asks for: `asked` of a row, expressions in gold's unknowns, at the numbers of the text.

Gold may list more than is asked for, or something else: the digits where the number is asked for, the time where it is
the distance. An expression may have gold's unknowns, numbers of the text as q1, q2, … and constants. Each becomes an
equation of its own that is added to gold's, and the whole is solved exactly.
"""

from __future__ import annotations

from fractions import Fraction

from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import SolutionKind
from draw_dataset.core.problem import Problem
from draw_dataset.errors import DrawError, RowError

_NAME = "asked_for_{}"


def asked_values(problem: Problem) -> tuple[Fraction, ...]:
    """Return the values that are asked for, in their order; nothing where that is not decided, or gold has no values.

    >>> from dataclasses import replace
    >>> from draw_dataset.sample import load_sample
    >>> problem = load_sample()["test"][0]
    >>> str(problem.derivation.template.unknowns[0]), len(asked_values(problem))
    ('m', 0)
    >>> len(asked_values(replace(problem, asked=("2*m",))))
    1

    Raises:
        RowError: an expression cannot be read, or has names that gold does not determine; names the problem.
    """
    if not problem.asked:
        return ()
    names = [_NAME.format(at) for at in range(len(problem.asked))]
    known = set(problem.derivation.template.unknowns) | set(names)
    added = [f"{name} = {expression}" for name, expression in zip(names, problem.asked, strict=True)]
    try:
        whole = Derivation.read("; ".join([problem.derivation.q_notation(), *added]), problem.numbers)
        if not set(whole.template.unknowns) <= known:
            other = ", ".join(sorted(set(whole.template.unknowns) - known))
            raise RowError(f"expected gold's unknowns, but got {other}")
        if whole.by_rank:
            return ()
        solution = whole.solve()
    except DrawError as error:
        raise RowError(f"problem {problem.id}: asked: {error}") from error
    if solution.kind is not SolutionKind.UNIQUE:
        return ()
    return tuple(solution.values[name] for name in names)
