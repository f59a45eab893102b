"""Dataset builder of the `datasets` library for Draw-1k, Alg-514, Dolphin-L and the embedded sample.

Problems are read before `datasets` starts to write, because it wraps errors while it writes. The module uses neither
`open` nor `os` nor `pathlib`, which `datasets` replaces in the modules of builders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import datasets
from datasets.load import BuilderConfigsParameters, DatasetModule

from draw_dataset.data.catalog import CONFIGS, JOINED, SAMPLE, Config, find_bare_name, find_config, load_dataset_splits
from draw_dataset.data.corrections import Selection
from draw_dataset.data.features import derived_features, remove_damaged, row_features, seal
from draw_dataset.data.fetch import locate
from draw_dataset.derivation.problem import Problem
from draw_dataset.deriving.frozen import load_frozen_rows, texts_fingerprint
from draw_dataset.errors import ChoiceError, short_repr
from draw_dataset.fingerprint import row_fingerprint
from draw_dataset.version import (
    ALG514_CITATION,
    CITATION,
    DOLPHIN_CITATION,
    GSM8K_CITATION,
    HOMEPAGE,
    SVAMP_CITATION,
)

ROWS_VERSION = "1.2.0"  #: the version of the row's shape, for people; the fingerprint keeps stale caches out

# The first folder of the cache. Offline, `datasets` takes any configuration it finds there under the name asked for, so
# it must not be draw1k: a program that forgot to import this package would get another configuration than it meant.
_CACHED_AS = "draw_dataset"

_DESCRIPTIONS = {
    "draw1k": "Draw-1k: 1,000 algebra word problems from algebra.com, with gold derivations.",
    "alg514": "Alg-514: the 514 algebra word problems of Kushman et al. (2014), with gold derivations, in five folds.",
    "dolphin_l": "Dolphin-L: the 831 linear number word problems of Shi et al. (2015), with gold derivations, "
    "659 of them in five folds and 172 for development.",
    SAMPLE: "120 algebra word problems written for the package draw-dataset, with gold derivations.",
    "gsm8k_derivations": "GSM8K (Cobbe et al., 2021) with derivations: the test split was read twice, the training "
    "split by program and, where that is not to be trusted, read once.",
    "svamp_derivations": "SVAMP (Patel et al., 2021), 1,000 problems, with derivations that were read twice.",
}

_CITATIONS = {
    "draw1k": CITATION,
    "alg514": f"{CITATION}\n\n{ALG514_CITATION}",
    "dolphin_l": f"{CITATION}\n\n{DOLPHIN_CITATION}",
    SAMPLE: CITATION,
    "gsm8k_derivations": f"{CITATION}\n\n{GSM8K_CITATION}",
    "svamp_derivations": f"{CITATION}\n\n{SVAMP_CITATION}",
}

_RELEASE_LICENCE = "The release states no licence; its problems and annotations belong to their authors."
_SAMPLE_LICENCE = "MIT"

# Shards of a split, for `num_proc` and the workers of a data loader; 1, 2, 4 and 8 of these get equal shares.
_SHARDS = 8

Keyed = tuple[str, Problem | dict[str, Any]]


@dataclass
class Draw1kConfig(datasets.BuilderConfig):
    """A configuration."""

    # Whether the known errors of the release are repaired. A text names a version of the corrections: v1, v2, v3, or
    # v2-derivations, which leaves equations and solutions alone.
    corrected: bool | str = False

    def create_config_id(self, config_kwargs: dict[str, Any], custom_features: Any = None) -> str:
        """Return the name of the configuration's folder in the cache; stating the default makes no other folder."""
        telling = {name: value for name, value in config_kwargs.items() if name != "corrected" or value is not False}
        config_id: str = super().create_config_id(telling, custom_features)
        return config_id


class Draw1k(datasets.GeneratorBasedBuilder):
    """The builder of every configuration; `data_dir` is the folder of the release's files, `data_files` is refused."""

    BUILDER_CONFIG_CLASS = Draw1kConfig
    BUILDER_CONFIGS = [  # noqa: RUF012 - as the base class has it
        Draw1kConfig(name=name, version=datasets.Version(ROWS_VERSION), description=_DESCRIPTIONS[config.dataset])
        for name, config in CONFIGS.items()
    ]
    DEFAULT_CONFIG_NAME = "draw1k"

    def __init__(
        self, cache_dir: str | None = None, *, data_dir: str | None = None, data_files: object = None, **others: Any
    ) -> None:
        if data_files is not None:
            raise ChoiceError(f"draw1k has no data_files, but got {short_repr(data_files)}; data_dir names a folder")
        if isinstance(others.get("config_name"), str):
            others["config_name"] = find_config(others["config_name"], self.builder_configs).name
        named = CONFIGS.get(str(others.get("config_name") or self.DEFAULT_CONFIG_NAME))
        joined = named is not None and named.dataset in JOINED
        texts = texts_fingerprint(named.dataset, data_dir) if joined and named is not None else ""
        others["hash"] = f"{others.get('hash') or row_fingerprint()}{texts}"
        others["dataset_name"] = _CACHED_AS
        super().__init__(cache_dir, **others)
        Selection.of(self.config.corrected)  # raises if there is none
        # Checked even if the rows are cached, but no part of the cache key, because the files are pinned.
        self._data_dir = data_dir
        if data_dir is not None and self.described.dataset != SAMPLE and not joined:
            locate(self.described.dataset, data_dir)

    @property
    def described(self) -> Config:
        """The configuration as the catalogue describes it."""
        return CONFIGS[self.config.name]

    def as_streaming_dataset(self, split: Any = None, base_path: str | None = None) -> Any:
        """Return the rows without building a cache; of one split, of ``all``, or as a dict of the splits."""
        if str(split) != "all":
            return super().as_streaming_dataset(split, base_path)
        # The oldest `datasets` we support knows "all" only when not streaming.
        return datasets.concatenate_datasets(list(super().as_streaming_dataset(None, base_path).values()))

    def _info(self) -> datasets.DatasetInfo:
        dataset = self.described.dataset
        selection = None if dataset in (SAMPLE, *JOINED) else Selection.of(self.config.corrected)
        return datasets.DatasetInfo(
            description=_DESCRIPTIONS[dataset] + ("" if selection is None else _describe_edition(selection)),
            citation=_CITATIONS[dataset],
            homepage=HOMEPAGE,
            license=_SAMPLE_LICENCE if dataset in (SAMPLE, *JOINED) else _RELEASE_LICENCE,
            features=derived_features() if dataset in JOINED else row_features(),
            # Known beforehand: split names need no files then, and a build of another size is an error.
            splits={split: {"name": split, "num_examples": size} for split, size in self.described.sizes.items()},
        )

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        del dl_manager  # its checksums check nothing, and its cache keeps what is corrupt
        divided: Mapping[str, list[Keyed]]
        if self.described.dataset in JOINED:
            rows = load_frozen_rows(self.described.dataset, self._data_dir)
            divided = {split: [(row["id"], row) for row in own] for split, own in rows.items()}
        else:
            divided = add_keys(load_dataset_splits(self.described.dataset, self._data_dir, self.config.corrected))
        return [
            datasets.SplitGenerator(
                name=split, gen_kwargs={"shards": _cut_shards([item for part in parts for item in divided[part]])}
            )
            for split, parts in self.described.splits.items()
        ]

    def _generate_examples(self, shards: list[list[Keyed]]) -> Iterator[tuple[str, dict[str, Any]]]:
        for shard in shards:
            for key, problem in shard:
                yield key, problem.to_row() if isinstance(problem, Problem) else problem

    def _build_cache_dir(self) -> str:
        """Return the folder of the cached rows; called before the library looks at what is there."""
        folder: str = super()._build_cache_dir()
        remove_damaged(folder)
        return folder

    def _save_info(self) -> None:
        """Describe the rows; called when all are written, in a folder that is then renamed."""
        super()._save_info()
        if self._output_dir.startswith(self._cache_dir):
            seal(self._output_dir)


def _describe_edition(selection: Selection) -> str:
    """Return the sentence on corrected rows."""
    left = ", with equations and solutions as published" if selection.derivations_only else ""
    return f" Gold is that of edition {selection.version} of the corrections ({selection.name}){left}."


def add_keys(divided: Mapping[str, Sequence[Problem]]) -> dict[str, list[Keyed]]:
    """Return the problems of each split with keys: the id, and ``id-2`` for the second problem of that id."""
    seen: Counter[int | str] = Counter()
    keyed: dict[str, list[Keyed]] = {}
    for split, problems in divided.items():
        keyed[split] = []
        for problem in problems:
            seen[problem.id] += 1
            count = seen[problem.id]
            keyed[split].append((f"{problem.id}-{count}" if count > 1 else str(problem.id), problem))
    return keyed


def _cut_shards(items: list[Keyed]) -> list[list[Keyed]]:
    """Cut a list into shards in its order, of lengths that differ by at most one."""
    bounds = [len(items) * number // _SHARDS for number in range(_SHARDS + 1)]
    return [items[start:end] for start, end in pairwise(bounds)]


def find_module(
    original: Callable[..., DatasetModule], path: str, revision: Any = None, *args: Any, **kwargs: Any
) -> DatasetModule:
    """Find our builder by a bare name, in place of `datasets.load.dataset_module_factory`; see `data.hooks`."""
    # The name draw1k has all configurations, any other name of ours those of its dataset. A revision is the Hub's.
    config = None if revision is not None else find_bare_name(path)
    if config is None:
        return original(path, revision, *args, **kwargs)
    parameters = BuilderConfigsParameters()
    if config != Draw1k.DEFAULT_CONFIG_NAME:
        dataset = CONFIGS[config].dataset
        of_dataset = [known for known in Draw1k.BUILDER_CONFIGS if CONFIGS[known.name].dataset == dataset]
        parameters = BuilderConfigsParameters(builder_configs=of_dataset, default_config_name=config)
    return DatasetModule(__name__, row_fingerprint(), {"dataset_name": _CACHED_AS}, parameters)
