"""Grading a derivation that was read: a template with a number in each slot.

Algorithm 1 decides, or with ``match="quantities"`` the quantities that the derivation determines. Equivalent
derivations determine the same quantities, so Algorithm 1 is asked first. The solution is what the prediction gives
itself, or else the exact solution of its equations. Each gold number must be in it, as a multiset, within the
tolerance; further numbers do no harm. The sentence that explains a wrong derivation is only made when it is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

from draw_dataset.algebra.number import short_number
from draw_dataset.algebra.solution import over_common_denominator, solve_integers
from draw_dataset.algebra.system import System
from draw_dataset.derivation.derivation import TextNumber
from draw_dataset.derivation.equivalence import all_slot_maps, find_difference, match_slots, templates_equivalent
from draw_dataset.errors import LimitError
from draw_dataset.reading.compare import Agreement, SystemQuantities, agree_systems
from draw_dataset.scoring.gold import Classes, PreparedGold, PreparedProblem, all_found, matches
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.prediction import (
    Prediction,
    Refused,
    list_number,
    mistaken_name,
    q_notation_of,
    read_prediction,
)
from draw_dataset.scoring.verdict import Reason, Verdict

_MOST_MAPS = 200
"""How many slot maps are tried to find the one that agrees best."""

RIGHT_ANSWER = "right answer, "
_SAME = "the same derivation as gold"


@dataclass(frozen=True, slots=True)
class WrongSlot:
    """A slot of a prediction that has another number than gold."""

    slot: str  # the slot of the predicted template
    held: TextNumber  # the number in it
    gold_slot: str  # the corresponding slot of the gold template
    wanted: TextNumber  # the number in the gold slot


def judge_derivation(prediction: Any, reference: PreparedProblem, gold: PreparedGold, options: Options) -> Verdict:
    """Return the verdict on a prediction that is not a model answer."""
    read = read_prediction(prediction, reference)
    if isinstance(read, Refused):
        solved = read.solutions is not None and all_found(*over_common_denominator(read.solutions), gold.solutions)
        return Verdict.wrong(read.reason, read.message, solution=solved)
    verdict = judge_read(read, reference, gold, options)
    if verdict.reason is Reason.TOO_LARGE:
        return verdict
    if not verdict.derivation and (hint := list_number(q_notation_of(prediction))):
        message = f"q-notation: expected equations alone, but got a numbered list; {hint}"
        return Verdict.wrong(Reason.UNREADABLE, message, equation=verdict.equation, solution=verdict.solution)
    return verdict


def judge_read(prediction: Prediction, reference: PreparedProblem, gold: PreparedGold, options: Options) -> Verdict:
    """Return the verdict on a derivation that was read."""
    try:
        return _judge_read(prediction, reference, gold, options)
    except LimitError as error:
        return Verdict.wrong(Reason.TOO_LARGE, str(error))


def _judge_read(
    prediction: Prediction, reference: PreparedProblem, prepared: PreparedGold, options: Options
) -> Verdict:
    template, gold = prediction.template, reference.derivation.template
    classes = reference.classes.of_places(prediction.places)
    slot_map = match_slots(template.system, classes, gold.system, reference.gold_classes)
    same = slot_map is not None or (
        options.merge_equiv and matches(template.system, classes, gold.system, reference.gold_classes, merge=True)
    )
    agreement = None
    if not same and options.match == "quantities":
        agreement = reference.agreement(template.system, classes)
    right = same or (agreement is not None and agreement.complete)
    if same and prediction.solutions is None:
        # Equivalent derivations have the same solutions: gold's own were compared already.
        solvable, solved = True, prepared.gold_solved
    else:
        solution = _solve(prediction, reference)
        solvable = solution is not None
        solved = solution is not None and all_found(*solution, prepared.solutions)
    equation = _equation(template.system, classes, prepared, options, right, reference)
    if right:
        names = None
        if slot_map is not None:
            names = {slot: gold.slots[i] for slot, i in zip(template.slots, slot_map, strict=True)}
        if options.match == "quantities":
            return _right_by_quantities(prediction, agreement, equation, solved, names)
        return Verdict.right(_SAME, equation=equation, solution=solved, slot_map=names)
    mistaken = mistaken_name(template.unknowns, template.slots)
    if mistaken is not None:
        return Verdict.wrong(Reason.UNREADABLE, mistaken, equation=equation, solution=solved)
    if agreement is not None:
        return _wrong_by_quantities(agreement, equation, solved, solvable, prediction, reference)
    reason = _reason(prediction, reference, solvable)

    def explain() -> str:
        return _sentence(reason, solved, prediction, reference)

    return Verdict.wrong(reason, explain, equation=equation, solution=solved)


def _right_by_quantities(
    prediction: Prediction, agreement: Agreement | None, equation: float, solved: bool, names: dict[str, str] | None
) -> Verdict:
    if prediction.solutions is not None and not solved:
        message = "the derivation is gold's, but the solutions that are given are not"
        certain = agreement is None or agreement.certain
        return Verdict.right(
            message, equation=equation, solution=False, reason=Reason.SLIP, slot_map=names, certain=certain
        )
    if agreement is None:
        return Verdict.right(_SAME, equation=equation, solution=solved, slot_map=names)
    if agreement.shortcut:
        message = "the same quantities as gold but for a factor that is 1"
        return Verdict.right(message, equation=equation, solution=solved, reason=Reason.SHORTCUT, certain=False)
    return Verdict.right("the same quantities as gold, by other equations", equation=equation, solution=solved)


def _wrong_by_quantities(
    agreement: Agreement,
    equation: float,
    solved: bool,
    solvable: bool,
    prediction: Prediction,
    reference: PreparedProblem,
) -> Verdict:
    """Return the verdict on a wrong derivation; if quantities cannot explain it, Algorithm 1 does."""

    def explain() -> str:
        return _sentence(_reason(prediction, reference, solvable), solved, prediction, reference)

    if solved:
        why = _breaking_sentence(agreement, reference)
        message = f"right answer, but {why}" if why else explain
        return Verdict.wrong(Reason.LUCKY, message, equation=equation, solution=True)
    if agreement.matches:
        message = f"{len(agreement.matches)} of gold's {reference.quantities.count} quantities, not the others"
        return Verdict.wrong(Reason.PART, message, equation=equation)
    return Verdict.wrong(Reason.OTHER if solvable else Reason.UNSOLVABLE, explain, equation=equation)


def _breaking_sentence(agreement: Agreement, reference: PreparedProblem) -> str:
    """Return the numbers that a right result depends on, as in "only because q3 is 2"; empty if there are none."""
    breaking = min((b for b in agreement.breaking.values() if b), key=len, default=())
    if not breaking:
        return ""
    gold = reference.quantities
    labels = [f"q{gold.classes.index(class_) + 1}" if class_ in gold.classes else "q?" for class_ in breaking]
    return because(labels, [gold.numbers[class_] for class_ in breaking])


def because(labels: Sequence[str], values: Sequence[Fraction]) -> str:
    """Return the numbers on which a right result depends, at most four of them.

    >>> because(["q3", "q4"], [Fraction(2), Fraction(1, 2)])
    'only because q3 is 2 and q4 is 1/2'
    """
    parts = [f"{label} is {short_number(value)}" for label, value in zip(labels[:4], values, strict=False)]
    return f"only because {' and '.join(parts)}{' …' if len(labels) > 4 else ''}"


def _solve(prediction: Prediction, reference: PreparedProblem) -> tuple[list[int], int] | None:
    """Return the solution that a prediction leads to; None if its equations have no unique one."""
    if prediction.solutions is not None:
        return over_common_denominator(prediction.solutions)
    known, denominator = reference.values
    try:
        values = [known[place] for place in prediction.places]
    except KeyError:  # a number whose value is not known
        return None
    return solve_integers(prediction.template.system, values, denominator)


def _equation(
    system: System, classes: Classes, prepared: PreparedGold, options: Options, right: bool, reference: PreparedProblem
) -> float:
    share = 0.0
    by_quantities = options.match == "quantities"
    for other in prepared.equations.chosen:
        if other.is_gold:
            same = right
        elif by_quantities:
            same = _agrees(system, classes, other.system, other.classes, reference)
        else:
            same = not right and matches(system, classes, other.system, other.classes, options.merge_equiv)
        if same:
            share += other.weight
    return share if options.equation == "expected" else share > 0


def _agrees(
    system: System, classes: Classes, other: System, other_classes: Classes, reference: PreparedProblem
) -> bool:
    """Decide whether a predicted system determines the quantities of another one on the same numbers."""
    gold = reference.quantities
    wanted = SystemQuantities(other, [gold.class_of[place] for place in other_classes], gold.numbers, gold.ones)
    return agree_systems(system, [gold.class_of[place] for place in classes], wanted).complete


def _reason(prediction: Prediction, reference: PreparedProblem, solvable: bool) -> Reason:
    template, gold = prediction.template, reference.derivation.template
    if not solvable:
        return Reason.UNSOLVABLE
    if len(template.slots) != len(gold.slots):
        return Reason.SLOT_COUNT
    if len(template.unknowns) != len(gold.unknowns):
        return Reason.UNKNOWN_COUNT
    return Reason.ALIGNMENT if templates_equivalent(template, gold) else Reason.TEMPLATE


def _sentence(reason: Reason, solved: bool, prediction: Prediction, reference: PreparedProblem) -> str:
    if reason is Reason.UNSOLVABLE:
        return "the equations have no unique solution"
    if reason is Reason.ALIGNMENT:
        sentence = _explain_alignment(prediction, reference)
    else:
        sentence = _explain_template(prediction, reference)
    return f"{RIGHT_ANSWER}{sentence}" if solved else sentence


def _explain_template(prediction: Prediction, reference: PreparedProblem) -> str:
    """Say how the predicted template differs from gold's."""
    difference = find_difference(prediction.template, reference.derivation.template, ("it", "gold"))
    return f"another template than gold: {difference.message}" if difference else "another template than gold"


def wrong_slots(prediction: Prediction, reference: PreparedProblem) -> list[WrongSlot]:
    """Return the slots that have a wrong number, under the slot map that agrees with gold in most slots.

    The list is empty if the templates are not equivalent, or if the derivation is right. Raises `LimitError` if no slot
    map is found within the bounds of work.
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


def _explain_alignment(prediction: Prediction, reference: PreparedProblem) -> str:
    """Name the slot with a wrong number, under the slot map that agrees with gold in most slots."""
    try:
        wrong = wrong_slots(prediction, reference)
    except LimitError:
        return "wrong number: the slots correspond in too many ways to say which"
    if not wrong:
        return "wrong number: the numbers of one class are used differently"
    first = wrong[0]
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    return f"wrong number: slot {first.slot} takes {first.held} where gold takes {first.wanted}{more}"
