"""Text of a derivation for a terminal: the numbers marked in the question, and the number in each slot.

``[12]q2`` is a number that a slot holds, ``[12]q4=q2`` one that means the same, ``(7)q1`` one that is not used. If the
row says it, the unknowns of gold are explained (``m: Mona's age``), and what the question asks for.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from draw_dataset.algebra.number import short_number
from draw_dataset.derivation.derivation import Derivation, TextNumber
from draw_dataset.derivation.problem import Problem
from draw_dataset.report.picture import FilledSlot, Mark, Picture, Side, answer_picture, picture_of, printable
from draw_dataset.report.svg import derivation_html, derivation_svg
from draw_dataset.scoring.gold import PreparedProblem

NARROWEST = 30

_COLOURS = (34, 33, 32, 35, 36, 94, 93, 95)
_DIM, _BOLD, _RED, _GREEN = 2, 1, 31, 32


def derivation_text(
    problem: Problem | PreparedProblem | Mapping[str, Any],
    prediction: Any = None,
    width: int | None = None,
    colour: bool | None = None,
) -> str:
    """Return a derivation as text, with a predicted one if it is given; coloured by default only on a terminal."""
    return _write_picture(
        picture_of(PreparedProblem.of(problem), () if prediction is None else (prediction,)), width, colour
    )


def answer_text(
    question: str,
    numbers: Sequence[TextNumber],
    derivation: Derivation,
    width: int | None = None,
    colour: bool | None = None,
) -> str:
    """Return a solver's answer to a problem without gold as text."""
    return _write_picture(answer_picture(question, numbers, derivation), width, colour)


def _write_picture(picture: Picture, width: int | None, colour: bool | None) -> str:
    if width is None:
        width = shutil.get_terminal_size().columns
    return _Writer(max(width, NARROWEST), wants_colour() if colour is None else colour).write(picture)


def wants_colour() -> bool:
    """Decide whether standard output is a terminal that should get colours."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class _Writer:
    def __init__(self, width: int, colour: bool) -> None:
        self._width = width
        self._colour = colour

    def write(self, picture: Picture) -> str:
        lines = [self._apply_style(picture.title, _BOLD), "", *self._question(picture), ""]
        lines += self._side(picture.below)
        if picture.below.asked:
            lines += self._wrap("asked for ", ", ".join(picture.below.asked))
        if picture.solutions:
            lines += self._wrap("solutions ", ", ".join(short_number(value, 10) for value in picture.solutions))
        if picture.above is not None and picture.verdict is not None:
            lines += ["", *self._side(picture.above)]
            style = _GREEN if picture.verdict.derivation else _RED
            lines += [
                self._apply_style(line, style) for line in self._wrap("verdict   ", printable(picture.verdict.message))
            ]
        return "\n".join(line.rstrip() for line in lines)

    def _question(self, picture: Picture) -> list[str]:
        """Return the question in lines; styles are put on afterwards, so that they do not count as characters."""
        words: list[tuple[str, int | None]] = []  # the text of a word and its style
        joined = False
        for piece in picture.pieces:
            if piece.mark is not None:
                # A number is one word, even if it is written in two.
                words.append(("\b" * joined + _mark_text(piece.text, piece.mark), _style(piece.mark)))
                joined = True
                continue
            runs = piece.text.split(" ")
            for i, run in enumerate(runs):
                if run:
                    words.append(("\b" * (joined and i == 0) + run, None))
            joined = bool(runs[-1]) or (joined and len(runs) == 1)
        lines: list[str] = []
        line, length = "", 0
        for text, style in words:
            glued = text.startswith("\b")
            text = text.lstrip("\b")
            gap = "" if glued or not length else " "
            if length and length + len(gap) + len(text) > self._width - 2:
                lines.append(line)
                line, length, gap = "", 0, ""
            line += gap + (self._apply_style(text, style) if style is not None else text)
            length += len(gap) + len(text)
        return [f"  {line}" for line in [*lines, line]]

    def _side(self, side: Side) -> list[str]:
        template = "; ".join("".join(term.text for term in terms) for terms in side.equations)
        lines = self._wrap(f"{side.name:10}", template or side.notation or "nothing")
        if template:
            lines += self._wrap("", side.notation)
        for unknown in side.unknowns:
            lines += self._wrap("", f"{unknown.name}: {unknown.role}")
        width = max((len(filled.slot) for filled in side.slots), default=0)
        return lines + [line for filled in side.slots for line in self._slot(filled, width)]

    def _slot(self, filled: FilledSlot, width: int) -> list[str]:
        text = f"slot {filled.slot:{width}} = {_value(filled.number)} ({filled.label})"
        if filled.wanted is not None:
            text += f"  <- gold has {_value(filled.wanted)} ({filled.wanted_label})"
        lines = self._wrap("", text)
        style = _RED if filled.wanted is not None else _COLOURS[filled.colour]
        return [self._apply_style(line, style) for line in lines]

    def _wrap(self, label: str, text: str) -> list[str]:
        indent = " " * 10
        return textwrap.wrap(text, self._width, initial_indent=label or indent, subsequent_indent=indent) or [label]

    def _apply_style(self, text: str, style: int) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self._colour else text


def _mark_text(text: str, mark: Mark) -> str:
    if mark.kind == "unused":
        return f"({text}){mark.label}"
    return f"[{text}]{mark.label}" + (f"={mark.repeats}" if mark.repeats else "")


def _style(mark: Mark) -> int:
    return _DIM if mark.colour is None else _COLOURS[mark.colour]


def _value(number: TextNumber) -> str:
    return printable(number.text) or ("a number" if number.value is None else short_number(number.value))


@dataclass(frozen=True, slots=True)
class Shown:
    """A derivation, perhaps with a predicted one: a notebook draws it, `print` writes it, `svg` is the drawing."""

    reference: PreparedProblem
    prediction: Any = None

    @property
    def svg(self) -> str:
        """The drawing as a self-contained SVG."""
        return derivation_svg(self.reference, self.prediction)

    def _repr_html_(self) -> str:
        return derivation_html(self.reference, self.prediction)

    def __str__(self) -> str:
        return derivation_text(self.reference, self.prediction)

    def __repr__(self) -> str:
        return f"<derivation of problem {self.reference.problem.id}>"


def show(row_or_problem: Problem | PreparedProblem | Mapping[str, Any], prediction: Any = None) -> Shown:
    """Show the gold derivation of a row, and next to it a predicted one.

    >>> from draw_dataset.data.sample import load_sample
    >>> print(show(load_sample()["train"][0], "m = n + q1; m + n = q3"))
    problem 1
    <BLANKLINE>
      Mona , who has [3]q1 brothers , is [five]q2 years older than Faisal . Their
      ages sum to [41]q3 . How old is each of them ?
    <BLANKLINE>
    gold      m = n + a; m + n = b
              m = n + q2; m + n = q3
              m: Mona's age
              n: Faisal's age
              slot a = five (q2)
              slot b = 41 (q3)
    asked for m, n
    solutions 23, 18
    <BLANKLINE>
    predicted m = n + a; m + n = b
              m = n + q1; m + n = q3
              slot a = 3 (q1)  <- gold has five (q2)
              slot b = 41 (q3)
    verdict   wrong number: slot a takes "3" (q1) where gold takes "five" (q2)

    Args:
        row_or_problem: the problem: a row, a `Problem`, or a reference.
        prediction: the predicted derivation, in any form of `draw_dataset.scoring.prediction`; None shows gold alone.

    Returns:
        What a notebook draws and `print` writes; its attribute ``svg`` is the drawing.

    Raises:
        RowError: the row or its gold cannot be read.
    """
    return Shown(PreparedProblem.of(row_or_problem), prediction)
