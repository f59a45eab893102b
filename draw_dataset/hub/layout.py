"""The question: which configurations does the repository have, and which files does each split of them consist of.

Every dataset has its own splits, one Parquet file each. A cross-validation configuration has no file of its own: its
train split lists the files of the other folds (and of Dolphin-L's development set), its test split that of its fold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from draw_dataset.errors import ChoiceError
from draw_dataset.release.loading import DATASETS
from draw_dataset.release.splits import FOLDS, split_names
from draw_dataset.sample import SPLITS

CHECKSUMS = "SHA256SUMS"
"""The file with the checksums of the others, written last: a folder that has it is whole."""

SOURCES = (*DATASETS, "sample")
"""What can be built: the datasets of the release, and the embedded sample."""


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration of the repository.

    Attributes:
        name: what `load_dataset` is given as its second argument.
        source: the dataset it consists of.
        splits: for each split, the splits of the dataset that make it up, in order.
    """

    name: str
    source: str
    splits: Mapping[str, tuple[str, ...]]

    def files(self, split: str) -> tuple[str, ...]:
        """Return the files of a split, as paths in the repository."""
        return tuple(file_name(self.source, part) for part in self.splits[split])


def chosen(only: Iterable[str] | None) -> tuple[str, ...]:
    """Return the datasets asked for in their usual order; all of them by default.

    >>> chosen(["sample", "draw1k"])
    ('draw1k', 'sample')

    Raises:
        ChoiceError: there is no such dataset, or none is asked for.
    """
    wanted = set(SOURCES) if only is None else set(only)
    unknown = sorted(wanted - set(SOURCES))
    if unknown or not wanted:
        raise ChoiceError(f"expected one or more of {', '.join(SOURCES)}, but got {', '.join(unknown) or 'none'}")
    return tuple(source for source in SOURCES if source in wanted)


def own_splits(source: str) -> tuple[str, ...]:
    """Return the splits of a dataset that have a file."""
    return SPLITS if source == "sample" else split_names(source)


def file_name(source: str, split: str) -> str:
    """Return the path of a split's file in the repository.

    >>> file_name("draw1k", "train")
    'draw1k/train-00000-of-00001.parquet'
    """
    return f"{source}/{split}-00000-of-00001.parquet"


def configs(sources: Iterable[str]) -> list[Config]:
    """Return the configurations of datasets.

    >>> [config.name for config in configs(["alg514"])]
    ['alg514', 'alg514_cv0', 'alg514_cv1', 'alg514_cv2', 'alg514_cv3', 'alg514_cv4']
    >>> configs(["dolphin_l"])[1].splits
    {'train': ('fold1', 'fold2', 'fold3', 'fold4', 'development'), 'test': ('fold0',)}
    """
    made = []
    for source in sources:
        own = own_splits(source)
        made.append(Config(source, source, {split: (split,) for split in own}))
        if set(FOLDS) <= set(own):
            made += [
                Config(f"{source}_cv{i}", source, {"train": tuple(s for s in own if s != fold), "test": (fold,)})
                for i, fold in enumerate(FOLDS)
            ]
    return made
