"""From prose to equations: the one reader of what people, or programs, write to explain how a problem is solved.

It knows nothing of where a text comes from. `statements_of` says everything that a text states, each equation as the
core reads it; `extract_equations` says which of these are the equations of a question, or why there are none.
"""

from __future__ import annotations

from draw_dataset.prose.extraction import MAX_CHARACTERS, Extraction, choose, extract_equations
from draw_dataset.prose.formulas import plain_formulas
from draw_dataset.prose.linear import Linear, read_equation
from draw_dataset.prose.segments import fold_text
from draw_dataset.prose.selection import Refusal
from draw_dataset.prose.statements import Kind, Statement, statements_of
from draw_dataset.prose.vocabulary import UNITS

__all__ = [
    "MAX_CHARACTERS",
    "UNITS",
    "Extraction",
    "Kind",
    "Linear",
    "Refusal",
    "Statement",
    "choose",
    "extract_equations",
    "fold_text",
    "plain_formulas",
    "read_equation",
    "statements_of",
]
