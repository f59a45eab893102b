"""What the predictions of one problem are held against under certain options: made once, kept with the reference."""

from __future__ import annotations

from typing import NamedTuple

from draw_dataset.core.equations import SolutionKind
from draw_dataset.scoring.equation import EquationReferences, equation_references
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.solutions import Intervals, intervals, same_numbers


class Standard(NamedTuple):
    """What predictions of a problem are held against.

    Attributes:
        equations: the references of equation accuracy.
        solutions: the gold solutions with the tolerance.
        gold_solved: whether the gold derivation gives the gold solutions, which it does not in a few rows of the
            release.
    """

    equations: EquationReferences
    solutions: Intervals
    gold_solved: bool


def standard_of(reference: Reference, options: Options) -> Standard:
    """Return the standard of a reference, made when it is first asked for.

    Raises:
        LimitError: the expectation of equation accuracy is asked for over too many derivations.
    """
    known: Standard | None = reference.memory.get(options)
    if known is None:
        reference.memory[options] = known = _make(reference, options)
    return known


def _make(reference: Reference, options: Options) -> Standard:
    equations = equation_references(reference, options)
    own = reference.derivation.solve()
    solved = own.kind is SolutionKind.UNIQUE and same_numbers(own.numbers, reference.solutions, options.tolerance)
    return Standard(equations, intervals(reference.solutions, options.tolerance), solved)
