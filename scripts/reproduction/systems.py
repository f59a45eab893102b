"""The question: how good are solvers of other people, which Table 5 shows next to ours.

A system is given as ``NAME=FILE``. A JSONL file holds predictions, as ``draw score`` takes them, for the test problems
of one or more of the datasets, ids telling which; they are scored here. A JSON or TOML file holds figures in percent
that someone has reported: ``{"draw1k": {"solution": 52.0, "derivation": 48.0}}``, or ``[draw1k]`` and
``solution = 52.0``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from draw_dataset.core.problem import Problem
from draw_dataset.errors import ChoiceError, ScoreError, shown
from draw_dataset.files import decode_json, read_text
from draw_dataset.scoring.files import read_predictions
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.score import score
from reproduction.figures import splits_of
from reproduction.jobs import DATASETS
from reproduction.paper import METRICS


@dataclass(frozen=True, slots=True)
class System:
    """A solver of someone else's.

    Attributes:
        name: what it is called.
        file: where its figures come from.
        figures: dataset -> metric -> accuracy in percent.
        signatures: dataset -> signature, where predictions were scored here.
    """

    name: str
    file: str
    figures: Mapping[str, Mapping[str, float]]
    signatures: Mapping[str, str]

    def as_data(self) -> dict[str, Any]:
        """Return the system as plain data."""
        return {"name": self.name, "file": self.file, "figures": self.figures, "signatures": self.signatures}


def read_system(given: str, source: str, data_dir: str | None) -> System:
    """Return the system that NAME=FILE names.

    Args:
        given: the name and the file.
        source: the release, or the sample; see `reproduction.figures`.
        data_dir: the folder of the release's files.

    Raises:
        ChoiceError: it is not of that form, or the file is of no kind that we know.
        ScoreError: the file holds neither figures nor predictions, or predictions for a part of a dataset only.
        DrawError: the release cannot be read.
    """
    name, equals, file = given.partition("=")
    path = Path(file)
    if not (name and equals and file):
        raise ChoiceError(f"--system: expected NAME=FILE, but got {shown(given)}")
    if path.suffix == ".jsonl":
        return _scored(name, path, source, data_dir)
    if path.suffix in (".json", ".toml"):
        return System(name, path.name, _figures(path), {})
    raise ChoiceError(f"--system: expected a file ending in .jsonl, .json or .toml, but got {shown(file)}")


def _figures(path: Path) -> dict[str, dict[str, float]]:
    try:
        text = read_text(path, error=ScoreError)
        data = decode_json(text, f"{path}", ScoreError) if path.suffix == ".json" else tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ScoreError(f"{path}: expected figures in TOML, but got {error}") from error
    if not isinstance(data, dict) or not data or not set(data) <= set(DATASETS):
        raise ScoreError(f"{path}: expected figures for some of {', '.join(DATASETS)}, but got {shown(data)}")
    for dataset, figures in data.items():
        if not isinstance(figures, dict) or not figures or not set(figures) <= set(METRICS):
            raise ScoreError(f"{path}, {dataset}: expected some of {', '.join(METRICS)}, but got {shown(figures)}")
        for metric, value in figures.items():
            if type(value) not in (int, float) or not 0 <= value <= 100:
                raise ScoreError(f"{path}, {dataset}, {metric}: expected a percentage, but got {shown(value)}")
    return data


def _scored(name: str, path: Path, source: str, data_dir: str | None) -> System:
    predictions: dict[int, Any] = {}
    for line, id_, prediction in read_predictions(path):
        if id_ in predictions:
            raise ScoreError(f"{path}, line {line}: expected each id once, but got {id_} again")
        predictions[id_] = prediction
    figures: dict[str, dict[str, float]] = {}
    signatures: dict[str, str] = {}
    known: set[int] = set()
    for dataset in DATASETS:
        tested = _tested(dataset, source, data_dir)
        here = [problem for problem in tested if problem.id in predictions]
        known.update(problem.id for problem in here)
        if not here:
            continue
        if len(here) < len(tested):
            raise ScoreError(
                f"{path}: expected predictions for all {len(tested)} test problems of {dataset} or for none, "
                f"but got {len(here)}; a null abstains"
            )
        found = score([predictions[p.id] for p in here], [Reference(p) for p in here], data=f"{dataset}/tested")
        figures[dataset] = {metric: 100 * getattr(found, f"{metric}_accuracy") for metric in METRICS}
        signatures[dataset] = str(found.signature)
    strange = [id_ for id_ in predictions if id_ not in known]
    if strange or not predictions:
        got = f"{strange[0]} and {len(strange) - 1} more" if strange else "none"
        raise ScoreError(f"{path}: expected ids of test problems, but got {got}")
    return System(name, path.name, figures, signatures)


def _tested(dataset: str, source: str, data_dir: str | None) -> list[Problem]:
    """Return the problems that a dataset is tested on: its test split, or all folds."""
    splits = splits_of(source, dataset, data_dir)
    if "test" in splits:
        return splits["test"]
    return [problem for name, split in splits.items() if name.startswith("fold") for problem in split]
