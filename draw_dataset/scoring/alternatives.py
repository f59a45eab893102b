"""Alternatives of a row: the derivations that count next to gold, prepared for grading as gold is.

A text may allow two readings. Then the row has a gold derivation and lists the others in q-notation. Whether they count
is an option (``gold``): never (``one``), always (``any``), or (``auto``) only for rows with the status ``ambiguous``,
where nothing decides between gold and the others.

An alternative is compared with a prediction as gold would be, with the numbers and Equiv groups of its problem. Its
solutions are those of its equations at the numbers of the text. How it was written down is not known, so the
alternative itself is the only reference of its equation accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import SolutionKind
from draw_dataset.core.problem import Problem
from draw_dataset.errors import DrawError, RowError
from draw_dataset.scoring.prepared_gold import EquationReferences, PreparedGold, WeightedReference, intervals
from draw_dataset.scoring.reference import AMBIGUOUS, Reference
from draw_dataset.scoring.signature import Options

Alternative = tuple[Reference, PreparedGold]
"""An alternative as a reference, and its prepared gold."""


def is_ambiguous(reference: Reference) -> bool:
    """Say whether the alternatives of a row count by default."""
    return reference.problem.status == AMBIGUOUS


def alternatives_that_count(reference: Reference, options: Options) -> Sequence[Alternative]:
    """Return the alternatives of a row that count under given options; they are made when they are first asked for.

    Raises:
        RowError: an alternative cannot be read, or does not determine its unknowns; names the problem and the
            alternative.
    """
    if options.gold == "one" or (options.gold == "auto" and not is_ambiguous(reference)):
        return ()
    key = (AMBIGUOUS, options.tolerance)
    known: Sequence[Alternative] | None = reference.memory.get(key)
    if known is None:
        reference.memory[key] = known = [
            _prepared(problem, options.tolerance) for problem in alternative_problems(reference.problem)
        ]
    return known


def alternative_problems(problem: Problem) -> list[Problem]:
    """Return the problem once for each alternative, with that alternative as its gold.

    >>> from dataclasses import replace
    >>> from draw_dataset.sample import load_sample
    >>> problem = replace(load_sample()["test"][0], alternatives=("m = q1",))
    >>> [other.template for other in alternative_problems(problem)]
    [('m = a',)]

    Raises:
        RowError: an alternative cannot be read, or does not determine its unknowns; names the problem and the
            alternative.
    """
    made = []
    for at, text in enumerate(problem.alternatives):
        try:
            made.append(_with_gold(problem, text))
        except DrawError as error:
            raise RowError(f"problem {problem.id}: alternatives[{at}]: {error}") from error
    return made


def _with_gold(problem: Problem, text: str) -> Problem:
    derivation = Derivation.read(text, problem.numbers)
    if derivation.by_rank:
        raise RowError("expected a problem with numbers, but got one without")
    solution = derivation.solve()
    if solution.kind is not SolutionKind.UNIQUE:
        raise RowError(f"expected equations with one solution, but {text} has {solution.kind.value}")
    return problem.with_gold(derivation, solution.numbers)


def _prepared(problem: Problem, tolerance: Fraction) -> Alternative:
    reference = Reference(problem)
    itself = WeightedReference(reference.derivation.template.system, reference.gold_classes, 1.0, is_gold=True)
    wanted = intervals(reference.solutions, tolerance)
    return reference, PreparedGold(reference.derivation, EquationReferences(1, (itself,)), wanted)
