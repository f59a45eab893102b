"""Voices: the derivation of one answer, and whether it is the gold derivation.

An answer of a language model, or a derivation of a solver, is a *voice*. It determines quantities, functions of the
numbers of the text. The quantities that it gives as its result are its *ends*. They can be compared with another voice
just as the gold unknowns can: two voices agree if the ends of one are among the quantities of the other.

If the result does not follow from the set-up (a slip), the unknowns that the set-up determines are the ends. A voice
whose set-up determines nothing still has the numbers of its result, which can support what others derive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from draw_dataset.answers.reading import reading_of
from draw_dataset.core.exact import is_rounded
from draw_dataset.core.quantities import Algebra, Evaluation, Node, Ratio, SetUp, agree, setup_of
from draw_dataset.core.quantities.expressions import is_worded
from draw_dataset.errors import LimitError
from draw_dataset.scoring.alternatives import alternatives_that_count
from draw_dataset.scoring.answers import Judged, asked_of, judge_by_any
from draw_dataset.scoring.grading import judge
from draw_dataset.scoring.prediction import Refused, answer_of, read_prediction
from draw_dataset.scoring.prepared_gold import prepared_without_equations
from draw_dataset.scoring.quantities import gold_quantities
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.signature import Options
from draw_dataset.scoring.verdict import UNREAD, Reason

_OPTIONS = Options(match="quantities", gold="any")
MOST_ENDS = 4
"""How many ends a voice may have; a list of all intermediate results does not count."""


class Ends:
    """The ends of a voice as functions of the numbers of the text.

    Attributes:
        numbers: the value of each class of numbers in the text.
        ones: the classes whose numbers are 1, or 100 percent.
        nodes: the expressions in the voice's set-up.
    """

    __slots__ = ("_setup", "nodes", "numbers", "ones")

    def __init__(self, setup: SetUp, nodes: Sequence[Node], numbers: Sequence[Fraction], ones: frozenset[int]) -> None:
        self._setup = setup
        self.nodes = tuple(nodes)
        self.numbers = tuple(numbers)
        self.ones = ones

    def at(self, algebra: Algebra, numbers: Sequence[Ratio]) -> list[Ratio] | None:
        """Return the ends where given quotients stand for the numbers; None where one is not determined."""
        evaluation = Evaluation(self._setup, algebra, numbers)
        try:
            evaluation.add_all()
            found = [evaluation.known(node) for node in self.nodes]
        except (LimitError, ZeroDivisionError):
            return None
        # A name that is left has a number from 0.
        determined = all(below and all(v < 0 for m in (*above, *below) for v in m) for above, below in found)
        return found if determined else None


@dataclass(frozen=True, slots=True)
class Voice:
    """An answer or a derivation, with what it says.

    Attributes:
        source: the file and the sample it comes from.
        model: the file alone; samples of one file are less independent than answers of two.
        for_gold: whether it has gold's derivation, or one of the alternatives.
        same_result: whether its result is gold's.
        reason: the reason of its verdict.
        setup: its equations and calculations; None if there are none.
        ends: what it derives; None if it derives nothing.
        result: the numbers that it gives as its result.
        slips: whether something in it does not follow.
        written: its derivation in q-notation, as far as it was read.
    """

    source: str
    model: str
    for_gold: bool
    same_result: bool
    reason: Reason
    setup: SetUp | None
    ends: Ends | None
    result: tuple[Fraction, ...]
    slips: bool
    written: str

    def supports(self, other: Voice) -> bool:
        """Say whether this voice has the derivation of another."""
        if self.setup is None or other.ends is None:
            return False
        return agree(self.setup, other.ends).complete

    def states(self, values: Sequence[Fraction]) -> bool:
        """Say whether certain numbers are all in its result, but for rounding."""
        return bool(values) and all(any(_near(given, value) for given in self.result) for value in values)


def _near(given: Fraction, value: Fraction) -> bool:
    return is_rounded(value, given)


def voice_of(prediction: Any, reference: Reference, source: str, model: str) -> Voice:
    """Return what a prediction says, in any form that `draw_dataset.scoring` takes."""
    answer = answer_of(prediction)
    if answer is not None:
        return _voice_of_answer(answer, reference, source, model)
    verdict = judge(prediction, reference, prepared_without_equations(reference, _OPTIONS), _OPTIONS)
    said = (source, model, verdict.derivation, verdict.solution, verdict.reason)
    read = read_prediction(prediction, reference)
    if isinstance(read, Refused):
        return Voice(*said, None, None, (), slips=False, written="")
    gold = gold_quantities(reference)
    places = reference.classes.of_places(read.places)
    setup = setup_of(read.template.system, [gold.class_of[place] for place in places])
    ends, values = _ends(setup, [node for node, _ in setup.quantities], reference)
    ranks = {n.place: f"q{n.index}" for n in reference.problem.numbers}
    written = read.template.written_with([ranks[place] for place in read.places])
    return Voice(*said, setup, ends, values, slips=False, written=written)


def _voice_of_answer(answer: str, reference: Reference, source: str, model: str) -> Voice:
    judged = _judged(answer, reference)
    work = judged.work
    setup = work.setup
    stated = {abs(final.value) for final in work.finals}
    named = [(node, value) for node, value in setup.values.items() if node[0] == "name"]
    letters = [(node, value) for node, value in named if not is_worded(node[1])] or named
    chosen = [one for one in letters if abs(one[1]) in stated] or [one for one in named if abs(one[1]) in stated]
    if not chosen:
        chosen = [one for one in setup.values.items() if abs(one[1]) in stated][:1] or letters
    ends, _ = _ends(setup, [node for node, _ in chosen], reference)
    if judged.reason in UNREAD:
        ends = None
    written = ""
    if not judged.derivation and ends is not None:
        reading = reading_of(work)
        written = "; ".join(reading.setup or reading.chain)
    return Voice(
        source,
        model,
        judged.derivation,
        judged.solution,
        judged.reason,
        None if ends is None else setup,
        ends,
        tuple(final.value / (100 if final.percent else 1) for final in work.finals),
        slips=bool(setup.slips),
        written=written,
    )


def _judged(answer: str, reference: Reference) -> Judged:
    """Return the verdict on an answer: by gold, or by an alternative that it agrees with."""
    others = alternatives_that_count(reference, _OPTIONS) if reference.problem.alternatives else ()
    return judge_by_any(answer, [asked_of(reference), *(asked_of(other) for other, _ in others)])


def _ends(setup: SetUp, nodes: Sequence[Node], reference: Reference) -> tuple[Ends | None, tuple[Fraction, ...]]:
    """Return the ends among some quantities, each value once, and their values."""
    gold = gold_quantities(reference)
    exact = Algebra()
    numbers: list[Ratio] = [exact.number(value) for value in gold.numbers]
    evaluation = Evaluation(setup, exact, numbers)
    by_value: dict[Fraction, Node] = {}
    try:
        evaluation.add_all()
        for node in nodes:
            value = evaluation.value(node)
            if value is not None:
                by_value.setdefault(Fraction(value), node)
    except (LimitError, ZeroDivisionError):
        return None, ()
    if not by_value:
        return None, ()
    kept = dict(list(by_value.items())[:MOST_ENDS])
    return Ends(setup, list(kept.values()), gold.numbers, gold.ones), tuple(kept)
