"""Grading one prediction: derivation, equation and solution, with the reason.

The derivation is decided by Algorithm 1 (`core.equivalence`) or by its quantities (`core.quantities`); the option
`Options.match` says which. The set-up that was read from an answer is a derivation in q-notation, so Algorithm 1 can
decide it as well.

The solution is what the prediction gives itself, or else the exact solution of its equations. Each gold number must be
in it, as a multiset, within the tolerance; further numbers do no harm. Equation accuracy compares the derivation not
with gold but with references drawn from all derivations that lead from the text to the gold equations.

A wrong derivation is explained in a sentence, which is only made when it is read: how the templates differ for one
choice of numbers, or which slot has a wrong number under the slot map that agrees with gold in most slots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.equations import System, over_common_denominator, solve_integers
from draw_dataset.core.equivalence import all_slot_maps, find_difference, match_slots, templates_equivalent
from draw_dataset.core.quantities import Agreement
from draw_dataset.errors import LimitError
from draw_dataset.scoring.alternatives import alternatives_that_count
from draw_dataset.scoring.answers import judge_answer_text
from draw_dataset.scoring.hints import list_number, mistaken_name
from draw_dataset.scoring.prediction import Prediction, Refused, answer_of, q_notation_of, read_prediction
from draw_dataset.scoring.prepared_gold import PreparedGold, all_found, prepared_gold, prepared_without_equations
from draw_dataset.scoring.quantities import agreement_with_gold, agrees_with, breaking_sentence, gold_quantities
from draw_dataset.scoring.reference import Classes, Reference, matches
from draw_dataset.scoring.signature import GoldMode, MatchMode, Options
from draw_dataset.scoring.styled import judge_styled
from draw_dataset.scoring.styles import find_style
from draw_dataset.scoring.verdict import Reason, Verdict

_MOST_MAPS = 200
"""How many slot maps are tried to find the one that agrees best."""


@dataclass(frozen=True, slots=True)
class WrongSlot:
    """A slot of a prediction that has another number than gold.

    Attributes:
        slot: the slot of the predicted template.
        held: the number in it.
        gold_slot: the corresponding slot of the gold template.
        wanted: the number in the gold slot.
    """

    slot: str
    held: TextNumber
    gold_slot: str
    wanted: TextNumber


def grade(
    prediction: Any,
    row: Mapping[str, Any] | Reference,
    options: Options = Options(),  # noqa: B008
    *,
    match: MatchMode | None = None,
    gold: GoldMode | None = None,
) -> Verdict:
    """Grade one prediction.

    >>> from draw_dataset.sample import load_sample
    >>> row = load_sample()["train"][0].to_row()
    >>> grade("m = n + q2; m + n = q3", row).derivation
    True
    >>> wrong = grade("m = n + q1; m + n = q3", row)
    >>> str(wrong.reason), wrong.solution
    ('alignment', False)

    Args:
        prediction: the prediction, in any form of `draw_dataset.scoring.prediction`.
        row: the row of the problem, or its reference.
        options: how to grade.
        match: when a derivation counts as right; overrides the options, see `Options`.
        gold: which derivations of the row count; overrides the options, see `Options`.

    Returns:
        Whether derivation, equations and solution are right, and why. A prediction that cannot be read is wrong, and
        the verdict says so; it does not raise.

    Raises:
        RowError: the row or its gold cannot be read.
        ChoiceError: `match` or `gold` has an unknown value.
        LimitError: the expected mode of equation accuracy would compare with too many derivations.
    """
    options = options.matching(match).counting(gold)
    reference = Reference.of(row)
    return judge(prediction, reference, prepared_gold(reference, options), options)


def grade_derivation(prediction: Any, reference: Reference) -> Verdict:
    """Return the verdict on a prediction without its equation accuracy, for showing derivations.

    Raises:
        RowError: the gold solutions cannot be read.
    """
    return judge(prediction, reference, prepared_without_equations(reference, Options()), Options())


def judge(prediction: Any, reference: Reference, prepared: PreparedGold, options: Options) -> Verdict:
    """Return the verdict on a prediction after gold is prepared, so that faults of gold are not blamed on a prediction.

    If alternatives count, the verdict is the best one of gold and the alternatives; if they are equal, gold's.
    """
    best = _judge(prediction, reference, prepared, options)
    if best.derivation or not reference.problem.alternatives:
        return best
    for other, its_gold in alternatives_that_count(reference, options):
        verdict = _judge(prediction, other, its_gold, options)
        if _worth(verdict) > _worth(best):
            best = verdict
    return best


def _worth(verdict: Verdict) -> tuple[bool, bool, bool, float]:
    return verdict.derivation, verdict.certain, verdict.solution, verdict.equation


def _judge(prediction: Any, reference: Reference, prepared: PreparedGold, options: Options) -> Verdict:
    answer = answer_of(prediction)
    if answer is not None:
        return _judge_answer(answer, prediction.get("prompt_style"), reference, options)
    read = read_prediction(prediction, reference)
    if isinstance(read, Refused):
        solved = read.solutions is not None and all_found(*over_common_denominator(read.solutions), prepared.solutions)
        return Verdict(False, False, solved, read.reason, read.message)
    try:
        verdict = _grade(read, reference, prepared, options)
    except LimitError as error:
        return Verdict(False, False, False, Reason.TOO_LARGE, str(error))
    if not verdict.derivation and (hint := list_number(q_notation_of(prediction))):
        message = f"q-notation: expected equations alone, but got a numbered list; {hint}"
        return Verdict(False, verdict.equation, verdict.solution, Reason.UNREADABLE, message)
    return verdict


def _judge_answer(answer: str, style: object, reference: Reference, options: Options) -> Verdict:
    """Return the verdict on an answer of a language model, by its quantities unless Algorithm 1 is asked for.

    Raises:
        ChoiceError: there is no such style of prompts.
    """
    algorithm1 = options.match == "algorithm1"

    def prose(text: str, gold: Reference) -> Verdict:
        verdict = judge_answer_text(text, gold, options.tolerance)
        return _by_algorithm1(verdict, gold, prepared_gold(gold, options), options) if algorithm1 else verdict

    if style is None:
        return prose(answer, reference)
    rule = options.matching("algorithm1" if algorithm1 else "quantities")

    def derivation(read: Prediction, gold: Reference) -> Verdict:
        try:
            return _grade(read, gold, _without_equations(gold, rule), rule)
        except LimitError as error:
            return Verdict(False, False, False, Reason.TOO_LARGE, str(error))

    return judge_styled(answer, reference, find_style(style), derivation, prose, rule)


def _without_equations(gold: Reference, rule: Options) -> PreparedGold:
    """Return the prepared gold for answers in q-notation; made when it is first asked for."""
    known: PreparedGold | None = gold.memory.get((prepared_without_equations, rule))
    if known is None:
        gold.memory[prepared_without_equations, rule] = known = prepared_without_equations(gold, rule)
    return known


def _by_algorithm1(answer: Verdict, reference: Reference, prepared: PreparedGold, options: Options) -> Verdict:
    """Return the verdict on an answer whose set-up, as it was read, is compared with gold by Algorithm 1.

    If an answer only calculates, the results of its last calculations are the unknowns. The solution stays as it was.
    Only the most natural reading of the numbers is compared; the derivation is certain if it is right there and the
    other readings agree.
    """
    reading = answer.reading
    equations = [] if reading is None else [*reading.setup]
    if reading is not None and not equations:
        equations = [f"r{number} = {result}" for number, result in enumerate(reading.chain, 1)]
    if not equations:
        if answer.reason in (Reason.ABSTAINED, Reason.UNREAD):
            return answer
        message = "only numbers, without how they were found"
        found = Verdict(False, False, False, Reason.NO_DERIVATION, message)
    else:
        found = _judge("; ".join(equations), reference, prepared, options)
    reason = found.reason

    def message_of() -> str:
        # The result of the answer may differ from the solution of its set-up.
        sentence = found.message.removeprefix(_RIGHT_ANSWER)
        return f"{_RIGHT_ANSWER}{sentence}" if answer.solution and not found.derivation else sentence

    if found.derivation and not answer.solution:
        reason = Reason.SLIP
    return Verdict(
        found.derivation,
        found.equation,
        answer.solution,
        reason,
        (lambda: _slip(answer)) if reason is Reason.SLIP else message_of,
        found.slot_map,
        certain=found.derivation and answer.certain,
        reading=reading,
    )


def _slip(answer: Verdict) -> str:
    return answer.message if answer.reason is Reason.SLIP else "the set-up is gold's, but the result is not"


def _grade(prediction: Prediction, reference: Reference, prepared: PreparedGold, options: Options) -> Verdict:
    template, gold = prediction.template, reference.derivation.template
    classes = reference.classes.of_places(prediction.places)
    slot_map = match_slots(template.system, classes, gold.system, reference.gold_classes)
    same = slot_map is not None or (
        options.merge_equiv and matches(template.system, classes, gold.system, reference.gold_classes, merge=True)
    )
    agreement = None
    if not same and options.match == "quantities":
        agreement = agreement_with_gold(template.system, classes, reference)
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
        return Verdict(True, equation, solved, Reason.RIGHT, "the same derivation as gold", names)
    mistaken = mistaken_name(template.unknowns, template.slots)
    if mistaken is not None:
        return Verdict(False, equation, solved, Reason.UNREADABLE, mistaken)
    if agreement is not None:
        return _wrong_by_quantities(agreement, equation, solved, solvable, prediction, reference)
    reason = _reason(prediction, reference, solvable)
    return Verdict(False, equation, solved, reason, lambda: _sentence(reason, solved, prediction, reference))


def _right_by_quantities(
    prediction: Prediction, agreement: Agreement | None, equation: float, solved: bool, names: dict[str, str] | None
) -> Verdict:
    if prediction.solutions is not None and not solved:
        message = "the derivation is gold's, but the solutions that are given are not"
        certain = agreement is None or agreement.certain
        return Verdict(True, equation, False, Reason.SLIP, message, names, certain=certain)
    if agreement is None:
        return Verdict(True, equation, solved, Reason.RIGHT, "the same derivation as gold", names)
    if agreement.shortcut:
        message = "the same quantities as gold but for a factor that is 1"
        return Verdict(True, equation, solved, Reason.SHORTCUT, message, certain=False)
    return Verdict(True, equation, solved, Reason.RIGHT, "the same quantities as gold, by other equations")


def _wrong_by_quantities(
    agreement: Agreement, equation: float, solved: bool, solvable: bool, prediction: Prediction, reference: Reference
) -> Verdict:
    """Return the verdict on a wrong derivation; if quantities cannot explain it, Algorithm 1 does."""

    def explained() -> str:
        return _sentence(_reason(prediction, reference, solvable), solved, prediction, reference)

    if solved:
        why = breaking_sentence(agreement, reference)
        message = f"right answer, but {why}" if why else explained
        return Verdict(False, equation, True, Reason.LUCKY, message)
    if agreement.matches:
        count = gold_quantities(reference).count
        message = f"{len(agreement.matches)} of gold's {count} quantities, not the others"
        return Verdict(False, equation, False, Reason.PART, message)
    return Verdict(False, equation, False, Reason.OTHER if solvable else Reason.UNSOLVABLE, explained)


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


def _equation(
    system: System, classes: Classes, prepared: PreparedGold, options: Options, right: bool, reference: Reference
) -> float:
    share = 0.0
    by_quantities = options.match == "quantities"
    for other in prepared.equations.chosen:
        if other.is_gold:
            same = right
        elif by_quantities:
            same = agrees_with(system, classes, other.system, other.classes, reference)
        else:
            same = not right and matches(system, classes, other.system, other.classes, options.merge_equiv)
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
    return f"{_RIGHT_ANSWER}{sentence}" if solved else sentence


_RIGHT_ANSWER = "right answer, "


def _explain_template(prediction: Prediction, reference: Reference) -> str:
    """Say how the predicted template differs from gold's."""
    difference = find_difference(prediction.template, reference.derivation.template, ("it", "gold"))
    return f"another template than gold: {difference.message}" if difference else "another template than gold"


def wrong_slots(prediction: Prediction, reference: Reference) -> list[WrongSlot]:
    """Return the slots that have a wrong number, under the slot map that agrees with gold in most slots.

    The list is empty if the templates are not equivalent, or if the derivation is right.

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
    """Say which slot has a wrong number, under the slot map that agrees with gold in most slots."""
    try:
        wrong = wrong_slots(prediction, reference)
    except LimitError:
        return "wrong number: the slots correspond in too many ways to say which"
    if not wrong:
        return "wrong number: the numbers of one class are used differently"
    first = wrong[0]
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    return f"wrong number: slot {first.slot} takes {first.held} where gold takes {first.wanted}{more}"
