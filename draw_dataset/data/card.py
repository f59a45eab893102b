"""Dataset card: metadata for the Hub and `load_dataset`, and text for people.

The metadata (YAML) names every configuration, the files of its splits, the columns and the sizes. The only word problem
shown is one of the embedded sample.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from datasets import DatasetInfo, SplitDict, SplitInfo
from datasets.info import DatasetInfosDict
from huggingface_hub import DatasetCardData

from draw_dataset.data.catalog import SAMPLE, Config, configs_of
from draw_dataset.data.corrections import KINDS, VERSION
from draw_dataset.data.editions import ROW_SETS, changed_rows, edition_date, kinds_table
from draw_dataset.data.features import row_features
from draw_dataset.data.manifest import COMMIT, REPOSITORY
from draw_dataset.data.sample import load_sample
from draw_dataset.data.statistics import TITLES, as_markdown, measure
from draw_dataset.derivation.problem import Problem
from draw_dataset.version import CITATION, __version__


@dataclass(frozen=True, slots=True)
class SplitSize:
    """The size of a split."""

    rows: int
    memory: int  # its bytes in memory, as Arrow
    file: int  # the bytes of its file


Splits = Mapping[str, Mapping[str, list[Problem]]]
"""Set of rows, one of `ROW_SETS` -> split -> problems."""

Sizes = Mapping[tuple[str, str], SplitSize]
"""(set of rows, split) -> its size."""


def file_name(name: str, split: str) -> str:
    """Return the path of a split's file in the repository."""
    return f"{name}/{split}-00000-of-00001.parquet"


def card(problems: Splits, sizes: Sizes) -> str:
    """Return the text of README.md."""
    made = configs_of(problems)
    text = _TEXT.format(
        name=_name(problems),
        provenance=_provenance(problems),
        table=_config_table(made, sizes),
        cross_validation=_CROSS_VALIDATION if any("_cv" in config.name for config in made) else "",
        editions=_editions(problems),
        first=made[0].name,
        fields=_FIELDS,
        example=_example(),
        statistics=as_markdown({name: measure(_with_gold(splits)) for name, splits in _described(problems).items()}),
        defects=_defects(_described(problems)),
        citation=CITATION,
    )
    return f"---\n{_metadata(_name(problems), made, sizes)}\n---\n\n{text}"


def rights(sources: Iterable[str]) -> str:
    """Return the text of LICENSE.md for the datasets of a repository."""
    names = [TITLES[source] for source in dict.fromkeys(sources) if source != SAMPLE]
    theirs = (
        f"The word problems of {', '.join(names)} and their annotations belong to their authors; the release they are\n"
        "taken from names no licence. Whoever publishes a copy answers for having the right to.\n\n"
        if names
        else ""
    )
    return f"# Rights\n\n{theirs}{_MIT}"


def _name(problems: Splits) -> str:
    theirs = [TITLES[source] for source in _datasets(problems) if source != SAMPLE]
    return f"{', '.join(theirs) or 'Sample'}: algebra word problems with derivations"


def _provenance(problems: Splits) -> str:
    known = [_ORIGIN[source] for source in _datasets(problems) if source != SAMPLE]
    if known:
        known.insert(0, _RELEASE.format(repository=REPOSITORY, commit=COMMIT))
    known += [_OF_THE_SAMPLE] if SAMPLE in problems else []
    return "\n".join([f"Written by `draw build` of draw-dataset {__version__}.", *known])


def _datasets(problems: Splits) -> list[str]:
    """Return the datasets of the sets, each once."""
    return list(dict.fromkeys(ROW_SETS[name].dataset for name in problems))


def _described(problems: Splits) -> Splits:
    """Return the sets that statistics and defects describe: the published ones, or all if there are none."""
    published = {name: splits for name, splits in problems.items() if ROW_SETS[name].form == "published"}
    return published or problems


def _editions(problems: Splits) -> str:
    """Return the section on corrected and clean rows; empty if the repository has none."""
    if all(ROW_SETS[name].form == "published" for name in problems):
        return ""
    counts = "\n".join(kinds_table(changed_rows()).to_markdown())
    kinds = "\n".join(f"- `{kind}`: {meaning}" for kind, meaning in KINDS.items())
    return _EDITIONS.format(edition=VERSION, date=edition_date(), counts=counts, kinds=kinds)


def _metadata(name: str, made: list[Config], sizes: Sizes) -> str:
    total = sum(size.rows for size in sizes.values())
    ours_alone = all(config.dataset == SAMPLE for config in made)
    licence: dict[str, Any] = {"license": "mit"} if ours_alone else _THEIR_LICENCE
    data = DatasetCardData(
        pretty_name=name,
        language=["en"],
        **licence,
        annotations_creators=["expert-generated"],
        multilinguality=["monolingual"],
        task_categories=["question-answering", "text-generation"],
        tags=["math", "algebra", "math-word-problems", "derivations", "equations", "evaluation"],
        size_categories=["n<1K" if total < 1000 else "1K<n<10K"],
        configs=[_config(config, default=config is made[0]) for config in made],
    )
    DatasetInfosDict({config.name: _info(config, sizes) for config in made}).to_dataset_card_data(data)
    return str(data.to_yaml(line_break="\n"))


def _config(config: Config, default: bool) -> dict[str, Any]:
    files = {split: [file_name(config.dataset, part) for part in parts] for split, parts in config.splits.items()}
    listed = [{"split": split, "path": paths if len(paths) > 1 else paths[0]} for split, paths in files.items()]
    return {"config_name": config.name, "data_files": listed, **({"default": True} if default else {})}


def _info(config: Config, sizes: Sizes) -> DatasetInfo:
    parts = {split: [sizes[config.dataset, part] for part in own] for split, own in config.splits.items()}
    splits = SplitDict()
    for split, own in parts.items():
        memory, rows = sum(size.memory for size in own), sum(size.rows for size in own)
        splits.add(SplitInfo(split, num_bytes=memory, num_examples=rows))
    return DatasetInfo(
        features=row_features(),
        splits=splits,
        download_size=sum(size.file for own in parts.values() for size in own),
        dataset_size=sum(size.memory for own in parts.values() for size in own),
    )


def _config_table(made: list[Config], sizes: Sizes) -> str:
    lines = ["| configuration | splits |", "|---|---|"]
    for config in made:
        rows = {split: sum(sizes[config.dataset, p].rows for p in own) for split, own in config.splits.items()}
        lines.append(f"| `{config.name}` | {', '.join(f'{split} {n}' for split, n in rows.items())} |")
    return "\n".join(lines)


def _example() -> str:
    row = load_sample()["train"][0].to_row()
    fields = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in row.items()]
    return "{\n" + ",\n".join(fields) + "\n}"


def _defects(problems: Splits) -> str:
    counts = {name: Counter(c for p in _all(splits) for c in set(p.findings)) for name, splits in problems.items()}
    codes = sorted({code for counted in counts.values() for code in counted})
    if not codes:
        return "No row of this build carries a code."
    lines = [f"| code | {' | '.join(TITLES.get(name, name) for name in counts)} |", f"|---|{'---:|' * len(counts)}"]
    lines += [f"| `{code}` | {' | '.join(str(counts[name][code]) for name in counts)} |" for code in codes]
    return "\n".join(lines)


def _all(splits: Mapping[str, list[Problem]]) -> list[Problem]:
    return [problem for listed in splits.values() for problem in listed]


def _with_gold(splits: Mapping[str, list[Problem]]) -> list[Problem]:
    return [problem for problem in _all(splits) if not problem.is_refused]


_MIT = (
    "The embedded sample (configuration `sample`) was written for draw-dataset and is, like the code that wrote these "
    "files,\nunder the MIT licence.\n"
)

_THEIR_LICENCE = {"license": "other", "license_name": "rights-of-the-authors", "license_link": "LICENSE.md"}

_RELEASE = """\
The word problems are read from the files of the EACL 2017 release, each checked by its SHA-256, as the public copy
`{repository}` on GitHub holds them at commit `{commit}`. The rows hold every
field of the release; `numbers`, `derivation`, `findings`, `alternatives`, `asked`, `roles` and `correction` are added
by us."""

_ORIGIN = {
    "draw1k": "Draw-1k was crawled from algebra.com and annotated by the authors of the paper.",
    "alg514": "Alg-514 is the dataset of Kushman et al. (2014), annotated again by the authors of the paper.",
    "dolphin_l": "Dolphin-L is from the linear T2 subset of Dolphin (Shi et al., 2015), annotated again by them.",
}

_OF_THE_SAMPLE = "The configuration `sample` was written for draw-dataset; none of its sentences is from the release."

_CROSS_VALIDATION = """
In `…_cv0` to `…_cv4`, `test` is one fold and `train` everything else, Dolphin-L's development set included, as the
release prescribes; they share the files of the folds.
"""

_EDITIONS = """
## Published, corrected and clean

`draw1k` has the rows as published, `draw1k_corrected` those of edition {edition} of our corrections ({date}), and
`draw1k_clean` those of edition {edition} without excluded, arguable and duplicate rows; `alg514` and `dolphin_l`
likewise. Use published rows to compare with figures of the paper, corrected rows to measure language models, and clean
rows where gold must not be in doubt, as in rewards and in the analysis of errors.

Rows that edition {edition} changes, by kind:

{counts}

{kinds}

The column `correction` has the edition and the kind. Excluded rows have no `derivation`. A clean row is neither
excluded nor arguable: it is not of the kind `alternative`, its only alternative is its earlier gold (kind
`convention`), and it has no finding `reviewed-arguable`. A row of a test split is clean only if it has none of the
findings `duplicate-id`, `duplicate-text`, `near-duplicate-split` and `near-duplicate-dataset`. Each fold is tested
once, so this holds for every fold, and of two near-duplicates in two folds both are left out. Train, validation and
development splits keep such rows.
"""

_FIELDS = """\
| field | is |
|---|---|
| `id` | the number of the problem in its dataset (Draw-1k holds one problem twice, 153934) |
| `question` | the text, tokenised: tokens stand between blanks, a sentence ends after `.`, `?` or `!` |
| `numbers` | the numbers of the text, counted from 1: place (sentence and token from 0), characters, text, value |
| `equations`, `solutions` | the gold equation system, and what it gives (possibly rounded) |
| `template` | the equation system with slots `a`, `b`, … for numbers and unknowns `m`, `n`, `o` |
| `alignment` | which number of the text fills which slot, as annotated |
| `equiv_tnum` | groups of numbers that mean the same and may stand for each other |
| `derivation` | template and alignment in one: each slot replaced by its number, `q1`, `q2`, … |
| `findings` | codes of known defects of the row |
| `alternatives` | further derivations in q-notation that the text allows |
| `asked` | what the question asks for, as expressions in the template's unknowns; empty where not decided |
| `roles` | what each unknown of the template is, in words of the text |
| `correction` | `edition` and `kind` of the last correction of the row; none if it is as published |"""

_TEXT = """\
# {name}

A solver that gets the right answer may still have misread the problem. A *derivation* says how a system of equations
was read from a text: an equation template, and which number of the text fills which of its slots. These datasets
annotate every problem with its derivation, so that solvers can be compared by how they reasoned
([Upadhyay and Chang, 2017](https://aclanthology.org/E17-1047/)).

{table}
{cross_validation}{editions}
## Loading

```python
from datasets import load_dataset

load_dataset("PATH_OR_REPOSITORY", "{first}")
```

The package `draw-dataset` has the published and the corrected rows without this repository: `import draw_dataset`, then
`load_dataset("draw1k", CONFIGURATION)`.

## Provenance

{provenance}
`SHA256SUMS` pins the files here.

## Licence

See `LICENSE.md`: the word problems belong to their authors; the sample and the code are under the MIT licence.

## A row

{fields}

One of the sample:

```json
{example}
```

## Statistics

The paper's Table 2 next to what these files hold; `draw stats` prints it.

{statistics}

## Known defects

The release is kept as published. `findings` names what is known to be wrong with a row; problems by code:

{defects}

## Citation

```bibtex
{citation}
```
"""
