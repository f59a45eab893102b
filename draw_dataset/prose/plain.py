"""Plain text that keeps its places: each of its characters has a place in the original answer."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass

MAX_CHARACTERS = 60_000
"""How many characters of one text are read."""

BOX_OPEN, BOX_CLOSE = "\x02", "\x03"
"""Stand around what an answer puts into a box."""

SIGNS = {
    "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2003": " ", "\r": "", "\u200b": "", "\ufeff": "",
    "−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "∙": "*", "✕": "*", "✖": "*", "÷": "/", "∕": "/", "⁄": "/",
    "’": "'", "‘": "'", "“": '"', "”": '"', "≅": "≈", "≃": "≈", "∼": "≈", "²": "^2", "³": "^3", "¢": " cents ",
    # With a blank before it: 2½ is a mixed number, not a product.
    "½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3", "⅕": " 1/5", "⅛": " 1/8",
    "％": "%", "＝": "=", "（": "(", "）": ")", **{chr(0x2080 + digit): str(digit) for digit in range(10)},
}  # fmt: skip
"""Typographic signs, each with its typed form; signs that separate, such as an arrow, are not among them."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A text that keeps its places in the original.

    Attributes:
        text: the plain text.
        starts: where its pieces begin.
        origins: the place in the answer that each piece comes from.
        steps: 1 if a piece runs parallel to the answer, 0 if it stands for one place of it.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]
    steps: tuple[int, ...]

    @classmethod
    def of(cls, text: str, origin: int = 0) -> Plain:
        """Return a text that is its own origin."""
        return cls(text, (0,), (origin,), (1,))

    def origin(self, place: int) -> int:
        """Return the place in the answer that a place of the plain text comes from."""
        piece = bisect_right(self.starts, place) - 1
        return self.origins[piece] + (place - self.starts[piece]) * self.steps[piece]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the stretch of the answer for a stretch of the plain text."""
        if end <= start:
            return self.origin(start), self.origin(start)
        piece = bisect_right(self.starts, end - 1) - 1
        last = self.origin(end - 1)
        if not self.steps[piece]:
            # The answer has another form here, so the stretch extends to the origin of the next piece.
            for origin in self.origins[piece + 1 : piece + 9]:
                if origin > last:
                    return self.origin(start), origin
        return self.origin(start), last + 1

    def sub(self, pattern: re.Pattern[str], replacement: str | Callable[[re.Match[str]], str]) -> Plain:
        """Return the text with every match replaced; a replacement has the place of the start of the match.

        A replacement that is a stretch of the match itself keeps its own places, and so do the groups of the match that
        stand in the replacement in their order.
        """
        builder: PlainBuilder | None = None
        end = 0
        for match in pattern.finditer(self.text):
            if builder is None:
                builder = PlainBuilder(self)
            builder.copy(end, match.start())
            new = replacement if isinstance(replacement, str) else replacement(match)
            inside = match.group().find(new) if len(new) > 1 else -1
            if inside >= 0:
                builder.copy(match.start() + inside, match.start() + inside + len(new))
            else:
                _put_around(builder, match, new)
            end = match.end()
        if builder is None:
            return self
        builder.copy(end, len(self.text))
        return builder.done()


def _put_around(builder: PlainBuilder, match: re.Match[str], new: str) -> None:
    """Add a replacement; the groups of the match that are in it keep their places."""
    at, place = 0, match.start()
    for number, group in enumerate(match.groups(), 1):
        inside = new.find(group, at) if group else -1
        if inside >= 0:
            builder.put(new[at:inside], place)
            builder.copy(match.start(number), match.end(number))
            at, place = inside + len(group), max(match.end() - 1, 0)
    builder.put(new[at:], place)


class PlainBuilder:
    """Puts a plain text together from pieces of another."""

    def __init__(self, source: Plain) -> None:
        self._source = source
        self._pieces: list[str] = []
        self._length = 0
        self._starts: list[int] = []
        self._origins: list[int] = []
        self._steps: list[int] = []

    def copy(self, start: int, end: int) -> None:
        """Add a stretch of the other text, which keeps its places."""
        if start >= end:
            return
        source, shift = self._source, self._length - start
        first, last = bisect_right(source.starts, start), bisect_left(source.starts, end)
        self._add(source.text[start:end], source.origin(start), source.steps[first - 1])
        self._starts += [place + shift for place in source.starts[first:last]]
        self._origins += source.origins[first:last]
        self._steps += source.steps[first:last]

    def put(self, text: str, place: int) -> None:
        """Add a text of our own, which comes from a place of the other text."""
        if text:
            last = max(len(self._source.text) - 1, 0)
            self._add(text, self._source.origin(min(place, last)), 0)

    def _add(self, text: str, origin: int, step: int) -> None:
        self._pieces.append(text)
        self._starts.append(self._length)
        self._origins.append(origin)
        self._steps.append(step)
        self._length += len(text)

    def done(self) -> Plain:
        """Return the result."""
        if not self._starts:
            return Plain("", (0,), (0,), (0,))
        return Plain("".join(self._pieces), tuple(self._starts), tuple(self._origins), tuple(self._steps))
