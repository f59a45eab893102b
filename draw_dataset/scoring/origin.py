"""The origin of a row: the dataset and split that it comes from, and whether a correction was applied to it.

A row carries its origin in its content. ``origins.json`` has a digest of the annotation of every problem of the release
and of the sample, as published and as corrected, and `origin_of` looks a row up there. So the origin survives whatever
is done to a collection of rows: ``select``, ``filter``, ``list``, a DataFrame, a Parquet or JSONL file. A row whose
annotation was changed by anybody else has no origin. The digest is of the text and the annotation alone; numbers of the
text, findings, alternatives and `asked` come from rules and reviews of this package, which may improve.

``scripts/update_origins.py`` writes the file.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from draw_dataset.core.problem import Problem
from draw_dataset.files import decode_json

TABLE = "origins.json"
ROWS = "rows"
"""The name of rows to which no other was given: a signature names them by their origins if they have some."""

_DIGITS = 12
_MARK = re.compile(r"\+corrected-([\w-]+)")
_MIXED = "mixed"


class Origin(NamedTuple):
    """The origin of a row.

    Attributes:
        dataset: the dataset.
        split: its split there.
        corrections: the selections of corrections (``v2``, ``v2-derivations``) that change this row.
        corrected: whether the row is as they change it; otherwise it is as published.
    """

    dataset: str
    split: str
    corrections: tuple[str, ...] = ()
    corrected: bool = False


class _Table(NamedTuple):
    """The file: origins by digest, the splits of each dataset, and the selections, the preferred ones first."""

    origins: dict[str, Origin]
    splits: dict[str, tuple[str, ...]]
    selections: tuple[str, ...]


def origin_of(problem: Problem) -> Origin | None:
    """Return the origin of a problem; None if it is no problem of the release or the sample as we know it.

    >>> from dataclasses import replace
    >>> from draw_dataset.sample import load_sample
    >>> problem = load_sample()["test"][0]
    >>> origin_of(problem), origin_of(replace(problem, template=("m = a",)))
    (Origin(dataset='sample', split='test', corrections=(), corrected=False), None)
    """
    return _table().origins.get(annotation_digest(problem))


def annotation_digest(problem: Problem) -> str:
    """Return a digest of the text and the annotation of a problem: the fields that a release states."""
    annotation = (
        problem.question,
        problem.equations,
        problem.solutions,
        problem.template,
        [(a.slot, a.sentence, a.token, a.value) for a in problem.alignment],
        [[(n.sentence, n.token, n.value and float(n.value)) for n in group] for group in problem.equiv_tnum],
    )
    text = repr(annotation).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=_DIGITS // 2).hexdigest()


def name_data(given: str, origins: Collection[Origin | None]) -> str:
    """Return the name of rows in a signature.

    >>> name_data("rows", {Origin("draw1k", "test"), Origin("draw1k", "test", ("v1", "v2"), True)})
    'draw1k/test+corrected-v2'
    >>> name_data("mine", {Origin("draw1k", "test")}), name_data("rows", {Origin("draw1k", "test"), None})
    ('mine', 'rows')

    Args:
        given: the name that the caller gave them; ``rows`` is none.
        origins: the origins of the rows.

    Returns:
        The name. It has ``+corrected-`` and the selection of corrections in it if some row is corrected.
    """
    name = _places(origins) if given == ROWS else given
    selections = _selections(origins)
    said = _MARK.search(name)
    if not selections or (said is not None and said[1] in selections):
        return name
    return f"{name}+corrected-{selections[0]}"


def _places(origins: Collection[Origin | None]) -> str:
    splits: dict[str, set[str]] = {}
    for origin in origins:
        if origin is None:
            return ROWS
        splits.setdefault(origin.dataset, set()).add(origin.split)
    names: list[str] = []
    for dataset, own in _table().splits.items():
        found = [split for split in own if split in splits.get(dataset, ())]
        names += [f"{dataset}/all"] if len(found) == len(own) > 1 else [f"{dataset}/{split}" for split in found]
    return ",".join(names) or ROWS


def _selections(origins: Collection[Origin | None]) -> list[str]:
    """Return the selections of corrections that give just these rows, the preferred one first; none if as published."""
    told = [origin for origin in origins if origin is not None and origin.corrections]
    if not any(origin.corrected for origin in told):
        return []
    fits = [
        selection
        for selection in _table().selections
        if all((selection in origin.corrections) is origin.corrected for origin in told)
    ]
    return fits or [_MIXED]


@lru_cache(maxsize=1)
def _table() -> _Table:
    text = files("draw_dataset.scoring").joinpath(TABLE).read_text(encoding="utf-8")
    data: dict[str, Any] = decode_json(text, TABLE)
    origins: dict[str, Origin] = {}
    for dataset, own in data["datasets"].items():
        for split, known in own.items():
            listed = known["published"]
            for at in range(0, len(listed), _DIGITS):
                origins[listed[at : at + _DIGITS]] = Origin(dataset, split)
            for published, corrected, selections in known["corrected"]:
                origins[published] = Origin(dataset, split, tuple(selections))
                origins[corrected] = Origin(dataset, split, tuple(selections), corrected=True)
    splits = {dataset: tuple(own) for dataset, own in data["datasets"].items()}
    return _Table(origins, splits, tuple(data["selections"]))
