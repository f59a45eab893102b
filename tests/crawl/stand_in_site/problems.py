"""Word problems that know their derivations.

A kind of problem (see `kinds`) is a function that draws numbers and writes a `Draft`: a text in which each number that
fills a slot is marked ``{slot:as written}``, and equations in slots and the unknowns x and y. Marks are taken out, the
numbers of the text are found as the package finds them, and each mark must stand where a number was found: so the row
made here is right by construction, or making it fails.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from draw_dataset.algebra.solution import solve
from draw_dataset.derivation.problem import AlignedNumber, Problem
from draw_dataset.text.numbers import locate_numbers

_MARK = re.compile(r"\{(\w+):([^{}]+)\}")
_SLOT = re.compile(r"\b[a-h]\b")


@dataclass(frozen=True)
class Draft:
    """What a kind writes.

    `text` has its slots marked; `template` is in slots a to h and the unknowns x and y; `meaning` says what these are;
    `one_unknown` is the same in x alone, as tutors like it; `in_words` is a word equation.
    """

    text: str
    template: tuple[str, ...]
    meaning: Mapping[str, str]
    unit: str = ""
    one_unknown: tuple[str, ...] = ()
    in_words: str = ""


@dataclass(frozen=True)
class Known:
    """A problem and all that is known about it.

    `question` is the clean text; `equations` and `one_unknown` have the numbers in them. `row` is the annotated problem
    in the package's row shape, with id 0; None where there is no linear derivation to know. `short_rows` are the same
    problem with each of `one_unknown` for its template.
    """

    kind: str
    question: str
    equations: tuple[str, ...]
    one_unknown: tuple[str, ...]
    solutions: Mapping[str, Fraction]
    meaning: Mapping[str, str]
    unit: str
    in_words: str
    row: dict[str, Any] | None
    short_rows: tuple[dict[str, Any], ...] = ()


def known_of(kind: str, draft: Draft) -> Known:
    """Take the marks out of a draft, and find which number fills which slot."""
    question, marks = _unmarked(draft.text)
    numbers, _ = locate_numbers(question)
    by_start = {number.start: number for number in numbers}
    mentions: dict[str, list[Any]] = {}
    for slot, start in marks:
        assert start in by_start, f"{kind}: no number is found at {question[start : start + 20]!r} of {question!r}"
        mentions.setdefault(slot, []).append(by_start[start])
    values = {slot: ones[0].value for slot, ones in mentions.items()}
    for slot, ones in mentions.items():
        assert {one.value for one in ones} == {values[slot]}, f"{kind}: slot {slot} has several values: {question!r}"
    equations = tuple(with_numbers(equation, values) for equation in draft.template)
    solution = solve(equations)
    assert str(solution.kind) == "unique", f"{kind}: {equations}"
    template = tuple(equation.replace("x", "m").replace("y", "n") for equation in draft.template)
    problem = Problem(
        id=0,
        question=question,
        numbers=numbers,
        equations=equations,
        solutions=tuple(float(value) for value in solution.values.values()),
        template=template,
        alignment=tuple(
            AlignedNumber(slot, ones[0].sentence, ones[0].token, float(ones[0].value))
            for slot, ones in sorted(mentions.items())
        ),
        equiv_tnum=tuple(tuple(ones) for ones in mentions.values() if len(ones) > 1),
    )
    one_unknown = tuple(with_numbers(equation, values) for equation in draft.one_unknown)
    for equation in one_unknown:
        assert solve(equation).values["x"] == solution.values["x"], f"{kind}: {equation} against {equations}"
    return Known(
        kind,
        question,
        equations,
        one_unknown,
        solution.values,
        draft.meaning,
        draft.unit,
        draft.in_words,
        problem.to_row(),
        tuple(_shortened(problem, equation, solution.values["x"]).to_row() for equation in draft.one_unknown),
    )


def _shortened(problem: Problem, template: str, solution: Fraction) -> Problem:
    """The problem with one equation in x alone for its template; only its slots are aligned."""
    slots = set(_SLOT.findall(template))
    return replace(
        problem,
        template=(template.replace("x", "m"),),
        alignment=tuple(a for a in problem.alignment if a.slot in slots),
        solutions=(float(solution),),
    )


def plain_known(kind: str, question: str, equations: tuple[str, ...] = (), **more: Any) -> Known:
    """A problem without a linear derivation."""
    told = {"one_unknown": (), "solutions": {}, "meaning": {}, "unit": "", "in_words": "", "row": None, **more}
    return Known(kind=kind, question=question, equations=equations, **told)


def with_numbers(equation: str, values: Mapping[str, Fraction]) -> str:
    """Put the numbers into the slots of an equation."""
    return _SLOT.sub(lambda found: decimal(values[found[0]]), equation)


def decimal(value: Fraction) -> str:
    """Write a number as people do: 0.25, 12, and a fraction where no short decimal is equal to it."""
    if value.denominator == 1:
        return str(value.numerator)
    if 10**4 % value.denominator == 0:
        digits = f"{float(abs(value)):.4f}".rstrip("0")
        return f"-{digits}" if value < 0 else digits
    return f"({value.numerator}/{value.denominator})" if value > 0 else f"(-{-value.numerator}/{value.denominator})"


def _unmarked(text: str) -> tuple[str, list[tuple[str, int]]]:
    pieces: list[str] = []
    marks: list[tuple[str, int]] = []
    length = last = 0
    for mark in _MARK.finditer(text):
        pieces += text[last : mark.start()], mark[2]
        length += mark.start() - last
        marks.append((mark[1], length))
        length += len(mark[2])
        last = mark.end()
    return "".join([*pieces, text[last:]]), marks
