"""The surroundings of a number in a text: the words before and after it, what is glued to it, and its unit.

The bounds of natural values use them. Nothing is decided here.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from draw_dataset.core.alignment import TextNumber
from draw_dataset.text.lexicon import listed
from draw_dataset.text.tokens import Token

_NO_UNITS = frozenset(
    listed("of the a an and or to as than in at by is are was were for from with on per if then , . ? !")
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around one number, in lower case.

    Attributes:
        before: the words before it, the nearest last.
        glued: what is glued to its end in its own token, as ``-peso`` or ``%``.
        after: the words after it, the nearest first.
        starts: whether it begins a sentence.
        article: the token before it if that is the article a or an.
    """

    before: tuple[str, ...]
    glued: str
    after: tuple[str, ...]
    starts: bool
    article: Token | None

    @property
    def next(self) -> str:
        """The word after the number, a glued one included."""
        glued = self.glued.strip("-").lower()
        return glued or (self.after[0] if self.after else "")

    @property
    def previous(self) -> str:
        """The word before the number."""
        return self.before[-1] if self.before else ""

    @property
    def near(self) -> tuple[str, ...]:
        """The next words, a glued one first; hyphenated words are cut."""
        glued = [part for part in self.glued.lower().split("-") if part]
        return (*glued, *(part for word in self.after[:5] for part in word.split("-") if part))

    @property
    def unit(self) -> str:
        """What the number counts, as one word: a currency, a percent sign, or the next word in the singular."""
        if self.previous in ("$", "£", "€") or self.near[:1] in (("dollars",), ("dollar",)):
            return "$"
        if self.near[:1] in (("%",), ("percent",)) or self.near[:2] == ("per", "cent"):
            return "%"
        word = self.near[0] if self.near else ""
        return "" if word in _NO_UNITS else word.rstrip("s")


class Words:
    """The tokens of a text, to look around in."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.lower = [token.text.lower() for token in tokens]
        self._starts = [token.start for token in tokens]

    def around(self, number: TextNumber) -> Surroundings:
        """Return what stands around a number."""
        start, end = number.start or 0, number.end or 0
        first = max(bisect_left(self._starts, start + 1) - 1, 0)
        after = bisect_left(self._starts, end)
        last = self.tokens[after - 1]
        article = self.tokens[first - 1] if first and self.lower[first - 1] in ("a", "an") else None
        return Surroundings(
            before=tuple(self.lower[max(first - 5, 0) : first]),
            glued=last.text[end - last.start :] if end < last.end else "",
            after=tuple(self.lower[after : after + 6]),
            starts=not first or self.tokens[first - 1].sentence != self.tokens[first].sentence,
            article=article,
        )
