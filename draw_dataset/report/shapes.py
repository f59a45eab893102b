"""The elements of a figure: words, numbers in their boxes, slots in theirs; how wide each is, and how it is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from draw_dataset.core.alignment import Place
from draw_dataset.files import escape
from draw_dataset.report.layout import Item, Placed, Row, Word, cut_items, text_width
from draw_dataset.report.picture import FilledSlot, Mark
from draw_dataset.report.plain import clipped

SIZE, LABEL = 15.0, 10.5
ROW = 24.0
"""The heights of the text, of the names of numbers, and of a row."""

_SLOT_MARGIN = 4.0
_BOLD = 1.08
"""How much wider bold text is."""

_LONGEST = 30
"""Characters of a number or of the name of a slot, at most: neither is cut into rows."""


def words_of(parts: Iterable[tuple[str, Item | None]]) -> list[Word]:
    """Return the words of texts that follow each other: only white space ends a word."""
    words: list[list[Item]] = [[]]
    for text, item in parts:
        if item is not None:
            words[-1].append(item)
            continue
        for i, run in enumerate(text.split(" ")):
            if i:
                words.append([])
            words[-1] += cut_items(run, SIZE, 300)
    return [word for word in words if word]


def number_item(text: str, mark: Mark | None) -> Item | None:
    """Return the box of a number of the text."""
    if mark is None:
        return None
    text = clipped(text, _LONGEST)
    return Item(
        text, text_width(text, SIZE) + text_width(mark.label, LABEL) * _BOLD + 13, NumberKey(mark.number.place, mark)
    )


class NumberKey(tuple[int | None, int]):
    """The place of a number, with its mark."""

    mark: Mark

    def __new__(cls, place: Place, mark: Mark) -> NumberKey:
        """Make a place that knows its mark and equals the plain one."""
        key = super().__new__(cls, place)
        key.mark = mark
        return key


def slot_item(slot: str | None) -> Item | None:
    """Return the box of a slot of a template."""
    if slot is None:
        return None
    name = clipped(slot, _LONGEST)
    return Item(name, max(24.0, text_width(name, SIZE) * _BOLD + 14) + 2 * _SLOT_MARGIN, slot)


def signs(text: str) -> str:
    """Return a part of an equation as it is printed, not as it is typed."""
    return text.replace("*", "·").replace("-", "−")


def drawn(placed: Placed, row: Row, slots: Mapping[str, FilledSlot]) -> str:
    """Return an item as SVG, in the row that it stands in."""
    item, x, baseline = placed.item, placed.x, row.top + 17
    if isinstance(item.key, NumberKey):
        mark = item.key.mark
        box = _rect("dd-box", x, row.top, item.width)
        colour = "" if mark.colour is None else f" dd-{mark.colour}"
        width = text_width(item.text, SIZE)
        hint = f"<title>{escape(mark.label)}{escape(' = ' + ', '.join(mark.same) if mark.same else '')}</title>"
        label = (
            f'<text class="dd-label" x="{short(x + width + 8)}" y="{short(baseline + 2)}" '
            f'textLength="{short(text_width(mark.label, LABEL) * _BOLD)}" lengthAdjust="spacingAndGlyphs">'
            f"{escape(mark.label)}</text>"
        )
        inside = _text(item.text, x + 5, baseline, width)
        return f'<g class="dd-number dd-{mark.kind}{colour}">{hint}{box}{inside}{label}</g>'
    if isinstance(item.key, str):
        filled = slots[item.key]
        width = text_width(item.text, SIZE) * _BOLD
        box = _rect("dd-box", x + _SLOT_MARGIN, row.top, item.width - 2 * _SLOT_MARGIN)
        ring = _rect("dd-ring", x + 1, row.top, item.width - 2, outwards=3) if filled.differs else ""
        inside = _text(item.text, placed.centre - width / 2, baseline, width)
        return f'<g class="dd-slot dd-{filled.colour}" data-slot="{escape(filled.slot)}">{box}{inside}{ring}</g>'
    return _text(item.text, x, baseline, item.width)


def _rect(name: str, x: float, y: float, width: float, outwards: float = 0) -> str:
    return (
        f'<rect class="{name}" x="{short(x)}" y="{short(y - outwards)}" width="{short(width)}" '
        f'height="{short(ROW + 2 * outwards)}" rx="{short(5 + outwards)}"/>'
    )


def _text(text: str, x: float, y: float, width: float) -> str:
    if not text:
        return ""
    # Whatever face the reader has, a word keeps to its place.
    fixed = f' textLength="{short(width)}" lengthAdjust="spacingAndGlyphs"' if len(text) > 1 else ""
    return f'<text x="{short(x)}" y="{short(y)}"{fixed}>{escape(text)}</text>'


def short(value: float) -> str:
    """Return a length with no more digits than can be seen."""
    return f"{value:.1f}".removesuffix(".0")
