"""Statements of an explanation: every equation in it as a linear form, with its kind.

An equation without unknowns is a check. One with words on a side is a definition or an equation of words. An unknown
alone on one side with a number on the other is a value; with arithmetic there, a computed value. A chain ``y = 90/5 =
18`` is split: each later side is set equal to the first. Letters that differ only in case are one unknown unless both
cases occur in one equation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise

from draw_dataset.algebra.grammar import EVERY_NAME_UNKNOWN, Source, write
from draw_dataset.algebra.system import Row, read_system
from draw_dataset.errors import LimitError, NotLinearError, ReadError
from draw_dataset.reading.expressions import WrittenNumber, numbers_of, write_side
from draw_dataset.reading.names import Names, disambiguate
from draw_dataset.reading.plain import CROSSED
from draw_dataset.reading.quantities import Literal, Node, has_names, is_bare, is_fraction, literals_of, names_of
from draw_dataset.reading.relations import Relation, relations_of
from draw_dataset.reading.segments import Segment, segments
from draw_dataset.reading.tokens import (
    APPROXIMATE,
    CALCULATING,
    FUNCTIONS,
    INSTRUCTIONS,
    LEADING,
    UNIT_LETTERS,
    UNITS,
    Sort,
    Token,
    raw_tokens,
)


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear equation: the sum of coefficient * unknown, plus the constant, is zero. No coefficient is zero."""

    coefficients: dict[str, Fraction]
    constant: Fraction
    divisors: tuple[tuple[dict[str, Fraction], Fraction], ...] = ()  # linear forms that must not vanish

    @property
    def form(self) -> tuple[dict[str, Fraction], Fraction]:
        """The coefficients and the constant."""
        return self.coefficients, self.constant


def read_equation(text: str) -> tuple[str, Linear]:
    """Return an equation in plain form, and as coefficients; raise `DrawError` if it is none, not linear or too large.

    >>> plain, linear = read_equation(".10x + .30(10-x) = .25(10)")
    >>> plain, linear.coefficients["x"] / linear.constant
    ('.10*x + .30*(10 - x) = .25*(10)', Fraction(-2, 5))
    """
    source, system = read_system(text, EVERY_NAME_UNKNOWN)
    coefficients, constant = _form(system.rows[0], source)
    divisors = tuple(_form(condition, source) for condition in system.conditions)
    return write(source, source.name), Linear(coefficients, constant, divisors)


def _form(row: Row, source: Source) -> tuple[dict[str, Fraction], Fraction]:
    # Without slots an entry of a row has a constant term and nothing else.
    values = [Fraction(entry.get(0, 0)) for entry in row]
    return {name: value for name, value in zip(source.unknowns, values[:-1], strict=True) if value}, values[-1]


def residual(linear: Linear, values: dict[str, Fraction]) -> tuple[dict[str, Fraction], Fraction, Fraction]:
    """Return an equation at some values: terms without a value, the constant, and the size of the largest term."""
    rest: dict[str, Fraction] = {}
    total, size = linear.constant, abs(linear.constant)
    for name, coefficient in linear.coefficients.items():
        if name in values:
            term = coefficient * values[name]
            total += term
            size = max(size, abs(term))
        else:
            rest[name] = coefficient
    return rest, total, size


# A problem makes an equation unreadable, such as an x that may be a times sign, or cents and dollars in one equation. A
# doubt leaves a likely reading, such as a zero that was typed as an o.


OPENING, CLOSING = ("(", "["), (")", "]")


def is_unit(token: Token) -> bool:
    """Decide whether a token is a unit."""
    return token.sort is Sort.WORD and (token.text in UNITS or token.text in UNIT_LETTERS)


def covers_run(run: Sequence[Token], sides: Sequence[Node], literals: Sequence[Literal]) -> bool:
    """Decide whether the parsed sides have every number and every name of a run."""
    spans = [(literals[index].start, literals[index].end) for side in sides for index in literals_of(side)]
    names = sum(map(_count_names, sides))
    for place, token in enumerate(run):
        before = run[place - 1]
        if token.sort is Sort.NAME:
            names -= not (before.text == "/" and place > 1 and is_unit(run[place - 2]))  # the h of km/h
        elif token.sort is Sort.NUMBER and before.text != "^" and not any(a <= token.start < b for a, b in spans):
            return False
    return names == 0


def _count_names(node: Node) -> int:
    if node[0] in ("name", "number"):
        return int(node[0] == "name")
    return sum(_count_names(part) for part in node[1:] if isinstance(part, tuple))


def problem_of(text: str, run: Sequence[Token]) -> str:
    """Return the problem of a run, or an empty string."""
    last = len(run) - 1
    for place, token in enumerate(run):
        if token.sort is Sort.PERCENT and place > 1 and run[place - 2].text in ("/", "^"):
            return "a percent sign follows a quotient"  # 1/2% is not one over 2%
        if token.text == "±":
            return "there are two signs in one place"
        is_x = 0 < place < last and text[token.start : token.end] in ("x", "X")
        if is_x and _may_be_times(*run[place - 1 : place + 2]):
            return "an x may be a times sign"
    return ""


def _may_be_times(before: Token, token: Token, after: Token) -> bool:
    """Decide whether an x may be a times sign or an unknown, as in 3 x (4 + y)."""
    factor = before.sort in (Sort.NUMBER, Sort.PERCENT) or before.text in CLOSING or is_unit(before)
    if factor and after.sort in (Sort.NUMBER, Sort.CURRENCY):
        return token.glued and after.glued  # 3x4 may be a name with an index
    if before.sort is Sort.NAME and not token.glued and after.sort is Sort.NUMBER:
        return True
    return factor and not token.glued and not after.glued and (after.text in OPENING or after.sort is Sort.NAME)


def doubt_of(text: str, run: Sequence[Token]) -> str:
    """Return the doubt about the reading of a run, or an empty string."""
    for place, token in enumerate(run):
        written = text[token.start : token.end]
        if token.sort is Sort.NUMBER and not written.startswith(token.text):
            return f"{written} was read as a number"
        if token.sort is Sort.WORD and token.text in UNIT_LETTERS:
            return f"{token.text} was read as a unit"
        if token.text == "of" and run[place - 1].sort is not Sort.PERCENT:
            return "'of' was read as a product"
        if (token.sort is Sort.NAME or token.text in OPENING) and _follows_divisor(run, place):
            return "a factor follows a divisor"
    return ""


def _follows_divisor(run: Sequence[Token], place: int) -> bool:
    """Decide whether a factor follows a divisor without a sign: 1/2x is half of x, 12/2x may be either."""
    if place < 2 or run[place - 2].text != "/" or run[place - 1].sort not in (Sort.NUMBER, Sort.NAME):
        return False
    above, below = run[place - 3].value if place > 2 else None, run[place - 1].value
    return above is None or below is None or above >= below


def mixed_units(run: Sequence[Token]) -> str:
    """Return the problem of a run with units of different size, such as cents and dollars, or an empty string."""
    used: dict[str, set[str]] = {}
    for place, token in enumerate(run):
        if token.sort is Sort.CURRENCY:
            used.setdefault("money", set()).add("dollar")
        elif is_unit(token):
            before, after = run[place - 1] if place else None, run[place + 1 : place + 3]
            # A rate such as miles/hour is not a size of its family, and neither is cm^2.
            rate = len(after) == 2 and after[0].text in ("/", "^") and after[1].glued
            if not rate and not (before is not None and before.text == "/" and token.glued):
                family, unit = UNITS[token.text] if token.text in UNITS else UNIT_LETTERS[token.text]
                used.setdefault(family, set()).add(unit)
    mixed = next((units for units in used.values() if len(units) > 1), None)
    return f"units: {' and '.join(sorted(mixed))} in one equation" if mixed else ""


# Candidates: `relations` leaves out words before and after an equation, so here an equation is accepted only if it is a
# whole run, a stretch of tokens without words except units. A word that calculates (``twice x + 3 = 15``), or an
# operator beyond a word (``5 dimes + x = 7``), makes it unreadable. A leading word, a unit or the edge of the segment
# leaves it certain. Any other word makes it doubtful.

# Words that are part of an equation: a function, a crossed-out factor, an x that may be a times sign.
_PARTS = FUNCTIONS | {CROSSED, "x"}
UNREAD = "not all of it can be read"  # the problem of a run that the reader cannot read as one whole equation
_SEAM = "and"  # the word that is put between two equations side by side; it leads in, as a written word would
_BREAKS = (Sort.WORD, Sort.COMPARISON, Sort.STOP, Sort.COMMA, Sort.BOX)
_LETTER = re.compile(r"[^\W\d_](?:\d+|_\w+)?")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An equation that a segment may hold."""

    sides: tuple[Node, ...] = ()
    approximate: tuple[bool, ...] = ()  # for each side whether it is said to be rounded
    doubt: str = ""  # reason if the reading is not certain
    problem: str = ""  # reason if it cannot be read
    worded: str = ""  # which sides are words: none, the ``left``, the ``right`` or ``both``


def candidates_of(text: str, tokens: Sequence[Token]) -> tuple[list[Candidate], list[Literal]]:
    """Return the equations of a segment, and their numbers.

    >>> from draw_dataset.reading.names import tokens_of
    >>> def problems(text):
    ...     return [candidate.problem for candidate in candidates_of(text, tokens_of(text))[0]]
    >>> problems("so we get $2.80x + .40*20 lbs = 3 x 4 dollars")
    ['']
    >>> problems("twice x + 3 = 15")
    ["the word 'twice' belongs to the equation"]
    """
    if not any(token.sort is Sort.EQUALS for token in tokens):
        return [], []
    parted = _insert_seams(tokens)
    relations, literals = relations_of(parted)
    segment = _Segment(text, parted, literals)
    runs = [run for run in segment.runs() if any(t.sort is Sort.EQUALS for t in parted[slice(*run)])]
    found = [segment.candidate(start, end, relations) for start, end in runs]
    return found or [Candidate(problem="words on both sides", worded="both")], literals


def _insert_seams(tokens: Sequence[Token]) -> list[Token]:
    """Put a seam between the two equations of ``2x = 10 x = 5``."""
    equals = [place for place, token in enumerate(tokens) if token.sort is Sort.EQUALS]
    seams = set()
    for one, other in pairwise(equals):
        # A left side begins after a seam, so it has an unknown: 5 (3) = 15 has none.
        places = [
            place
            for place in range(one + 2, other)
            if _is_seam(tokens[place - 1], tokens[place]) and any(t.sort is Sort.NAME for t in tokens[place:other])
        ]
        if len(places) == 1 and not any(_breaks(tokens, place) for place in range(one, other)):
            seams.update(places)
    found: list[Token] = []
    for place, token in enumerate(tokens):
        if place in seams:
            found.append(Token(Sort.STOP, _SEAM, token.start, token.start))
        found.append(token)
    return found


def _is_seam(before: Token, token: Token) -> bool:
    """Decide whether an operand ends before a token, and another begins with it after a blank."""
    ends = before.sort in (Sort.NUMBER, Sort.NAME, Sort.PERCENT) or before.text in CLOSING or is_unit(before)
    begins = token.sort in (Sort.NAME, Sort.NUMBER, Sort.CURRENCY) or token.text in OPENING
    return ends and begins and not token.glued


def _breaks(tokens: Sequence[Token], place: int) -> bool:
    """Decide whether a token ends a run: a word that is neither a unit nor a product, as "of" is in 5% of x."""
    token = tokens[place]
    if token.sort not in _BREAKS or is_unit(token):
        return False
    if token.text == "of" and 0 < place < len(tokens) - 1:
        before, after = tokens[place - 1], tokens[place + 1]
        left = before.sort in (Sort.PERCENT, Sort.NUMBER) or before.text == ")"
        return not (left and (after.sort in (Sort.NAME, Sort.NUMBER, Sort.CURRENCY) or after.text in OPENING))
    return True


class _Segment:
    """A segment with its tokens, and the numbers that are read in it."""

    def __init__(self, text: str, tokens: list[Token], literals: Sequence[Literal]) -> None:
        self.text = text
        self.tokens = tokens
        self.literals = literals

    def runs(self) -> list[tuple[int, int]]:
        """Return the longest stretches without words and comparisons."""
        runs, start = [], None
        for place in range(len(self.tokens)):
            if _breaks(self.tokens, place):
                if start is not None:
                    runs.append((start, place))
                start = None
            elif start is None:
                start = place
        return [*runs, (start, len(self.tokens))] if start is not None else runs

    def candidate(self, start: int, end: int, relations: Sequence[Relation]) -> Candidate:
        """Return the equation of a run, or its problem."""
        run = self.tokens[start:end]
        signs = [token.text for token in run if token.sort is Sort.EQUALS]
        problem, doubt, worded = self._edges(start, end)
        problem = problem or self._gap(start, end) or problem_of(self.text, run) or mixed_units(run)
        if problem:
            return Candidate(problem=problem, worded=worded)
        relation = next((r for r in relations if r.start <= run[0].start and _end(run) <= r.end), None)
        if relation is None or len(relation.signs) != len(signs):
            return Candidate(problem=UNREAD)
        known = {t.text for t in run if t.sort is Sort.NAME and _LETTER.fullmatch(t.text)}
        words = [not names_of(side) <= known for side in relation.sides]
        if any(words):
            worded = "both" if words[0] and any(words[1:]) else "left" if words[0] else "right"
            return Candidate(problem="a side is in words", worded=worded)
        if not covers_run(run, relation.sides, self.literals):
            return Candidate(problem=UNREAD)
        approximate = [False, *(sign == "≈" for sign in signs)]
        around = [*self.tokens[max(start - 1, 0) : start], *self.tokens[end : end + 3]]
        approximate[-1] |= any(token.text in APPROXIMATE for token in around)
        doubt = doubt or doubt_of(self.text, run) or self._followed(run, end)
        return Candidate(relation.sides, tuple(approximate), doubt)

    def _gap(self, start: int, end: int) -> str:
        """Return the problem of a sign that is not a token, in a run or right next to it, or an empty string."""
        place = self.tokens[start - 1].end if start else 0
        stop = [token.start for token in self.tokens[end : end + 1]] or [len(self.text)]
        for token in self.tokens[start:end]:
            if gap := self.text[place : token.start].strip():
                return f"{gap[:20]!r} belongs to the equation"
            place = token.end
        gap = self.text[place : stop[0]].strip()
        return f"{gap[:20]!r} belongs to the equation" if gap else ""

    def _followed(self, run: Sequence[Token], end: int) -> str:
        """Return the doubt about a word after an equation that may be part of it (5 dimes are no 5)."""
        after = self.tokens[end] if end < len(self.tokens) else None
        if after is None or after.text in LEADING:
            return ""
        value = run[0].sort is Sort.NAME and run[1].sort is Sort.EQUALS
        for token in reversed(run):
            if token.sort is Sort.EQUALS:
                break
            value = value and token.sort not in (Sort.NAME, Sort.OPERATOR)
        return f"the word {after.text!r} follows" if value or run[-1].sort in (Sort.NAME, Sort.PERCENT) else ""

    def _edges(self, start: int, end: int) -> tuple[str, str, str]:
        """Return problem and doubt by the words around a run, and the sides that are words."""
        tokens = self.tokens
        before = tokens[start - 1] if start else None
        after = tokens[end] if end < len(tokens) else None
        first, last = tokens[start], tokens[end - 1]
        if Sort.EQUALS in (first.sort, last.sort):
            worded = "right" if first.sort is not Sort.EQUALS else "left" if last.sort is not Sort.EQUALS else "both"
            return "a side is in words", "", worded
        doubt = ""
        if before is not None:
            if before.text in CALCULATING or before.text in _PARTS:
                return f"the word {before.text!r} belongs to the equation", "", ""
            if first.sort is Sort.OPERATOR and first.text not in OPENING:
                return f"an operator follows the word {before.text!r}", "", "left"
            if is_unit(first) or first.sort is Sort.PERCENT or not before.text[0].isalnum():
                return f"{before.text!r} belongs to the equation", "", "left"
            far = self._beyond(start - 1, -1)
            if far is not None and far.sort in (Sort.OPERATOR, Sort.EQUALS) and far.text not in CLOSING:
                return f"an operator comes before the word {before.text!r}", "", "left"
            if before.text not in LEADING:
                doubt = f"the word {before.text!r} stands before it"
        if after is not None:
            if last.sort is Sort.OPERATOR and last.text not in CLOSING:
                return f"an operator comes before the word {after.text!r}", "", "right"
            if after.text in CALCULATING - INSTRUCTIONS or after.text in _PARTS or not after.text[0].isalnum():
                return f"the word {after.text!r} belongs to the equation", "", "right"
            far = self._beyond(end, 1)
            if far is not None and far.text in ("+", "-", "*", "/", "^"):
                return f"an operator follows the word {after.text!r}", "", "right"
        if any(token is not None and token.sort is Sort.STOP for token in (before, after)):
            doubt = doubt or "there are two equations next to each other"
        return "", doubt, ""

    def _beyond(self, place: int, step: int) -> Token | None:
        """Return the first token beyond a stretch of words."""
        tokens = self.tokens
        while 0 <= place < len(tokens) and tokens[place].sort is Sort.WORD and not is_unit(tokens[place]):
            place += step
        return tokens[place] if 0 <= place < len(tokens) else None


def _end(run: Sequence[Token]) -> int:
    """Return the end of a run, units after it aside."""
    return next((token.end for token in reversed(run) if not is_unit(token)), 0)


MAX_STATEMENTS = 200  # statements read per explanation
# The doubt of a statement whose words can be read in several ways, each a statement of its own.
MORE_READINGS = "more than one reading"
_OF_FORMULAS = frozenset(map(Fraction, (0, 1, 2, 100))) | {Fraction(1, 2)}


class Kind(StrEnum):
    """Kind of a statement of an explanation."""

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
    """One statement of an explanation."""

    kind: Kind
    text: str  # the words as written
    line: int
    equation: str = ""  # the equation in the core's plain form; empty unless it could be read
    doubt: str = ""  # reason if the reading is not certain
    literals: tuple[WrittenNumber, ...] = ()
    linear: Linear | None = None  # the equation as coefficients
    approximate: bool = False  # whether the right side is said to be rounded
    note: str = ""  # reason if it could not be read


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
            result += _Reading(segment, text, disambiguate(tokens, names), doubt, names.capital).statements()
    return result


@dataclass(frozen=True, slots=True)
class _Reading:
    """One reading of a segment."""

    segment: Segment
    text: str
    tokens: list[Token]
    doubt: str
    capital: dict[str, str]

    def statements(self) -> list[Statement]:
        if any(t.sort is Sort.COMPARISON for t in self.tokens):
            return [Statement(Kind.INEQUALITY, self.segment.text, self.segment.line)]
        result: list[Statement] = []
        candidates, literals = candidates_of(self.text, self.tokens)
        for candidate in candidates:
            if candidate.problem:
                result.append(self._not_read(candidate))
            else:
                first, *others = candidate.sides
                for side, approximate in zip(others, candidate.approximate[1:], strict=True):
                    result.append(self._statement(first, side, literals, self.doubt or candidate.doubt, approximate))
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

    def _statement(self, left: Node, right: Node, literals: list[Literal], doubt: str, approximate: bool) -> Statement:
        numbers = numbers_of(left, literals) + numbers_of(right, literals)
        equation, note, linear = "", "", None
        sides = [write_side(side, literals, self._name) for side in (left, right)]
        try:
            equation, linear = read_equation("=".join(sides))
            kind = _kind_of(left, right, literals) if linear.coefficients else Kind.CHECK
        except NotLinearError as error:
            # A product of letters without a number is a formula to be remembered, not an equation of this problem.
            numbered = any(value not in _OF_FORMULAS for number in numbers for value in number)
            kind, note = Kind.NOT_LINEAR if numbered else Kind.FORMULA, str(error)
        except (ReadError, LimitError) as error:
            kind, note = Kind.UNREADABLE, str(error)
        text, line = self.segment.text, self.segment.line
        return Statement(kind, text, line, equation, doubt, numbers, linear, approximate, note)


def _kind_of(left: Node, right: Node, literals: list[Literal]) -> Kind:
    """Tell an equation from a value."""
    for one, other in ((left, right), (right, left)):
        if one[0] == "name" and not has_names(other):
            computed = not is_bare(other) or is_fraction(other, literals)
            return Kind.COMPUTED if computed else Kind.VALUE
    return Kind.EQUATION
