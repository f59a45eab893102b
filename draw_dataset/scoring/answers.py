"""Grading a model answer: its derivation in some reading and in all, its solution, and the reason.

The quantities of the answer are compared with gold's as functions of the numbers of the text. A later slip does not
make a derivation wrong, and a right result does not make one right. In a chain of arithmetic the last result counts.
Equation accuracy is derivation accuracy. The gold solutions are searched among the numbers that the answer gives as its
result. If the question asks for only some of gold's values, those are enough, unless the answer states another value
for a gold quantity. If the row says what is asked for (`asked`), all of that must be there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise, permutations
from threading import get_ident

from draw_dataset.algebra.number import is_rounded, last_digit, short_number
from draw_dataset.reading.answer import (
    ParsedAnswer,
    Reading,
    cached_number_origins,
    parse_answer,
    reading_of,
    single_final,
)
from draw_dataset.reading.arithmetic import (
    COUNT,
    FORM,
    NOTHING,
    Arithmetic,
    Comparison,
    compare_arithmetic,
    functions_of,
    numbers_with_words,
    words_of_name,
)
from draw_dataset.reading.compare import Agreement, agree
from draw_dataset.reading.functions import value_of
from draw_dataset.reading.links import AnswerSetup
from draw_dataset.reading.plain import is_foreign
from draw_dataset.reading.points import UNITS, Gold, points_of
from draw_dataset.reading.provenance import NumberOrigins
from draw_dataset.reading.quantities import (
    ConstantOrigin,
    Literal,
    Node,
    Origin,
    PairOrigin,
    RestOrigin,
    TextOrigin,
    as_written,
    fractions_of,
    is_plain,
    is_worded,
    literals_of,
    names_of,
)
from draw_dataset.reading.result import Final, tail_start, without_long_lists
from draw_dataset.reading.setup import may_be_converted, without_contradictions
from draw_dataset.scoring.derivations import RIGHT_ANSWER, because, judge_derivation
from draw_dataset.scoring.gold import GoldForAnswers, PreparedProblem, values_at
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.roles import exchanged_letters, exchanged_results
from draw_dataset.scoring.verdict import Kind, Reason, Verdict, Witness
from draw_dataset.text.lexicon import things
from draw_dataset.text.question import asks_for_one
from draw_dataset.text.units import COUNTED, conversion, is_known, name_of_constant, unit_named, units_in


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """The judgement of an answer; derivation: in some reading of its numbers, certain: in every one."""

    derivation: bool
    certain: bool
    solution: bool
    reason: Reason
    message: str
    work: ParsedAnswer
    witness: Callable[[], Witness | None] | None = None
    compared: Callable[[], tuple[AnswerSetup, Agreement]] | None = None  # the set-up as it was compared with gold

    @property
    def reading(self) -> Reading:
        """What was read from the answer, with the origins of its numbers that the judgement is about."""
        if self.compared is None:
            return reading_of(self.work)
        setup, agreement = self.compared()
        return reading_of(replace(self.work, setup=replace(self.work.setup, origins=_origins_meant(setup, agreement))))

    @property
    def natural_reading(self) -> Reading:
        """What was read from the answer, with the most natural origins of its numbers."""
        return reading_of(self.work)


def _origins_meant(setup: AnswerSetup, agreement: Agreement) -> list[Sequence[Origin]]:
    """Return the origins of each literal of a set-up, first the one in which it agrees with gold."""
    origins: list[Sequence[Origin]] = [*setup.origins]
    for index, option in {i: o for match in reversed(agreement.matches) for i, o in match.chosen.items()}.items():
        own = setup.origins[index]
        origins[index] = (own[option], *own[:option], *own[option + 1 :])
    return origins


def judge_answer_text(answer: str, reference: PreparedProblem, options: Options) -> Verdict:
    """Return the verdict on an answer, by its quantities unless the options ask for Algorithm 1."""
    if options.match == "algorithm1":
        verdict = _judge_by_quantities(answer, reference, options.tolerance, natural=True)
        return _judge_by_algorithm1(verdict, reference, options)
    return _judge_by_quantities(answer, reference, options.tolerance)


def solves(answer: str, reference: PreparedProblem, tolerance: Fraction) -> bool:
    """Decide whether the result of an answer is right."""
    return _judge_by_quantities(answer, reference, tolerance).solution


def _judge_by_quantities(
    answer: str, reference: PreparedProblem, tolerance: Fraction, *, natural: bool = False
) -> Verdict:
    if not answer.strip():
        return Verdict.wrong(Reason.ABSTAINED, "an empty answer")
    asked = reference.for_answers
    judged = judge_answer(answer, asked if asked.tolerance == tolerance else replace(asked, tolerance=tolerance))

    def write_message() -> str:
        witness = judged.witness() if judged.witness is not None else None
        return judged.message if witness is None else f"{judged.message}: {witness}"

    return Verdict(
        derivation=judged.derivation,
        equation=judged.derivation,
        solution=judged.solution,
        reason=judged.reason,
        message=write_message,
        certain=judged.certain,
        reading=lambda: judged.natural_reading if natural else judged.reading,
        witness=judged.witness,
    )


def _judge_by_algorithm1(answer: Verdict, reference: PreparedProblem, options: Options) -> Verdict:
    """Return the verdict on an answer whose set-up, as it was read, is compared with gold by Algorithm 1.

    If an answer only calculates, the results of its last calculations are the unknowns. The solution stays as it was.
    Only the most natural reading of the numbers is compared; the derivation is certain if it is right there and the
    other readings agree.
    """
    gold = reference.gold(options)
    reading = answer.reading
    equations = [] if reading is None else [*reading.setup]
    if reading is not None and not equations:
        equations = [f"r{number} = {result}" for number, result in enumerate(reading.chain, 1)]
    if equations:
        found = judge_derivation("; ".join(equations), reference, gold, options)
    elif answer.reason in (Reason.ABSTAINED, Reason.UNREAD):
        return answer
    else:
        found = Verdict.wrong(Reason.NO_DERIVATION, "only numbers, and no calculation that is understood")
    is_slip = found.derivation and not answer.solution

    def write_message() -> str:
        if is_slip:
            return answer.message if answer.reason is Reason.SLIP else "the set-up is gold's, but the result is not"
        # The result of the answer may differ from the solution of its set-up.
        sentence = found.message.removeprefix(RIGHT_ANSWER)
        return f"{RIGHT_ANSWER}{sentence}" if answer.solution and not found.derivation else sentence

    return Verdict(
        derivation=found.derivation,
        equation=found.equation,
        solution=answer.solution,
        reason=Reason.SLIP if is_slip else found.reason,
        message=write_message,
        slot_map=found.slot_map,
        certain=found.derivation and answer.certain,
        reading=reading,
    )


def judge_answer(answer: str, asked: GoldForAnswers) -> JudgedAnswer:
    """Grade an answer."""
    return judge_by_any(answer, [asked])


def judge_by_any(answer: str, golds: Sequence[GoldForAnswers]) -> JudgedAnswer:
    """Grade an answer by the first gold derivation that it agrees with, else by the first; all are of one text."""
    text = _origins_of(golds[0].gold, golds[0].classes)
    work = _work_of(answer, text, get_ident())
    if work.unfinished:
        message = "it breaks off within a thought, so it has no result"
        return JudgedAnswer(
            derivation=False, certain=False, solution=False, reason=Reason.ABSTAINED, message=message, work=work
        )
    first = _judge(work, golds[0], text)
    if first.derivation:
        return first
    others = (_judge(work, asked, text) for asked in golds[1:])
    return next((judged for judged in others if judged.derivation), first)


@lru_cache(maxsize=1 << 10)
def _origins_of(gold: Gold, classes: tuple[int, ...]) -> NumberOrigins:
    """Return the numbers of a text; looked up by the gold, because a hash of fractions takes long."""
    return cached_number_origins(tuple(gold.numbers), classes)


@lru_cache(maxsize=2)
def _work_of(answer: str, text: NumberOrigins, _thread: int) -> ParsedAnswer:
    """Take an answer apart. Gold and each alternative judge it in turn; what they find out is kept with its set-up."""
    return parse_answer(answer, text)


@lru_cache(maxsize=2)
def _arithmetic_of(
    answer: str, text: NumberOrigins, question: str, nouns: tuple[frozenset[str], ...], thread: int
) -> Arithmetic:
    """Read the calculations of an answer, once for gold and all alternatives."""
    work = _work_of(answer, text, thread)
    return Arithmetic(work.tokens, text, question, work.plain.text, nouns)


def _judge(work: ParsedAnswer, asked: GoldForAnswers, text: NumberOrigins) -> JudgedAnswer:
    # An answer without any number is q-notation; its result is the solution of its equations.
    symbolic = not work.finals and all(token.value is None for token in work.tokens[-TAIL:])
    one = _has_one_result(asked)
    plain = work.plain.text
    most = _LISTED if one else max(len(asked.wanted), len(asked.solutions))
    listed = bool(work.finals)
    work = replace(work, finals=without_long_lists(plain, work.finals, most))
    if one:
        work = replace(work, finals=single_final(work, asked.question, asked.gold.numbers))
    results = Results(work.finals, asked.tolerance, Mentions(work), *_asked_units(asked.question))
    comparison, unit = NOTHING, _ONE
    calculates = _only_calculates(work.setup)
    if calculates:
        comparison, unit = _compare_arithmetic(work, asked, text, results)
    if one and comparison.found is not None and unit == 1 and not work.gave_up:
        given = all(map(results.has, (*asked.wanted, *asked.solutions))) and not _is_other_unit(work.finals, asked)
        if given:
            # Most answers are calculations that give gold's result in gold's way: nothing else need be looked at.
            reason, message = _right_reason(work, True, shortcut=comparison.shortcut, stated=comparison.stated)
            return JudgedAnswer(
                derivation=True,
                certain=comparison.certain,
                solution=True,
                reason=reason,
                message=message,
                work=work,
                compared=lambda: _compare(work, asked, results),
            )
    setup, agreement = _compare(work, asked, results)
    stated = [
        Final(values[-1][0], 0, 0, last_digit(values[-1][0]), marked=False, percent=False)
        for values in setup.stated.values()
        if values
    ]
    solution = not work.gave_up and (
        agreement.complete
        if symbolic
        else gives_what_is_asked(
            asked.wanted, asked.solutions, setup, agreement, results, stated, _told_at_end(work, asked)
        )
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
    if solution and one and not symbolic and _is_other_unit(work.finals, asked):
        solution = False
    solution = solution and not exchanged_results(asked.roles, plain, work.finals)
    if solution and set(asked.wanted) <= set(asked.solutions) and not _DIGITS.search(asked.question):
        solution = not _exchanges_letters(points_of(asked.gold).values or (), setup, agreement)
    chain = _only_calculates(setup)
    if not calculates and (chain or not solution or not agreement.complete):
        # A right set-up with its right result is no question of the calculations, which take as long to compare.
        comparison, unit = _compare_arithmetic(work, asked, text, results)
    if comparison.found is not None and unit != 1:
        solution = True
    found = comparison.found is not None and (solution or comparison.found <= FORM)
    if found and not chain and (comparison.found or 0) > COUNT and _is_read(work, setup, asked, solution=True):
        found = False  # equations that are understood say how the result was found, not what may have been in the head
    if found and (chain or not agreement.complete):
        derivation, certain, shortcut = True, comparison.certain, comparison.shortcut
    elif chain and (comparison.lucky and asked.trusted and not agreement.shortcut if solution else comparison.other):
        # The calculations lead to the result in another way, whatever else is among them.
        derivation, certain, shortcut = False, False, False
    else:
        derivation, certain, shortcut = agreement.complete, agreement.certain and not chain, agreement.shortcut
    if derivation and asked.roles and not chain:
        unknown_of = _unknowns_of_letters(asked, setup, agreement)
        letters = exchanged_letters(asked.roles, work.answer, unknown_of)
        if letters:
            return _judge_exchanged(work, asked, solution, letters[0], unknown_of[letters[0]])
    if derivation:
        reason, message = _right_reason(work, solution, shortcut=shortcut, stated=comparison.stated)
        if certain and not solution and not chain and not setup.slips and _is_setup_false(work, asked):
            certain = False  # right only if the letter of the result is something else than what is asked for
        return JudgedAnswer(
            derivation=True,
            certain=certain,
            solution=solution,
            reason=reason,
            message=message,
            work=work,
            compared=lambda: (setup, agreement),
        )
    proved = _is_proved(work, setup, comparison, asked, solution)
    listed = listed and not work.finals
    reason, message = _wrong_reason(
        work, setup, agreement, text, asked, solution=solution, proved=proved, listed=listed
    )
    witness = (lambda: _witness(comparison, asked, text)) if reason.kind is Kind.WRONG else None
    return JudgedAnswer(
        derivation=False,
        certain=False,
        solution=solution,
        reason=reason,
        message=message,
        work=work,
        witness=witness,
        compared=lambda: (setup, agreement),
    )


def _unknowns_of_letters(asked: GoldForAnswers, setup: AnswerSetup, agreement: Agreement) -> dict[str, int]:
    """Return which unknown each letter of a set-up is; if gold has one, the second is what that leaves of a total."""
    found = {match.node[1]: match.unknown for match in agreement.matches if match.node[0] == "name"}
    if len(asked.solutions) == 1:
        rest = asked.roles.values[1]
        found |= {name: 1 for name, value in setup.known.items() if name not in found and value == rest}
    return found


def _judge_exchanged(
    work: ParsedAnswer, asked: GoldForAnswers, solution: bool, letter: str, unknown: int
) -> JudgedAnswer:
    """Return the judgement of an answer that defines a letter as one unknown and sets it up as the other."""
    ours, theirs = asked.roles.values[unknown], asked.roles.values[1 - unknown]
    message = f"{'right' if solution else 'wrong'} answer, but {letter} is said to be one unknown and used as the other"
    return JudgedAnswer(
        derivation=False,
        certain=False,
        solution=solution,
        reason=Reason.LUCKY if solution else Reason.OTHER,
        message=message,
        work=work,
        witness=lambda: Witness({}, ours, theirs),
    )


def false_equations(work: ParsedAnswer, asked: GoldForAnswers) -> Iterator[tuple[int, str, Fraction]]:
    """Yield the equations in the letter of the result that gold's value does not satisfy: place, letter and value."""
    setup, solutions = work.setup, asked.wanted or asked.solutions
    finals = {abs(final.value) for final in work.closing}
    letters = {name for name, values in setup.stated.items() if not is_worded(name) and abs(values[-1][0]) in finals}
    if len(solutions) != 1 or len(letters) != 1:
        return
    letter = letters.pop()
    for statement in work.statements:
        if len(statement.sides) < 2 or set().union(*map(names_of, statement.sides)) != {letter}:
            continue
        values = [as_written(side, setup.literals, {letter: solutions[0]}) for side in statement.sides]
        pairs = zip(values, values[1:], statement.signs, strict=False)
        if any(a is not None and b is not None and sign in ("=", "is") and _differ(a, b) for a, b, sign in pairs):
            yield statement.start, letter, solutions[0]


def _is_setup_false(work: ParsedAnswer, asked: GoldForAnswers) -> bool:
    """Decide whether gold's value does not satisfy an equation of the set-up itself."""
    kinds = zip(work.statements, work.setup.kinds, strict=True)
    own = {statement.start for statement, kind in kinds if kind == "set-up"}
    return any(place in own for place, _, _ in false_equations(work, asked))


def _differ(one: Fraction, other: Fraction) -> bool:
    """Decide whether two values differ by more than rounding on the way explains."""
    return abs(one - other) * 100 > max(abs(one), Fraction(1))


_LISTED = 3  # values in a row that an answer to a problem with one result may end with


def _only_calculates(setup: AnswerSetup) -> bool:
    """Decide whether an answer has no equation but those that name the value of a calculation."""
    known: set[str] = set()
    for left, right, _ in setup.equations:
        if left[0] != "name" or not names_of(right) <= known or left[1] in known:
            return False
        known.add(left[1])
    return True


def _unit(value: Fraction, results: Results) -> Fraction:
    """Return what the result is multiplied by because the answer names another unit beside it; else 1."""
    if not value or results.has(value):
        return _ONE
    return next((s for s in UNITS if results.has(value * s) and results.names_unit(s, value * s, beside=True)), _ONE)


def _compare_arithmetic(
    work: ParsedAnswer, asked: GoldForAnswers, text: NumberOrigins, results: Results
) -> tuple[Comparison, Fraction]:
    """Compare the calculations of an answer with the gold quantities that are asked for, in the unit of the answer."""
    finals = work.closing
    if not finals or any(final.candidate for final in finals):
        return NOTHING, _ONE
    arithmetic = _arithmetic_of(work.answer, text, asked.question, asked.nouns, get_ident())
    functions = functions_of(asked.gold)
    golds = [gold for gold in functions if gold.value in asked.wanted] or functions
    units = [_unit(gold.value or Fraction(0), results) for gold in golds]
    found = [compare_arithmetic(arithmetic, gold, finals, unit) for gold, unit in zip(golds, units, strict=True)]
    if not found:
        return NOTHING, _ONE
    missing = [comparison for comparison in found if comparison.found is None]
    if not missing or (len(missing) < len(found) and asks_for_one(asked.question)):
        there = [comparison for comparison in found if comparison.found is not None]
        rank = max(comparison.found or 0 for comparison in there)
        best = Comparison(
            rank,
            shortcut=any(comparison.shortcut for comparison in there),
            certain=not missing and all(comparison.certain for comparison in there),
            stated=any(comparison.stated for comparison in there),
        )
        return best, units[0] if len(units) == 1 else _ONE
    # A result that is a gold value and leads nowhere is no proof; one that is no gold value is, in any reading.
    return next((comparison for comparison in missing if comparison.lucky), missing[0]), _ONE


def _is_proved(
    work: ParsedAnswer, setup: AnswerSetup, comparison: Comparison, asked: GoldForAnswers, solution: bool
) -> bool:
    """Decide whether an answer was read completely, so that another derivation than gold's is proved."""
    if is_foreign(work.plain.text):
        return False
    if not solution:
        read = (comparison.other is not None and not _has_gold_value(work, asked)) or _is_read(
            work, setup, asked, solution=False
        )
        return read and (any(final.marked for final in work.finals) or not _mentions_gold_at_end(work, asked))
    if not _only_calculates(setup) or not comparison.lucky:
        return asked.trusted and not asked.derived and _is_read(work, setup, asked, solution=True)
    return asked.trusted


def _mentions_gold_at_end(work: ParsedAnswer, asked: GoldForAnswers) -> bool:
    """Decide whether a gold value stands in the last lines of an answer that does not mark its result."""
    start = tail_start(work.plain.text)
    tail = [token for token in work.tokens if token.start >= start and token.value in asked.solutions]
    equations = [s for s in work.statements if any(not is_worded(name) for side in s.sides for name in names_of(side))]
    return any(not any(s.start <= token.start < s.end for s in equations) for token in tail)


def _has_gold_value(work: ParsedAnswer, asked: GoldForAnswers) -> bool:
    """Decide whether a gold value is among the final numbers of an answer."""
    return any(is_rounded(value, final.value, final.step) for value in asked.solutions for final in work.finals)


def _is_plain_constant(value: Fraction, asked: GoldForAnswers, *, solution: bool) -> bool:
    """Decide whether a constant is one that everybody knows; where luck is at stake, one that the question names."""
    if not solution:
        return is_known(value) or value in range(1, COUNTED + 1)
    numbers = asked.gold.numbers
    if any(one - other == value for one, other in permutations(numbers, 2)):
        return False  # x + 1 for x + 5 four years ago
    related = {number for given in numbers if given for number in (1 / given, 100 / given, given / 100)}
    return value in (0, 1) or (value not in related and name_of_constant(value, asked.question) is not None)


def _is_read(work: ParsedAnswer, setup: AnswerSetup, asked: GoldForAnswers, *, solution: bool) -> bool:
    """Decide whether equations lead to the result, and each of their numbers has an origin that nobody invented."""
    if not setup.equations or setup.slips or "unread" in setup.kinds:
        return False
    sides = [side for left, right, _ in setup.equations for side in (left, right)]
    for index in (index for side in sides for index in literals_of(side)):
        origin, value = setup.origin(index), setup.literals[index].amount
        if isinstance(origin, PairOrigin | RestOrigin):
            return False
        if solution and isinstance(origin, TextOrigin) and origin.change.scale not in _FAMILIAR:
            return False  # 24 for 12 times a 2 of the text says nothing about where it comes from
        if isinstance(origin, ConstantOrigin) and not _is_plain_constant(value, asked, solution=solution):
            return False
    if solution and any(
        may_be_converted(value, asked.gold.numbers) for side in sides for value in fractions_of(side, setup.literals)
    ):
        return False
    values = [abs(value) for value in setup.values.values()]
    finals = work.closing
    return bool(finals) and all(
        any(is_rounded(value, abs(final.value), final.step) for value in values) for final in finals
    )


def _witness(comparison: Comparison, asked: GoldForAnswers, text: NumberOrigins) -> Witness | None:
    """Return numbers at which the derivation of an answer and gold differ."""
    one, numbers = comparison.other, list(asked.gold.numbers)
    if one is None:
        return None
    changes = [(i, by) for by in _CHANGES for i in range(len(numbers))]
    for place, by in ((-1, Fraction(0)), *changes):
        moved = [value + by if i == place else value for i, value in enumerate(numbers)]
        ours, golds = value_of(one, moved), values_at(asked.gold, moved)
        if ours is not None and golds and ours not in golds:
            nearest = min(golds, key=lambda gold: abs(gold - ours))
            return Witness({} if place < 0 else {text.labels[place]: moved[place]}, ours, nearest)
    return None


_MONEY = frozenset({"dollar", "cent"})
_FAMILIAR = frozenset(map(Fraction, ("1", "100", "1/100", "60", "1/60")))
TAIL = 40  # tokens at the end of an answer in which a result would have been found
_CHANGES = (Fraction(1), Fraction(2), Fraction(1, 10))


def _has_one_result(asked: GoldForAnswers) -> bool:
    """Decide whether the problem has one unknown and asks for one thing, so that an answer has one result."""
    if len(asked.solutions) != 1:
        return False
    return asked.chain or len(asked.wanted) == 1 or (not asked.wanted and asks_for_one(asked.question))


def _is_other_unit(finals: Sequence[Final], asked: GoldForAnswers) -> bool:
    """Decide whether the value of gold is said to be in another unit of money than the question's: 60 cents for $60."""
    units = units_in(asked.question)
    if any(final.unit[:1] == ("dozen",) for final in finals) and "dozen" not in asked.question.lower():
        return True
    for final in finals:
        if not is_rounded(asked.solutions[0], final.value, final.step):
            return False
        own = unit_named(final.unit[0]) if final.unit else None
        if own not in _MONEY or own in units or not units & _MONEY:
            return False
    return bool(finals)


@lru_cache(maxsize=1 << 8)
def _asked_units(question: str) -> tuple[frozenset[str], bool]:
    """Return the units that a question names, and whether it asks for a percentage."""
    return units_in(question), "percent" in units_in(re.split(r"(?<=[.?!])\s", question.strip())[-1])


class Mentions:
    """The numbers and units of a whole answer, found when a result needs them."""

    def __init__(self, work: ParsedAnswer) -> None:
        self._work = work

    @cached_property
    def units(self) -> frozenset[str]:
        """The units that the answer names."""
        return units_in(self._work.plain.text)

    @cached_property
    def numbers(self) -> list[Final]:
        """All numbers of the answer with the words beside them."""
        text, found = self._work.plain.text, []
        for literal in self._work.setup.literals:
            if literal.end:  # nobody wrote the others
                price = text[max(literal.start - 2, 0) : literal.start].strip().endswith("$")
                words = ("$",) if price else tuple(literal.unit.lower().split())
                found.append(
                    Final(literal.value, literal.start, literal.end, literal.step, False, literal.percent, unit=words)
                )
        return found


def _compare(work: ParsedAnswer, asked: GoldForAnswers, results: Results) -> tuple[AnswerSetup, Agreement]:
    """Return the set-up with the quantities that count, and how much of the gold derivation it has."""
    setup = work.setup
    if asked.chain or not setup.equations:
        setup = _ending(setup, work.finals)
    if setup.slips or setup.equations:
        # The inverse of a rate counts only if the answer states it, or ends in it.
        said = [(node, at) for node, at in setup.quantities if not _inverts(node, setup) or _is_said(node, work)]
        setup = replace(setup, quantities=said)
    return setup, agree(_by_words(setup, asked, work.plain.text), asked.gold, setup.values, results.names_unit)


def _by_words(setup: AnswerSetup, asked: GoldForAnswers, plain: str) -> AnswerSetup:
    """Return a set-up in which words beside a number decide between numbers of the text with its value."""
    origins = list(setup.origins)
    names = {
        right[1]: words_of_name(left[1])
        for left, right, _ in setup.equations
        if left[0] == "name" and right[0] == "number" and is_worded(left[1])
    }
    for index, literal in enumerate(setup.literals):
        price = plain[max(literal.start - 2, 0) : literal.start].strip()[-1:] if literal.end else ""
        words = [*_CURRENCY.intersection(price), *(things(literal.unit.split())[:2] or names.get(index, ()))]
        named = numbers_with_words(asked.gold.numbers, asked.nouns, literal.value, words)
        if named:
            origins[index] = tuple([origin for origin in origins[index] if _may_be_named(origin, literal, named)])
    return setup if origins == setup.origins else replace(setup, origins=origins, memory={})


_CURRENCY = frozenset("$£€")


def _may_be_named(origin: Origin, literal: Literal, named: Collection[int]) -> bool:
    """Decide whether an origin remains where the words beside a number are those of some numbers of the text."""
    if isinstance(origin, TextOrigin) and (is_plain(origin) or literal.percent):
        return origin.number in named
    return not isinstance(origin, ConstantOrigin) or literal.value in (0, 1)


def _ending(setup: AnswerSetup, finals: Sequence[Final]) -> AnswerSetup:
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


def _inverts(node: Node, setup: AnswerSetup) -> bool:
    """Decide whether a quantity is one divided by a rate."""
    return bool(node[0] == "/" and node[1][0] == "number" and setup.literals[node[1][1]].end == 0)


def _is_said(node: Node, work: ParsedAnswer) -> bool:
    """Decide whether an answer gives one divided by a rate as its result, or by what it says the rate is."""
    given = {final.value for final in work.finals}
    rates = [result.stated.value for result in work.setup.results if result.node == node[2]]
    return work.setup.values.get(node) in given or any(1 / rate in given for rate in rates if rate)


def _right_reason(work: ParsedAnswer, solution: bool, *, shortcut: bool, stated: bool) -> tuple[Reason, str]:
    if not solution:
        return Reason.SLIP, _slip(work)
    if shortcut:
        return Reason.SHORTCUT, "the same derivation as gold but for a factor that is 1"
    if stated:
        return Reason.RIGHT, "the same intermediate values as gold, in words"
    return Reason.RIGHT, "the same derivation as gold"


def _wrong_reason(
    work: ParsedAnswer,
    setup: AnswerSetup,
    agreement: Agreement,
    text: NumberOrigins,
    asked: GoldForAnswers,
    *,
    solution: bool,
    proved: bool,
    listed: bool,
) -> tuple[Reason, str]:
    """Return why a derivation is not gold's; only what is proved is called wrong."""
    if not setup.equations and not setup.results and not setup.quantities:
        if work.finals:
            return Reason.NO_DERIVATION, "only numbers, and no calculation that is understood"
        if listed:
            return Reason.NO_DERIVATION, "several numbers, and not which of them is meant"
        return Reason.UNREAD, "no equation and no number was found"
    if not proved:
        result = "right answer" if solution else "wrong answer"
        return Reason.UNDECIDED, f"{result}, but not understood is {_open_sentence(work, text, asked)!r}"
    if solution:
        breaking = min((b for b in agreement.breaking.values() if b), key=len, default=None)
        if breaking:
            labels = [setup.labels[i] for i in breaking]
            return Reason.LUCKY, f"right answer, but {because(labels, [asked.gold.numbers[i] for i in breaking])}"
        return Reason.LUCKY, "right answer, but by another derivation than gold"
    if agreement.matches:
        return Reason.PART, f"{len(agreement.matches)} of gold's {len(asked.solutions)} quantities, not the others"
    return Reason.OTHER, "another derivation than gold"


def _open_sentence(work: ParsedAnswer, text: NumberOrigins, asked: GoldForAnswers) -> str:
    """Return the sentence with the first number on the way to the result that nothing explains, else the result's."""
    arithmetic = _arithmetic_of(work.answer, text, asked.question, asked.nouns, get_ident())
    finals = work.closing
    place = arithmetic.find_unexplained(finals)
    if place is None:
        place = finals[-1].start if finals else 0
    plain = work.plain.text
    start = max(plain.rfind(mark, 0, place) for mark in ("\n", ". ", "! ", "? "))
    stops = [at for mark in ("\n", ". ", "! ", "? ") if (at := plain.find(mark, place)) >= 0]
    sentence = slice(*work.plain.span(start + 1, min(stops, default=len(plain))))
    return " ".join(work.answer[sentence].split())[:100]


def _slip(work: ParsedAnswer) -> str:
    for slip in work.setup.slips:
        start, end = work.plain.span(work.statements[slip.at].start, work.statements[slip.at].end)
        text = " ".join(work.answer[start:end].split())[:80]
        if slip.expected is not None and slip.got is not None:
            return f"the set-up is gold's, then a slip: {text!r} should give {short_number(slip.expected)}"
        return f"the set-up is gold's, then a slip: {text!r} does not follow"
    return "the set-up is gold's, but " + ("no result is given" if _gives_no_result(work) else "the result is not")


def _gives_no_result(work: ParsedAnswer) -> bool:
    """Decide whether all numbers taken for the result are numbers of the set-up itself."""
    setup = [s for s, kind in zip(work.statements, work.setup.kinds, strict=True) if kind == "set-up"]
    return all(not final.marked and any(s.start <= final.start < s.end for s in setup) for final in work.finals)


@dataclass(frozen=True, slots=True)
class Results:
    """The numbers that an answer gives as its result.

    A number is a value exactly, rounded to the digits that are written (`is_rounded`), or within the tolerance.
    """

    finals: Sequence[Final]
    tolerance: Fraction  # the largest difference from a value, relative to the value if that is larger than one
    mentions: Mentions  # the numbers and units of the whole answer
    asked: frozenset[str]  # the units that the question names
    percent: bool  # whether the question asks for a percentage

    def has(self, wanted: Fraction) -> bool:
        """Decide whether a value is among the numbers."""
        return any(is_value(final, wanted, self.tolerance) for final in self.finals)

    def has_all(self, wanted: Sequence[Fraction], stated: Sequence[Final] = ()) -> bool:
        """Decide whether all values are among the numbers, or, if one is, among them and the values stated before."""
        there = [self.has(value) for value in wanted]
        if all(there):
            return True
        before = [any(is_value(final, value, self.tolerance) for final in stated) for value in wanted]
        return any(there) and all(a or b for a, b in zip(there, before, strict=True))

    def names_unit(self, scale: Fraction, value: Fraction, beside: bool = False) -> bool:
        """Decide whether the answer names a unit in which a quantity of the question is so many times its value.

        The unit must stand beside the number, here or where the answer mentions it before, if any unit does: 21 weeks
        are not 3 weeks. If none does, it may be named anywhere in the answer.
        With `beside` it must stand beside the number.
        """
        if scale == _MILLION:
            return any("million" in final.unit[:1] for final in self.finals)
        # A price may have no sign, and a part of a whole no name.
        asked = self.asked | _UNNAMED
        counted: set[str] = set()
        per: set[str] = set()
        for numbers in (self.finals, () if beside else self.mentions.numbers):
            there = [f for f in numbers if abs(f.value) == abs(value) or is_value(f, value, self.tolerance)]
            counted = {unit for final in there for unit in _counted(final, value)}
            per = {unit for final in there for unit in _per(final)}
            if counted or per:
                break
        if not counted and not per and not beside:
            counted = per = set(self.mentions.units)
            if "percent" in counted or (self.percent and abs(value) <= 100):
                counted |= {"fraction", "percent"}
        return any(
            (own in counted and conversion(unit, own) == scale) or (own in per and conversion(own, unit) == scale)
            for own in counted | per
            for unit in asked
        )


_UNNAMED = frozenset({"fraction", "one", "dollar", "cent"})
_MILLION = Fraction(10**6)


def _counted(final: Final, value: Fraction) -> list[str]:
    """Return the unit that a number counts, where it stands for a value: 25 % may stand for 25, and for a quarter."""
    if final.percent:
        return ["percent" if abs(final.value) == abs(value) else "fraction"]
    words = [word for word in final.unit if word not in ("of", "a", "an", "more")][:1]
    return [unit for word in words if (unit := unit_named(word)) is not None]


def _per(final: Final) -> list[str]:
    """Return the unit that a rate is for: an hour in 8 miles per hour."""
    words = final.unit
    found = [after for before, after in pairwise(words) if before in ("per", "each", "every")]
    if words[:1] and words[0] in ("mph", "kph", "kmh"):
        found.append("hour")
    return [unit for word in found if (unit := unit_named(word)) is not None]


def is_value(final: Final, wanted: Fraction, tolerance: Fraction) -> bool:
    """Decide whether a number of an answer is a value: exactly, within the tolerance, or rounded as it is written."""
    if _is_value(final.value, wanted, final.step, tolerance):
        return True
    return final.percent and _is_value(final.value / 100, wanted, final.step / 100, tolerance)


def _is_value(shown: Fraction, wanted: Fraction, step: Fraction, tolerance: Fraction) -> bool:
    # In integers, because fractions take ten times as long, and each final number is tried in every unit.
    (above, below), (wanted_above, wanted_below) = shown.as_integer_ratio(), wanted.as_integer_ratio()
    off = abs(above * wanted_below - wanted_above * below)
    part, whole = tolerance.as_integer_ratio()
    if off * whole <= part * max(abs(wanted_above), wanted_below) * below:
        return True
    return is_rounded(wanted, shown, step)


_ONE = Fraction(1)


def solution_is_right(
    solutions: Sequence[Fraction],
    setup: AnswerSetup,
    agreement: Agreement,
    results: Results,
    stated: Sequence[Final],
    question: str,
    given: Collection[Fraction],
    exact: bool,
) -> bool:
    """Decide whether the result of an answer is right; `given` are the numbers of the text, which nobody asks for."""
    there = [results.has(wanted) for wanted in solutions]
    if all(there):
        return True
    if _is_list_of_others(there, results.finals, question):
        return False
    if results.has_all(solutions, stated):
        return True
    if len(solutions) == 2 and _DIGITS.search(question):
        # A single digit is not the number that is asked for.
        first, second = solutions
        return results.has(10 * first + second) or results.has(10 * second + first)
    if _contradicts(solutions, setup, agreement) or _is_list_of_others(there, results.finals, question):
        return False
    if any(there) and (agreement.matches or asks_for_one(question)):
        return not setup.slips or agreement.complete or asks_for_one(question)
    if len(solutions) == 1 and _in_another_unit(solutions, results, beside=True):
        return True
    if not agreement.complete or (setup.slips and not _is_healed(setup, results.finals)):
        return False
    found = replace(results, finals=[final for final in results.finals if final.value not in given])
    if any(_in_another_unit([wanted], found) for wanted in solutions) or _ASKS_FOR_EQUATIONS.search(question):
        return True
    return not exact and any(map(found.has, set(setup.values.values()).difference(given)))


def _in_another_unit(wanted: Sequence[Fraction], results: Results, beside: bool = False) -> bool:
    """Decide whether the answer gives all values in another unit and names it; beside the number, if that is asked."""
    return any(
        results.has_all([value * scale for value in wanted])
        and all(results.names_unit(scale, value * scale, beside) for value in wanted)
        for scale in (*UNITS, _MILLION)
    )


def gives_what_is_asked(
    asked: Sequence[Fraction],
    solutions: Sequence[Fraction],
    setup: AnswerSetup,
    agreement: Agreement,
    results: Results,
    stated: Sequence[Final],
    tail: Collection[Fraction],
) -> bool:
    """Decide whether an answer gives all that the question asks for, if the row says what that is.

    All values must be among the numbers of its result; or on the way there, if it ends in one of them or in a gold
    value; or in another unit, or with a name in its last lines (`tail`), if it has the gold derivation and no slip:
    "After 13 days both have 950."
    """
    left = [value for value in asked if not results.has(value)]
    if not left:
        return True
    if any(map(results.has, (*asked, *solutions))):
        before = replace(results, finals=stated)
        calculated = {abs(result.stated.amount) for result in setup.results}
        if all(before.has(value) or abs(value) in calculated for value in left):
            return True
    if not agreement.complete or setup.slips:
        return False
    found = {match.node[1] for match in agreement.matches if match.node[0] == "name"}
    named = {values[-1][0] for name, values in setup.stated.items() if name in found and values}
    return (not _only_calculates(setup) and {*left} <= named & {*tail}) or _in_another_unit(asked, results)


def _told_at_end(work: ParsedAnswer, asked: GoldForAnswers) -> set[Fraction]:
    """Return the numbers in the last lines of an answer whose result is neither marked nor a number of the text."""
    if any(final.marked or final.value in asked.gold.numbers for final in work.finals):
        return set()
    start = tail_start(work.plain.text)
    return {token.value for token in work.tokens if token.start >= start and token.value is not None}


def _is_list_of_others(there: Sequence[bool], finals: Sequence[Final], question: str) -> bool:
    """Decide whether a result has as many numbers as gold and other values: ``Answer: 36, 85``."""
    marked = len({final.value for final in finals if final.marked}) or len({f.value for f in finals if f.last})
    return len(there) > 1 and marked == len(there) and any(there) and not all(there) and not asks_for_one(question)


def _is_healed(setup: AnswerSetup, finals: Sequence[Final]) -> bool:
    """Decide whether a slip did no harm: nothing is set up after it, it is not the result, and values are right."""
    if {slip.got for slip in setup.slips} & {final.value for final in finals}:
        return False
    first = min(slip.at for slip in setup.slips)
    if not setup.fits or any(at > first for _, _, at in setup.equations):
        return False
    known = [(setup.known[name], values[-1][0]) for name, values in setup.stated.items() if name in setup.known]
    return all(is_rounded(value, stated) for value, stated in known)


_DIGITS = re.compile(r"\b(?:two|2)[- ]digit\b|\bdigits\b", re.IGNORECASE)
_ASKS_FOR_EQUATIONS = re.compile(
    r"\b(?:write|set up|form|give|which)\b[^.?!]{0,60}\b(?:equations?|systems?)\b", re.IGNORECASE
)
"""Matches a question that asks for the equations and not for their solution."""


def _exchanges_letters(golds: Sequence[Fraction], setup: AnswerSetup, agreement: Agreement) -> bool:
    """Decide whether an answer says that the letters of its set-up have each other's values; `golds` are gold's."""
    wrong = 0
    for match in agreement.matches:
        if match.node[0] == "name" and match.node[1] in setup.stated and match.scale == 1:
            last = setup.stated[match.node[1]][-1][0]
            wrong += last != golds[match.unknown] and last in golds
    return wrong > 1


def _contradicts(solutions: Sequence[Fraction], setup: AnswerSetup, agreement: Agreement) -> bool:
    """Decide whether the answer states another value for a gold quantity."""
    for match in agreement.matches:
        if match.node[0] == "name" and match.node[1] in setup.stated:
            wanted = solutions[match.unknown] * match.scale if match.unknown < len(solutions) else None
            last = setup.stated[match.node[1]][-1][0]
            if wanted is not None and not is_rounded(wanted, last):
                return True
    return False
