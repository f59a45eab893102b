"""One derivation as an SVG: the text with its numbers, the template with its slots, and curves from one to the other.

With a prediction, its template stands above the text and the gold template below: the two curves of a number show at a
glance whether both go to the same slot. The drawing needs no script, font or other file, and follows the reader's light
or dark scheme.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

from draw_dataset.core.alignment import Place, TextNumber
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.problem import Problem
from draw_dataset.files import escape
from draw_dataset.report.layout import Placed, Row, curve, cut_items, flow, open_margins
from draw_dataset.report.picture import FilledSlot, Picture, Side, answer_picture, picture_of
from draw_dataset.report.plain import printable
from draw_dataset.report.shapes import ROW, drawn, number_item, short, signs, slot_item, words_of
from draw_dataset.scoring.reference import Reference

WIDTH = 640
"""The width of a single figure, in pixels."""

_PAD = 16.0
_SMALL = 12.5
_SPACE = 7.5
_SMALL_ROW = 17.0
_BETWEEN_ROWS = 13.0
_BETWEEN_EQUATIONS = 34.0

Shape = Problem | Reference | Mapping[str, Any]


def derivation_svg(problem: Shape, prediction: Any = None, *, width: float = WIDTH) -> str:
    """Return a derivation as a self-contained SVG, with a predicted one if it is given.

    Args:
        problem: the problem, its row or its reference.
        prediction: see `draw_dataset.scoring.prediction`.
        width: of the drawing in pixels.

    Raises:
        RowError: the row or its gold cannot be read.
    """
    picture = picture_of(Reference.of(problem), () if prediction is None else (prediction,))
    return draw_svg(picture, width=width)


def answer_svg(question: str, numbers: Sequence[TextNumber], derivation: Derivation, *, width: float = WIDTH) -> str:
    """Return a solver's answer to a problem without gold as a self-contained SVG.

    Args:
        question: the text.
        numbers: its numbers.
        derivation: what the solver answers.
        width: of the drawing in pixels.
    """
    return draw_svg(answer_picture(question, numbers, derivation), width=width)


def derivation_html(problem: Shape, prediction: Any = None, *, width: float = WIDTH) -> str:
    """Return a derivation as an HTML fragment: the drawing, and the verdict on the prediction in a sentence.

    Raises:
        RowError: the row or its gold cannot be read.
    """
    picture = picture_of(Reference.of(problem), () if prediction is None else (prediction,))
    caption = f"<figcaption>{escape(describe(picture))}</figcaption>" if picture.verdict else ""
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
    """Return a picture as SVG.

    Args:
        picture: what to draw.
        width: in pixels.
        style: whether to put the style inside; a page with many figures has it once.
    """
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
            f"<title>{escape(describe(self._picture))}</title><desc>{escape(_spoken(self._picture))}</desc>{css}"
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
            self._parts += [drawn(placed, row, slots) for row in rows for placed in row.placed]

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
        return y + 6

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


def _spoken(picture: Picture) -> str:
    sides = [side for side in (picture.below, picture.above) if side is not None]
    listed = [
        f"{side.name}: {side.notation}; "
        + "; ".join(f"slot {f.slot} = {f.number.text or f.label} ({f.label})" for f in side.slots)
        for side in sides
    ]
    return printable(". ".join(listed))
