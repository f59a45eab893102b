"""The question: were these cached rows, or this cached model, made by the code and the data that are here now.

Rows depend on how text, numbers and templates are read, on the known findings, the corrections and the sample; a model
of the sample on all of the solver. A version number would have to be raised by hand whenever any of these changes; a
hash of them cannot be forgotten. What comes from the release needs no part in it, as its files are pinned.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

_ROWS = ("core", "text", "release", "sample", "features.py", "draw1k.py")
_MODELS = ("core", "text", "sample", "solver")
_SUFFIXES = {".py", ".json", ".jsonl", ".toml"}


@lru_cache(maxsize=1)
def row_fingerprint() -> str:
    """Return a hash of everything in the package that rows are made from.

    >>> len(row_fingerprint())
    16
    """
    return _hash(_ROWS)


@lru_cache(maxsize=1)
def model_fingerprint() -> str:
    """Return a hash of everything in the package that a solver of the sample is made from.

    >>> len(model_fingerprint())
    16
    """
    return _hash(_MODELS)


def _hash(parts: tuple[str, ...]) -> str:
    package = Path(__file__).parent
    paths = [package / part for part in parts]
    files = [path for path in paths if path.is_file()]
    files += [path for folder in paths if folder.is_dir() for path in folder.rglob("*") if path.suffix in _SUFFIXES]
    digest = hashlib.sha256()
    for path in sorted(files):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(package).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]
