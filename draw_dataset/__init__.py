"""Derivations of algebra word problems: how a system of equations was read from a text.

Each public name is imported when it is first used; the stub next to this file lists them and their modules. Importing
the package makes the names ``draw1k``, ``alg514``, ``dolphin_l`` and ``draw_sample`` work in `datasets.load_dataset`,
and ``derivation_accuracy`` in `evaluate.load`.
"""

from __future__ import annotations

from importlib import import_module

from draw_dataset.data.hooks import install as _install_bare_names
from draw_dataset.version import __version__ as __version__

# Not from typing, which takes longer to import than all of this; type checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _homes() -> dict[str, str]:
    """Return the module of each public name, as the stub says."""
    # By the loader, as a package may be imported from an archive.
    text = __spec__.loader.get_data(f"{__path__[0]}/__init__.pyi").decode()
    words = [line.split() for line in text.splitlines() if line.startswith("from ")]
    return {name: home for _, home, _, name, *_ in words if not name.startswith("_")}


def __getattr__(name: str) -> Any:
    # Private names and those of protocols are asked for often, and are never in the table.
    homes = _homes() if name == "__all__" or not name.startswith("_") else {}
    if name == "__all__":
        value: Any = sorted(homes)
    elif name in homes:
        value = getattr(import_module(homes[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_homes(), "__all__"})


_install_bare_names()
