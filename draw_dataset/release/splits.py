"""Which problem belongs to which split.

Draw-1k has train, validation and test. Alg-514 and Dolphin-L have five folds; 172 problems of Dolphin-L are in no fold
and are its development set. In cross-validation i the test split is fold i and the train split is everything else, the
development set included, as the release prescribes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from draw_dataset.errors import SplitError
from draw_dataset.files import read_text

FOLDS = ("fold0", "fold1", "fold2", "fold3", "fold4")


class Split(NamedTuple):
    """A split of a dataset.

    Attributes:
        name: its name.
        file: the file of its ids; None for the split of the problems that no file names.
        size: how many problems it has.
    """

    name: str
    file: str | None
    size: int


def _folds(file: str, sizes: Sequence[int]) -> tuple[Split, ...]:
    return tuple(Split(fold, file.format(i), size) for i, (fold, size) in enumerate(zip(FOLDS, sizes, strict=True)))


SPLITS: dict[str, tuple[Split, ...]] = {
    "draw1k": (
        Split("train", "draw-train.txt", 600),
        Split("validation", "draw-dev.txt", 200),
        Split("test", "draw-test.txt", 200),
    ),
    "alg514": _folds("kushman-fold-{}.txt", (102, 102, 102, 102, 106)),
    "dolphin_l": (
        *_folds("dolphin-t2-fold-new-{}.txt", (134, 131, 132, 132, 130)),
        Split("development", None, 172),
    ),
}
"""The splits of each dataset."""

Item = TypeVar("Item")


def read_ids(path: Path) -> list[int]:
    """Return the ids of a split file, one a line.

    Raises:
        SplitError: a line is not an id.
    """
    ids = []
    for number, line in enumerate(read_text(path, error=SplitError).splitlines(), 1):
        word = line.strip()
        if not word:
            continue
        if not (word.isascii() and word.isdigit()):
            raise SplitError(f"{path}, line {number}: expected an id, but got {word[:40]!r}")
        ids.append(int(word))
    return ids


def divide(dataset: str, items: Sequence[tuple[int, Item]], ids: Mapping[str, Sequence[int]]) -> dict[str, list[Item]]:
    """Return the items of each split, in the order of the split's ids; items that share an id stay together.

    Args:
        dataset: the dataset.
        items: every item with its id.
        ids: the ids of each split that has a file.

    Raises:
        SplitError: a split names an id that no item has, two splits share one, or an item is in no split.
    """
    by_id: dict[int, list[Item]] = {}
    for id_, item in items:
        by_id.setdefault(id_, []).append(item)
    owner: dict[int, str] = {}
    divided: dict[str, list[Item]] = {}
    for split, wanted in ids.items():
        divided[split] = []
        for id_ in wanted:
            if id_ not in by_id:
                raise SplitError(f"{dataset}/{split}: Unknown id {id_}: the dataset has no such problem")
            if id_ in owner:
                raise SplitError(f"{dataset}/{split}: expected each id in one split, but {id_} is also in {owner[id_]}")
            owner[id_] = split
            divided[split] += by_id[id_]
    rest = [id_ for id_ in by_id if id_ not in owner]
    others = [split.name for split in SPLITS[dataset] if split.file is None]
    if others:
        divided[others[0]] = [item for id_ in rest for item in by_id[id_]]
    elif rest:
        raise SplitError(f"{dataset}: expected every problem in a split, but {len(rest)} are in none, {rest[0]} first")
    return divided
