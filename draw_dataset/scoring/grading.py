"""Grading one prediction: derivation, equation and solution, with the reason.

The derivation is decided by Algorithm 1 (`core.equivalence`). The solution is what the prediction gives itself, or else
the exact solution of its equations: each gold number must be in it, as a multiset, within the tolerance; further
numbers do no harm. Equation accuracy decides the derivation against references drawn from all derivations that lead
from the text to the gold equations, instead of gold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from draw_dataset.core.equivalence import match_slots, templates_equivalent
from draw_dataset.core.expression import System
from draw_dataset.core.solution_set import SolutionKind
from draw_dataset.core.solving import solve_grounded
from draw_dataset.errors import LimitError
from draw_dataset.scoring.equation import EquationReferences, equation_references
from draw_dataset.scoring.explaining import explain_alignment, explain_template
from draw_dataset.scoring.matching import Classes, matches
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.prediction import Prediction, Refused, read_prediction
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.verdict import Reason, Verdict


def grade(prediction: Any, row: Mapping[str, Any] | Reference, options: Options = Options()) -> Verdict:  # noqa: B008
    """Return the verdict on a prediction.

    Args:
        prediction: see `draw_dataset.scoring.prediction`.
        row: the row of the problem, or its reference.
        options: how to grade.

    Raises:
        RowError: the row is none, or its gold cannot be read.
    """
    reference = row if isinstance(row, Reference) else Reference.of(row)
    read = read_prediction(prediction, reference)
    if isinstance(read, Refused):
        return Verdict(False, False, False, read.reason, read.message)
    try:
        return _grade(read, reference, options)
    except LimitError as error:
        return Verdict(False, False, False, Reason.TOO_LARGE, str(error))


def _grade(prediction: Prediction, reference: Reference, options: Options) -> Verdict:
    template, gold = prediction.template, reference.derivation.template
    classes = reference.classes.of_places(prediction.places)
    slot_map = match_slots(template.system, classes, gold.system, reference.gold_classes)
    right = slot_map is not None or (
        options.merge_equiv and matches(template.system, classes, gold.system, reference.gold_classes, merge=True)
    )
    if right and prediction.solutions is None:
        # Equivalent derivations have the same solutions: gold's own were compared already.
        solvable, solved = True, _gold_solved(reference, options.tolerance)
    else:
        solution = prediction.solutions if prediction.solutions is not None else _solve(prediction, reference)
        solvable = solution is not None
        solved = solution is not None and same_numbers(solution, reference.solutions, options.tolerance)
    equation = _equation(template.system, classes, reference, options, right)
    if right:
        names = None
        if slot_map is not None:
            names = {slot: gold.slots[i] for slot, i in zip(template.slots, slot_map, strict=True)}
        return Verdict(True, equation, solved, Reason.RIGHT, "the same derivation as gold", names)
    reason = _reason(prediction, reference, solvable)
    return Verdict(False, equation, solved, reason, lambda: _sentence(reason, solved, prediction, reference))


def _gold_solved(reference: Reference, tolerance: Fraction) -> bool:
    """Say whether the gold derivation gives the gold solutions, which it does not in a few rows of the release."""
    known: bool | None = reference.memory.get(("solved", tolerance))
    if known is None:
        own = reference.derivation.solve()
        unique = own.kind is SolutionKind.UNIQUE
        known = unique and same_numbers(own.numbers, reference.solutions, tolerance)
        reference.memory["solved", tolerance] = known
    return known


def _solve(prediction: Prediction, reference: Reference) -> tuple[Fraction, ...] | None:
    """Return the solution that a prediction leads to; None if its equations have no unique one."""
    values: list[Fraction] = []
    for place in prediction.places:
        value = reference.by_place[place].value
        if value is None:
            return None
        values.append(value)
    solution = solve_grounded(prediction.template.system, values, prediction.template.unknowns)
    return solution.numbers if solution.kind is SolutionKind.UNIQUE else None


def same_numbers(got: Sequence[Fraction], wanted: Sequence[Fraction], tolerance: Fraction) -> bool:
    """Say whether each wanted number is among those got, as a multiset, within the tolerance.

    >>> same_numbers([Fraction(2), Fraction(3)], [Fraction(3)], Fraction(0))
    True
    >>> same_numbers([Fraction(3)], [Fraction(3), Fraction(3)], Fraction(0))
    False
    """
    # The smallest wanted number takes the smallest that fits: on a line, no other choice does better.
    left = sorted(got)
    for number in sorted(wanted):
        margin = tolerance * max(Fraction(1), abs(number))
        fitting = next((value for value in left if abs(value - number) <= margin), None)
        if fitting is None:
            return False
        left.remove(fitting)
    return True


def _equation(system: System, classes: Classes, reference: Reference, options: Options, right: bool) -> float:
    references: EquationReferences | None = reference.memory.get(options)
    if references is None:
        reference.memory[options] = references = equation_references(reference, options)
    share = 0.0
    for other in references.chosen:
        same = (
            right
            if other.is_gold
            else not right and matches(system, classes, other.system, other.classes, options.merge_equiv)
        )
        if same:
            share += other.weight
    return share if options.equation == "expected" else share > 0


def _reason(prediction: Prediction, reference: Reference, solvable: bool) -> Reason:
    template, gold = prediction.template, reference.derivation.template
    if not solvable:
        return Reason.UNSOLVABLE
    if len(template.slots) != len(gold.slots):
        return Reason.SLOT_COUNT
    if len(template.unknowns) != len(gold.unknowns):
        return Reason.UNKNOWN_COUNT
    return Reason.ALIGNMENT if templates_equivalent(template, gold) else Reason.TEMPLATE


def _sentence(reason: Reason, solved: bool, prediction: Prediction, reference: Reference) -> str:
    if reason is Reason.UNSOLVABLE:
        return "the equations have no unique solution"
    if reason is Reason.ALIGNMENT:
        sentence = explain_alignment(prediction, reference)
    else:
        sentence = explain_template(prediction, reference)
    return f"right answer, {sentence}" if solved else sentence
