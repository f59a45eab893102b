"""Grading an answer of a language model: its derivation in some reading and in all, its solution, and the reason.

The answer is read (`draw_dataset.answers`), and its quantities are compared with the gold quantities as functions of
the numbers of the text (`draw_dataset.core.quantities`). A later slip does not make a derivation wrong, and a right
result does not make one right. If the result is right but the function is not, the message names the numbers of the
text that make it differ when they alone are changed: that is why it was luck.

Equation accuracy of an answer is its derivation accuracy. The references of equation accuracy differ from gold only in
which of several numbers of equal value they take. An answer writes the value, so it may be read as any of them.

In a chain of arithmetic each calculation uses the result before it. Only the last result counts as a quantity that is
solved for. So a right intermediate result of a wrong chain is not taken for the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from threading import get_ident

from draw_dataset.answers.attempts import without_contradictions
from draw_dataset.answers.finals import Final
from draw_dataset.answers.reading import Reading, Work, reading_of, single_final, take_apart, text_sources
from draw_dataset.answers.setup import Worked
from draw_dataset.answers.sources import TextSources
from draw_dataset.core.asked import asked_values
from draw_dataset.core.exact import last_digit
from draw_dataset.core.quantities import Agreement, Algebra, Gold, Node, agree
from draw_dataset.core.quantities.solving import constant_ratio
from draw_dataset.scoring.answer_solution import Results, asks_for_one, gives_what_is_asked, solution_is_right
from draw_dataset.scoring.quantities import because, gold_quantities, short_number
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.signature import Options
from draw_dataset.scoring.verdict import Reason, Verdict
from draw_dataset.text.units import units_in


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgement of an answer.

    Attributes:
        derivation: whether it has the gold derivation in some reading of its numbers.
        certain: whether it has it in every reading.
        solution: whether its result is right.
        reason: why.
        message: the reason in a sentence.
        work: the answer as it was taken apart.
    """

    derivation: bool
    certain: bool
    solution: bool
    reason: Reason
    message: str
    work: Work

    @property
    def reading(self) -> Reading:
        """What was read from the answer."""
        return reading_of(self.work)


@dataclass(frozen=True, slots=True)
class Asked:
    """What answers to one problem are compared with.

    Attributes:
        gold: the gold quantities.
        classes: for each number of the text its class.
        solutions: the gold solutions at the numbers of the text.
        question: the text.
        chain: whether gold is a chain of arithmetic, of which only the last result is asked for.
        wanted: what the question asks for, if the row says so.
        tolerance: how much a result may differ from gold, relative to gold if gold is larger than one.
        derived: whether gold was derived from a worked solution.
    """

    gold: Gold
    classes: tuple[int, ...]
    solutions: tuple[Fraction, ...]
    question: str
    chain: bool = False
    wanted: tuple[Fraction, ...] = ()
    tolerance: Fraction = Options().tolerance
    derived: bool = False

    @property
    def exact(self) -> bool:
        """Whether gold is what the question asks for; a question of the release may ask for something that follows."""
        return self.chain or self.derived

    @property
    def is_single(self) -> bool:
        """Whether the problem has one unknown and asks for one thing, so that an answer has one result."""
        if len(self.solutions) != 1:
            return False
        return self.chain or len(self.wanted) == 1 or (not self.wanted and asks_for_one(self.question))


def values_of(gold: Gold) -> tuple[Fraction, ...]:
    """Return the gold quantities at the numbers of the text; empty if they have no value."""
    algebra = Algebra()
    found = gold.at(algebra, [algebra.number(value) for value in gold.numbers])
    values = [constant_ratio(algebra, *ratio) for ratio in found or ()]
    return tuple(Fraction(value) for value in values if value is not None)


def asked_of(reference: Reference) -> Asked:
    """Return what answers to the problem of a row are compared with; made when it is first asked for."""
    asked: Asked | None = reference.memory.get(Asked)
    if asked is None:
        gold = gold_quantities(reference)
        problem = reference.problem
        solutions = values_of(gold) or reference.solutions
        wanted, derived = asked_values(problem), bool(problem.status)
        asked = Asked(gold, gold.classes, solutions, problem.question, wanted=wanted, derived=derived)
        reference.memory[Asked] = asked
    return asked


def judge_answer_text(answer: str, reference: Reference, tolerance: Fraction) -> Verdict:
    """Return the verdict on an answer to the problem of a row.

    Args:
        answer: the answer.
        reference: gold.
        tolerance: how much a result may differ from gold, relative to gold if gold is larger than one.
    """
    if not answer.strip():
        return Verdict(False, False, False, Reason.ABSTAINED, "an empty answer")
    judged = judge_answer(answer, replace(asked_of(reference), tolerance=tolerance))
    return Verdict(
        judged.derivation,
        judged.derivation,
        judged.solution,
        judged.reason,
        judged.message,
        certain=judged.certain,
        reading=lambda: reading_of(judged.work),
    )


def judge_answer(answer: str, asked: Asked) -> Judged:
    """Grade an answer."""
    return judge_by_any(answer, [asked])


def judge_by_any(answer: str, golds: Sequence[Asked]) -> Judged:
    """Grade an answer by the first of several gold derivations that it agrees with, else by the first one.

    Args:
        answer: the answer.
        golds: what it is compared with; all have the numbers of the same text.
    """
    text = text_sources(tuple(golds[0].gold.numbers), golds[0].classes)
    work = _work_of(answer, text, get_ident())
    if work.unfinished:
        message = "it breaks off within a thought, so it has no result"
        return Judged(
            derivation=False, certain=False, solution=False, reason=Reason.ABSTAINED, message=message, work=work
        )
    first = _judge(work, golds[0], text)
    if first.derivation:
        return first
    others = (_judge(work, asked, text) for asked in golds[1:])
    return next((judged for judged in others if judged.derivation), first)


@lru_cache(maxsize=2)
def _work_of(answer: str, text: TextSources, _thread: int) -> Work:
    """Take an answer apart. Gold and each alternative judge it in turn; what they find out is kept with its set-up."""
    return take_apart(answer, text)


def _judge(work: Work, asked: Asked, text: TextSources) -> Judged:
    # An answer without any number is q-notation; its result is the solution of its equations.
    symbolic = not work.finals
    if asked.is_single:
        work = replace(work, finals=single_final(work, asked.question, asked.gold.numbers))
    plain = work.plain.text
    results = Results(work.finals, asked.tolerance, _mentions(work), units_in(plain), units_in(asked.question))
    setup, agreement = _compare(work, asked, results)
    certain = agreement.certain
    stated = [
        Final(values[-1][0], 0, 0, last_digit(values[-1][0]), marked=False, percent=False)
        for values in setup.stated.values()
        if values
    ]
    solution = not work.gave_up and (
        agreement.complete
        if symbolic
        else gives_what_is_asked(asked.wanted, asked.solutions, setup, agreement, results, stated)
        if asked.wanted
        else solution_is_right(
            asked.solutions, setup, agreement, results, stated, asked.question, asked.gold.numbers, asked.exact
        )
    )
    if solution and not agreement.complete and setup.slips:
        # The result is right and contradicts the set-up, so a part of that was read wrongly, or dropped silently.
        other = without_contradictions(work.statements, text, work.setup)
        if other is not None:
            again = replace(work, setup=other)
            other_setup, other_agreement = _compare(again, asked, results)
            if other_agreement.complete:
                work, setup, agreement = again, other_setup, other_agreement
    reason, message = _reason(work, setup, agreement, solution, asked)
    return Judged(agreement.complete, certain, solution, reason, message, work)


def _mentions(work: Work) -> list[Final]:
    """Return all numbers of an answer with the words beside them."""
    text, found = work.plain.text, []
    for literal in work.setup.literals:
        if literal.end:  # nobody wrote the others
            price = text[max(literal.start - 2, 0) : literal.start].strip().endswith("$")
            words = ("$",) if price else tuple(literal.unit.lower().split())
            found.append(
                Final(literal.value, literal.start, literal.end, literal.step, False, literal.percent, unit=words)
            )
    return found


def _compare(work: Work, asked: Asked, results: Results) -> tuple[Worked, Agreement]:
    """Return the set-up with the quantities that count, and how much of the gold derivation it has."""
    setup = work.setup
    if asked.chain or not setup.equations:
        setup = _ending(setup, work.finals)
    if setup.slips or setup.equations:
        # The inverse of a rate counts only if the answer states it, or ends in it.
        said = [(node, at) for node, at in setup.quantities if not _inverts(node, setup) or _is_said(node, work)]
        setup = replace(setup, quantities=said)
    return setup, agree(setup, asked.gold, setup.values, results.names_unit)


def _ending(setup: Worked, finals: Sequence[Final]) -> Worked:
    """Keep only the quantities that an answer ends in: the results that its last number stands for."""
    if not finals:
        return setup
    marked = [final for final in finals if final.marked] or list(finals)
    wanted = {abs(final.value) for final in (marked[-1:] if marked[-1].marked else marked)}
    results = [(result.node, result.at) for result in setup.results if abs(result.stated.value) in wanted]
    ends = {node for node, value in setup.values.items() if abs(value) in wanted}
    results += [(node, at) for node, at in setup.quantities if node in ends or _inverts(node, setup)]
    names = [
        (node, at)
        for node, at in setup.quantities
        if node[0] == "name" and any(abs(value) in wanted for value, _ in setup.stated.get(node[1], ()))
    ]
    return replace(setup, quantities=results + names) if results or names else setup


def _inverts(node: Node, setup: Worked) -> bool:
    """Say whether a quantity is one divided by a rate."""
    return bool(node[0] == "/" and node[1][0] == "number" and setup.literals[node[1][1]].end == 0)


def _is_said(node: Node, work: Work) -> bool:
    """Say whether an answer gives one divided by a rate as its result, or one divided by what it says the rate is."""
    given = {final.value for final in work.finals}
    rates = [result.stated.value for result in work.setup.results if result.node == node[2]]
    return work.setup.values.get(node) in given or any(1 / rate in given for rate in rates if rate)


def _reason(work: Work, setup: Worked, agreement: Agreement, solution: bool, asked: Asked) -> tuple[Reason, str]:
    if agreement.complete:
        if not solution:
            return Reason.SLIP, _slip(work)
        if agreement.shortcut:
            return Reason.SHORTCUT, "the same derivation as gold but for a factor that is 1"
        return Reason.RIGHT, "the same derivation as gold"
    if not setup.equations and not setup.results and not setup.quantities:
        if work.finals:
            return Reason.NO_DERIVATION, "only numbers, without how they were found"
        return Reason.UNREAD, "no equation and no number was found"
    if solution:
        breaking = min((b for b in agreement.breaking.values() if b), key=len, default=None)
        if breaking:
            labels = [setup.labels[i] for i in breaking]
            return Reason.LUCKY, f"right answer, but {because(labels, [asked.gold.numbers[i] for i in breaking])}"
        if not setup.values:
            return Reason.UNREAD, "right answer, but only parts of its equations could be read"
        return Reason.LUCKY, "right answer, but nothing that was read leads to it"
    if agreement.matches:
        return Reason.PART, f"{len(agreement.matches)} of gold's {len(asked.solutions)} quantities, not the others"
    if not setup.values:
        return Reason.UNREAD, "only parts of its equations could be read"
    return Reason.OTHER, "another derivation than gold"


def _slip(work: Work) -> str:
    for slip in work.setup.slips:
        start, end = work.plain.span(work.statements[slip.at].start, work.statements[slip.at].end)
        text = " ".join(work.answer[start:end].split())[:80]
        if slip.expected is not None and slip.got is not None:
            return f"the set-up is gold's, then a slip: {text!r} should give {short_number(slip.expected)}"
        return f"the set-up is gold's, then a slip: {text!r} does not follow"
    return "the set-up is gold's, but " + ("no result is given" if _gives_no_result(work) else "the result is not")


def _gives_no_result(work: Work) -> bool:
    """Say whether all that was taken for the result are numbers of the set-up itself."""
    setup = [s for s, kind in zip(work.statements, work.setup.kinds, strict=True) if kind == "set-up"]
    return all(not final.marked and any(s.start <= final.start < s.end for s in setup) for final in work.finals)
