"""The layout of a figure: lines of words, and curves that pass between the words.

Nothing is rendered here, so widths are those of a common sans-serif font; the figure makes the renderer keep to them. A
number may stand several lines above its slot. Its curve drops through the gap between two words of every line it
passes, close to its own column, and turns only in the free space between text and equations. So no curve crosses a
word.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

# Widths of Arial in thousandths of the font size, by character.
_NARROW = dict.fromkeys("ijl'|", 222) | dict.fromkeys("ftI!.,:;/\\[]", 278) | dict.fromkeys('r()-{}"`', 333)
_MIDDLE = dict.fromkeys("ckszvxyJ", 500) | dict.fromkeys("FTZ", 611) | dict.fromkeys("EPSKVXYAB&", 667)
_WIDE = dict.fromkeys("CDHNRU", 722) | dict.fromkeys("GOQ", 778) | dict.fromkeys("mM", 833)
_WIDTHS = _NARROW | _MIDDLE | _WIDE | {"w": 722, "W": 944, "%": 889, "@": 1015, "·": 333, "…": 1000, "*": 389}
_OTHER = 560

_CLOSING = frozenset(".,;:?!)%")
_HANGING = 12.0
"""How far a punctuation mark may reach into the margin."""

Point = tuple[float, float]


def text_width(text: str, size: float) -> float:
    """Return about how wide a text is."""
    total = 0
    for character in text:
        wide = not character.isascii() and unicodedata.east_asian_width(character) in "WF"
        total += 1000 if wide else _WIDTHS.get(character, _OTHER)
    return total * size / 1000


@dataclass(frozen=True, slots=True)
class Item:
    """Something that is not cut: a word or a part of one, a number or a slot.

    Attributes:
        text: what is written.
        width: its width.
        key: what it is, if it is more than text.
    """

    text: str
    width: float
    key: Hashable = None


Word = Sequence[Item]
"""Items that stand together without a gap."""


@dataclass(frozen=True, slots=True)
class Placed:
    """An item and where it begins."""

    item: Item
    x: float

    @property
    def centre(self) -> float:
        """The middle of the item."""
        return self.x + self.item.width / 2


@dataclass(slots=True)
class Row:
    """A line of items.

    Attributes:
        placed: the items, from left to right.
        gaps: where a curve may pass between them.
        right: where the last one ends.
        top: the upper edge.
        bottom: the lower edge.
        taken: the gaps that a curve passes already.
    """

    placed: list[Placed] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    right: float = 0.0
    top: float = 0.0
    bottom: float = 0.0
    taken: set[float] = field(default_factory=set)

    def shift(self, by: float) -> None:
        """Move everything to the right."""
        self.placed = [Placed(p.item, p.x + by) for p in self.placed]
        self.gaps = [gap + by for gap in self.gaps]
        self.right += by

    def pass_near(self, x: float) -> float:
        """Return the free gap nearest to a column, and take it; if none is free, the nearest."""
        free = [gap for gap in self.gaps if gap not in self.taken] or self.gaps
        gap = min(free, key=lambda g: abs(g - x), default=x)
        self.taken.add(gap)
        return gap


def cut_items(text: str, size: float, widest: float, key: Hashable = None) -> list[Item]:
    """Return a text as items, cut where it is wider than a line."""
    if not text:
        return []
    width = text_width(text, size)
    if width <= widest:
        return [Item(text, width, key)]
    half = max(len(text) // 2, 1)
    if half == len(text):
        return [Item(text, width, key)]
    return [*cut_items(text[:half], size, widest, key), *cut_items(text[half:], size, widest, key)]


def flow(groups: Sequence[Sequence[Word]], width: float, space: float, apart: float = 0.0) -> list[Row]:
    """Return the rows that words make in a width, from x = 0.

    Args:
        groups: words that should stay on one row if they can, as those of an equation.
        width: the width of a row.
        space: between two words.
        apart: between two groups.
    """
    rows = [Row()]
    for group in groups:
        whole = sum(_width(word) for word in group) + space * (len(group) - 1)
        before = apart
        if rows[-1].placed and rows[-1].right + apart + whole > width and apart:
            rows.append(Row())
        for word in group:
            # A sign that ends something may stand in the margin, but not at the beginning of a row.
            room = width + (_HANGING if len(word) == 1 and word[0].text in _CLOSING else 0)
            if rows[-1].placed and rows[-1].right + (before or space) + _width(word) > room:
                rows.append(Row())
            _append(rows, word, before or space, width)
            before = 0.0
    return [row for row in rows if row.placed]


def _append(rows: list[Row], word: Word, space: float, width: float) -> None:
    row = rows[-1]
    x = row.right
    if row.placed:
        row.gaps.append(x + space / 2)
        x += space
    for item in word:
        if row.placed and x + item.width > width and len(word) > 1:  # a word that is longer than a row
            rows.append(row := Row())
            x = 0.0
        row.placed.append(Placed(item, x))
        x += item.width
        row.right = x


def _width(word: Word) -> float:
    return sum(item.width for item in word)


def open_margins(row: Row, left: float, right: float, step: float = 6.0) -> None:
    """Let curves pass next to a row too, as far as the figure reaches."""
    first = row.placed[0].x
    row.gaps += [first - step * i for i in range(1, int((first - left) // step) + 1)]
    row.gaps += [row.right + step * i for i in range(1, int((right - row.right) // step) + 1)]


def curve(start: Point, passed: Sequence[tuple[Row, float]], end: Point) -> str:
    """Return an SVG path from a number to a slot.

    Args:
        start: where it leaves the number.
        passed: the rows between, nearest first, each with the column it should pass near.
        end: where it meets the slot.
    """
    down = end[1] > start[1]
    path = f"M{_n(start[0])} {_n(start[1])}"
    x, y = start
    for row, wish in passed:
        gap = row.pass_near(wish)
        near, far = (row.top, row.bottom) if down else (row.bottom, row.top)
        path += _bend((x, y), (gap, near)) + f"V{_n(far)}"
        x, y = gap, far
    return path + _bend((x, y), end)


def _bend(start: Point, end: Point) -> str:
    middle = (start[1] + end[1]) / 2
    if abs(start[0] - end[0]) < 0.05:
        return f"V{_n(end[1])}"
    return f"C{_n(start[0])} {_n(middle)} {_n(end[0])} {_n(middle)} {_n(end[0])} {_n(end[1])}"


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
