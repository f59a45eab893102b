"""The builder: Draw-1k, Alg-514, Dolphin-L and the embedded sample as datasets of the `datasets` library.

`load_dataset("draw1k", CONFIG)` builds a configuration in these steps: the files of the release are located and checked
(the sample needs none), their records become problems, the problems go to the splits of the configuration, and each
problem becomes a row. Only the last step is left to the time when `datasets` writes, since it then wraps every error in
one of its own; before, ours reach the user as they are.

A builder is named after its module, hence the name of this one. The module uses neither `open` nor `os` nor `pathlib`,
which `datasets` replaces in the modules of builders by versions of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import datasets
from datasets.load import BuilderConfigsParameters, DatasetModule

from draw_dataset.citation import ALG514_CITATION, CITATION, DOLPHIN_CITATION, HOMEPAGE
from draw_dataset.core.problem import Problem
from draw_dataset.errors import ChoiceError, shown
from draw_dataset.features import row_features
from draw_dataset.fingerprint import row_fingerprint
from draw_dataset.release.fetch import locate
from draw_dataset.release.loading import read_split_problems
from draw_dataset.release.splits import FOLDS
from draw_dataset.sample import load_sample

ROWS_VERSION = "1.0.0"
"""The version of the row's shape, for people; what keeps stale caches out is the fingerprint."""

SAMPLE = "sample"

# The first folder of the cache. Offline, `datasets` takes any configuration it finds there under the name asked for, so
# it must not be draw1k: a program that forgot to import this package would get another configuration than it meant.
_CACHED_AS = "draw_dataset"

_SIZES: dict[str, dict[str, int]] = {
    "draw1k": {"train": 600, "validation": 200, "test": 200},
    "alg514": {"fold0": 102, "fold1": 102, "fold2": 102, "fold3": 102, "fold4": 106},
    "dolphin_l": {"fold0": 134, "fold1": 131, "fold2": 132, "fold3": 132, "fold4": 130, "development": 172},
    SAMPLE: {"train": 60, "validation": 30, "test": 30},
}

_DESCRIPTIONS = {
    "draw1k": "Draw-1k: 1,000 algebra word problems from algebra.com, with gold derivations.",
    "alg514": "Alg-514: the 514 algebra word problems of Kushman et al. (2014), with gold derivations, in five folds.",
    "dolphin_l": "Dolphin-L: the 831 linear number word problems of Shi et al. (2015), with gold derivations, "
    "659 of them in five folds and 172 for development.",
    SAMPLE: "120 algebra word problems written for the package draw-dataset, with gold derivations.",
}

_CITATIONS = {
    "draw1k": CITATION,
    "alg514": f"{CITATION}\n\n{ALG514_CITATION}",
    "dolphin_l": f"{CITATION}\n\n{DOLPHIN_CITATION}",
    SAMPLE: CITATION,
}

_RELEASE_LICENCE = "The release states no licence; its problems and annotations belong to their authors."
_SAMPLE_LICENCE = "MIT"

# So many shards a split, for `num_proc` and the workers of a data loader; 1, 2, 4 and 8 of these get equal shares.
_SHARDS = 8

Keyed = tuple[str, Problem]


@dataclass(frozen=True, slots=True)
class Source:
    """Where the rows of a configuration come from.

    Attributes:
        dataset: a dataset of the release, or the sample.
        splits: the splits of the configuration, each with the dataset's own splits it consists of.
    """

    dataset: str
    splits: Mapping[str, tuple[str, ...]]

    @property
    def sizes(self) -> dict[str, int]:
        """How many rows each split has."""
        return {split: sum(_SIZES[self.dataset][part] for part in parts) for split, parts in self.splits.items()}


def _sources() -> dict[str, Source]:
    sources = {}
    for dataset, sizes in _SIZES.items():
        sources[dataset] = Source(dataset, {split: (split,) for split in sizes})
        for number, fold in enumerate(FOLDS):
            if fold in sizes:
                train = tuple(split for split in sizes if split != fold)
                sources[f"{dataset}_cv{number}"] = Source(dataset, {"train": train, "test": (fold,)})
    return sources


SOURCES = _sources()
"""Every configuration by its name."""


@dataclass
class Draw1kConfig(datasets.BuilderConfig):
    """A configuration.

    Attributes:
        corrected: whether the known errors of the release's derivations are mended; by default it is as published.
    """

    corrected: bool = False

    def create_config_id(self, config_kwargs: dict[str, Any], custom_features: Any = None) -> str:
        """Return the name of the configuration's folder in the cache; stating the default makes no other folder."""
        telling = {name: value for name, value in config_kwargs.items() if name != "corrected" or value}
        config_id: str = super().create_config_id(telling, custom_features)
        return config_id


class Draw1k(datasets.GeneratorBasedBuilder):
    """The builder of every configuration.

    Args:
        cache_dir: the root of the cache; that of `datasets` by default.
        data_dir: the folder of the release's files; looked at even if the rows are in the cache already, but no part of
            what they are cached by, since the files are pinned.
        data_files: nothing; there to be refused.
        others: ``config_name``, ``corrected`` (see `Draw1kConfig`), and what every builder takes.

    Raises:
        ChoiceError: `data_files` is given, or `corrected` is neither True nor False.
        DrawError: `data_dir` lacks files of the release, or has others.
        ValueError: there is no such configuration; names those there are.
    """

    BUILDER_CONFIG_CLASS = Draw1kConfig
    BUILDER_CONFIGS = [  # noqa: RUF012 - as the base class has it
        Draw1kConfig(name=name, version=datasets.Version(ROWS_VERSION), description=_DESCRIPTIONS[source.dataset])
        for name, source in SOURCES.items()
    ]
    DEFAULT_CONFIG_NAME = "draw1k"

    def __init__(
        self, cache_dir: str | None = None, *, data_dir: str | None = None, data_files: object = None, **others: Any
    ) -> None:
        if data_files is not None:
            raise ChoiceError(f"draw1k has no data_files, but got {shown(data_files)}; data_dir names a folder")
        others["hash"] = others.get("hash") or row_fingerprint()
        others["dataset_name"] = _CACHED_AS
        super().__init__(cache_dir, **others)
        if not isinstance(self.config.corrected, bool):
            raise ChoiceError(f"corrected must be True or False, but got {shown(self.config.corrected)}")
        self._data_dir = data_dir
        if data_dir is not None and self.source.dataset != SAMPLE:
            locate(self.source.dataset, data_dir)

    @property
    def source(self) -> Source:
        """Where the rows come from."""
        return SOURCES[self.config.name]

    def as_streaming_dataset(self, split: Any = None, base_path: str | None = None) -> Any:
        """Return the rows without building a cache; of one split, of ``all``, or as a dict of the splits."""
        if str(split) != "all":
            return super().as_streaming_dataset(split, base_path)
        # The oldest `datasets` we support knows "all" only when not streaming.
        return datasets.concatenate_datasets(list(super().as_streaming_dataset(None, base_path).values()))

    def _info(self) -> datasets.DatasetInfo:
        dataset = self.source.dataset
        return datasets.DatasetInfo(
            description=_DESCRIPTIONS[dataset],
            citation=_CITATIONS[dataset],
            homepage=HOMEPAGE,
            license=_SAMPLE_LICENCE if dataset == SAMPLE else _RELEASE_LICENCE,
            features=row_features(),
            # Known beforehand: split names need no files then, and a build of another size is an error.
            splits={split: {"name": split, "num_examples": size} for split, size in self.source.sizes.items()},
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        del dl_manager  # its checksums check nothing, and its cache keeps what is corrupt
        divided = with_keys(self._problems())
        return [
            datasets.SplitGenerator(
                name=split, gen_kwargs={"shards": _sharded([item for part in parts for item in divided[part]])}
            )
            for split, parts in self.source.splits.items()
        ]

    def _generate_examples(self, shards: list[list[Keyed]]) -> Iterator[tuple[str, dict[str, Any]]]:
        for shard in shards:
            for key, problem in shard:
                yield key, problem.to_row()

    def _problems(self) -> dict[str, list[Problem]]:
        dataset = self.source.dataset
        if dataset == SAMPLE:
            return load_sample()
        divided = read_split_problems(dataset, locate(dataset, self._data_dir))
        if not self.config.corrected:
            return divided
        # Only here, as most never ask for it.
        from draw_dataset.release.corrections import correct

        return {split: [correct(dataset, problem) for problem in problems] for split, problems in divided.items()}


def with_keys(divided: Mapping[str, Sequence[Problem]]) -> dict[str, list[Keyed]]:
    """Return the problems of each split with keys: the id, and ``id-2`` for the second problem of that id."""
    seen: Counter[int] = Counter()
    keyed: dict[str, list[Keyed]] = {}
    for split, problems in divided.items():
        keyed[split] = []
        for problem in problems:
            seen[problem.id] += 1
            count = seen[problem.id]
            keyed[split].append((f"{problem.id}-{count}" if count > 1 else str(problem.id), problem))
    return keyed


def _sharded(items: list[Keyed]) -> list[list[Keyed]]:
    """Cut a list into shards that keep its order and differ by one in length at most."""
    bounds = [len(items) * number // _SHARDS for number in range(_SHARDS + 1)]
    return [items[start:end] for start, end in pairwise(bounds)]


def find_module(
    original: Callable[..., DatasetModule], config: str, path: str, revision: Any = None, *args: Any, **kwargs: Any
) -> DatasetModule:
    """Answer `datasets.load.dataset_module_factory` for a bare name (see `draw_dataset.hooks`).

    Args:
        original: the library's own function.
        config: the default configuration of the name. The name ``draw1k`` has them all, any other one those of its
            dataset.
        path: the name.
        revision: one of the Hub, which we do not have; so the question goes there.
        args: further arguments, for the library's own function.
        kwargs: the same.
    """
    if revision is not None:
        return original(path, revision, *args, **kwargs)
    parameters = BuilderConfigsParameters()
    if config != Draw1k.DEFAULT_CONFIG_NAME:
        of_dataset = [known for known in Draw1k.BUILDER_CONFIGS if SOURCES[known.name].dataset == config]
        parameters = BuilderConfigsParameters(builder_configs=of_dataset, default_config_name=config)
    return DatasetModule(__name__, row_fingerprint(), {"dataset_name": _CACHED_AS}, parameters)
