"""Candidates: which equations does a segment of prose hold, and are they complete.

`relations` finds what a segment states and leaves out words before and after. Here the result is compared with the
words: a run is a stretch of tokens without words, except units, and an equation is trusted only if it is a whole run.

The edges of the run decide whether it is complete. A word that calculates (``twice x + 3 = 15``) or an operator on the
far side of a word (``5 dimes + x = 7``) makes it unreadable. A word that only leads in, a unit after a number, or the
edge of the segment leaves it certain. Any other word leaves it doubtful: it is used only if something else in the
explanation confirms it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from draw_dataset.core.quantities import Literal, Node, names_of
from draw_dataset.prose.doubts import CLOSING, OPENING, is_unit, is_whole, mixed_units, problem_of, unclear
from draw_dataset.prose.formulas import CROSSED
from draw_dataset.prose.relations import Relation, relations_of
from draw_dataset.prose.tokens import Sort, Token
from draw_dataset.prose.vocabulary import APPROXIMATE, CALCULATING, FUNCTIONS, INSTRUCTIONS, LEADING

_PARTS = FUNCTIONS | {CROSSED, "x"}
"""Words that are part of an equation: a function, a crossed-out factor, an x that may be a times sign."""

UNREAD = "not all of it can be read"
"""The problem of a run that the reader cannot read as one whole equation."""

_SEAM = "and"
"""The word that is put between two equations side by side; it leads in, as a written word would."""

_BREAKS = (Sort.WORD, Sort.COMPARISON, Sort.STOP, Sort.COMMA, Sort.BOX)
_LETTER = re.compile(r"[^\W\d_](?:\d+|_\w+)?")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An equation that a segment may hold.

    Attributes:
        sides: the expressions between the equals signs.
        approximate: for each side whether it is said to be rounded.
        doubt: why the reading is not certain; empty if it is.
        problem: why it cannot be read; empty if it can.
        worded: which sides are words: none, the ``left``, the ``right`` or ``both``.
    """

    sides: tuple[Node, ...] = ()
    approximate: tuple[bool, ...] = ()
    doubt: str = ""
    problem: str = ""
    worded: str = ""


def candidates_of(text: str, tokens: Sequence[Token], literals: list[Literal]) -> list[Candidate]:
    """Return the equations of a segment; their numbers are put into `literals`.

    >>> from draw_dataset.prose.names import tokens_of
    >>> def problems(text):
    ...     return [candidate.problem for candidate in candidates_of(text, tokens_of(text), [])]
    >>> problems("so we get $2.80x + .40*20 lbs = 3 x 4 dollars")
    ['']
    >>> problems("twice x + 3 = 15")
    ["the word 'twice' belongs to the equation"]
    """
    held = _Segment(text, _parted(tokens), literals)
    if not any(token.sort is Sort.EQUALS for token in tokens):
        return []
    relations = relations_of(held.tokens, literals)
    runs = [run for run in held.runs() if any(t.sort is Sort.EQUALS for t in held.tokens[slice(*run)])]
    found = [held.candidate(start, end, relations) for start, end in runs]
    return found or [Candidate(problem="words on both sides", worded="both")]


def _parted(tokens: Sequence[Token]) -> list[Token]:
    """Put a seam between the two equations of ``2x = 10 x = 5``."""
    equals = [place for place, token in enumerate(tokens) if token.sort is Sort.EQUALS]
    seams = set()
    for one, other in pairwise(equals):
        # What begins after a seam is the left side of an equation, so it has an unknown: 5 (3) = 15 has none.
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
    """Say whether an operand ends before a token, and another begins with it after a blank."""
    ends = before.sort in (Sort.NUMBER, Sort.NAME, Sort.PERCENT) or before.text in CLOSING or is_unit(before)
    begins = token.sort in (Sort.NAME, Sort.NUMBER, Sort.CURRENCY) or token.text in OPENING
    return ends and begins and not token.glued


def _breaks(tokens: Sequence[Token], place: int) -> bool:
    """Say whether a token ends a run: a word that is neither a unit nor a product, as "of" is in 5% of x."""
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

    def __init__(self, text: str, tokens: list[Token], literals: list[Literal]) -> None:
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
        """Return the equation of a run, or why it has none."""
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
        if not is_whole(run, relation.sides, self.literals):
            return Candidate(problem=UNREAD)
        approximate = [False, *(sign == "≈" for sign in signs)]
        around = [*self.tokens[max(start - 1, 0) : start], *self.tokens[end : end + 3]]
        approximate[-1] |= any(token.text in APPROXIMATE for token in around)
        doubt = doubt or unclear(self.text, run) or self._followed(run, end)
        return Candidate(relation.sides, tuple(approximate), doubt)

    def _gap(self, start: int, end: int) -> str:
        """Say whether a sign that is not a token stands in a run, or right next to it."""
        place = self.tokens[start - 1].end if start else 0
        stop = [token.start for token in self.tokens[end : end + 1]] or [len(self.text)]
        for token in self.tokens[start:end]:
            if gap := self.text[place : token.start].strip():
                return f"{gap[:20]!r} belongs to the equation"
            place = token.end
        gap = self.text[place : stop[0]].strip()
        return f"{gap[:20]!r} belongs to the equation" if gap else ""

    def _followed(self, run: Sequence[Token], end: int) -> str:
        """Say whether a word after an equation may be part of it: 5 dimes are no 5."""
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
        """Say whether the words around a run are part of its equation: problem, doubt, and which sides are words."""
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
    """Return where a run ends, units after it aside."""
    return next((token.end for token in reversed(run) if not is_unit(token)), 0)
