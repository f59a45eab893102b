"""Numbers of an answer: which numbers does it give, and do they fit what a derivation says.

An answer is a number, a list of numbers, something with ``solutions``, or a text. From a text, the numbers that it
gives as its result are taken (`draw_dataset.answers.finals`). No reasoning is read here.

An answer *fits* values if it has each of them: exactly, within the tolerance, or rounded to the decimals with which it
is written. A text may give further numbers; a list may not. Which values it must have depends on what the question asks
for: the row's ``asked`` (or all unknowns, which is more). If that is not decided, it is all unknowns, or any one of
them if the question asks for one thing only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import permutations
from typing import Any

from draw_dataset.answers.reading import single_final, sources_of, take_apart
from draw_dataset.core.asked import Form, is_unit, read_asked, value_at
from draw_dataset.core.exact import exact, is_rounded, last_digit
from draw_dataset.core.problem import Problem
from draw_dataset.errors import DrawError, RowError
from draw_dataset.scoring.answer_solution import asks_for_one

TOLERANCE = Fraction(1, 10_000)
"""The largest difference between a number and a value, relative to the value if it is larger than one."""

LARGEST = 10**15
"""Larger numbers are all treated as the same wrong number."""

MAX_NUMBERS = 60
"""How many numbers of one answer are used."""


class Rounding(Enum):
    """How much a number may differ from a value by rounding; within the tolerance it always may."""

    NONE = "none"
    DECIMALS = "rounded to the decimals that are written"
    COUNTED = "and to a whole number in a text, as 37 stamps for 36.92"


@dataclass(frozen=True, slots=True)
class Given:
    """The numbers of one answer.

    Attributes:
        values: the numbers.
        steps: what the last written digit of each counts; None if it is exact.
        text: whether they were read in a text, which may say more than is asked.
    """

    values: tuple[Fraction, ...]
    steps: tuple[Fraction | None, ...]
    text: bool

    def fits(self, wanted: Sequence[Fraction], rounding: Rounding = Rounding.DECIMALS) -> bool:
        """Say whether an answer has all values, and, if it is a list, nothing else.

        Args:
            wanted: the values.
            rounding: how much a number may differ from a value by rounding.
        """
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


def read_given(answer: Any, problem: Problem) -> Given | None:
    """Return the numbers of an answer; None if it gives none.

    >>> from draw_dataset.sample import load_sample
    >>> read_given("So there are 12 dimes and 8 nickels.", load_sample()["test"][0]).values
    (Fraction(12, 1), Fraction(8, 1))

    Args:
        answer: a number, a list of numbers, a text, or a mapping with ``answer`` or ``solutions``.
        problem: the problem that it answers.
    """
    if isinstance(answer, Mapping):
        chosen = next(
            (answer[key] for key in ("answer", "solutions", "prediction") if answer.get(key) is not None), None
        )
        return None if chosen is None else read_given(chosen, problem)
    if isinstance(answer, str):
        work = take_apart(answer, sources_of(problem))
        finals = work.finals
        if len(problem.derivation.template.unknowns) == 1 and asks_for_one(problem.question):
            finals = single_final(work, problem.question, [number.value or Fraction(0) for number in problem.numbers])
        finals = finals[:MAX_NUMBERS]
        if not finals:
            return None
        values = [final.value for final in finals] + [final.value / 100 for final in finals if final.percent]
        steps = [final.step for final in finals] + [final.step / 100 for final in finals if final.percent]
        return Given(tuple(map(_bounded, values)), tuple(steps), True)
    listed = list(answer) if isinstance(answer, Iterable) else [answer]
    try:
        numbers = tuple([_bounded(exact(value)) for value in listed[:MAX_NUMBERS]])
    except DrawError:  # something that is not a number is not an answer
        return None
    decimals = [
        last_digit(number) if isinstance(value, float) and not value.is_integer() else None
        for value, number in zip(listed[:MAX_NUMBERS], numbers, strict=True)
    ]
    return Given(numbers, tuple(decimals), False) if numbers else None


def _bounded(value: Fraction) -> Fraction:
    return value if abs(value) <= LARGEST else Fraction(LARGEST + 1)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for.

    Attributes:
        unknowns: how many unknowns gold has.
        options: the ways to give what is asked; each is a list of forms in gold's unknowns, at certain numbers.
        decided: whether the row says it.
    """

    unknowns: int
    options: tuple[tuple[Form, ...], ...]
    decided: bool

    def of_gold(self, solution: Sequence[Fraction]) -> list[list[Fraction]]:
        """Return the values to be given, once for each way, for gold's unknowns."""
        return [[value_at(form, solution) for form in forms] for forms in self.options]

    def selections(self, unknowns: int, text: bool) -> list[tuple[tuple[Form, ...], tuple[int, ...]]]:
        """Return the ways to read what is asked in a derivation with so many unknowns, which have other names.

        Each is a list of forms, and which unknown of the derivation stands for each of gold's.

        Args:
            unknowns: of the derivation.
            text: whether the answer is a text. A list that gives fewer numbers than gold is explained by a derivation
                with fewer unknowns; in a text one number more or less says nothing.
        """
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


def asked_of(problem: Problem, numbers: Sequence[Fraction]) -> Asked:
    """Return what a problem asks for, as its row says or as its question sounds, at values of the text's numbers.

    Raises:
        RowError: what it asks for cannot be read, or has no value at these numbers.
    """
    names = problem.derivation.template.unknowns
    units = tuple(_unit(j, len(names)) for j in range(len(names)))
    if problem.asked:
        expressions = read_asked(problem)
        forms = [form for expression in expressions if (form := expression.form(numbers)) is not None]
        if len(forms) < len(expressions):
            raise RowError(f"problem {problem.id}: asked: expected a value, but got a division by zero")
        # An answer with all unknowns also answers a question for one of them.
        return Asked(len(names), tuple(dict.fromkeys([tuple(forms), units])), True)
    options = [units]
    if len(names) > 1 and asks_for_one(problem.question):
        options += [(unit,) for unit in units]
    return Asked(len(names), tuple(options), False)


def _unit(at: int, count: int) -> Form:
    return tuple(Fraction(j == at) for j in range(count + 1))


def values_of(forms: Sequence[Form], order: Sequence[int], solution: Sequence[Fraction]) -> list[Fraction]:
    """Return forms at a solution whose unknowns stand for gold's in a given order."""
    chosen = [solution[at] for at in order]
    return [value_at(form, chosen) for form in forms]
