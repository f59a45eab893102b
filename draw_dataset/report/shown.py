"""A derivation to look at: drawn in a notebook, or written in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from draw_dataset.core.problem import Problem
from draw_dataset.report.figure import derivation_html, derivation_svg
from draw_dataset.report.terminal import derivation_text
from draw_dataset.scoring.reference import Reference


@dataclass(frozen=True, slots=True)
class Shown:
    """A derivation, with a predicted one next to it if there is any.

    A notebook draws it, `print` writes it as text, and `svg` is the drawing as a string that you can save.
    """

    reference: Reference
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


def show(row_or_problem: Problem | Reference | Mapping[str, Any], prediction: Any = None) -> Shown:
    """Show the gold derivation of a row, and next to it a predicted one.

    >>> from draw_dataset.sample import load_sample
    >>> print(show(load_sample()["train"][0], "m = n + q1; m + n = q3"))
    problem 1
    <BLANKLINE>
      Mona , who has [3]q1 brothers , is [five]q2 years older than Faisal . Their
      ages sum to [41]q3 . How old is each of them ?
    <BLANKLINE>
    gold      m = n + a; m + n = b
              m = n + q2; m + n = q3
              slot a = five (q2)
              slot b = 41 (q3)
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
    return Shown(Reference.of(row_or_problem), prediction)
