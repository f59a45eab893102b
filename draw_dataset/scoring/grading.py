"""Grading one prediction: derivation, equation and solution, with the reason.

The derivation is decided by Algorithm 1 (`core.equivalence`). The solution is what the prediction gives itself, or else
the exact solution of its equations: each gold number must be in it, as a multiset, within the tolerance; further
numbers do no harm. Equation accuracy decides the derivation against references drawn from all derivations that lead
from the text to the gold equations, instead of gold.

A wrong derivation is explained in a sentence, found only if somebody reads it: how the templates differ at one choice
of numbers, or which slot holds a wrong number under the slot map that agrees with gold in most slots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.equations import System, over_common_denominator, solve_integers
from draw_dataset.core.equivalence import all_slot_maps, find_difference, match_slots, templates_equivalent
from draw_dataset.errors import LimitError
from draw_dataset.scoring.answers import judge_answer_text
from draw_dataset.scoring.prediction import Prediction, Refused, answer_of, read_prediction
from draw_dataset.scoring.reference import Classes, Reference, matches
from draw_dataset.scoring.signature import Options
from draw_dataset.scoring.standard import Standard, all_found, standard_of, standard_without_equations
from draw_dataset.scoring.verdict import Reason, Verdict

_MOST_MAPS = 200
"""Slot maps among which the one that agrees best is looked for."""


@dataclass(frozen=True, slots=True)
class WrongSlot:
    """A slot of a prediction that holds another number than gold's.

    Attributes:
        slot: the slot of the predicted template.
        held: the number in it.
        gold_slot: the slot of the gold template that it corresponds to.
        wanted: the number in that.
    """

    slot: str
    held: TextNumber
    gold_slot: str
    wanted: TextNumber


def grade(prediction: Any, row: Mapping[str, Any] | Reference, options: Options = Options()) -> Verdict:  # noqa: B008
    """Return the verdict on a prediction.

    Args:
        prediction: see `draw_dataset.scoring.prediction`.
        row: the row of the problem, or its reference.
        options: how to grade.

    Raises:
        RowError: the row is none, or its gold cannot be read.
        LimitError: the expectation of equation accuracy is asked for over too many derivations.
    """
    reference = Reference.of(row)
    return judge(prediction, reference, standard_of(reference, options), options)


def grade_derivation(prediction: Any, reference: Reference) -> Verdict:
    """Return the verdict on a prediction for someone who looks at derivations: equation accuracy is not asked for.

    Raises:
        RowError: the gold solutions cannot be read.
    """
    return judge(prediction, reference, standard_without_equations(reference, Options()), Options())


def judge(prediction: Any, reference: Reference, standard: Standard, options: Options) -> Verdict:
    """Return the verdict on a prediction, gold being prepared: what is wrong with gold is no fault of a prediction."""
    answer = answer_of(prediction)
    if answer is not None:
        return judge_answer_text(answer, reference)
    read = read_prediction(prediction, reference)
    if isinstance(read, Refused):
        solved = read.solutions is not None and all_found(*over_common_denominator(read.solutions), standard.solutions)
        return Verdict(False, False, solved, read.reason, read.message)
    try:
        return _grade(read, reference, standard, options)
    except LimitError as error:
        return Verdict(False, False, False, Reason.TOO_LARGE, str(error))


def _grade(prediction: Prediction, reference: Reference, standard: Standard, options: Options) -> Verdict:
    template, gold = prediction.template, reference.derivation.template
    classes = reference.classes.of_places(prediction.places)
    slot_map = match_slots(template.system, classes, gold.system, reference.gold_classes)
    right = slot_map is not None or (
        options.merge_equiv and matches(template.system, classes, gold.system, reference.gold_classes, merge=True)
    )
    if right and prediction.solutions is None:
        # Equivalent derivations have the same solutions: gold's own were compared already.
        solvable, solved = True, standard.gold_solved
    else:
        solution = _solve(prediction, reference)
        solvable = solution is not None
        solved = solution is not None and all_found(*solution, standard.solutions)
    equation = _equation(template.system, classes, standard, options, right)
    if right:
        names = None
        if slot_map is not None:
            names = {slot: gold.slots[i] for slot, i in zip(template.slots, slot_map, strict=True)}
        return Verdict(True, equation, solved, Reason.RIGHT, "the same derivation as gold", names)
    reason = _reason(prediction, reference, solvable)
    return Verdict(False, equation, solved, reason, lambda: _sentence(reason, solved, prediction, reference))


def _solve(prediction: Prediction, reference: Reference) -> tuple[list[int], int] | None:
    """Return the solution that a prediction leads to; None if its equations have no unique one."""
    if prediction.solutions is not None:
        return over_common_denominator(prediction.solutions)
    known, denominator = reference.values
    try:
        values = [known[place] for place in prediction.places]
    except KeyError:  # a number whose value is not known
        return None
    return solve_integers(prediction.template.system, values, denominator)


def _equation(system: System, classes: Classes, standard: Standard, options: Options, right: bool) -> float:
    share = 0.0
    for other in standard.equations.chosen:
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
        sentence = _explain_alignment(prediction, reference)
    else:
        sentence = _explain_template(prediction, reference)
    return f"right answer, {sentence}" if solved else sentence


def _explain_template(prediction: Prediction, reference: Reference) -> str:
    """Say how the predicted template differs from gold's."""
    difference = find_difference(prediction.template, reference.derivation.template, ("it", "gold"))
    return f"another template than gold: {difference.message}" if difference else "another template than gold"


def wrong_slots(prediction: Prediction, reference: Reference) -> list[WrongSlot]:
    """Return the slots that hold a wrong number, under the slot map that agrees with gold in most slots.

    There is none if the templates are not equivalent, or if the derivation is right.

    Raises:
        LimitError: no slot map is found within the bounds of work.
    """
    template, gold = prediction.template, reference.derivation
    held = dict(zip(template.slots, prediction.places, strict=True))
    wanted = dict(zip(gold.template.slots, gold.places, strict=True))
    fewest: list[WrongSlot] | None = None
    try:
        for slot_map in islice(all_slot_maps(template, gold.template), _MOST_MAPS):
            wrong = [
                WrongSlot(slot, reference.by_place[held[slot]], slot_map[slot], gold.alignment[slot_map[slot]])
                for slot in template.slots
                if reference.classes.of_place(held[slot]) != reference.classes.of_place(wanted[slot_map[slot]])
            ]
            if fewest is None or len(wrong) < len(fewest):
                fewest = wrong
    except LimitError:
        if fewest is None:  # otherwise the best of the maps found so far will do
            raise
    return fewest or []


def _explain_alignment(prediction: Prediction, reference: Reference) -> str:
    """Say which slot holds a wrong number, under the slot map that agrees with gold in most slots."""
    try:
        wrong = wrong_slots(prediction, reference)
    except LimitError:
        return "wrong number: the slots correspond in too many ways to say which"
    if not wrong:
        return "wrong number: the numbers of one class are used differently"
    first = wrong[0]
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    return f"wrong number: slot {first.slot} takes {first.held} where gold takes {first.wanted}{more}"
