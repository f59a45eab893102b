"""Systems that answer a text with a derivation, trained on problems: the template-first solver and three older ones.

`systems` is the table of systems. The template-first solver in the order of the work: `text`, `templates`, `features`,
`arrays`, `search`, `learning`, `training`, `model`, `confidence`, `files`; `relations` reads statements about unknowns.
`similarity` and `kazb` are older systems; ZDC is in `training`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# The documented names, imported when they are first used.
_HOMES = {"evaluate": "confidence", "load_model": "systems", "save_model": "systems", "train": "systems"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
