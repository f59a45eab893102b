"""Catalogue of dataset names, for `load_dataset`, ``draw build`` and every command.

Data is named as ``CONFIG``, ``CONFIG/SPLIT``, a file of rows (an existing file wins), or ``-`` for standard input. Any
other spelling is refused, and the error gives the right one, found by *normal forms* (letters and digits in lower
case). In `load_dataset` a similar name may be somebody else's dataset, so only names with an equal normal form, and
``CONFIG/SPLIT``, are refused.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from draw_dataset.data.manifest import FOLDS
from draw_dataset.data.manifest import SPLITS as RELEASE_SPLITS
from draw_dataset.data.release import load_problems
from draw_dataset.data.sample import SPLITS as SAMPLE_SPLITS
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import Problem, read_rows
from draw_dataset.errors import ChoiceError, RefusedWarning, short_repr
from draw_dataset.io.atomic import STANDARD

if TYPE_CHECKING:
    from draw_dataset.data.corrections import Selection

Folder = str | os.PathLike[str] | None

SAMPLE = "sample"
"""The embedded sample, which needs no file."""

ALL = "all"
"""The split that has all problems of a configuration."""

DATASETS: Mapping[str, Mapping[str, int]] = {
    **{name: {split.name: split.size for split in splits} for name, splits in RELEASE_SPLITS.items()},
    SAMPLE: SAMPLE_SPLITS,
}
"""The datasets with their own splits, and how many problems each split has."""


JOINED: Mapping[str, Mapping[str, int]] = {
    "gsm8k_derivations": {"train": 7473, "test": 1319},
    "svamp_derivations": {"test": 1000},
}
"""Datasets of others whose derivations are ours: annotations that are joined with the texts when they are loaded."""

_LOAD_JOINED = "draw_dataset.deriving.frozen", "load_frozen"  # by name: what derives imports this module


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration of `load_dataset`."""

    name: str  # the second argument of `load_dataset`
    dataset: str  # the dataset it consists of
    splits: Mapping[str, tuple[str, ...]]  # for each split, the dataset's own splits that make it up, in order

    @property
    def sizes(self) -> dict[str, int]:
        """The number of problems of each split."""
        own = DATASETS.get(self.dataset) or JOINED[self.dataset]
        return {split: sum(own[part] for part in parts) for split, parts in self.splits.items()}


def configs_of(datasets: Mapping[str, Iterable[str]]) -> list[Config]:
    """Return the configurations of datasets, given with their splits."""
    made = []
    for dataset, splits in datasets.items():
        own = list(splits)
        made.append(Config(dataset, dataset, {split: (split,) for split in own}))
        for number, fold in enumerate(FOLDS):
            if fold in own:
                train = tuple(split for split in own if split != fold)
                made.append(Config(f"{dataset}_cv{number}", dataset, {"train": train, "test": (fold,)}))
    return made


CONFIGS: Mapping[str, Config] = {config.name: config for config in configs_of(DATASETS)} | {
    name: Config(name, name, {split: (split,) for split in splits}) for name, splits in JOINED.items()
}
"""Every configuration by its name."""

BARE_NAMES: Mapping[str, str] = {"draw_sample" if name == SAMPLE else name: name for name in CONFIGS}
"""The names for the first argument of `load_dataset`, with the configuration each means; ``sample`` is too common a
word.
"""

# Other accepted spellings of a configuration.
_SYNONYMS = {
    "draw_sample": SAMPLE,
    **{name.replace("_cv", "/cv"): name for name, config in CONFIGS.items() if name != config.dataset},
}

# Near names that people try in `load_dataset`, by their normal forms, each with the call that they mean. The Hub has no
# dataset of these names, and takes half a minute to say so.
_NEAR_CALLS = {
    "sample": 'load_dataset("draw_sample")',
    "draw": 'load_dataset("draw1k")',
    "dolphin": 'load_dataset("dolphin_l")',
    **{
        f"draw1kcv{number}": f'load_dataset("draw1k"), which has no folds, or load_dataset("alg514_cv{number}")'
        for number in range(len(FOLDS))
    },
    **{f"{name.replace('_', '')}corrected": f'load_dataset("{name}", corrected=True)' for name in RELEASE_SPLITS},
}

# Other common names of a split; used only if a configuration has no split of that name.
_OTHER_WORDS = {"dev": "validation", "development": "validation", "val": "development", "validation": "development"}


@dataclass(frozen=True, slots=True)
class DataRef:
    """Named data: a configuration, one of its splits, or a file."""

    config: Config | None  # the configuration; None for a file
    split: str = ALL  # its split, or ``all``
    file: str | None = None  # the path of a file of rows, or ``-``; None for a configuration

    @property
    def title(self) -> str:
        """The name of the data in a report: ``draw1k``, ``draw1k/test``, or the path of the file."""
        if self.config is None:
            return self.file or STANDARD
        return self.config.name if self.split == ALL else f"{self.config.name}/{self.split}"

    def data_name(self, corrected: bool | str = False) -> str:
        """Return the name of the problems in a signature: one name for every spelling."""
        if self.config is not None:
            selection = _selection(corrected)
            end = "" if selection is None else f"+corrected-{selection.name}"
            return f"{self.config.name}/{self.split}{end}"
        return "stdin" if self.file in (None, STANDARD) else Path(self.file).name


def resolve(name: str) -> DataRef:
    """Return the data that a name means; nothing is read.

    >>> [resolve(name).data_name() for name in ("draw1k/test", "draw_sample", "alg514/cv0/train", "rows.jsonl")]
    ['draw1k/test', 'sample/all', 'alg514_cv0/train', 'rows.jsonl']
    >>> resolve("DRAW-1k/dev")
    Traceback (most recent call last):
    draw_dataset.errors.ChoiceError: Unknown data 'DRAW-1k/dev': did you mean draw1k/validation? There are ...
    """
    if name == STANDARD or name.endswith((".jsonl", ".json")) or (os.path.exists(name) and not os.path.isdir(name)):
        return DataRef(None, file=name)
    config = _exact_config(name)
    if config is not None:
        return DataRef(config)
    head, _, split = name.rpartition("/")
    config = _exact_config(head)
    if config is not None:
        return DataRef(config, find_split(config, split))
    right = nearest(name, CONFIGS, alike=not head)
    if right is None and (right := nearest(head, CONFIGS)) is not None:
        right = f"{right}/{_nearest_split(CONFIGS[right], split) or ALL}"
    raise _unknown("data", name, right, f"{', '.join(CONFIGS)}, each also as CONFIG/SPLIT, files of rows, and -")


def find_config(name: str, among: Iterable[str] = CONFIGS) -> Config:
    """Return the configuration of a name, or of another way to write it."""
    offered = list(among)
    config = _exact_config(name)
    if config is None or config.name not in offered:
        raise _unknown("configuration", name, nearest(name, offered), ", ".join(offered))
    return config


def find_split(config: Config, name: str) -> str:
    """Return the split of a configuration, or ``all``."""
    offered = [*config.splits, ALL]
    if name in offered:
        return name
    right = _nearest_split(config, name)
    if right is not None:
        right = f"{config.name}/{right}"
    elif name in ("train", "test"):
        right = f"{config.name}_cv0/{name}"
    raise _unknown(f"split of {config.name}", name, right, ", ".join(offered))


def find_bare_name(name: str) -> str | None:
    """Return the configuration that a bare name means to `load_dataset`; None if the name is not one of ours.

    >>> find_bare_name("draw_sample"), find_bare_name("squad")
    ('sample', None)
    >>> find_bare_name("dolphin")
    Traceback (most recent call last):
    draw_dataset.errors.ChoiceError: Unknown name 'dolphin': did you mean load_dataset("dolphin_l")?
    >>> find_bare_name("draw_sampel")
    Traceback (most recent call last):
    draw_dataset.errors.ChoiceError: Unknown name 'draw_sampel': did you mean draw_sample?
    """
    check_spelling(name, BARE_NAMES)
    call = None if "/" in name or os.path.exists(name) else _NEAR_CALLS.get(normal_form(name))
    if call is not None and name not in BARE_NAMES:
        raise ChoiceError(f"Unknown name {short_repr(name)}: did you mean {call}?")
    head, _, split = name.rpartition("/")
    config = _exact_config(head)
    if config is not None and name not in _SYNONYMS:
        right = split if split in (*config.splits, ALL) else _OTHER_WORDS.get(split)
        if right in (*config.splits, ALL):
            bare = next(one for one, meant in BARE_NAMES.items() if meant == config.name)
            advice = f"did you mean {bare} with split={right!r}, as in load_dataset({bare!r}, split={right!r})?"
            raise ChoiceError(f"Unknown name {short_repr(name)}: {advice}")
    found = BARE_NAMES.get(_SYNONYMS.get(name, name) if head else name)
    # A typing error is told now, and not after the Hub was asked several times.
    near = get_close_matches(name.casefold(), BARE_NAMES, 1, 0.85)
    if near and found is None and "/" not in name and not os.path.exists(name):
        raise ChoiceError(f"Unknown name {short_repr(name)}: did you mean {near[0]}?")
    return found


def check_spelling(name: str, known: Iterable[str]) -> None:
    """Raise `ChoiceError` if a name without a slash differs from a known one only in case, hyphens and the like."""
    offered = list(known)
    right = None if name in offered or "/" in name or os.sep in name else nearest(name, offered, alike=False)
    if right is not None:
        raise ChoiceError(f"Unknown name {short_repr(name)}: did you mean {right}?")


def nearest(name: str, known: Iterable[str], alike: bool = True) -> str | None:
    """Return the known name that was probably meant: of the same normal form, or else one that is much alike.

    >>> nearest("alg_514", CONFIGS), nearest("dolphin", CONFIGS), nearest("webtext", CONFIGS)
    ('alg514', 'dolphin_l', None)
    """
    by_form: dict[str, str] = {}
    for one in known:
        by_form.setdefault(normal_form(one), one)
    wanted = normal_form(name)
    if wanted in by_form:
        return by_form[wanted]
    if not alike or len(wanted) < 3:
        return None
    longer = [form for form in by_form if form.startswith(wanted)]
    ending = [form for form in by_form if form.endswith(wanted)]
    found = longer or (ending if len(ending) == 1 else get_close_matches(wanted, by_form, 1, 0.75))
    return by_form[found[0]] if found else None


def normal_form(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return "".join(character for character in name.casefold() if character.isalnum())


def _exact_config(name: str) -> Config | None:
    return CONFIGS.get(_SYNONYMS.get(name, name))


def _nearest_split(config: Config, name: str) -> str | None:
    offered = [*config.splits, ALL]
    return nearest(name, offered) or nearest(_OTHER_WORDS.get(normal_form(name), ""), offered)


def _unknown(what: str, got: str, right: str | None, there_are: str) -> ChoiceError:
    advice = "" if right is None else f"did you mean {right}? "
    return ChoiceError(f"Unknown {what} {short_repr(got)}: {advice}There are {there_are}")


def load(
    source: DataRef | str, data_dir: Folder = None, corrected: bool | str = False, *, refused: bool = False
) -> list[Problem]:
    """Return the problems of named data, all splits one after the other; as `load_splits`."""
    splits = load_splits(source, data_dir, corrected, refused=refused)
    return [problem for problems in splits.values() for problem in problems]


def with_gold(problems: list[Problem], name: str) -> list[Problem]:
    """Return the problems that have a gold derivation; a warning says how many were refused and are left out."""
    kept = [problem for problem in problems if not problem.is_refused]
    if len(kept) < len(problems):
        warnings.warn(f"{name}: {left_out(len(problems) - len(kept))}", RefusedWarning, stacklevel=3)
    return kept


def left_out(count: int) -> str:
    """Return the warning that so many rows are left out."""
    rows = "row that is refused and has" if count == 1 else "rows that are refused and have"
    return f"left out {count} {rows} no gold derivation"


def load_splits(
    source: DataRef | str, data_dir: Folder = None, corrected: bool | str = False, *, refused: bool = False
) -> dict[str, list[Problem]]:
    """Return the problems of named data by split (of a file: ``all``); `refused` keeps rows without gold."""
    if isinstance(source, str):
        source = resolve(source)
    if source.config is None:
        if corrected:
            raise ChoiceError(f"Corrections are for the release, but got the file {source.file}")
        problems = read_rows(source.file or STANDARD)
        return {ALL: problems if refused else with_gold(problems, source.title)}
    if source.config.dataset in JOINED:
        if corrected:
            raise ChoiceError(f"Corrections are for the release, but got {source.config.name}")
        wanted = [split for split in source.config.splits if source.split in (ALL, split)]
        found = load_joined(source.config.dataset, data_dir, wanted)
        return {split: own if refused else with_gold(own, source.title) for split, own in found.items()}
    own = load_dataset_splits(source.config.dataset, data_dir, corrected)
    found = {
        split: [problem for part in parts for problem in own[part]]
        for split, parts in source.config.splits.items()
        if source.split in (ALL, split)
    }
    return found if refused else {split: with_gold(problems, source.title) for split, problems in found.items()}


def load_joined(dataset: str, data_dir: Folder, splits: Iterable[str] = ()) -> dict[str, list[Problem]]:
    """Return the problems of a dataset of others by split, those that are refused among them."""
    module, function = _LOAD_JOINED
    found: dict[str, list[Problem]] = getattr(import_module(module), function)(dataset, data_dir, splits)
    return found


def load_dataset_splits(
    dataset: str, data_dir: Folder = None, corrected: bool | str = False
) -> dict[str, list[Problem]]:
    """Return the problems of a dataset by its own splits; see `load_splits`."""
    selection = _selection(corrected)
    if dataset == SAMPLE:
        return load_sample()
    own = load_problems(dataset, data_dir)
    if selection is None:
        return own
    # Imported here: most callers never need it.
    from draw_dataset.data.corrections import correct

    return {split: [correct(dataset, problem, selection) for problem in problems] for split, problems in own.items()}


def _selection(corrected: bool | str) -> Selection | None:
    """Return the selected corrections; None for none."""
    if corrected is False:
        return None
    from draw_dataset.data.corrections import Selection

    return Selection.of(corrected)
