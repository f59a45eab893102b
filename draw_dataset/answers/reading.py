"""Reading an answer: its statements, its set-up, its slips, and the numbers that are its result."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from draw_dataset.answers.attempts import set_up_of
from draw_dataset.answers.finals import Final, finals_of, gives_up, single_result
from draw_dataset.answers.setup import Worked
from draw_dataset.answers.sources import TextSources
from draw_dataset.answers.writing import write_derivation, write_equation
from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.problem import Problem
from draw_dataset.core.quantities import Literal, Source, has_names, names_of
from draw_dataset.core.quantities.expressions import is_worded
from draw_dataset.errors import ReadError, RowError, shown
from draw_dataset.prose.formats import is_unfinished_thought, plain_text
from draw_dataset.prose.names import tokens_of
from draw_dataset.prose.plain import MAX_CHARACTERS, Plain
from draw_dataset.prose.relations import Relation, relations_of
from draw_dataset.text import find_numbers


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """A statement of an answer.

    Attributes:
        text: as it stands in the answer.
        start: where it begins in the answer.
        end: where it ends.
        kind: ``set-up``, ``step``, ``value``, ``definition``, ``expression``, ``formula``, ``remark``, ``slip``,
            ``dropped`` (of an attempt that was given up) or ``unread``.
        equation: as it was read, numbers of the text written as q1, q2, …
    """

    text: str
    start: int
    end: int
    kind: str
    equation: str


@dataclass(frozen=True, slots=True)
class ReadSlip:
    """A step that does not follow from the set-up.

    Attributes:
        text: as it stands in the answer.
        start: where it begins in the answer.
        end: where it ends.
        expected: what comes out by the set-up, where that is one number.
        got: what the answer says, where that is one number.
    """

    text: str
    start: int
    end: int
    expected: Fraction | None
    got: Fraction | None


@dataclass(frozen=True, slots=True)
class ReadFinal:
    """A number that an answer gives as its result.

    Attributes:
        text: as it stands in the answer.
        start: where it begins in the answer.
        end: where it ends.
        value: the number.
        marked: whether the answer marks it as its result, by a box or by "Answer:".
    """

    text: str
    start: int
    end: int
    value: Fraction
    marked: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read from an answer of a language model.

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
            "statements": [
                {"text": s.text, "start": s.start, "end": s.end, "kind": s.kind, "equation": s.equation}
                for s in self.statements
            ],
            "setup": list(self.setup),
            "chain": list(self.chain),
            "quantities": {name: str(value) for name, value in self.quantities.items()},
            "finals": [
                {"text": f.text, "start": f.start, "end": f.end, "value": str(f.value), "marked": f.marked}
                for f in self.finals
            ],
            "slips": [
                {
                    "text": s.text,
                    "start": s.start,
                    "end": s.end,
                    "expected": None if s.expected is None else str(s.expected),
                    "got": None if s.got is None else str(s.got),
                }
                for s in self.slips
            ],
            "attempts": list(self.attempts),
            "doubts": list(self.doubts),
            "gave_up": self.gave_up,
        }


@dataclass(frozen=True, slots=True)
class Work:
    """An answer taken apart, for comparing it with gold.

    Attributes:
        answer: the answer.
        plain: its plain text.
        statements: what it states.
        setup: its set-up, and what follows from it.
        finals: the numbers that it gives as its result, in the plain text.
        gave_up: whether it concludes that there is no solution.
        unfinished: whether it breaks off within a thought; then it gives no result.
    """

    answer: str
    plain: Plain
    statements: Sequence[Relation]
    setup: Worked
    finals: Sequence[Final]
    gave_up: bool
    unfinished: bool = False


def take_apart(answer: str, text: TextSources) -> Work:
    """Take an answer apart, given the numbers of its problem."""
    plain = plain_text(answer)
    tokens = tokens_of(plain.text)
    literals: list[Literal] = []
    statements = relations_of(tokens, literals, len(text.classes))
    setup = set_up_of(statements, literals, text, plain.text)
    steps = [(s.start, s.end) for s in statements if _is_step(s)]
    unfinished = is_unfinished_thought(answer)
    finals = [] if unfinished else finals_of(plain.text, tokens, steps)
    return Work(answer, plain, statements, setup, finals, gives_up(plain.text), unfinished)


def single_final(work: Work, question: str, given: Collection[Fraction]) -> list[Final]:
    """Return the one number that an answer to a problem with one unknown gives as its result (`single_result`)."""
    calculated = {abs(result.stated.amount) for result in work.setup.results[-1:]}
    calculated.update(abs(values[-1][0]) for values in work.setup.stated.values() if values)
    return single_result(work.finals, question, calculated, given)


def _is_step(statement: Relation) -> bool:
    """Say whether a statement is an equation with letters that says the value of none."""
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
        raise ReadError("answer", "a string", shown(text))
    return reading_of(take_apart(text, sources_of(row)))


def sources_of(row: Mapping[str, Any] | Problem | Sequence[object] | str) -> TextSources:
    """Return the numbers of a problem as sources of literals, each by itself."""
    if isinstance(row, str):
        values = [number.value for number in find_numbers(row)]
    elif isinstance(row, Problem):
        values = [number.value or Fraction(0) for number in row.numbers]
    elif isinstance(row, Mapping):
        return sources_of(Problem.from_row(row) if "numbers" in row else _question(row))
    elif isinstance(row, bytes) or not isinstance(row, Iterable):
        raise RowError(f"row: expected a row, a problem, the text of a question or its numbers, but got {shown(row)}")
    else:
        values = [TextNumber.of(number, f"number {i}").value or Fraction(0) for i, number in enumerate(row, 1)]
    return text_sources(tuple(values))


def _question(row: Mapping[str, Any]) -> str:
    question = row.get("question")
    if not isinstance(question, str):
        raise RowError(f"row: expected numbers or a question, but got the keys {shown(sorted(map(str, row))[:8])}")
    return question


text_sources = lru_cache(maxsize=1 << 10)(TextSources)
"""The tables of a text's numbers; all answers to one problem share them."""


def reading_of(work: Work) -> Reading:
    """Return what was read of an answer that was taken apart."""
    plain, setup = work.plain, work.setup
    statements = []
    for statement, kind in zip(work.statements, setup.kinds, strict=True):
        start, end = plain.span(statement.start, statement.end)
        written = write_equation(statement.sides, statement.signs, setup)
        statements.append(ReadStatement(work.answer[start:end], start, end, kind, written))
    slips = []
    for slip in setup.slips:
        read = statements[slip.at]
        slips.append(ReadSlip(read.text, read.start, read.end, slip.expected, slip.got))
    finals = []
    for final in work.finals:
        start, end = plain.span(final.start, final.end)
        finals.append(ReadFinal(work.answer[start:end], start, end, final.value, final.marked))
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
        doubts=tuple(_doubts(work)),
        gave_up=work.gave_up,
    )


def _doubts(work: Work) -> list[str]:
    found = []
    if len(work.answer) > MAX_CHARACTERS:
        found.append(f"only the first {MAX_CHARACTERS} characters were read")
    unread = sum(kind == "unread" for kind in work.setup.kinds)
    if unread:
        found.append(f"{unread} {'statement is' if unread == 1 else 'statements are'} too large to be looked at")
    several = sum(_is_open(sources) for sources in work.setup.sources)
    if several:
        found.append(f"{several} {'number' if several == 1 else 'numbers'} may come from several numbers of the text")
    return found


def _is_open(sources: Sequence[Source]) -> bool:
    first = sources[0]
    return first.kind == "text" and any(s.kind == "text" and s.scale == first.scale for s in sources[1:])
