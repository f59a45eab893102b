"""Attempts: which attempt of an answer counts.

Some answers start again: they drop a wrong start, or "correct" a right one. A later attempt replaces an earlier one if
the answer says that it starts again, and if the attempt leads to the result that the answer states in the end, or uses
as many numbers of the text as the earlier one.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from fractions import Fraction

from draw_dataset.answers.builder import Builder
from draw_dataset.answers.setup import Worked
from draw_dataset.answers.sources import TextSources
from draw_dataset.core.quantities import Literal, Node, has_names, is_bare, literals_of
from draw_dataset.core.quantities.expressions import as_written
from draw_dataset.prose.relations import Relation

_ANEW = re.compile(
    r"\b(?:mistakes?|wait|try again|let's try|let us try|however|different approach|another (?:way|approach)|actually|"
    r"oops|errors?|apologi[sz]e|redo|re-?evaluate|re-?examine|start over|does(?:n't| not) make sense|"
    r"not (?:possible|valid)|impossible|incorrect|correct(?:ion|ed)?|instead|go back|revis\w+|contradict\w+|wrong|"
    r"misread|sorry)\b",
    re.IGNORECASE,
)


def set_up_of(statements: Sequence[Relation], literals: list[Literal], text: TextSources, answer: str) -> Worked:
    """Return the set-up of an answer: of its last attempt that leads to its result, else of its first.

    An attempt begins with the first statement, and again where the answer says so ("let's try again") and gives an
    equation with numbers of the text that contradicts what stands before.

    Args:
        statements: what it states.
        literals: the numbers in them.
        text: the numbers of the text.
        answer: the plain text of the answer.
    """
    first = _attempt(statements, literals, text, ())
    if not first.slips or first.fits:
        return first
    slips = [at for at in sorted({slip.at for slip in first.slips}) if _may_begin(first, statements[at].sides)]
    for words in list(_ANEW.finditer(answer))[: -MAX_ATTEMPTS - 1 : -1]:
        start = next((at for at in slips if statements[at].start >= words.end()), None)
        if start is None:
            continue
        other = _attempt(statements, literals, text, range(start))
        share = Fraction(1, 2) if other.fits else 1
        if (other.fits or other.is_solved) and _given(other) >= share * _given(first):
            return other
    return first


MAX_ATTEMPTS = 4
"""How many attempts are tried, the last first."""


def _attempt(
    statements: Sequence[Relation], literals: list[Literal], text: TextSources, dropped: Container[int]
) -> Worked:
    builder = Builder(list(literals), text)
    for at, statement in enumerate(statements):
        if at in dropped:
            builder.setup.kinds.append("dropped")
        else:
            builder.take(at, statement)
    return builder.finish()


def without_contradictions(statements: Sequence[Relation], text: TextSources, first: Worked) -> Worked | None:
    """Return the set-up without the statements that the values stated last contradict; None if there are none.

    A statement that was misread does not hold for the final values of the answer. Neither does one that it has dropped
    silently, or one with a letter that stands for two things. A right equation does not hold either if a slip follows
    it, so this is only another reading of the answer.

    Args:
        statements: what it states.
        text: the numbers of the text.
        first: its set-up with all statements.
    """
    values = {name: stated[-1][0] for name, stated in first.stated.items()}
    dropped: set[int] = set()
    defined: dict[str, list[tuple[int, Fraction]]] = {}
    for at, statement in enumerate(statements):
        if first.kinds[at] not in ("set-up", "definition"):
            continue
        known = [as_written(side, first.literals, values) for side in statement.sides]
        found = [value for value in known if value is not None]
        if any(_differ(value, found[0]) for value in found):
            dropped.add(at)
        for side, value in zip(statement.sides, known, strict=True):
            if value is None and side[0] == "name" and found:
                defined.setdefault(side[1], []).append((at, found[0]))
    for places in defined.values():
        if any(_differ(value, places[0][1]) for _, value in places):
            dropped.update(at for at, _ in places)
    return _attempt(statements, first.literals, text, dropped) if dropped else None


def _differ(value: Fraction, other: Fraction) -> bool:
    """Say whether two values differ by more than rounded numbers on the way explain."""
    return abs(value - other) > max(abs(value), abs(other)) / 100


def _given(setup: Worked) -> int:
    """Return how many numbers of the text stand in the equations."""
    sides = [side for left, right, _ in setup.equations for side in (left, right)]
    return sum(len(setup.sources[index][0].numbers()) for side in sides for index in literals_of(side))


def _may_begin(setup: Worked, sides: Sequence[Node]) -> bool:
    """Say whether a statement may begin another attempt: an equation whose numbers are those of the text."""
    if not any(has_names(side) for side in sides) or (sides[0][0] == "name" and any(map(is_bare, sides))):
        return False
    indices = [index for side in sides for index in literals_of(side)]
    known = [setup.sources[index][0] for index in indices if setup.literals[index].value not in (0, 1, 2)]
    return bool(known) and all(source.kind in ("text", "sum") for source in known)
