"""One derivation as text for a terminal: the numbers marked in the question, and what each slot holds.

``[12]q2`` is a number that a slot holds, ``[12]q4=q2`` one that means the same, ``(7)q1`` one that is not used.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.problem import Problem
from draw_dataset.report.picture import FilledSlot, Mark, Picture, Side, answer_picture, picture_of
from draw_dataset.report.plain import number_text, printable
from draw_dataset.scoring.reference import Reference

NARROWEST = 30

_COLOURS = (34, 33, 32, 35, 36, 94, 93, 95)
_DIM, _BOLD, _RED, _GREEN = 2, 1, 31, 32


def derivation_text(
    problem: Problem | Reference | Mapping[str, Any],
    prediction: Any = None,
    width: int | None = None,
    colour: bool | None = None,
) -> str:
    """Return a derivation as text, with a predicted one if it is given.

    Args:
        problem: the problem, its row or its reference.
        prediction: see `draw_dataset.scoring.prediction`.
        width: of a line; by default that of the terminal.
        colour: whether to use ANSI colours; by default only on a terminal, and not if NO_COLOR is set.

    Raises:
        RowError: the row or its gold cannot be read.
    """
    return _written(picture_of(Reference.of(problem), () if prediction is None else (prediction,)), width, colour)


def answer_text(
    question: str,
    numbers: Sequence[TextNumber],
    derivation: Derivation,
    width: int | None = None,
    colour: bool | None = None,
) -> str:
    """Return a solver's answer to a problem without gold as text.

    Args:
        question: the text.
        numbers: its numbers.
        derivation: what the solver answers.
        width: of a line; by default that of the terminal.
        colour: see `derivation_text`.
    """
    return _written(answer_picture(question, numbers, derivation), width, colour)


def _written(picture: Picture, width: int | None, colour: bool | None) -> str:
    if width is None:
        width = shutil.get_terminal_size().columns
    return _Writer(max(width, NARROWEST), wants_colour() if colour is None else colour).write(picture)


def wants_colour() -> bool:
    """Say whether standard output is a terminal that should get colours."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class _Writer:
    def __init__(self, width: int, colour: bool) -> None:
        self._width = width
        self._colour = colour

    def write(self, picture: Picture) -> str:
        lines = [self._styled(picture.title, _BOLD), "", *self._question(picture), ""]
        lines += self._side(picture.below)
        if picture.solutions:
            lines += self._wrapped("solutions ", ", ".join(map(number_text, picture.solutions)))
        if picture.above is not None and picture.verdict is not None:
            lines += ["", *self._side(picture.above)]
            style = _GREEN if picture.verdict.derivation else _RED
            lines += [
                self._styled(line, style) for line in self._wrapped("verdict   ", printable(picture.verdict.message))
            ]
        return "\n".join(line.rstrip() for line in lines)

    def _question(self, picture: Picture) -> list[str]:
        """Return the question in lines; styles are put on afterwards, so that they do not count as characters."""
        words: list[tuple[str, int | None]] = []  # the text of a word and its style
        joined = False
        for piece in picture.pieces:
            if piece.mark is not None:
                # A number is one word, even if it is written in two.
                words.append(("\b" * joined + _marked(piece.text, piece.mark), _style(piece.mark)))
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
            line += gap + (self._styled(text, style) if style is not None else text)
            length += len(gap) + len(text)
        return [f"  {line}" for line in [*lines, line]]

    def _side(self, side: Side) -> list[str]:
        template = "; ".join("".join(term.text for term in terms) for terms in side.equations)
        lines = self._wrapped(f"{side.name:10}", template or side.notation or "nothing")
        if template:
            lines += self._wrapped("", side.notation)
        width = max((len(filled.slot) for filled in side.slots), default=0)
        return lines + [line for filled in side.slots for line in self._slot(filled, width)]

    def _slot(self, filled: FilledSlot, width: int) -> list[str]:
        text = f"slot {filled.slot:{width}} = {_value(filled.number)} ({filled.label})"
        if filled.wanted is not None:
            text += f"  <- gold has {_value(filled.wanted)} ({filled.wanted_label})"
        lines = self._wrapped("", text)
        style = _RED if filled.wanted is not None else _COLOURS[filled.colour]
        return [self._styled(line, style) for line in lines]

    def _wrapped(self, label: str, text: str) -> list[str]:
        indent = " " * 10
        return textwrap.wrap(text, self._width, initial_indent=label or indent, subsequent_indent=indent) or [label]

    def _styled(self, text: str, style: int) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self._colour else text


def _marked(text: str, mark: Mark) -> str:
    if mark.kind == "unused":
        return f"({text}){mark.label}"
    return f"[{text}]{mark.label}" + (f"={mark.repeats}" if mark.repeats else "")


def _style(mark: Mark) -> int:
    return _DIM if mark.colour is None else _COLOURS[mark.colour]


def _value(number: TextNumber) -> str:
    return printable(number.text) or ("a number" if number.value is None else number_text(number.value))
