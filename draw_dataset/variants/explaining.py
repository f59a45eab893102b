"""Explanations: the derivations that explain the answers to a problem and its variants, and the verdict.

All rivals are compared with all answers in floating point, with a margin; the best are decided exactly. The simplest
come first: the gold template with other numbers, derivations read in the answers, one step from gold, and templates of
the inventory. A variant with a trap has one more rival for each slot: gold with the trap's number in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from fractions import Fraction
from itertools import chain, permutations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from draw_dataset.algebra.number import exact, is_rounded, last_digit, number_text
from draw_dataset.derivation.derivation import TextNumber
from draw_dataset.derivation.equivalence import canonical_key
from draw_dataset.derivation.problem import Form, Problem, is_unit, read_asked, value_at
from draw_dataset.derivation.template import Template
from draw_dataset.errors import DrawError, RowError
from draw_dataset.reading.answer import number_origins_of, parse_answer, single_final
from draw_dataset.reading.result import Final, is_left_open
from draw_dataset.scoring.derivations import wrong_slots
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import grade_derivation
from draw_dataset.scoring.prediction import Prediction, read_prediction
from draw_dataset.scoring.verdict import Reason
from draw_dataset.solver.arrays import Floats
from draw_dataset.text.numbers import rule_of
from draw_dataset.text.question import asks_for_one
from draw_dataset.text.tokens import tokenize
from draw_dataset.variants.fields import VariableProblem, Words
from draw_dataset.variants.rivals import (
    Rival,
    RivalAnswers,
    RivalInventory,
    Step,
    column_values,
    generic_values,
    gold_rival,
    numbers_of,
    one_number_rivals,
    one_step_rivals,
    q_notation_of,
)

# An answer *fits* values if it has each of them: exactly, within the tolerance, or rounded to the decimals that are
# written. A text may give further numbers; a list may not. If a row does not say what is asked, it is all unknowns,
# or any one of them if the question asks for one thing only.

TOLERANCE = Fraction(1, 10_000)
"""The largest difference between a number and a value, relative to the value if it is larger than one."""

LARGEST = 10**15  # larger numbers are all treated as the same wrong number
MAX_NUMBERS = 60  # how many numbers of one answer are used


class Rounding(Enum):
    """Rounding that a number may have in addition to the tolerance."""

    NONE = "none"
    DECIMALS = "rounded to the decimals that are written"
    COUNTED = "and to a whole number in a text, as 37 stamps for 36.92"


@dataclass(frozen=True, slots=True)
class FinalNumbers:
    """The numbers of one answer."""

    values: tuple[Fraction, ...]
    steps: tuple[Fraction | None, ...]  # the unit of the last written digit of each; None if it is exact
    text: bool  # whether they were read in a text, which may say more than is asked

    def fits(self, wanted: Sequence[Fraction], rounding: Rounding = Rounding.DECIMALS) -> bool:
        """Return True if an answer has all values, and, if it is a list, nothing else."""
        if not self.values or not (self.text or len(self.values) == len(wanted)):
            return False
        if rounding is Rounding.COUNTED and not self.text:
            rounding = Rounding.DECIMALS
        written = list(zip(self.values, self.steps, strict=True))
        if not all(any(_is_value(value, step, one, rounding) for value, step in written) for one in wanted):
            return False
        return self.text or all(any(_is_value(v, step, one, rounding) for one in wanted) for v, step in written)


def _is_value(value: Fraction, step: Fraction | None, wanted: Fraction, rounding: Rounding) -> bool:
    if value == wanted:
        return True
    if value.denominator == 1 and step in (None, 1):  # a whole number is a rounding only where things are counted
        return rounding is Rounding.COUNTED and is_rounded(wanted, value)
    if abs(value - wanted) <= TOLERANCE * max(abs(wanted), Fraction(1)):
        return True
    return rounding is not Rounding.NONE and step is not None and is_rounded(wanted, value, step)


def read_final_numbers(answer: Any, problem: Problem) -> FinalNumbers | None:
    """Return the numbers of an answer; None if it gives none.

    >>> from draw_dataset.data.sample import load_sample
    >>> read_final_numbers("So there are 12 dimes and 8 nickels.", load_sample()["test"][0]).values
    (Fraction(12, 1), Fraction(8, 1))
    """
    if isinstance(answer, Mapping):
        chosen = given_answer(answer)
        return None if chosen is None else read_final_numbers(chosen, problem)
    if isinstance(answer, str):
        work = parse_answer(answer, number_origins_of(problem))
        finals = work.finals
        if len(problem.derivation.template.unknowns) == 1 and asks_for_one(problem.question):
            finals = single_final(work, problem.question, [number.value or Fraction(0) for number in problem.numbers])
        return _numbers_of(finals[:MAX_NUMBERS])
    return _listed_numbers(list(answer) if isinstance(answer, Iterable) else [answer])


def _numbers_of(finals: Sequence[Final]) -> FinalNumbers | None:
    """Return the numbers that a text gives as its result."""
    if not finals:
        return None
    values = [final.value for final in finals] + [final.value / 100 for final in finals if final.percent]
    steps = [final.step for final in finals] + [final.step / 100 for final in finals if final.percent]
    return FinalNumbers(tuple(map(_clamp, values)), tuple(steps), True)


def _listed_numbers(listed: Sequence[Any]) -> FinalNumbers | None:
    """Return the numbers of a list; None if one of its values is no number."""
    try:
        numbers = tuple([_clamp(exact(value)) for value in listed[:MAX_NUMBERS]])
    except DrawError:  # something that is not a number is not an answer
        return None
    decimals = [
        last_digit(number) if isinstance(value, float) and not value.is_integer() else None
        for value, number in zip(listed[:MAX_NUMBERS], numbers, strict=True)
    ]
    return FinalNumbers(numbers, tuple(decimals), False) if numbers else None


@dataclass(frozen=True, slots=True)
class Judgement:
    """An answer to one row, judged by the gold of that row."""

    given: FinalNumbers | None  # the numbers of the answer; None if there are none
    right: bool


def judge(answer: Any, problem: Problem) -> Judgement:
    """Judge an answer by the gold of its own row; a row without a derivation is right if it is left open.

    >>> from draw_dataset.data.sample import load_sample
    >>> judge("They are 50 , 100 and 200 kilograms .", load_sample()["test"][0]).right
    True
    """
    if problem.is_refused:
        return _judge_open(answer, problem)
    given = read_final_numbers(answer, problem)
    values = problem.derivation.solve().values
    names = problem.derivation.template.unknowns
    if given is None or any(name not in values for name in names):
        return Judgement(given, right=False)
    asked = read_question_values(problem, [number.value or Fraction(0) for number in problem.numbers])
    ways = asked.of_gold([values[name] for name in names])
    return Judgement(given, right=any(given.fits(way, Rounding.COUNTED) for way in ways))


_NULL = re.compile(r'"(?:final_?)?(?:answer|result|solutions?)"\s*:\s*(?:null|\[\s*\]|"")\s*[,}]', re.IGNORECASE)


def _judge_open(answer: Any, problem: Problem) -> Judgement:
    """Judge an answer to a question that cannot be decided: right if it says so, or gives nothing as its value."""
    if isinstance(answer, Mapping):
        answer = given_answer(answer)
    if isinstance(answer, str):
        work = parse_answer(answer, number_origins_of(problem))
        known = {abs(number.value) for number in problem.numbers if number.value is not None}
        left_open = is_left_open(work.plain.text, work.finals, known) or _NULL.search(answer) is not None
        given = None if left_open else _numbers_of(work.finals[:MAX_NUMBERS])
        return Judgement(given, right=left_open)
    listed = list(answer) if isinstance(answer, Iterable) else [answer]
    if all(value is None for value in listed):
        return Judgement(None, right=True)
    return Judgement(_listed_numbers(listed), right=False)


def given_answer(line: Mapping[str, Any]) -> Any:
    """Return the answer in a line; None if it has none."""
    return next((line[key] for key in ("answer", "solutions", "prediction") if line.get(key) is not None), None)


def _clamp(value: Fraction) -> Fraction:
    return value if abs(value) <= LARGEST else Fraction(LARGEST + 1)


@dataclass(frozen=True, slots=True)
class AskedFor:
    """The values that a question asks for."""

    unknowns: int  # how many unknowns gold has
    options: tuple[tuple[Form, ...], ...]  # the ways to give it: forms in gold's unknowns, at certain numbers
    decided: bool  # whether the row says it

    def of_gold(self, solution: Sequence[Fraction]) -> list[list[Fraction]]:
        """Return the values to be given, once for each way, for gold's unknowns."""
        return [[value_at(form, solution) for form in forms] for forms in self.options]

    def selections(self, unknowns: int, text: bool) -> list[tuple[tuple[Form, ...], tuple[int, ...]]]:
        """Return the ways to read the question: forms, and the derivation's unknown that stands for each of gold's."""
        found: list[tuple[tuple[Form, ...], tuple[int, ...]]] = []
        for forms in self.options:
            whole = len(forms) == self.unknowns and all(is_unit(form) for form in forms)
            if whole and (unknowns == self.unknowns or not text):
                units = tuple(_unit(j, unknowns) for j in range(unknowns))
                found.append((units, tuple(range(unknowns))))
            elif all(is_unit(form) for form in forms) and len(forms) <= unknowns:
                units = tuple(_unit(j, len(forms)) for j in range(len(forms)))
                found += [(units, chosen) for chosen in permutations(range(unknowns), len(forms))]
            elif unknowns == self.unknowns:
                found += [(forms, order) for order in permutations(range(unknowns))]
        return found


def read_question_values(problem: Problem, numbers: Sequence[Fraction]) -> AskedFor:
    """Return the values that a problem asks for, by its row or its question, at values of the text's numbers."""
    names = problem.derivation.template.unknowns
    units = tuple(_unit(j, len(names)) for j in range(len(names)))
    if problem.asked:
        expressions = read_asked(problem)
        forms = [form for expression in expressions if (form := expression.form(numbers)) is not None]
        if len(forms) < len(expressions):
            raise RowError(f"problem {problem.id}: asked: expected a value, but got a division by zero")
        # An answer with all unknowns also answers a question for one of them.
        return AskedFor(len(names), tuple(dict.fromkeys([tuple(forms), units])), True)
    options = [units]
    if len(names) > 1 and asks_for_one(problem.question):
        options += [(unit,) for unit in units]
    return AskedFor(len(names), tuple(options), False)


def _unit(at: int, count: int) -> Form:
    return tuple(Fraction(j == at) for j in range(count + 1))


def values_of(forms: Sequence[Form], order: Sequence[int], solution: Sequence[Fraction]) -> list[Fraction]:
    """Return forms at a solution whose unknowns stand for gold's in a given order."""
    chosen = [solution[at] for at in order]
    return [value_at(form, chosen) for form in forms]


_LEAST_SAME = 2  # how many variants have the original's answer if it is remembered
LEAST_EXPLAINED = 3  # how many answers an explanation has to explain
MOST_FOLLOWED = 300  # how many rivals of one problem are decided exactly
SHOWN = 5  # how many explanations of one problem are given


@dataclass(frozen=True, slots=True)
class Item:
    """An answer to a problem or one of its variants."""

    id: int | str
    kind: str  # ``original``, or the kind of the variant
    values: tuple[Fraction, ...]  # of the fields
    trap: Fraction | None  # the number of its trap, if it has one
    given: FinalNumbers | None  # the numbers of the answer; None if there are none
    moved: bool = False  # whether it has other numbers than the original, and so another answer


class ErrorKind(StrEnum):
    """Kinds of errors that explain wrong answers; the codes are stable."""

    MEMORISED = "memorised"  # the original's answer, given again
    NUMBER = "wrong number"  # gold's template with another number
    TWICE = "number twice"  # the same with a number that is used once too often
    DISTRACTOR = "distractor"  # the same with a number that gold does not use
    OPERATION = "operation"  # an operation exchanged, or its operands
    LEFT_OUT = "left out"  # a step left out
    ONE_OFF = "one off"  # one more or one less than gold
    OTHER = "other derivation"


@dataclass(frozen=True, slots=True)
class Explanation:
    """A derivation, or another habit, that explains answers."""

    rival: Rival  # gold itself if it is no derivation: the original's answer, one off
    trapped: int | None  # the slot that takes the number of a trap; None if none does
    fits: tuple[bool, ...]  # for each item, whether it is explained
    habit: ErrorKind | None = None  # memorised or one off; None for a derivation
    shift: int = 0  # by how much answers are off

    @property
    def count(self) -> int:
        """The number of answers that it explains."""
        return sum(self.fits)


def _simplicity(one: Explanation) -> tuple[int, int, int, str]:
    """Return the order of explanations of the same answers: the original's answer comes first."""
    if one.habit is not None:
        return -1, 0, 0, ""
    return one.rival.steps, one.rival.rank, len(str(one.rival.template)), str(one.rival)


class Explainer:
    """Compares derivations with the answers to one problem."""

    def __init__(self, variable: VariableProblem, items: Sequence[Item]) -> None:
        self._variable = variable
        self._items = items
        # What is asked for may have numbers of the text, which every variant has its own of.
        self._asked = [self._evaluate_question(item.values) for item in items]
        self._gold = gold_rival(variable)
        self._points = [column_values(variable, item.values) for item in items]
        generic = generic_values(variable, everything=False)
        self._generic = generic, self._evaluate_question(generic[: len(variable.fields)])
        # An answer that gold explains exactly is not explained by a rival that must round.
        exact = self._gold_fits(Rounding.NONE)
        self._rounding = [Rounding.NONE if fits else Rounding.DECIMALS for fits in exact]

    def _evaluate_question(self, values: Sequence[Fraction]) -> AskedFor:
        return read_question_values(self._variable.problem, self._variable.number_values(tuple(values)))

    def gold(self) -> tuple[bool, ...]:
        """Return for each item whether gold explains it, which is whether it is right."""
        return self._gold_fits(Rounding.COUNTED)

    def _gold_fits(self, rounding: Rounding) -> tuple[bool, ...]:
        found = []
        for item, point, asked in zip(self._items, self._points, self._asked, strict=True):
            solution = self._gold.solve(point)
            ways = [] if solution is None else asked.of_gold(solution)
            found.append(item.given is not None and any(item.given.fits(wanted, rounding) for wanted in ways))
        return tuple(found)

    def fits(self, rival: Rival, trapped: int | None = None) -> tuple[bool, ...]:
        """Return for each item whether a rival explains it."""
        count = len(rival.template.unknowns)
        found = []
        for item, point, asked, rounding in zip(self._items, self._points, self._asked, self._rounding, strict=True):
            solution = None if item.given is None else self._solution(rival, trapped, item, point)
            found.append(
                solution is not None
                and item.given is not None
                and any(
                    item.given.fits(values_of(forms, order, solution), rounding)
                    for forms, order in asked.selections(count, item.given.text)
                )
            )
        return tuple(found)

    def _solution(
        self, rival: Rival, trapped: int | None, item: Item, point: Sequence[Fraction]
    ) -> tuple[Fraction, ...] | None:
        if trapped is None or item.trap is None:
            return rival.solve(point)
        columns = [*rival.columns]
        columns[trapped] = len(point)
        return replace(rival, columns=tuple(columns)).solve([*point, item.trap])

    def best(self, inventory: RivalInventory, least: int, read: Sequence[Rival] = ()) -> list[Explanation]:
        """Return the rivals that explain the most answers, simplest first; none that differs in fixed numbers only."""
        found: list[Explanation] = []
        most = max(least, 1)
        near = [*read, *one_number_rivals(self._gold, len(self._generic[0])), *one_step_rivals(self._gold)]
        for rival, expected in chain(((one, len(self._items)) for one in near), self._of_inventory(inventory)):
            if expected < most or (len(found) >= MOST_FOLLOWED and expected == most):
                break  # templates of the inventory are in descending order
            fits = self.fits(rival)
            if sum(fits) >= most and not self._is_gold(rival):
                most = sum(fits)
                found.append(Explanation(self._count_steps(rival), None, fits))
        found += self._find_traps()
        found += self._memorised()
        most = max((one.count for one in found), default=0)
        kept = [one for one in found if one.count == most]
        kept.sort(key=_simplicity)
        return kept

    def habits(self) -> list[Explanation]:
        """Return gold with each answer one off, if it explains an answer; no verdict depends on it."""
        found = []
        for shift in (1, -1):
            for at in (None, *range(len(self._gold.template.unknowns))):
                fits = tuple([self._fits_shifted(i, shift, at) for i in range(len(self._items))])
                if any(fits):
                    found.append(Explanation(self._gold, None, fits, ErrorKind.ONE_OFF, shift))
        return sorted(found, key=lambda one: -one.count)

    def _fits_shifted(self, at: int, shift: int, value: int | None) -> bool:
        item, asked = self._items[at], self._asked[at]
        solution = self._gold.solve(self._points[at])
        if item.given is None or solution is None:
            return False
        ways = [
            [one + shift * (value is None or place == value) for place, one in enumerate(way)]
            for way in asked.of_gold(solution)
        ]
        return any(item.given.fits(way, self._rounding[at]) for way in ways)

    def _memorised(self) -> Iterator[Explanation]:
        """Yield the original's answer to every item, if two variants have it."""
        variable = self._variable
        ways = self._evaluate_question(variable.values).of_gold(variable.solution)
        fits = tuple(
            [i.given is not None and any(i.given.fits(way, Rounding.NONE) for way in ways) for i in self._items]
        )
        same = {item.id for fit, item in zip(fits, self._items, strict=True) if fit and item.moved}
        if len(same) >= _LEAST_SAME:
            yield Explanation(self._gold, None, fits, ErrorKind.MEMORISED)

    def is_named(self, best: Sequence[Explanation]) -> bool:
        """Return True if the first explanation is told from the next: none that is as simple answers otherwise."""
        first = best[0]
        # Samples of one answer are one: they do not tell explanations apart.
        if len({item.id for item, fits in zip(self._items, first.fits, strict=True) if fits}) < LEAST_EXPLAINED:
            return False
        rivals = [one for one in best[1:] if _simplicity(one)[0] <= _simplicity(first)[0]]
        return all(self._generic_answers(one) == self._generic_answers(first) for one in rivals)

    def _generic_answers(self, explanation: Explanation) -> object:
        if explanation.habit is not None or explanation.trapped is not None:
            return explanation.habit, explanation.trapped, explanation.shift
        return sorted(explanation.rival.solve(self._generic[0]) or ())

    def _of_inventory(self, inventory: RivalInventory) -> Iterator[tuple[Rival, int]]:
        """Yield the rivals that seem to explain the most, with how many answers each seems to explain."""
        groups: list[tuple[RivalAnswers, NDArray[np.int64]]] = []
        points = list(dict.fromkeys(map(tuple, self._points)))  # samples share theirs
        for evaluated in inventory.evaluate(points, self._gold.columns):
            counts: NDArray[np.int64] = np.zeros(evaluated.answers[0].shape[:2], np.int64)
            answers_at = dict(zip(points, evaluated.answers, strict=True))
            for item, point, asked in zip(self._items, self._points, self._asked, strict=True):
                if item.given is not None:
                    counts += self._seem_to_fit(answers_at[tuple(point)], item.given, asked)
            groups.append((evaluated, counts))
        most = max((int(counts.max(initial=0)) for _, counts in groups), default=0)
        # Gold itself is among them, and some may turn out not to fit, so the next ones are decided as well.
        for wanted in range(most, 0, -1):
            for evaluated, counts in groups:
                for rival in evaluated.rivals(counts == wanted):
                    yield rival, wanted

    def _seem_to_fit(self, answers: Floats, given: FinalNumbers, asked: AskedFor) -> NDArray[np.bool_]:
        values = np.array([float(value) for value in given.values])
        room = [
            1e-4 * max(abs(v), 1.0) + (float(s) if s is not None and s < 1 else 0.0)
            for v, s in zip(values, given.steps, strict=True)
        ]
        found: NDArray[np.bool_] = np.zeros(answers.shape[:2], bool)
        with np.errstate(invalid="ignore"):
            for forms, order in asked.selections(answers.shape[-1], given.text):
                if not (given.text or len(forms) == len(values)):
                    continue
                chosen = answers[..., list(order)]
                matrix = np.array([[float(f) for f in form] for form in forms])
                outputs = chosen @ matrix[:, :-1].T + matrix[:, -1]
                close = np.abs(outputs[..., :, None] - values) <= np.array(room)
                fits = close.any(axis=-1).all(axis=-1)
                found |= fits if given.text else fits & close.any(axis=-2).all(axis=-1)
        return found

    def _is_gold(self, rival: Rival) -> bool:
        """Return True if a rival always gives the asked values of gold, so that no variant distinguishes them."""
        point, asked = self._generic
        gold, other = self._gold.solve(point), rival.solve(point)
        if gold is None or other is None:
            return False
        given = [item.given for item in self._items if item.given is not None]
        lengths = {len(one.values) for one in given if not one.text}
        ways = asked.of_gold(gold)
        wanted = [sorted(way) for way in ways if len(way) in lengths]
        if any(one.text for one in given):  # a text may give more than is asked
            wanted.append(sorted(ways[0]))
        selections = asked.selections(len(other), text=False)
        return any(sorted(values_of(forms, order, other)) in wanted for forms, order in selections)

    def _count_steps(self, rival: Rival) -> Rival:
        """Return a rival with the number of its differences from gold, if it has gold's template."""
        if len(rival.columns) != len(self._gold.columns) or rival.steps <= 2:
            return rival
        if canonical_key(rival.template) != canonical_key(self._gold.template):
            return rival
        if rival.template == self._gold.template and rival.steps <= 1:
            return rival
        differing = sum(a != b for a, b in zip(sorted(rival.columns), sorted(self._gold.columns), strict=True))
        return replace(rival, steps=0 if differing <= 1 else 1)

    def _find_traps(self) -> Iterator[Explanation]:
        if any(item.trap is not None for item in self._items):
            for slot in range(len(self._gold.columns)):
                fits = self.fits(self._gold, slot)
                if any(fits):
                    yield Explanation(self._gold, slot, fits)


# A verdict counts rows: a row is explained if most of its answers are, so several samples of one row are one piece of
# evidence, and noise in them is outvoted. How many slips are forgiven follows from the number of rows and answers:
#
# - Wrong: a rival explains rows that gold does not, two or more, and so many more than the other way round that a coin
#   would do that in at most a quarter of cases; or gold misses so many rows that somebody who slips in one of five
#   would miss them in less than one case of a hundred, and explains so few that a coin would in at most one of eight.
#   Neither holds if gold explains answers that the rival does not in two rows or more and in a quarter of them.
# - Right: gold explains more rows than any rival, and all, or two or more and most of them; and somebody who slips in
#   one of five would miss so many of the rows, and of the answers, in one case of twenty or more; and no other
#   derivation explains what gold misses in three rows, or in two and a quarter of all answers (`probing`).
# - Undecided: anything else.
#
# A rival that differs in numbers that never move always gives gold's answers.

SLIPS = Fraction(1, 5)  # the share of slips that is held to be possible
RIGHT_LEVEL = Fraction(1, 20)  # how improbable slips may be where gold is right
WRONG_LEVEL = Fraction(1, 100)  # how improbable they are where gold is wrong
_HALF = Fraction(1, 2)
_FEW_LEVEL = Fraction(1, 8)
_RIVAL_LEVEL = Fraction(1, 4)


class DerivationVerdict(StrEnum):
    """Verdicts on a derivation by the answers alone; the codes are stable."""

    RIGHT = "right"
    WRONG = "wrong"
    UNDECIDED = "undecided"


def decide(
    gold: Sequence[bool], rival: Sequence[bool], answers: Sequence[bool] = (), of_gold: int = 0
) -> DerivationVerdict:
    """Return the verdict.

    >>> yes, no = [True], [False]
    >>> [str(decide(gold, 4 * no)) for gold in (4 * yes, 3 * yes + no, 2 * yes + 2 * no, yes + 3 * no, 4 * no)]
    ['right', 'right', 'undecided', 'undecided', 'wrong']
    >>> str(decide(yes + 3 * no, 4 * yes)), str(decide(2 * yes + 2 * no, 2 * no + 2 * yes))
    ('wrong', 'undecided')

    Args:
        gold: whether gold explains each row.
        rival: whether the best rival explains it.
        answers: whether gold explains each answer, if rows have several.
        of_gold: in how many rows gold explains an answer that the rival does not, if rows have several.
    """
    count, explained = len(gold), sum(gold)
    missed = count - explained
    only_rival = sum(theirs and not own for own, theirs in zip(gold, rival, strict=True))
    only_gold = sum(own and not theirs for own, theirs in zip(gold, rival, strict=True))
    of_gold = max(of_gold, only_gold)
    is_mixed = of_gold >= 2 and 4 * of_gold >= count
    if not is_mixed and only_rival >= 2 and at_least(only_rival, only_rival + only_gold, _HALF) <= _RIVAL_LEVEL:
        return DerivationVerdict.WRONG
    by_slips = at_least(missed, count, SLIPS)
    all_or_most = not missed or (explained >= 2 and explained > missed and by_slips >= RIGHT_LEVEL)
    of_answers = at_least(len(answers) - sum(answers), len(answers), SLIPS)
    if explained > sum(rival) and all_or_most and of_answers >= RIGHT_LEVEL:
        return DerivationVerdict.RIGHT
    if count and not is_mixed and by_slips < WRONG_LEVEL and at_least(missed, count, _HALF) <= _FEW_LEVEL:
        return DerivationVerdict.WRONG
    return DerivationVerdict.UNDECIDED


def rows_that_fit(items: Sequence[Item], fits: Sequence[bool]) -> dict[int | str, bool]:
    """Return for each row whether most of its answers fit."""
    found: dict[int | str, list[bool]] = {}
    for item, fit in zip(items, fits, strict=True):
        found.setdefault(item.id, []).append(fit)
    return {id_: 2 * sum(listed) > len(listed) for id_, listed in found.items()}


def at_least(slips: int, answered: int, rate: Fraction) -> Fraction:
    """Return how probable it is to slip so often or more.

    >>> float(at_least(3, 4, SLIPS)), at_least(0, 4, SLIPS)
    (0.0272, Fraction(1, 1))
    """
    ways = [comb(answered, k) * rate**k * (1 - rate) ** (answered - k) for k in range(slips, answered + 1)]
    return sum(ways, Fraction(0))


def share(values: Sequence[bool]) -> float:
    """Return the share of true values; 0 of none."""
    return sum(values) / len(values) if values else 0.0


_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+(?:\.\d+)?|\S")
_SIGNS = {"*": "×", "-": "-"}
_REPLACED = {
    "+": "subtracts {right} instead of adding it",
    "-": "adds {right} instead of subtracting it",
    "*": "divides by {right} instead of multiplying by it",
    "/": "multiplies by {right} instead of dividing by it",
}
_EXCHANGED = {
    "+": "subtracts {left} from {right} instead of adding them",
    "-": "subtracts {left} from {right} instead of {right} from {left}",
    "/": "divides {right} by {left} instead of {left} by {right}",
}


_NAMED = 2  # how many numbers of a kind a sentence names


def _is_formula(equation: str) -> bool:
    """Decide whether an equation gives an unknown by numbers alone."""
    left, _, right = equation.partition(" = ")
    return left.isidentifier() and not any(token[0].isalpha() for token in _TOKEN.findall(right))


_HUNDREDTHS = re.compile(r"(?<![\d.])0\.01\*(\d+(?:\.\d+)?)(?![\d.])")


def _written_sign(equation: str) -> str:
    """Return an equation as people write it: 30 % × m for 0.01*30*m."""
    return _HUNDREDTHS.sub(r"\1 %", equation).replace("*", " × ").replace("/", " / ")


def _join_equations(equations: Sequence[str]) -> str:
    return f"{', '.join(equations[:-1])} and {equations[-1]}" if len(equations) > 1 else equations[0]


class Describer:
    """Describes the rivals of one problem, in numbers of its text and roles of its unknowns."""

    def __init__(self, variable: VariableProblem) -> None:
        self._variable = variable
        self._gold = variable.problem.derivation
        self._reference = PreparedProblem(variable.problem)
        self._words = Words(tokenize(variable.problem.question, rule_of(variable.problem)))

    def derivation(self, explanation: Explanation) -> str:
        """Return a rival in q-notation; a number of a trap is written as ``trap``. Empty for a habit."""
        if explanation.habit is not None:
            return ""
        if explanation.trapped is None:
            return q_notation_of(self._variable, explanation.rival)
        texts = [f"q{number.index}" for number in numbers_of(self._variable, explanation.rival)]
        texts[explanation.trapped] = "trap"
        return explanation.rival.template.written_with(texts)

    def kind(self, explanation: Explanation) -> ErrorKind:
        """Return the kind of an error."""
        if explanation.habit is not None:
            return explanation.habit
        if explanation.trapped is not None:
            return ErrorKind.DISTRACTOR
        rival, gold = explanation.rival, self._gold.template
        if rival.step is not None:
            return ErrorKind.LEFT_OUT if rival.step.kind == "left out" else ErrorKind.OPERATION
        if len(rival.columns) != len(gold.slots) or canonical_key(rival.template) != canonical_key(gold):
            return ErrorKind.OTHER
        if any(column >= len(self._variable.fields) for column in rival.columns):
            return ErrorKind.DISTRACTOR
        return ErrorKind.TWICE if Counter(rival.columns) - Counter(self._variable.field_of) else ErrorKind.NUMBER

    def sentence(self, explanation: Explanation) -> str:
        """Return a sentence about how a rival differs from gold."""
        if explanation.habit is ErrorKind.MEMORISED:
            return "gives the original's answer to every variant"
        if explanation.habit is ErrorKind.ONE_OFF:
            return f"gives one {'more' if explanation.shift > 0 else 'less'} than gold"
        if explanation.trapped is not None:
            wanted = numbers_of(self._variable, explanation.rival)[explanation.trapped]
            return f"takes the number of the added sentence instead of {self._name_number(wanted)}"
        if explanation.rival.step is not None:
            return self._describe_step(explanation.rival.step)
        if self.kind(explanation) is ErrorKind.TWICE and explanation.rival.template == self._gold.template:
            pairs = zip(numbers_of(self._variable, explanation.rival), self._gold_numbers(), strict=True)
            columns = zip(pairs, explanation.rival.columns, self._variable.field_of, strict=True)
            return f"{self._name_taken([pair for pair, one, own in columns if one != own])}, so it is used twice"
        try:
            written = q_notation_of(self._variable, explanation.rival)
            if grade_derivation(written, self._reference).reason is Reason.ALIGNMENT:
                read = read_prediction(written, self._reference)
                wrong = wrong_slots(read, self._reference) if isinstance(read, Prediction) else []
                if wrong:
                    return self._name_taken([(one.held, one.wanted) for one in wrong])
        except DrawError:
            pass  # the derivation itself is shown below
        return self._describe_other(explanation.rival)

    def _name_taken(self, pairs: Sequence[tuple[TextNumber, TextNumber]]) -> str:
        if len(pairs) == 2 and pairs[0] == pairs[1][::-1]:
            first, second = sorted(pairs[0], key=lambda number: number.index or 0)
            return f"exchanges {self._name_number(first)} and {self._name_number(second)}"
        taken = [f"{self._name_number(held)} instead of {self._name_number(wanted)}" for held, wanted in pairs]
        return f"takes {', and '.join(taken)}"

    def _describe_step(self, step: Step) -> str:
        left, right = self._phrase(step.left), self._phrase(step.right)
        if step.kind == "left out":
            return f"leaves out {left or right}"
        return (_REPLACED if step.kind == "replaced" else _EXCHANGED)[step.operation].format(left=left, right=right)

    def _phrase(self, expression: str) -> str:
        """Return a part of gold in words: the text's numbers, and the roles of unknowns."""
        alignment, roles = self._gold.alignment, self._variable.problem.role_of
        tokens = _TOKEN.findall(expression)
        if len(tokens) == 1 and expression in alignment:
            return self._name_number(alignment[expression])
        named = [
            alignment[token].text or number_text(alignment[token].value or Fraction(0))
            if token in alignment
            else roles.get(token, token)
            if token[0].isalpha()
            else _SIGNS.get(token, token)
            for token in tokens
        ]
        return " ".join(named).replace("( ", "(").replace(" )", ")")

    def _describe_other(self, rival: Rival) -> str:
        """Return the equations of a rival and gold's, without those that both have, and the numbers that differ."""
        held = numbers_of(self._variable, rival)
        own, gold = self._equations(rival.template, held), self._equations(self._gold.template, self._gold_numbers())
        wrong = [one for one in own if one not in gold] or own
        right = [one for one in gold if one not in own] or gold
        verb = "calculates" if len(wrong) == 1 and _is_formula(wrong[0]) else "sets up"
        be = "is" if len(right) == 1 else "are"
        told = f"{verb} {_join_equations(wrong)}, where {_join_equations(right)} {be} right"
        told = self._with_roles(told, " ".join(right))
        columns = set(self._variable.field_of)
        extra = {n.index: n for n, column in zip(held, rival.columns, strict=True) if column not in columns}
        slots = zip(self._gold_numbers(), self._variable.field_of, strict=True)
        left = {n.index: n for n, column in slots if column not in rival.columns}
        if extra:
            told += f"; uses {self._name_all([*extra.values()])}, which gold does not"
        if left:
            told += f"; does not use {self._name_all([*left.values()])}"
        return told

    def _name_all(self, numbers: Sequence[TextNumber]) -> str:
        named = [self._name_number(number) for number in numbers[:_NAMED]]
        more = len(numbers) - len(named)
        return " and ".join([*named, *([f"{more} more"] if more else [])])

    def _gold_numbers(self) -> list[TextNumber]:
        return [self._gold.alignment[slot] for slot in self._gold.template.slots]

    def _equations(self, template: Template, numbers: Sequence[TextNumber]) -> list[str]:
        texts = [number_text(number.value or Fraction(0)) for number in numbers]
        return [_written_sign(one) for one in template.written_with(texts).split("; ")]

    def _with_roles(self, message: str, gold: str) -> str:
        """Add what gold's unknowns are to a message that mentions them, if the row says it."""
        roles = [
            f"{name} is {role}"
            for name, role in self._variable.problem.roles
            if re.search(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", gold)
        ]
        return f"{message} ({'; '.join(roles)})" if roles else message

    def _name_number(self, number: TextNumber) -> str:
        """Return a number with the word next to it: the two of 'two numbers'."""
        around = self._words.around(number)
        following, before = (around.after[0] if around.after else ""), around.previous
        if around.glued:
            phrase = f"{number.text}{around.glued}"
        elif following.isalpha() or following == "%":
            phrase = f"{number.text} {following}"
        else:
            phrase = f"{before} {number.text}".strip()
        return f"the {number.text} of '{phrase}' (q{number.index})"
