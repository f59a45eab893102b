"""From prose to equations: the one reader of what people, or programs, write to explain how a problem is solved.

It knows nothing of where a text comes from. `formats` and `latex` make plain text that knows its places, `tokens` cuts
it, `expressions` reads the sides of equations and `relations` what a text says is equal. Answers of language models
are read with these, and so are explanations: `segments` takes labels and decoration away, and `candidates` accepts
what `relations` finds only if it is all that is meant. `statements_of` says everything that an explanation states,
each equation as the core reads it; `extract_equations` says which of these are the equations of a question, or why
there are none. Names are imported when they are first used: who reads answers needs nothing of how equations are
chosen.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from draw_dataset.prose.extraction import Extraction, choose, extract_equations
    from draw_dataset.prose.formulas import plain_formulas
    from draw_dataset.prose.linear import Linear, read_equation
    from draw_dataset.prose.plain import MAX_CHARACTERS
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
_HOMES = ("vocabulary", "plain", "formulas", "linear", "segments", "statements", "selection", "extraction")


def __getattr__(name: str) -> Any:
    if name in __all__:
        for home in _HOMES:
            module = import_module(f"{__name__}.{home}")
            if name in vars(module):
                globals()[name] = vars(module)[name]
                return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
