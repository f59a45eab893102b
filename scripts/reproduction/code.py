"""Which code is behind each kind of job: a stored figure of other code counts as missing."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from draw_dataset.fingerprint import fingerprint_of

PARTS = {
    "solver": ("core", "text", "release", "sample", "scoring", "solver"),
    "dataset": ("core", "text", "release", "sample", "statistics", "annotation"),
}
"""The parts of the package that the figures of each kind of job depend on."""

MODULES = ("figures.py",)
"""The modules beside this one that every figure depends on."""


@lru_cache(maxsize=1)
def code_hashes() -> dict[str, str]:
    """Return the hash of the code behind each kind of job."""
    beside = [Path(__file__).with_name(name) for name in MODULES]
    return {kind: fingerprint_of(parts, beside, plain=True) for kind, parts in PARTS.items()}
