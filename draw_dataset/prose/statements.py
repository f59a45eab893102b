"""The question: what does an explanation state? Every equation in it, read by the core and told apart by its kind.

An equation without unknowns is a check; one with words on a side is a definition or an equation of words; an unknown
alone on one side and a number on the other is a value; with arithmetic there, a computed value. A chain ``y = 90/5 =
18`` is split: each later side is set equal to the first. Letters that differ in case only are one unknown unless both
cases stand in one equation.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from draw_dataset.errors import LimitError, NotLinearError, ReadError
from draw_dataset.prose.candidates import Candidate, candidates_of
from draw_dataset.prose.lexemes import Lexeme, Sort, lexemes_of, standing_names
from draw_dataset.prose.linear import Linear, read_equation
from draw_dataset.prose.segments import Segment, segments
from draw_dataset.prose.sides import WrittenNumber
from draw_dataset.prose.vocabulary import FUNCTIONS

MAX_STATEMENTS = 200
"""Statements looked at in one explanation."""

MORE_READINGS = "more than one reading"
"""The doubt of a statement whose words can be read in several ways, each a statement of its own."""

_NUMBER = re.compile(r"[-+]?\(?-?[\d.,]+\)?$|-?\(0\.01\*[\d.,]+\)$|-?\(\d+\+\d+/\d+\)$")
_NAME = re.compile(r"\(?([^\W\d]\w*)\)?$")
_OF_FORMULAS = frozenset(map(Fraction, (0, 1, 2, 100))) | {Fraction(1, 2)}


class Kind(StrEnum):
    """What a statement of an explanation is."""

    EQUATION = "equation"
    COMPUTED = "computed value"  # x = 90/5
    VALUE = "value"  # x = 18
    DEFINITION = "definition"  # x = number of dimes
    CHECK = "check"  # .25 + 2.25 = 2.5
    WORDS = "words"  # distance = rate * time
    FORMULA = "formula"  # d = r*t: no number of the problem in it
    NOT_LINEAR = "not linear"
    INEQUALITY = "inequality"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of an explanation.

    Attributes:
        kind: what it is.
        text: the words it was read from.
        line: its line, from 0.
        equation: the equation in the core's plain form; empty unless it could be read.
        doubt: why the reading is not certain; empty if it is.
        literals: the numbers written in it.
        linear: what the core made of it.
        approximate: whether the right side is said to be rounded.
        note: why it could not be read.
    """

    kind: Kind
    text: str
    line: int
    equation: str = ""
    doubt: str = ""
    literals: tuple[WrittenNumber, ...] = ()
    linear: Linear | None = None
    approximate: bool = False
    note: str = ""


def statements_of(explanation: str) -> list[Statement]:
    r"""Return the statements of an explanation in their order.

    >>> for s in statements_of("Let x = amt at 8%\n.10x = .25(10)\nx = 2.5/.10 = 25 ml\nCheck: .10*25 = 2.5"):
    ...     print(f"{s.kind}: {s.equation or None}")
    definition: None
    equation: .10*x = .25*(10)
    computed value: x = 2.5/.10
    value: x = 25
    check: .10*25 = 2.5
    """
    found = segments(explanation)[:MAX_STATEMENTS]
    cut = [[lexemes_of(reading) for reading in segment.readings] for segment in found]
    cut = _one_case([tokens for readings in cut for tokens in readings], cut)
    names = standing_names([tokens for readings in cut for tokens in readings])
    result: list[Statement] = []
    for segment, readings in zip(found, cut, strict=True):
        if len(result) >= MAX_STATEMENTS:
            break
        if segment.note:
            result.append(Statement(Kind.UNREADABLE, segment.text, segment.line, note=segment.note))
        for tokens in readings:
            doubt = MORE_READINGS if len(readings) > 1 else segment.doubt
            result += _read(segment, tokens, names, doubt)
    return result


def _one_case(every: Sequence[Sequence[Lexeme]], cut: list[list[list[Lexeme]]]) -> list[list[list[Lexeme]]]:
    """Write unknowns that differ in case only as small letters, unless an equation has both cases."""
    cases: dict[str, set[str]] = defaultdict(set)
    apart: set[str] = set()
    for tokens in every:
        here = {t.text for t in tokens if t.sort is Sort.NAME}
        for name in here:
            cases[name.lower()].add(name)
        apart |= {name.lower() for name in here if name.swapcase() in here and name.swapcase() != name}
    merged = {name: low for low, names in cases.items() if len(names) > 1 and low not in apart for name in names}
    return [
        [
            [replace(t, text=merged[t.text]) if t.sort is Sort.NAME and t.text in merged else t for t in tokens]
            for tokens in readings
        ]
        for readings in cut
    ]


def _read(segment: Segment, tokens: Sequence[Lexeme], names: frozenset[str], doubt: str) -> list[Statement]:
    if any(t.sort is Sort.COMPARISON for t in tokens):
        return [Statement(Kind.INEQUALITY, segment.text, segment.line)]
    result = []
    for candidate in candidates_of(tokens, names):
        if candidate.problem:
            result.append(_not_read(segment, tokens, candidate))
        else:
            result += _split(segment, candidate, doubt or candidate.doubt)
    return result


def _not_read(segment: Segment, tokens: Sequence[Lexeme], candidate: Candidate) -> Statement:
    if any(t.text.lower() in FUNCTIONS for t in tokens) and any(t.sort is Sort.NAME for t in tokens):
        return Statement(Kind.NOT_LINEAR, segment.text, segment.line, note="a function of an unknown")
    named = any(t.sort is Sort.NAME for t in tokens)
    if candidate.worded in ("left", "right") and named:
        kind = Kind.DEFINITION
    elif candidate.worded:
        kind = Kind.WORDS
    else:
        kind = Kind.UNREADABLE
    return Statement(kind, segment.text, segment.line, note=candidate.problem)


def _split(segment: Segment, candidate: Candidate, doubt: str) -> list[Statement]:
    result = []
    first = candidate.sides[0]
    for place in range(1, len(candidate.sides)):
        literals = candidate.literals[0] + candidate.literals[place]
        result.append(_statement(segment, first, candidate.sides[place], literals, doubt, candidate.approximate[place]))
    return result


def _statement(
    segment: Segment, left: str, right: str, literals: tuple[WrittenNumber, ...], doubt: str, approximate: bool
) -> Statement:
    base = Statement(Kind.EQUATION, segment.text, segment.line, doubt=doubt, literals=literals, approximate=approximate)
    try:
        equation, linear = read_equation(f"{left}={right}")
    except NotLinearError as error:
        # A product of letters without a number is a formula to be remembered, not an equation of this problem.
        kind = (
            Kind.NOT_LINEAR
            if any(value not in _OF_FORMULAS for literal in literals for value in literal)
            else Kind.FORMULA
        )
        return replace(base, kind=kind, note=str(error))
    except (ReadError, LimitError) as error:
        return replace(base, kind=Kind.UNREADABLE, note=str(error))
    base = replace(base, equation=equation, linear=linear)
    if not linear.coefficients:
        return replace(base, kind=Kind.CHECK)
    for one, other in ((left, right), (right, left)):
        if _NAME.match(one) and len(linear.coefficients) == 1 and not re.search(r"[^\W\d]", other):
            return replace(base, kind=Kind.VALUE if _NUMBER.match(other) else Kind.COMPUTED)
    return base
