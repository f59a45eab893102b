"""The question: which equations does a segment of prose hold, and are they all of what is meant.

What a segment states is found by `relations`, which leaves out words that lead in or follow. Here that is held against
the words: a run is a stretch of tokens without words, units aside, and an equation is trusted only if it is a whole
run.
What stands at the edges of the run decides whether it is complete: a word that calculates (``twice x + 3 = 15``) or an
operator on the far side of a word (``5 dimes + x = 7``) makes it unreadable; a word that only leads in, a unit behind a
number, or the edge of the segment leaves it clean; any other word leaves it doubtful, to be used only if something else
in the explanation confirms it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from draw_dataset.core.quantities import Literal, Node, names_of
from draw_dataset.prose.formulas import CROSSED
from draw_dataset.prose.relations import Relation, relations_of
from draw_dataset.prose.tokens import Sort, Token
from draw_dataset.prose.vocabulary import (
    APPROXIMATE,
    CALCULATING,
    FUNCTIONS,
    INSTRUCTIONS,
    LEADING,
    UNIT_LETTERS,
    UNITS,
)

_PARTS = FUNCTIONS | {CROSSED, "x"}
"""Words that are part of an equation: a function, a crossed-out factor, an x that may be a times sign."""

_SEAM = "and"
"""What is put between two equations that stand side by side: it leads in, as a word would."""

_LETTER = re.compile(r"[^\W\d_](?:\d+|_\w+)?")
_OPENING, _CLOSING = ("(", "["), (")", "]")
_BREAKS = (Sort.WORD, Sort.COMPARISON, Sort.STOP, Sort.COMMA, Sort.BOX)


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

    >>> from draw_dataset.prose.tokens import tokens_of
    >>> def problems(text):
    ...     return [candidate.problem for candidate in candidates_of(text, tokens_of(text), [])]
    >>> problems("so we get $2.80x + .40*20 lbs = 3 x 4 dollars")
    ['']
    >>> problems("twice x + 3 = 15")
    ["the word 'twice' belongs to the equation"]
    """
    held = _Segment(text, _parted(tokens))
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
        # What begins behind a seam is the left side of an equation, so it has an unknown: 5 (3) = 15 has none.
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
    """Say whether an operand ends before a token, and another begins with it behind a blank."""
    ends = before.sort in (Sort.NUMBER, Sort.NAME, Sort.PERCENT) or before.text in _CLOSING or _is_unit(before)
    begins = token.sort in (Sort.NAME, Sort.NUMBER, Sort.CURRENCY) or token.text in _OPENING
    return ends and begins and not token.glued


def _is_unit(token: Token) -> bool:
    return token.sort is Sort.WORD and (token.text in UNITS or token.text in UNIT_LETTERS)


def _breaks(tokens: Sequence[Token], place: int) -> bool:
    """Say whether a token ends a run: a word that is no unit and no product, as "of" is in 5% of x."""
    token = tokens[place]
    if token.sort not in _BREAKS or _is_unit(token):
        return False
    if token.text == "of" and 0 < place < len(tokens) - 1:
        before, after = tokens[place - 1], tokens[place + 1]
        left = before.sort in (Sort.PERCENT, Sort.NUMBER) or before.text == ")"
        return not (left and (after.sort in (Sort.NAME, Sort.NUMBER, Sort.CURRENCY) or after.text in _OPENING))
    return True


class _Segment:
    """A segment with its tokens."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens

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
        tokens = self.tokens
        sides: list[list[Token]] = [[]]
        approximate = [False]
        for token in tokens[start:end]:
            if token.sort is Sort.EQUALS:
                sides.append([])
                approximate.append(token.text == "≈")
            else:
                sides[-1].append(token)
        before = tokens[start - 1].text if start else ""
        following = [t.text for t in tokens[end : end + 3]]
        if any(word in APPROXIMATE for word in following) or before in APPROXIMATE:
            approximate[-1] = True
        problem, doubt, worded = self._edges(start, end, sides)
        if problem:
            return Candidate(problem=problem, worded=worded)
        problem = self._strange(start, end) or _mixed_units(tokens[start:end])
        if problem:
            return Candidate(problem=problem)
        relation = self._relation(start, end, relations)
        if relation is None or len(relation.sides) != len(sides):
            return Candidate(problem="not all of it can be read")
        known = {t.text for t in tokens[start:end] if t.sort is Sort.NAME and _LETTER.fullmatch(t.text)}
        words = [not names_of(side) <= known for side in relation.sides]
        if any(words):
            worded = "both" if words[0] and any(words[1:]) else "left" if words[0] else "right"
            return Candidate(problem="a side is in words", worded=worded)
        doubt = doubt or self._unclear(start, end) or self._followed(sides, end)
        return Candidate(relation.sides, tuple(approximate), doubt)

    def _relation(self, start: int, end: int, relations: Sequence[Relation]) -> Relation | None:
        """Return the relation that a run is, with nothing left out."""
        while _is_unit(self.tokens[end - 1]):
            end -= 1
        first, last = self.tokens[start].start, self.tokens[end - 1].end
        return next((r for r in relations if r.start <= first and last <= r.end), None)

    def _edges(self, start: int, end: int, sides: Sequence[Sequence[Token]]) -> tuple[str, str, str]:
        """Say whether the words around a run are part of its equation: problem, doubt, and which sides are words."""
        tokens = self.tokens
        before = tokens[start - 1] if start else None
        after = tokens[end] if end < len(tokens) else None
        if not sides[0] or not sides[-1]:
            worded = "left" if not sides[0] and sides[-1] else "right" if sides[0] else "both"
            return "a side is in words", "", worded
        doubt = ""
        if before is not None:
            first = sides[0][0]
            if before.text in CALCULATING or before.text in _PARTS:
                return f"the word {before.text!r} belongs to the equation", "", ""
            if first.sort is Sort.OPERATOR and first.text not in _OPENING:
                return f"an operator follows the word {before.text!r}", "", "left"
            if _is_unit(first) or first.sort is Sort.PERCENT or not before.text[0].isalnum():
                return f"{before.text!r} belongs to the equation", "", "left"
            far = self._beyond(start - 1, -1)
            if far is not None and far.sort in (Sort.OPERATOR, Sort.EQUALS) and far.text not in _CLOSING:
                return f"an operator stands before the word {before.text!r}", "", "left"
            if before.text not in LEADING:
                doubt = f"the word {before.text!r} stands before it"
        if after is not None:
            last = sides[-1][-1]
            if last.sort is Sort.OPERATOR and last.text not in _CLOSING:
                return f"an operator stands before the word {after.text!r}", "", "right"
            if after.text in CALCULATING - INSTRUCTIONS or after.text in _PARTS or not after.text[0].isalnum():
                return f"the word {after.text!r} belongs to the equation", "", "right"
            far = self._beyond(end, 1)
            if far is not None and far.text in ("+", "-", "*", "/", "^"):
                return f"an operator follows the word {after.text!r}", "", "right"
        if any(token is not None and token.sort is Sort.STOP for token in (before, after)):
            doubt = doubt or "two equations stand side by side"
        return "", doubt, ""

    def _beyond(self, place: int, step: int) -> Token | None:
        """Return the first token beyond a stretch of words."""
        tokens = self.tokens
        while 0 <= place < len(tokens) and tokens[place].sort is Sort.WORD and not _is_unit(tokens[place]):
            place += step
        return tokens[place] if 0 <= place < len(tokens) else None

    def _strange(self, start: int, end: int) -> str:
        """Say what in a run, or right beside it, cannot be part of an equation."""
        tokens = self.tokens
        place = tokens[start - 1].end if start else 0
        stop = tokens[end].start if end < len(tokens) else len(self.text)
        for token in tokens[start:end]:
            if gap := self.text[place : token.start].strip():
                return f"{gap[:20]!r} belongs to the equation"
            place = token.end
        if gap := self.text[place:stop].strip():
            return f"{gap[:20]!r} belongs to the equation"
        for place in range(start, end):
            token = tokens[place]
            if token.sort is Sort.PERCENT and place > start + 1 and tokens[place - 2].text in ("/", "^"):
                return "a percent sign follows a quotient"  # 1/2% is not one over 2%
            if token.text == "±":
                return "two signs stand at one place"
            if (
                self.text[token.start : token.end] in ("x", "X")
                and start < place < end - 1
                and self._may_be_times(place)
            ):
                return "an x may be a times sign"
        return ""

    def _may_be_times(self, place: int) -> bool:
        """Say whether nobody knows if an x is a times sign or an unknown, as in 3 x (4 + y)."""
        before, token, after = self.tokens[place - 1 : place + 2]
        factor = before.sort in (Sort.NUMBER, Sort.PERCENT) or before.text in _CLOSING or _is_unit(before)
        if factor and after.sort in (Sort.NUMBER, Sort.CURRENCY):
            return token.glued and after.glued  # 3x4 may be a name with an index
        if before.sort is Sort.NAME and not token.glued and after.sort is Sort.NUMBER:
            return True
        apart = not token.glued and not after.glued
        return factor and apart and (after.text in _OPENING or after.sort is Sort.NAME)

    def _unclear(self, start: int, end: int) -> str:
        """Return why the reading of a run is not certain."""
        tokens = self.tokens
        for place in range(start, end):
            token = tokens[place]
            before = tokens[place - 1] if place > start else None
            if token.sort is Sort.NUMBER and "o" in self.text[token.start : token.end].lower():
                return f"{self.text[token.start : token.end]} was read as a number"
            if token.sort is Sort.WORD and token.text in UNIT_LETTERS:
                return f"{token.text} was read as a unit"
            if token.text == "of" and before is not None and before.sort is not Sort.PERCENT:
                return "'of' was read as a product"
            if (token.sort is Sort.NAME or token.text in _OPENING) and self._behind_divisor(place, start):
                return "a factor stands behind a divisor"
        return ""

    def _behind_divisor(self, place: int, start: int) -> bool:
        """Say whether a factor stands behind a divisor without a sign: 1/2x is half of x, 12/2x may be either."""
        if place < start + 2 or self.tokens[place - 2].text != "/":
            return False
        above, below = self.tokens[place - 3] if place >= start + 3 else None, self.tokens[place - 1]
        if below.sort not in (Sort.NUMBER, Sort.NAME):
            return False
        return above is None or above.value is None or below.value is None or above.value >= below.value

    def _followed(self, sides: Sequence[Sequence[Token]], end: int) -> str:
        """Say whether a word behind an equation may be part of it: 5 dimes are no 5."""
        after = self.tokens[end] if end < len(self.tokens) else None
        if after is None or after.text in LEADING:
            return ""
        value = len(sides[0]) == 1 and sides[0][0].sort is Sort.NAME
        plain = value and not any(t.sort in (Sort.NAME, Sort.OPERATOR) for t in sides[-1])
        return f"the word {after.text!r} follows" if plain or sides[-1][-1].sort in (Sort.NAME, Sort.PERCENT) else ""


def _mixed_units(run: Sequence[Token]) -> str:
    """Say whether a run has units of different size: cents and dollars must not be dropped both."""
    used: dict[str, set[str]] = {}
    for place, token in enumerate(run):
        if token.sort is Sort.CURRENCY:
            used.setdefault("money", set()).add("dollar")
        elif _is_unit(token):
            before, after = run[place - 1] if place else None, run[place + 1 : place + 3]
            # A rate, as miles/hour, is no size of a family, and neither is cm^2.
            rate = len(after) == 2 and after[0].text in ("/", "^") and after[1].glued
            if not rate and not (before is not None and before.text == "/" and token.glued):
                family, unit = UNITS[token.text] if token.text in UNITS else UNIT_LETTERS[token.text]
                used.setdefault(family, set()).add(unit)
    mixed = next((units for units in used.values() if len(units) > 1), None)
    return f"units: {' and '.join(sorted(mixed))} in one equation" if mixed else ""
