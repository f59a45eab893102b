"""Evaluation files for the Hub: ``eval.yaml`` of a dataset, ``.eval_results`` of a model.

A dataset with ``eval.yaml`` in its root can become a benchmark of the Hub. It names tasks, each with an id, a
configuration and a split. Every split that is tested gets two: derivation and solution accuracy. The field
``evaluation_framework`` is left out: the Hub has a list of names that it accepts, and none of them computes derivation
accuracy. A model that was scored says so in ``.eval_results/NAME.yaml``: a list of entries, each with a task of the
dataset and a value. YAML is written as quoted texts and plain numbers, which every version of it reads alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime

from draw_dataset.catalog import DATASETS, Source
from draw_dataset.errors import ChoiceError
from draw_dataset.scoring.score import Score
from draw_dataset.statistics import TITLES

FIGURES = ("derivation", "solution")
"""The accuracies that are tasks of their own."""


def task_id(dataset: str, split: str, figure: str) -> str:
    """Return the id of a task.

    >>> task_id("draw1k", "test", "derivation")
    'draw1k_test_derivation'
    """
    return f"{dataset}_{split}_{figure}"


def splits_for_tests(dataset: str) -> list[str]:
    """Return the splits of a dataset that are tested: test, or every fold."""
    own = DATASETS[dataset]
    return ["test"] if "test" in own else [split for split in own if split.startswith("fold")]


def eval_yaml(datasets: Iterable[str]) -> str:
    """Return the text of ``eval.yaml`` for datasets.

    >>> print(eval_yaml(["sample"]))
    name: "Derivations of algebra word problems: sample"
    description: "Whether a model sets a word problem up as gold does: equations, and which number fills which slot."
    tasks:
      - id: "sample_test_derivation"
        config: "sample"
        split: "test"
      - id: "sample_test_solution"
        config: "sample"
        split: "test"
    <BLANKLINE>
    """
    chosen = list(datasets)
    titles = ", ".join(TITLES[name] for name in chosen)
    about = "Whether a model sets a word problem up as gold does: equations, and which number fills which slot."
    lines = [
        f"name: {_quoted('Derivations of algebra word problems: ' + titles)}",
        f"description: {_quoted(about)}",
        "tasks:",
    ]
    for dataset in chosen:
        for split in splits_for_tests(dataset):
            for figure in FIGURES:
                lines += [
                    f"  - id: {_quoted(task_id(dataset, split, figure))}",
                    f"    config: {_quoted(dataset)}",
                    f"    split: {_quoted(split)}",
                ]
    return "\n".join([*lines, ""])


def task_ids(source: Source) -> dict[str, str]:
    """Return the tasks of a tested split, by figure.

    Raises:
        ChoiceError: it is no task of ``eval.yaml``; names those that are.
    """
    config, split = source.config, source.split
    if config is None or config.name != config.dataset or split not in splits_for_tests(config.dataset):
        tasks = ", ".join(f"{name}/{part}" for name in DATASETS for part in splits_for_tests(name))
        raise ChoiceError(f"--eval-results: expected one of {tasks}, but got {source.title}")
    return {figure: task_id(config.name, split, figure) for figure in FIGURES}


def eval_results(
    score: Score,
    source: Source,
    repo: str,
    *,
    revision: str | None = None,
    link: str | None = None,
    date: str | None = None,
) -> str:
    """Return the text of ``.eval_results/NAME.yaml`` for a score.

    Args:
        score: the score.
        source: what was scored: a tested split of a dataset.
        repo: the dataset on the Hub, as ``owner/name``.
        revision: the commit of it.
        link: where the responses or the report can be seen.
        date: when it was scored; by default now.

    Raises:
        ChoiceError: what was scored is no task of ``eval.yaml``.
    """
    ids = task_ids(source)
    when = date or datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    lines: list[str] = []
    for figure, task in ids.items():
        lines += ["- dataset:", f"    id: {_quoted(repo)}", f"    task_id: {_quoted(task)}"]
        lines += [f"    revision: {_quoted(revision)}"] if revision else []
        lines += [f"  value: {round(100 * score.accuracy(figure), 4)}", f"  date: {_quoted(when)}"]
        lines += ["  source:", f"    url: {_quoted(link)}", '    name: "responses"'] if link else []
        lines += [f"  notes: {_quoted(str(score.signature))}"]
    return "\n".join([*lines, ""])


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
