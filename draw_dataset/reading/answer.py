"""Model answers: statements, set-up, slips and result of one answer (`read_answer`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, assert_never

from draw_dataset.algebra.number import number_literal, short_number
from draw_dataset.derivation.derivation import TextNumber
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ReadError, RowError, short_repr
from draw_dataset.io.markup import Table, one_line
from draw_dataset.reading.expressions import ATOM, PRODUCT, SUM, Written, binary, parenthesize, write_node
from draw_dataset.reading.links import AnswerSetup
from draw_dataset.reading.names import tokens_of
from draw_dataset.reading.plain import MAX_CHARACTERS, Plain, is_unfinished_thought, plain_text
from draw_dataset.reading.provenance import NumberOrigins
from draw_dataset.reading.quantities import (
    Change,
    ConstantOrigin,
    Literal,
    NameOrigin,
    Node,
    Origin,
    PairOrigin,
    RestOrigin,
    ResultOrigin,
    TextOrigin,
    has_names,
    is_bare,
    is_plain,
    is_worded,
    literals_of,
    names_of,
)
from draw_dataset.reading.relations import Relation, relations_of
from draw_dataset.reading.result import Final, finals_of, gives_up, single_result
from draw_dataset.reading.setup import build_setup
from draw_dataset.reading.tokens import Token
from draw_dataset.text.numbers import find_numbers

# Answers as text. Numbers of the problem are written as q1, q2, … Other numbers stay as written in a statement; in a
# derivation each is replaced by its origin (a calculation, a name, two numbers), so that the result is q-notation.

MAX_RESULT = 200  # longest calculation in characters that replaces its result


def write_equation(sides: Sequence[Node], signs: Sequence[str], setup: AnswerSetup) -> str:
    """Return the sides of a statement as one text."""
    writer = _Writer(setup)
    rest = [f" {'=' if sign == 'is' else sign} {writer.side(s)}" for s, sign in zip(sides[1:], signs, strict=True)]
    return "".join([writer.side(sides[0]), *rest])


def write_derivation(setup: AnswerSetup) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the equations of a set-up or, if it has none, the results that no later calculation uses."""
    writer = _Writer(setup, [])
    used: set[int] = set()
    for result in setup.results:
        # In their order, since each uses those before: no recursion, and no string that doubles in every step.
        text, tightness = writer.node(result.node)
        writer.results.append((text, tightness) if len(text) <= MAX_RESULT else (result.stated.text, ATOM))
        natural = [setup.origin(index) for index in literals_of(result.node)]
        used.update(origin.result for origin in natural if isinstance(origin, ResultOrigin))
    if setup.equations:
        return tuple([f"{writer.node(left)[0]} = {writer.node(right)[0]}" for left, right, _ in setup.equations]), ()
    ends = [text for place, (text, _) in enumerate(writer.results) if place not in used]
    return (), tuple(dict.fromkeys(ends))


class _Writer:
    """Writes expressions of one set-up; given a list of results, it writes a calculation for its result."""

    def __init__(self, setup: AnswerSetup, results: list[Written] | None = None) -> None:
        self._setup = setup
        self._whole = results is not None
        self.results = results or []

    def side(self, node: Node) -> str:
        """Return a side of a statement; a number alone is a result, and seldom a multiple of another number."""
        if is_bare(node):
            index = literals_of(node)[0]
            if not is_plain(self._setup.origin(index)):
                text = _as_written(self._setup.literals[index])[0]
                return f"-{text}" if node[0] == "neg" else text
        return self.node(node)[0]

    def node(self, node: Node) -> Written:
        return write_node(node, self._literal, _name)

    def _literal(self, index: int) -> Written:
        literal = self._setup.literals[index]
        origin = self._setup.origin(index)
        if not self._whole and not (isinstance(origin, TextOrigin) and not origin.change.offset):
            return _as_written(literal)
        labels = self._setup.labels
        match origin:
            case TextOrigin():
                found: Written = labels[origin.number], ATOM
            case PairOrigin():
                found = binary((labels[origin.first], ATOM), origin.sign, (labels[origin.second], ATOM))
            case NameOrigin():
                found = _name(origin.name), ATOM
            case ResultOrigin() if origin.result < len(self.results):
                found = self.results[origin.result]
            case ConstantOrigin() | RestOrigin() | ResultOrigin():
                return _exactly(literal)
            case _:
                assert_never(origin)
        return _apply_change(found, origin.change)


def _apply_change(found: Written, change: Change) -> Written:
    """Return a number inverted, scaled and with an offset."""
    scale = change.scale
    if change.inverse:
        above = scale if scale.denominator == 1 else Fraction(1)
        found = binary((str(above), ATOM), "/", found)
        scale = scale / above
    if scale not in (1, -1):
        found = binary((number_literal(abs(scale)), ATOM), "*", found)
    if change.offset:
        return binary((number_literal(change.offset), ATOM), "-" if scale < 0 else "+", found)
    return (f"-{parenthesize(found, PRODUCT)}", SUM) if scale < 0 else found


def _name(name: str) -> str:
    return name if " " not in name else "_".join(name.split())


def _as_written(literal: Literal) -> Written:
    return _with_tightness(literal.text + ("%" if literal.percent else ""))


def _exactly(literal: Literal) -> Written:
    """Return a number as equations have it: without commas, a percentage as hundredths."""
    return _with_tightness(literal.text.replace(",", "") + ("/100" if literal.percent else ""))


def _with_tightness(text: str) -> Written:
    return text, PRODUCT if "/" in text else ATOM if not text.startswith("-") else SUM


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """A statement of an answer."""

    text: str  # as it stands in the answer
    start: int
    end: int
    kind: str  # set-up, step, value, definition, expression, formula, remark, slip, dropped (given up) or unread
    equation: str  # as it was read, numbers of the text written as q1, q2, …


@dataclass(frozen=True, slots=True)
class ReadSlip:
    """A step that does not follow from the set-up."""

    text: str  # as it stands in the answer
    start: int
    end: int
    expected: Fraction | None  # value by the set-up, if it is one number
    got: Fraction | None  # stated value, if it is one number


@dataclass(frozen=True, slots=True)
class ReadFinal:
    """A number that an answer gives as its result."""

    text: str  # as it stands in the answer
    start: int
    end: int
    value: Fraction
    marked: bool  # whether the answer marks it as its result, by a box or by "Answer:"


@dataclass(frozen=True, slots=True)
class Reading:
    """Reading of a model answer.

    Attributes:
        statements: everything that the answer states, in order, with spans and kinds.
        setup: the equations of the set-up; numbers of the text are written as q1, q2, …
        chain: if there are no equations, the expressions that the calculations end in, written in the same way.
        quantities: the values of the unknowns by the set-up, by name; only unknowns that are determined.
        finals: the numbers that the answer gives as its result.
        slips: the steps that do not follow from the set-up.
        attempts: the offset at which each attempt begins in the answer; the last attempt counts.
        doubts: what is not certain about the reading, in sentences.
        gave_up: whether the answer concludes that there is no solution.
    """

    statements: tuple[ReadStatement, ...]
    setup: tuple[str, ...]
    chain: tuple[str, ...]
    quantities: Mapping[str, Fraction]
    finals: tuple[ReadFinal, ...]
    slips: tuple[ReadSlip, ...]
    attempts: tuple[int, ...]
    doubts: tuple[str, ...]
    gave_up: bool

    @property
    def has_derivation(self) -> bool:
        """Whether the answer sets up or calculates anything."""
        return bool(self.setup) or any(statement.kind in ("step", "slip") for statement in self.statements)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data. Numbers become strings, so that they stay exact."""
        return {
            "statements": [asdict(statement) for statement in self.statements],
            "setup": list(self.setup),
            "chain": list(self.chain),
            "quantities": {name: str(value) for name, value in self.quantities.items()},
            "finals": [{**asdict(final), "value": str(final.value)} for final in self.finals],
            "slips": [
                {**asdict(s), "expected": _exact_text(s.expected), "got": _exact_text(s.got)} for s in self.slips
            ],
            "attempts": list(self.attempts),
            "doubts": list(self.doubts),
            "gave_up": self.gave_up,
        }

    def __repr__(self) -> str:
        finals = ", ".join(final.text for final in self.finals)
        slips = f", slips={len(self.slips)}" if self.slips else ""
        setup = one_line("; ".join(self.setup or self.chain), 60)
        return one_line(f"Reading({'setup' if self.setup else 'chain'}={setup!r}, finals={finals!r}{slips})")

    def _repr_html_(self) -> str:
        rows = [("set-up" if self.setup else "calculates", [equation]) for equation in self.setup or self.chain]
        rows += [("quantity", [f"{name} = {short_number(value)}"]) for name, value in self.quantities.items()]
        for slip in self.slips:
            right = "" if slip.expected is None else f" (should give {short_number(slip.expected)})"
            rows.append(("slip", [f"{slip.text}{right}"]))
        rows += [("result", [final.text]) for final in self.finals]
        rows += [("doubt", [doubt]) for doubt in self.doubts]
        return Table([], rows).to_html(title="Reading of an answer")


def _exact_text(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """A parsed answer, for comparing it with gold."""

    answer: str
    plain: Plain
    statements: Sequence[Relation]
    setup: AnswerSetup
    finals: Sequence[Final]  # the numbers that it gives as its result, in the plain text
    gave_up: bool
    tokens: Sequence[Token]
    given: frozenset[Fraction]  # the values of the numbers of the problem
    unfinished: bool = False  # whether it breaks off within a thought; then it gives no result

    @property
    def closing(self) -> Sequence[Final]:
        """The final numbers in the last mark or in the closing clause; all of them if none is there."""
        return [final for final in self.finals if final.last] or self.finals


def parse_answer(answer: str, text: NumberOrigins) -> ParsedAnswer:
    """Parse an answer, given the numbers of its problem."""
    plain = plain_text(answer)
    tokens = tokens_of(plain.text)
    statements, literals = relations_of(tokens, len(text.classes))
    setup = build_setup(statements, literals, text, plain.text)
    steps = _steps(statements, literals, set(text.values))
    unfinished = is_unfinished_thought(answer)
    finals = [] if unfinished else finals_of(plain.text, tokens, steps)
    given = frozenset(text.values)
    return ParsedAnswer(answer, plain, statements, setup, finals, gives_up(plain.text), tokens, given, unfinished)


def single_final(parsed: ParsedAnswer, question: str, given: Collection[Fraction]) -> list[Final]:
    """Return the one number that an answer to a problem with one unknown gives as its result (`single_result`)."""
    marked = [final for final in parsed.finals if final.marked]
    between = [parsed.plain.text[one.end : other.start].strip() for one, other in pairwise(marked)]
    if between and set(between) == {","} and len({final.value for final in marked}) > 1:
        return []  # several values in one mark
    calculated = {abs(result.stated.amount) for result in parsed.setup.results[-1:]}
    calculated.update(abs(values[-1][0]) for values in parsed.setup.stated.values() if values)
    return single_result(parsed.finals, question, calculated, given)


def _steps(
    statements: Sequence[Relation], literals: Sequence[Literal], given: Collection[Fraction]
) -> list[tuple[int, int]]:
    """Return the spans of the equations that give no result.

    In letters whose values were said before, an equation gives a result: x = 9, so 2x = 18. One that gives a number of
    the text is a check.
    """
    spans: list[tuple[int, int]] = []
    said: set[str] = set()
    for statement in statements:
        sides = statement.sides
        used = {name for side in sides for name in names_of(side)}
        values = [side for side in sides if not has_names(side)]
        if _is_step(statement):
            ends = [literals[side[1]].value for side in values if side[0] == "number"]
            if not (used <= said and ends and not any(value in given for value in ends)):
                spans.append((statement.start, statement.end))
        elif values:
            said |= {side[1] for side in sides if side[0] == "name"}
    return spans


def _is_step(statement: Relation) -> bool:
    """Decide whether a statement is an equation with letters that says the value of none."""
    sides = statement.sides
    letters = any(not is_worded(name) for side in sides for name in names_of(side))
    value = any(side[0] == "name" for side in sides) and any(not has_names(side) for side in sides)
    return len(sides) > 1 and letters and not value


def read_answer(text: str, row: Mapping[str, Any] | Problem | Sequence[object] | str) -> Reading:
    """Read the answer that a language model has written to a problem.

    >>> question = "Two numbers add up to 20 . One is 4 more than the other ."
    >>> reading = read_answer("Let x be the larger. x + y = 20 and x = y + 4, so 2y = 16, y = 9.", question)
    >>> reading.setup, reading.quantities["y"]
    (('x + y = q2', 'x = y + q3'), Fraction(8, 1))
    >>> reading.slips[0].text, str(reading.slips[0].expected)
    ('y = 9', '8')

    Args:
        text: the answer.
        row: the problem: a row, a `Problem`, the text of its question, or its numbers.

    Returns:
        The set-up, the quantities, the results, the slips, and what is not certain about the reading.

    Raises:
        ReadError: the answer is not a string.
        RowError: the row cannot be read.
    """
    if not isinstance(text, str):
        raise ReadError("answer", "a string", short_repr(text))
    return reading_of(parse_answer(text, number_origins_of(row)))


def number_origins_of(row: Mapping[str, Any] | Problem | Sequence[object] | str) -> NumberOrigins:
    """Return the numbers of a problem as origins of literals, each by itself."""
    if isinstance(row, str):
        values = [number.value for number in find_numbers(row)]
    elif isinstance(row, Problem):
        values = [number.value or Fraction(0) for number in row.numbers]
    elif isinstance(row, Mapping):
        return number_origins_of(Problem.from_row(row) if "numbers" in row else _question(row))
    elif isinstance(row, bytes) or not isinstance(row, Iterable):
        raise RowError(
            f"row: expected a row, a problem, the text of a question or its numbers, but got {short_repr(row)}"
        )
    else:
        values = [TextNumber.of(number, f"number {i}").value or Fraction(0) for i, number in enumerate(row, 1)]
    return cached_number_origins(tuple(values))


def _question(row: Mapping[str, Any]) -> str:
    question = row.get("question")
    if not isinstance(question, str):
        raise RowError(f"row: expected numbers or a question, but got the keys {short_repr(sorted(map(str, row))[:8])}")
    return question


# All answers to one problem share these tables.
cached_number_origins = lru_cache(maxsize=1 << 10)(NumberOrigins)


def reading_of(parsed: ParsedAnswer) -> Reading:
    """Return the public reading of a parsed answer."""
    plain, setup = parsed.plain, parsed.setup
    statements = []
    for statement, kind in zip(parsed.statements, setup.kinds, strict=True):
        start, end = plain.span(statement.start, statement.end)
        written = write_equation(statement.sides, statement.signs, setup)
        statements.append(ReadStatement(parsed.answer[start:end], start, end, kind, written))
    wrong = [(statements[slip.at], slip) for slip in setup.slips]
    slips = [ReadSlip(read.text, read.start, read.end, slip.expected, slip.got) for read, slip in wrong]
    finals = []
    for final in _without_given(parsed):
        start, end = plain.span(final.start, final.end)
        finals.append(ReadFinal(parsed.answer[start:end], start, end, final.value, final.marked))
    begins = next((place for place, kind in enumerate(setup.kinds) if kind != "dropped"), 0)
    attempts = [statements[place].start for place in ((0, begins) if begins else (0,)) if statements]
    equations, chain = write_derivation(setup)
    return Reading(
        statements=tuple(statements),
        setup=equations,
        chain=chain,
        quantities=dict(setup.known),
        finals=tuple(finals),
        slips=tuple(slips),
        attempts=tuple(attempts),
        doubts=tuple(_doubts(parsed)),
        gave_up=parsed.gave_up,
    )


def _without_given(parsed: ParsedAnswer) -> Sequence[Final]:
    """Return the final numbers without those that only repeat the problem, unless there are no others.

    A number that is marked, calculated or the value of an unknown is a result, also if the problem has its value.
    """
    setup = parsed.setup
    calculated = {*setup.known.values(), *setup.values.values(), *(result.stated.value for result in setup.results)}
    calculated.update(value for name, said in setup.stated.items() if " " not in name for value, _ in said)
    results = [
        final for final in parsed.finals if final.marked or final.value not in parsed.given or final.value in calculated
    ]
    return results or parsed.finals


def _doubts(parsed: ParsedAnswer) -> list[str]:
    found = []
    if len(parsed.answer) > MAX_CHARACTERS:
        found.append(f"only the first {MAX_CHARACTERS} characters were read")
    unread = sum(kind == "unread" for kind in parsed.setup.kinds)
    if unread:
        found.append(f"{unread} {'statement is' if unread == 1 else 'statements are'} too large to be looked at")
    several = sum(_is_open(origins) for origins in parsed.setup.origins)
    if several:
        found.append(f"{several} {'number' if several == 1 else 'numbers'} may come from several numbers of the text")
    return [*found, *_guessed(parsed.setup)]


_MOST_GUESSED = 3


def _guessed(setup: AnswerSetup) -> list[str]:
    """Return the numbers of calculations that two numbers of the text only explain together, without a word for it."""
    if setup.equations:
        return []
    found: dict[str, None] = {}
    for index in (index for result in setup.results for index in literals_of(result.node)):
        origin = setup.origin(index)
        if isinstance(origin, PairOrigin) and len(found) < _MOST_GUESSED:
            labels = (setup.labels[origin.first], ATOM), (setup.labels[origin.second], ATOM)
            pair, _ = _apply_change(binary(labels[0], origin.sign, labels[1]), origin.change)
            found[f"{_as_written(setup.literals[index])[0]} is no number of the text; it may be {pair}"] = None
    return list(found)


def _is_open(origins: Sequence[Origin]) -> bool:
    first = origins[0]
    return isinstance(first, TextOrigin) and any(
        isinstance(origin, TextOrigin) and origin.change.scale == first.change.scale for origin in origins[1:]
    )
