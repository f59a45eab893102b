"""The question: which equations does a segment of prose hold, and are they all of what is meant.

An equation is a run of tokens without words. What stands at its edges decides whether it is complete: a word that
calculates (``twice x + 3 = 15``) or an operator on the far side of a word (``5 dimes + x = 7``) makes it unreadable; a
word that only leads in, a unit behind a number, or the edge of the segment leaves it clean; any other word leaves it
doubtful, to be used only if something else in the explanation confirms it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from draw_dataset.prose.formulas import CROSSED
from draw_dataset.prose.lexemes import CLOSING, OPENING, Lexeme, Sort, settle
from draw_dataset.prose.sides import WrittenNumber, write_side
from draw_dataset.prose.vocabulary import APPROXIMATE, CALCULATING, FUNCTIONS, INSTRUCTIONS, LEADING

_PARTS = FUNCTIONS | {CROSSED, "x"}
"""Words that are part of an equation: a function, a crossed-out factor, an x that may be a times sign."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An equation that a segment may hold.

    Attributes:
        sides: the texts between the equals signs, as the core reads them.
        approximate: for each side whether it is said to be rounded.
        doubt: why the reading is not certain; empty if it is.
        problem: why it cannot be read; empty if it can.
        literals: the numbers of each side.
        worded: which sides are words: none, the ``left``, the ``right`` or ``both``.
    """

    sides: tuple[str, ...]
    approximate: tuple[bool, ...]
    doubt: str
    problem: str
    literals: tuple[tuple[WrittenNumber, ...], ...]
    worded: str = ""


def candidates_of(tokens: Sequence[Lexeme], names: frozenset[str]) -> list[Candidate]:
    """Return the equations of a segment.

    Args:
        tokens: the tokens of the segment.
        names: the unknowns of the whole explanation, see `standing_names`.

    >>> from draw_dataset.prose.lexemes import lexemes_of
    >>> [c.sides for c in candidates_of(lexemes_of("so we get $2.80x + .40*20 lbs = 3 x 4 dollars"), frozenset("x"))]
    [('2.80*x+.40*20', '3*4')]
    >>> candidates_of(lexemes_of("twice x + 3 = 15"), frozenset("x"))[0].problem
    "the word 'twice' belongs to the equation"
    """
    decided = settle(tokens, names)
    found = []
    for start, end in _runs(decided):
        if any(t.sort is Sort.EQUALS for t in decided[start:end]):
            found += _candidates(decided, start, end)
    if not found and any(t.sort is Sort.EQUALS for t in decided):
        found.append(Candidate((), (), "", "words on both sides", (), "both"))
    return found


def _runs(tokens: Sequence[Lexeme]) -> list[tuple[int, int]]:
    """Return the longest stretches without words and comparisons."""
    runs, start = [], None
    for place, token in enumerate(tokens):
        if token.sort in (Sort.WORD, Sort.COMPARISON):
            if start is not None:
                runs.append((start, place))
            start = None
        elif start is None:
            start = place
    return [*runs, (start, len(tokens))] if start is not None else runs


def _candidates(tokens: Sequence[Lexeme], start: int, end: int) -> list[Candidate]:
    """Return the equation of a run, or the two of ``2x = 10 x = 5``."""
    places = [place for place in range(start, end) if tokens[place].sort is Sort.EQUALS]
    for one, other in pairwise(places):
        # What begins behind a seam is the left side of an equation, so it has an unknown: 5 (3) = 15 has none.
        seams = [
            place
            for place in range(one + 2, other)
            if _is_seam(tokens, place) and any(t.sort is Sort.NAME for t in tokens[place:other])
        ]
        if len(seams) == 1:
            first = _candidate([*tokens[: seams[0]], Lexeme(Sort.WORD, "and")], start, seams[0])
            rest = [Lexeme(Sort.WORD, "and"), *tokens[seams[0] :]]
            second = _candidates(rest, 1, 1 + end - seams[0])
            return [replace(c, doubt=c.doubt or "two equations stand side by side") for c in (first, *second)]
        if seams:
            return [Candidate((), (), "", "equations stand side by side", ())]
    return [_candidate(tokens, start, end)]


def _is_seam(tokens: Sequence[Lexeme], place: int) -> bool:
    """Say whether an operand ends before a token, and another begins with it behind a blank."""
    before, token = tokens[place - 1], tokens[place]
    ends = before.sort in (Sort.NUMBER, Sort.NAME, Sort.UNIT, Sort.PERCENT) or before.text in CLOSING
    return ends and not token.glued and (token.sort in (Sort.NAME, Sort.NUMBER, Sort.CURRENCY) or token.text in OPENING)


def _candidate(tokens: Sequence[Lexeme], start: int, end: int) -> Candidate:
    run = tokens[start:end]
    sides: list[list[Lexeme]] = [[]]
    approximate = [False]
    for token in run:
        if token.sort is Sort.EQUALS:
            sides.append([])
            approximate.append(token.text == "≈")
        else:
            sides[-1].append(token)
    before = tokens[start - 1].text if start else None
    after = tokens[end].text if end < len(tokens) else None
    following = [t.text.lower() for t in tokens[end : end + 3]]
    if any(word in APPROXIMATE for word in following) or (before or "").lower() in APPROXIMATE:
        approximate[-1] = True
    problem, doubt, worded = _edges(tokens, start, end, sides)
    written, literals = [], []
    units: dict[str, set[str]] = {}
    for side in sides:
        text, numbers, doubts, side_problem = write_side(side, units)
        written.append(text)
        literals.append(numbers)
        doubt = doubt or doubts
        problem = problem or side_problem
    mixed = next((family for family, used in units.items() if len(used) > 1), None)
    if mixed and not problem:
        problem = f"units: {' and '.join(sorted(units[mixed]))} in one equation"
    if not problem and after is not None and after.lower() not in LEADING and not doubt:
        last = sides[-1][-1].sort if sides[-1] else None
        plain_value = (
            len(sides[0]) == 1
            and sides[0][0].sort is Sort.NAME
            and not any(t.sort in (Sort.NAME, Sort.OPERATOR) for t in sides[-1])
        )
        if plain_value or last in (Sort.NAME, Sort.PERCENT):
            doubt = f"the word {after!r} follows"
    return Candidate(tuple(written), tuple(approximate), doubt, problem, tuple(literals), worded)


def _edges(tokens: Sequence[Lexeme], start: int, end: int, sides: Sequence[Sequence[Lexeme]]) -> tuple[str, str, str]:
    """Say whether the words around a run are part of its equation: problem, doubt, and which sides are words."""
    before = tokens[start - 1] if start else None
    after = tokens[end] if end < len(tokens) else None
    if not sides[0] or not sides[-1]:
        worded = "left" if not sides[0] and sides[-1] else "right" if sides[0] else "both"
        return "a side is in words", "", worded
    if (before is not None and before.sort is Sort.COMPARISON) or (after is not None and after.sort is Sort.COMPARISON):
        return "an inequality", "", ""
    doubt = ""
    if before is not None:
        word = before.text.lower()
        first = sides[0][0]
        if word in CALCULATING or word in _PARTS:
            return f"the word {before.text!r} belongs to the equation", "", ""
        if first.sort is Sort.OPERATOR and first.text not in OPENING:
            return f"an operator follows the word {before.text!r}", "", "left"
        if first.sort is Sort.UNIT or first.sort is Sort.PERCENT or not before.text[0].isalnum():
            return f"{before.text!r} belongs to the equation", "", "left"
        far = _beyond(tokens, start - 1, -1)
        if far is not None and far.sort in (Sort.OPERATOR, Sort.EQUALS) and far.text not in CLOSING:
            return f"an operator stands before the word {before.text!r}", "", "left"
        if word not in LEADING:
            doubt = f"the word {before.text!r} stands before it"
    if after is not None:
        word = after.text.lower()
        last = sides[-1][-1]
        if last.sort is Sort.OPERATOR and last.text not in CLOSING:
            return f"an operator stands before the word {after.text!r}", "", "right"
        if word in CALCULATING - INSTRUCTIONS or word in _PARTS or not after.text[0].isalnum():
            return f"the word {after.text!r} belongs to the equation", "", "right"
        far = _beyond(tokens, end, 1)
        if far is not None and far.text in ("+", "-", "*", "/", "^", "=") and far.sort is not Sort.EQUALS:
            return f"an operator follows the word {after.text!r}", "", "right"
    return "", doubt, ""


def _beyond(tokens: Sequence[Lexeme], place: int, step: int) -> Lexeme | None:
    """Return the first token beyond a stretch of words."""
    while 0 <= place < len(tokens) and tokens[place].sort is Sort.WORD:
        place += step
    return tokens[place] if 0 <= place < len(tokens) else None
