"""Rows as typed columns of the `datasets` library, and checksums of cached rows."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from datasets import Dataset, Features, List, Value
from filelock import FileLock

from draw_dataset.errors import FolderError, RowError
from draw_dataset.io.atomic import find_damage, write_checksums


def rows_dataset(rows: Iterable[Mapping[str, Any]], more: Mapping[str, Any] | None = None) -> Dataset:
    """Return rows as a `Dataset`. A column has one type: where an id is a text, all ids become texts."""
    listed = [dict(row) for row in rows]
    as_texts = any(isinstance(row["id"], str) for row in listed)
    if as_texts:
        ids = {row["id"] for row in listed}
        if len(set(map(str, ids))) < len(ids):
            raise RowError("expected ids that differ as strings, but got one both as a number and as a string")
        listed = [{**row, "id": str(row["id"])} for row in listed]
    features = row_features("string" if as_texts else "int64")
    return Dataset.from_list(listed, features=Features({**features, **(more or {})}))


def row_features(id_type: str = "int64") -> Features:
    """Return the features of a row; ids of the release are integers, in other data they may be texts (``string``)."""
    text, int32, float64 = Value("string"), Value("int32"), Value("float64")
    place = ("sentence", "token")
    # Lists of dicts, not Sequence: that would turn them into dicts of lists.
    return Features(
        {
            "id": Value(id_type),
            "question": text,
            "numbers": List(
                {**dict.fromkeys(("index", *place, "start", "end"), int32), "text": text, "value": float64}
            ),
            "equations": List(text),
            "solutions": List(float64),
            "template": List(text),
            "alignment": List({"slot": text, **dict.fromkeys(place, int32), "value": float64}),
            "equiv_tnum": List(List({**dict.fromkeys(place, int32), "value": float64})),
            "derivation": text,
            "findings": List(text),
            "alternatives": List(text),
            "asked": List(text),
            "roles": List({"unknown": text, "role": text}),
            "correction": {"edition": int32, "kind": text},
        }
    )


def derived_features() -> Features:
    """Return the features of a row whose derivation was not published with it, but read or derived."""
    text, int32 = Value("string"), Value("int32")
    more = {"status": text, "reason": text, "readings": int32, "constants": List(text), "steps": List(text)}
    return Features({**row_features("string"), **more, "edition": int32})


# `load_dataset` uses a cached folder as it is, so a damaged file would give other rows or a traceback. A folder gets
# the checksums of its files when it is built; one that does not match them is removed, and the library builds it again.
# The lock is the one under which the library builds.

logger = logging.getLogger(__name__)


def seal(folder: str) -> None:
    """Give a folder of cached rows, all written, the checksums of its files."""
    write_checksums(Path(folder))


def remove_damaged(folder: str) -> None:
    """Remove a folder of cached rows if it is there and damaged."""
    path = Path(folder)
    if not path.is_dir() or find_damage(path) is None:
        return
    try:
        with FileLock(f"{folder}_builder.lock"):
            damage = find_damage(path) if path.is_dir() else None  # another process may have been faster
            if damage is not None:
                logger.warning("The cached rows in %s are damaged (%s); they are built again.", folder, damage)
                shutil.rmtree(path)
    except OSError as error:
        raise FolderError(f"the cached rows in {folder} are damaged and cannot be removed: {error}") from error
