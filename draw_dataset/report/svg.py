"""SVG of a derivation: the text with its numbers, the template with its slots, and curves between them.

With a prediction, its template stands above the text and gold's below. The drawing needs no script, font or other file,
and follows the reader's light or dark scheme.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any

from draw_dataset.derivation.derivation import Derivation, Place, TextNumber
from draw_dataset.derivation.problem import Problem
from draw_dataset.io.markup import escape
from draw_dataset.reading.answer import Reading
from draw_dataset.report.picture import (
    KINDS,
    MAX_SHOWN,
    FilledSlot,
    Mark,
    Picture,
    Side,
    Stretch,
    answer_picture,
    clip,
    picture_of,
    printable,
    stretches,
    summarize_reading,
    summarize_step,
)
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.verdict import StepVerdict, Verdict

# Nothing is rendered here, so widths are those of a common sans-serif font; the figure makes the renderer keep to them.
# The curve of a number drops through a gap between two words of every line it passes, so it crosses no word.

# Widths of Arial in thousandths of the font size, by character.
_NARROW = dict.fromkeys("ijl'|", 222) | dict.fromkeys("ftI!.,:;/\\[]", 278) | dict.fromkeys('r()-{}"`', 333)
_MIDDLE = dict.fromkeys("ckszvxyJ", 500) | dict.fromkeys("FTZ", 611) | dict.fromkeys("EPSKVXYAB&", 667)
_WIDE = dict.fromkeys("CDHNRU", 722) | dict.fromkeys("GOQ", 778) | dict.fromkeys("mM", 833)
_WIDTHS = _NARROW | _MIDDLE | _WIDE | {"w": 722, "W": 944, "%": 889, "@": 1015, "·": 333, "…": 1000, "*": 389}
_OTHER = 560

_CLOSING = frozenset(".,;:?!)%")
_HANGING = 12.0  # how far a punctuation mark may reach into the margin

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
    """Something that is not cut: a word or a part of one, a number or a slot."""

    text: str
    width: float
    key: Hashable = None  # its number or slot, if it is more than text


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
    """A line of items."""

    placed: list[Placed] = field(default_factory=list)  # the items, from left to right
    gaps: list[float] = field(default_factory=list)  # columns where a curve may pass between them
    right: float = 0.0  # the end of the last one
    top: float = 0.0
    bottom: float = 0.0
    taken: set[float] = field(default_factory=set)  # the gaps that a curve passes already

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
    """Return the rows that words make in a width, from x = 0."""
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
    """Return an SVG path from a number to a slot."""
    down = end[1] > start[1]
    path = f"M{short(start[0])} {short(start[1])}"
    x, y = start
    for row, wish in passed:
        gap = row.pass_near(wish)
        near, far = (row.top, row.bottom) if down else (row.bottom, row.top)
        path += _bend((x, y), (gap, near)) + f"V{short(far)}"
        x, y = gap, far
    return path + _bend((x, y), end)


def _bend(start: Point, end: Point) -> str:
    middle = (start[1] + end[1]) / 2
    if abs(start[0] - end[0]) < 0.05:
        return f"V{short(end[1])}"
    return f"C{short(start[0])} {short(middle)} {short(end[0])} {short(middle)} {short(end[0])} {short(end[1])}"


SIZE, LABEL = 15.0, 10.5
ROW = 24.0  # the heights of the text, of the names of numbers, and of a row

_SLOT_MARGIN = 4.0
_BOLD = 1.08  # how much wider bold text is

_LONGEST = 30  # characters of a number or of the name of a slot, at most: neither is cut into rows


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
    text = clip(text, _LONGEST)
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
    name = clip(slot, _LONGEST)
    return Item(name, max(24.0, text_width(name, SIZE) * _BOLD + 14) + 2 * _SLOT_MARGIN, slot)


def signs(text: str) -> str:
    """Return a part of an equation as it is printed, not as it is typed."""
    return text.replace("*", "·").replace("-", "−")


def item_svg(placed: Placed, row: Row, slots: Mapping[str, FilledSlot]) -> str:
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


def _text(text: str, x: float, y: float, width: float, name: str = "") -> str:
    if not text:
        return ""
    named = f' class="{name}"' if name else ""
    # Whatever face the reader has, a word keeps to its place.
    fixed = f' textLength="{short(width)}" lengthAdjust="spacingAndGlyphs"' if len(text) > 1 else ""
    return f'<text{named} x="{short(x)}" y="{short(y)}"{fixed}>{escape(text)}</text>'


def short(value: float) -> str:
    """Return a length with no more digits than can be seen."""
    return f"{value:.1f}".removesuffix(".0")


WIDTH = 640  # the width of a single figure, in pixels

_PAD = 16.0
_SMALL = 12.5
_SPACE = 7.5
_SMALL_ROW = 17.0
_BETWEEN_ROWS = 13.0
_BETWEEN_EQUATIONS = 34.0
_ROLE = 13.5
_ROLE_ROW = 19.0
_BETWEEN_ROLES = 18.0

ProblemLike = Problem | PreparedProblem | Mapping[str, Any]


def derivation_svg(problem: ProblemLike, prediction: Any = None, *, width: float = WIDTH) -> str:
    """Return a derivation as a self-contained SVG, with a predicted one if it is given."""
    picture = picture_of(PreparedProblem.of(problem), () if prediction is None else (prediction,))
    return draw_svg(picture, width=width)


def answer_svg(question: str, numbers: Sequence[TextNumber], derivation: Derivation, *, width: float = WIDTH) -> str:
    """Return a solver's answer to a problem without gold as a self-contained SVG."""
    return draw_svg(answer_picture(question, numbers, derivation), width=width)


def derivation_html(problem: ProblemLike, prediction: Any = None, *, width: float = WIDTH) -> str:
    """Return a derivation as an HTML fragment: the drawing, and the verdict on the prediction in a sentence."""
    picture = picture_of(PreparedProblem.of(problem), () if prediction is None else (prediction,))
    caption = f"<figcaption>{escape(describe(picture))}</figcaption>" if picture.verdict is not None else ""
    return f'<figure class="dd-derivation">{draw_svg(picture, width=width)}{caption}</figure>'


def describe(picture: Picture) -> str:
    """Return a description of a figure for people who cannot see it."""
    said = picture.below.notation if picture.verdict is None else printable(picture.verdict.message)
    return f"{picture.title.capitalize()}: {said}"


@lru_cache(maxsize=1)
def figure_css() -> str:
    """Return the style of figures."""
    return files("draw_dataset.report").joinpath("figure.css").read_text(encoding="utf-8")


def draw_svg(picture: Picture, *, width: float = WIDTH, style: bool = True) -> str:
    """Return a picture as SVG."""
    return _Drawing(picture, width).svg(style)


class _Drawing:
    """A figure in the making."""

    def __init__(self, picture: Picture, width: float) -> None:
        self._picture = picture
        self._width = width
        self._inner = width - 2 * _PAD
        self._parts: list[str] = []
        self._arcs: list[str] = []
        self._height = 0.0
        self._draw()

    def svg(self, style: bool) -> str:
        width, height = short(self._width), short(self._height)
        size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        css = f"<style>{figure_css()}</style>" if style else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="dd-figure" {size} role="img" '
            f'aria-label="{escape(describe(self._picture))}">'
            f"<title>{escape(describe(self._picture))}</title><desc>{escape(_write_description(self._picture))}</desc>{css}"
            f'<rect class="dd-ground" width="{width}" height="{height}" rx="6"/>'
            f"{''.join(self._arcs)}{''.join(self._parts)}</svg>"
        )

    def _draw(self) -> None:
        picture = self._picture
        text = flow([words_of((p.text, number_item(p.text, p.mark)) for p in picture.pieces)], self._inner, _SPACE)
        above = self._equations(picture.above)
        below = self._equations(picture.below)
        y = _PAD - 4
        if picture.above is not None:
            y = self._caption(picture.above, y)
            y = _stack(above, y, _BETWEEN_ROWS) + (_zone(picture.above) if above else 8)
        y = _stack(text, y, _BETWEEN_ROWS) + (_zone(picture.below) if picture.below.slots else 16)
        y = _stack(below, y, _BETWEEN_ROWS) + 10
        self._height = self._caption(picture.below, y) + _PAD - 6
        for row in text:
            row.shift(_PAD)
        for row in [*text, *above, *below]:
            open_margins(row, 4, self._width - 4)
        if picture.above is not None:
            self._connect(picture.above, list(reversed(text)), list(reversed(above)), up=True)
        self._connect(picture.below, text, below, up=False)
        for rows, side in ((text, None), (above, picture.above), (below, picture.below)):
            slots = {filled.slot: filled for filled in side.slots} if side else {}
            self._parts += [item_svg(placed, row, slots) for row in rows for placed in row.placed]

    def _equations(self, side: Side | None) -> list[Row]:
        if side is None:
            return []
        groups = [words_of((signs(t.text), slot_item(t.slot)) for t in terms) for terms in side.equations]
        rows = flow(groups, self._inner, _SPACE, _BETWEEN_EQUATIONS)
        for row in rows:
            row.shift(_PAD + (self._inner - row.right) / 2)
        return rows

    def _caption(self, side: Side, y: float) -> float:
        """Write what a side is, and its derivation in q-notation; return where that ends."""
        kind = "" if side.right is None else " dd-yes" if side.right else " dd-no"
        title = side.name.capitalize() + (f": {side.note}" if side.note else "")
        for text, name in ((title, f"dd-head{kind}"), (side.notation, "dd-small")):
            words = [cut_items(word, _SMALL * 1.08, self._inner) for word in text.split()]
            for row in flow([words], self._inner, 4.0):
                line = " ".join(placed.item.text for placed in row.placed)
                # A face that is wider than ours would run out of the figure.
                fixed = f' textLength="{short(row.right)}" lengthAdjust="spacingAndGlyphs"' if len(line) > 1 else ""
                place = f'x="{short(_PAD)}" y="{short(y + 13)}"'
                self._parts.append(f'<text class="{name}" {place}{fixed}>{escape(line)}</text>')
                y += _SMALL_ROW
        return self._roles(side, y) + 6

    def _roles(self, side: Side, y: float) -> float:
        """Write what each unknown is, and which of them the question asks for; return where that ends."""
        if not side.unknowns:
            return y
        groups = [
            [_label(f"{one.name}:", _ROLE, _BOLD, "dd-name"), *_role_words(one.role.split(), self._inner)]
            for one in side.unknowns
        ]
        if side.asked:
            expressions = [f"{signs(text)}," for text in side.asked[:-1]] + [signs(side.asked[-1])]
            groups.append([_label("asked for", _SMALL, 1.0, "dd-small"), *_role_words(expressions, self._inner)])
        rows = flow(groups, self._inner, 4.0, _BETWEEN_ROLES)
        for i, row in enumerate(rows):
            baseline = y + 15 + i * _ROLE_ROW
            for placed in row.placed:
                name = str(placed.item.key or "dd-role")
                self._parts.append(_text(placed.item.text, _PAD + placed.x, baseline, placed.item.width, name))
        return y + 2 + len(rows) * _ROLE_ROW

    def _connect(self, side: Side, text: Sequence[Row], equations: Sequence[Row], up: bool) -> None:
        """Draw the curves of one side; rows come from the first line that a curve may leave to the last it may meet."""
        where = {p.item.key: (i, p) for i, row in enumerate(text) for p in row.placed if p.item.key is not None}
        order = [n for row in (reversed(text) if up else text) for n in row.placed]
        ranks = {placed.item.key: i for i, placed in enumerate(order) if placed.item.key is not None}
        for filled in side.slots:
            goal = next(
                ((i, p) for i, row in enumerate(equations) for p in row.placed if p.item.key == filled.slot), None
            )
            if goal is None:
                continue
            places: list[Place] = [filled.number.place, *filled.same]
            sources = sorted((p for p in places if p in where), key=lambda p: ranks[p])
            for i, place in enumerate(sources):
                shift = 7 * (i - (len(sources) - 1) / 2)
                self._arc(side, filled, where[place], goal, shift, text, equations, place == filled.number.place, up)

    def _arc(
        self,
        side: Side,
        filled: FilledSlot,
        source: tuple[int, Placed],
        goal: tuple[int, Placed],
        shift: float,
        text: Sequence[Row],
        equations: Sequence[Row],
        own: bool,
        up: bool,
    ) -> None:
        (line, number), (row, slot) = source, goal
        start = (number.centre, text[line].top if up else text[line].bottom)
        end = (slot.centre + shift, equations[row].bottom if up else equations[row].top)
        passed = [(r, start[0]) for r in text[line + 1 :]] + [(r, end[0]) for r in equations[:row]]
        kind = (
            f"dd-arc dd-{filled.colour}"
            + ("" if own else " dd-same")
            + (" dd-differs" if filled.differs and own else "")
        )
        self._arcs.append(
            f'<path class="{kind}" data-side="{side.name}" data-slot="{escape(filled.slot)}" '
            f'd="{curve(start, passed, end)}"/>'
            f'<circle class="dd-end dd-{filled.colour}" cx="{short(end[0])}" cy="{short(end[1])}" r="2.6"/>'
        )


def _stack(rows: Sequence[Row], y: float, between: float) -> float:
    for i, row in enumerate(rows):
        row.top = y + i * (ROW + between)
        row.bottom = row.top + ROW
    return rows[-1].bottom if rows else y


def _zone(side: Side) -> float:
    """Return how much room the curves of a side get: more curves cross at wider angles there."""
    arcs = sum(1 + len(filled.same) for filled in side.slots)
    return 34 + 5 * min(arcs, 9) if arcs else 16


def _label(text: str, size: float, wider: float, name: str) -> Word:
    """Return a word that is drawn in a style of its own."""
    return [Item(text, text_width(text, size) * wider, name)]


def _role_words(words: Iterable[str], widest: float) -> list[Word]:
    return [[item] for word in words for item in cut_items(word, _ROLE, widest)]


def _write_description(picture: Picture) -> str:
    sides = [side for side in (picture.below, picture.above) if side is not None]
    listed = [
        f"{side.name}: {side.notation}; "
        + "; ".join(
            [
                *(f"{one.name}: {one.role}" for one in side.unknowns),
                *([f"asked for {', '.join(side.asked)}"] if side.unknowns and side.asked else []),
                *(f"slot {f.slot} = {f.number.text or f.label} ({f.label})" for f in side.slots),
            ]
        )
        for side in sides
    ]
    return printable(". ".join(listed))


# Marks of an answer differ by line as well as by colour. Set-up and slip also have a label, and a screen reader reads
# each. The style is `answer_css`, once per page.

_BLANK = re.compile(r"[^\S\n]*\n(?:[^\S\n]*\n)+")

_TAGGED = ("set-up", "slip")
"""Marks with a visible label."""


@lru_cache(maxsize=1)
def answer_css() -> str:
    """Return the style of marked answers."""
    return files("draw_dataset.report").joinpath("answer.css").read_text(encoding="utf-8")


def answer_html(
    answer: str, reading: Reading | None, limit: int | None = MAX_SHOWN, error: StepVerdict | None = None
) -> str:
    """Return an answer with its marks, as HTML, and below it a summary of its reading and its first wrong step."""
    if reading is None:
        text = printable(answer[:MAX_SHOWN]).strip()
        return f'<div class="dd-answer dd-text">{escape(text) or "<i>an empty answer</i>"}</div>'
    told = summarize_reading(reading)
    if error is not None:
        told.append(("first error", summarize_step(answer, error)))
    lines = "".join(f"<dt>{escape(label)}</dt><dd>{escape(text)}</dd>" for label, text in told)
    marked = "".join(map(_stretch, stretches(answer, reading, limit)))
    return f'<div class="dd-answer dd-text">{marked}</div><dl class="dd-answer dd-read">{lines}</dl>'


def legend_html() -> str:
    """Return the legend of the marks."""
    items = "".join(f"<li>{_example(kind)} <small>{escape(meaning)}</small></li>" for kind, meaning in KINDS.items())
    return f'<ul class="dd-answer dd-legend" aria-label="Marks">{items}</ul>'


def verdict_text(verdict: Verdict) -> str:
    """Return the verdict on derivation and solution of an answer, in a few words."""
    sure = "" if not verdict.derivation else " in every reading" if verdict.certain else " in some reading"
    return (
        f"derivation {'right' if verdict.derivation else 'wrong'}{sure}, "
        f"solution {'right' if verdict.solution else 'wrong'}"
    )


def _example(kind: str) -> str:
    if kind == "result":
        return '<b class="dd-out">result</b>'
    return f'<span class="dd-mark dd-{kind}">{kind}</span>'


def _stretch(stretch: Stretch) -> str:
    inside = "".join(
        f'<b class="dd-out">{_answer_label("result")}{escape(part.text)}</b>' if part.result else escape(part.text)
        for part in stretch.parts
    )
    if not stretch.kind:
        # Blank lines become gaps: what decides should be seen without scrolling.
        return _BLANK.sub('<span class="dd-gap"></span>', inside)
    if stretch.kind == "cut":
        return f'<span class="dd-cut">{inside}</span>'
    if stretch.kind == "result":
        return inside
    tag = f'<span class="dd-tag">{stretch.kind}</span>' if stretch.kind in _TAGGED else _answer_label(stretch.kind)
    return f'<mark class="dd-mark dd-{stretch.kind}">{tag}{inside}</mark>'


def _answer_label(kind: str) -> str:
    return f'<span class="dd-spoken">{kind}: </span>'
