"""The question: which attempt of an answer counts.

Some answers begin anew: a wrong start is dropped, or a right one "corrected". A later attempt replaces an earlier one
if the answer says that it begins again and if the attempt comes to what the answer states in the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from draw_dataset.answers.setup import Builder, Worked
from draw_dataset.answers.sources import TextSources
from draw_dataset.answers.statements import Statement
from draw_dataset.core.quantities import Literal, Node, is_bare, literals_of, names_of

_ANEW = re.compile(
    r"\b(?:mistakes?|wait|try again|let's try|let us try|however|different approach|another (?:way|approach)|actually|"
    r"oops|errors?|apologi[sz]e|redo|re-?evaluate|re-?examine|start over|does(?:n't| not) make sense|"
    r"not (?:possible|valid)|impossible|incorrect|correct(?:ion|ed)?|instead|go back|revis\w+|contradict\w+|wrong|"
    r"misread|sorry)\b",
    re.IGNORECASE,
)


def set_up_of(statements: Sequence[Statement], literals: list[Literal], text: TextSources, answer: str) -> Worked:
    """Return the set-up of an answer: of its last attempt that comes to what it states, else of its first.

    An attempt begins with the first statement, and anew where the answer says so ("let's try again") and gives an
    equation with numbers of the text that contradicts what stands before.

    Args:
        statements: what it states.
        literals: the numbers in them.
        text: the numbers of the text.
        answer: the plain text of the answer.
    """
    first = _attempt(statements, literals, text, 0)
    if not first.slips or first.fits:
        return first
    slips = sorted({slip.at for slip in first.slips if _may_begin(first, statements[slip.at].sides)})
    for words in list(_ANEW.finditer(answer))[: -MAX_ATTEMPTS - 1 : -1]:
        start = next((at for at in slips if statements[at].start >= words.end()), None)
        if start is None:
            continue
        other = _attempt(statements, literals, text, start)
        if other.fits:
            return other
    return first


MAX_ATTEMPTS = 4
"""Attempts that are looked at, the last first."""


def _attempt(statements: Sequence[Statement], literals: list[Literal], text: TextSources, start: int) -> Worked:
    builder = Builder(list(literals), text)
    for at, statement in enumerate(statements):
        if at < start:
            builder.setup.kinds.append("dropped")
        else:
            builder.take(at, statement)
    return builder.finish()


def _may_begin(setup: Worked, sides: Sequence[Node]) -> bool:
    """Say whether a statement may begin another attempt: an equation whose numbers are those of the text."""
    if not any(names_of(side) for side in sides) or (sides[0][0] == "name" and any(map(is_bare, sides))):
        return False
    indices = [index for side in sides for index in literals_of(side)]
    known = [setup.sources[index][0] for index in indices if setup.literals[index].value not in (0, 1, 2)]
    return bool(known) and all(source.kind == "text" for source in known)
