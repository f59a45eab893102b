"""From prose to equations: the reader of what people or programs write to explain how a problem is solved.

The reader does not know where a text comes from. `formats` and `latex` make plain text that keeps its places, `tokens`
cuts it, `expressions` reads the sides of equations, and `relations` finds what a text says is equal. Answers of
language models are read with these, and so are explanations: `segments` removes labels and decoration, and `candidates`
accepts what `relations` finds only if it is the whole statement. `statements_of` returns everything that an explanation
states, each equation as the core reads it. `extract_equations` returns the equations of a question among these, or why
there are none.

Names are imported when they are first used, because reading answers does not need the code that chooses equations.
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
