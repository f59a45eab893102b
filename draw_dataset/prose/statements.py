"""Statements of an explanation: every equation in it, read by the core, with its kind.

An equation without unknowns is a check. One with words on a side is a definition or an equation of words. An unknown
alone on one side with a number on the other is a value; with arithmetic there, a computed value. A chain ``y = 90/5 =
18`` is split: each later side is set equal to the first. Letters that differ only in case are one unknown unless both
cases occur in one equation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from draw_dataset.core.quantities import Literal, Node, has_names, is_bare, is_fraction
from draw_dataset.errors import LimitError, NotLinearError, ReadError
from draw_dataset.prose.candidates import UNREAD, Candidate, candidates_of
from draw_dataset.prose.linear import Linear, read_equation
from draw_dataset.prose.names import Names, settled
from draw_dataset.prose.segments import Segment, segments
from draw_dataset.prose.sides import WrittenNumber, numbers_of, write_side
from draw_dataset.prose.tokens import Sort, Token, raw_tokens
from draw_dataset.prose.vocabulary import FUNCTIONS

MAX_STATEMENTS = 200
"""How many statements of one explanation are read."""

MORE_READINGS = "more than one reading"
"""The doubt of a statement whose words can be read in several ways, each a statement of its own."""

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
    equation: .10*x = .25*10
    computed value: x = 2.5/.10
    value: x = 25
    check: .10*25 = 2.5
    """
    found = segments(explanation)[:MAX_STATEMENTS]
    raw = [[raw_tokens(reading) for reading in segment.readings] for segment in found]
    names = Names.of(tokens for readings in raw for tokens in readings)
    result: list[Statement] = []
    for segment, readings in zip(found, raw, strict=True):
        if len(result) >= MAX_STATEMENTS:
            break
        if segment.note:
            result.append(Statement(Kind.UNREADABLE, segment.text, segment.line, note=segment.note))
        for text, tokens in zip(segment.readings, readings, strict=True):
            doubt = MORE_READINGS if len(readings) > 1 else segment.doubt
            result += _Reading(segment, text, settled(tokens, names), doubt, names.capital).statements()
    return result


@dataclass(frozen=True, slots=True)
class _Reading:
    """One reading of a segment."""

    segment: Segment
    text: str
    tokens: list[Token]
    doubt: str
    capital: dict[str, str]
    literals: list[Literal] = field(default_factory=list)

    def statements(self) -> list[Statement]:
        if any(t.sort is Sort.COMPARISON for t in self.tokens):
            return [Statement(Kind.INEQUALITY, self.segment.text, self.segment.line)]
        result: list[Statement] = []
        for candidate in candidates_of(self.text, self.tokens, self.literals):
            if candidate.problem:
                result.append(self._not_read(candidate))
            else:
                first, *others = candidate.sides
                for side, approximate in zip(others, candidate.approximate[1:], strict=True):
                    result.append(self._statement(first, side, self.doubt or candidate.doubt, approximate))
        return result

    def _not_read(self, candidate: Candidate) -> Statement:
        tokens, segment = self.tokens, self.segment
        named = any(t.sort is Sort.NAME for t in tokens)
        powers = {"^"} if candidate.problem == UNREAD else set()  # x^5 is beyond what the reader takes for a power
        if named and any(t.text in FUNCTIONS or t.text in powers for t in tokens):
            return Statement(Kind.NOT_LINEAR, segment.text, segment.line, note="a function of an unknown")
        if candidate.worded in ("left", "right") and named:
            kind = Kind.DEFINITION
        elif candidate.worded:
            kind = Kind.WORDS
        else:
            kind = Kind.UNREADABLE
        return Statement(kind, segment.text, segment.line, note=candidate.problem)

    def _name(self, name: str) -> str:
        return self.capital.get(name, name)

    def _statement(self, left: Node, right: Node, doubt: str, approximate: bool) -> Statement:
        literals = numbers_of(left, self.literals) + numbers_of(right, self.literals)
        equation, note, linear = "", "", None
        sides = [write_side(side, self.literals, self._name) for side in (left, right)]
        try:
            equation, linear = read_equation("=".join(sides))
            kind = self._kind(left, right) if linear.coefficients else Kind.CHECK
        except NotLinearError as error:
            # A product of letters without a number is a formula to be remembered, not an equation of this problem.
            numbered = any(value not in _OF_FORMULAS for literal in literals for value in literal)
            kind, note = Kind.NOT_LINEAR if numbered else Kind.FORMULA, str(error)
        except (ReadError, LimitError) as error:
            kind, note = Kind.UNREADABLE, str(error)
        text, line = self.segment.text, self.segment.line
        return Statement(kind, text, line, equation, doubt, literals, linear, approximate, note)

    def _kind(self, left: Node, right: Node) -> Kind:
        """Tell an equation from a value."""
        for one, other in ((left, right), (right, left)):
            if one[0] == "name" and not has_names(other):
                computed = not is_bare(other) or is_fraction(other, self.literals)
                return Kind.COMPUTED if computed else Kind.VALUE
        return Kind.EQUATION
