"""Prints the scores of answers and of the solver on the published and on the corrected gold, side by side, as Markdown.

The answers are those of a folder (see scripts/grade_answers.py). The solver is trained on the published gold, and once
more on the corrected one, and scored on both: on Draw-1k's test split, and cross-validated over the folds of Alg-514
and Dolphin-L.

    python scripts/compare_golds.py --answers ../shared/llm_answers --data-dir ../shared/release
    python scripts/compare_golds.py --solver --data-dir ../shared/release
    python scripts/compare_golds.py --kept .doubt --data-dir ../shared/release

With --kept, answers of the solver with all templates that scripts/measure_doubt.py has kept are scored.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from draw_dataset.catalog import load, load_splits, resolve
from draw_dataset.core.problem import Problem, ProblemId
from draw_dataset.files import read_json_lines
from draw_dataset.scoring.score import Score, score
from draw_dataset.scoring.signature import GoldMode

SETS = {"chatgpt_draw1k": "draw1k", "gpt35_draw1k": "draw1k", "gpt35_alg514": "alg514"}
"""The files of answers, and the data that they answer."""

GOLDS: Mapping[str, tuple[bool | str, GoldMode]] = {
    "published": (False, "one"),
    "v1": ("v1", "one"),
    "v2-derivations": ("v2-derivations", "one"),
    "v2": ("v2", "one"),
    "v2, any": ("v2", "any"),
}
"""The golds: which corrections are applied, and whether alternatives count."""


def scored(predictions: Sequence[tuple[ProblemId, Any]], config: str, data_dir: str | None) -> Iterator[dict[str, Any]]:
    """Yield the figures of predictions on each gold."""
    for name, (corrected, gold) in GOLDS.items():
        rows = {problem.id: problem for problem in load(config, data_dir, corrected)}
        found = score([p for _, p in predictions], [rows[id_] for id_, _ in predictions], gold=gold, data=config)
        yield {"gold": name, **figures(found)}


def figures(found: Score) -> dict[str, Any]:
    """Return what is printed of a score."""
    return {
        "n": found.count,
        "solution": round(100 * found.solution_accuracy, 1),
        "derivation": round(100 * found.derivation_accuracy, 1),
        "lucky": found.lucky,
        "signature": str(found.signature),
    }


def answers(folder: Path, data_dir: str | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the figures of each set of answers."""
    for name, config in SETS.items():
        lines = [line.value for line in read_json_lines(folder / f"{name}.jsonl")]
        for one in scored([(line["id"], {"answer": line["answer"]}) for line in lines], config, data_dir):
            yield name, one


def solver(data_dir: str | None, k: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the figures of the solver, trained on the published and on the corrected gold."""
    for trained_on in (False, True):
        for dataset in ("draw1k", "alg514", "dolphin_l"):
            predictions = _predicted(dataset, data_dir, trained_on, k)
            for one in scored(predictions, dataset, data_dir):
                yield f"solver on {dataset}, trained on {'v2' if trained_on else 'published'}", one


def kept(folder: Path, data_dir: str | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the figures of answers that are kept already: of solvers with all templates, trained on published gold."""
    from doubt.asking import answers as kept_answers

    found = kept_answers(folder)
    for dataset, name in (("draw1k", "draw-test"), ("alg514", "alg514"), ("dolphin_l", "dolphin_l")):
        if name in found:
            for one in scored([(line["id"], line["prediction"]) for line in found[name]], dataset, data_dir):
                yield f"solver on {dataset}, all templates", one


def _predicted(dataset: str, data_dir: str | None, corrected: bool, k: int) -> list[tuple[ProblemId, Any]]:
    from draw_dataset.solver import train

    splits = load_splits(resolve(dataset), data_dir, corrected)
    held = ["test"] if dataset == "draw1k" else [name for name in splits if name.startswith("fold")]
    found: list[tuple[ProblemId, Any]] = []
    for name in held:
        others: list[Problem] = [p for split, problems in splits.items() if split != name for p in problems]
        model = train(others, k=k, relations=False)  # the solver that learns alone, as the paper's does
        found += [(problem.id, model.predict(problem).to_dict()) for problem in splits[name]]
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=Path, metavar="DIR", help="the folder of answers")
    parser.add_argument("--solver", action="store_true", help="train and score the solver, too")
    parser.add_argument("--kept", type=Path, metavar="DIR", help="score the answers that measure_doubt.py has kept")
    parser.add_argument("--templates", type=int, default=10, metavar="K", help="that the solver tries (default 10)")
    parser.add_argument("--data-dir", metavar="DIR", help="the folder with the files of the release")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line, with signatures")
    arguments = parser.parse_args(argv)
    if arguments.answers is None and arguments.kept is None and not arguments.solver:
        parser.error("expected --answers DIR, --solver, --kept DIR, or several of them")
    if not arguments.json:
        print(
            "| system | gold | n | solution | derivation | right answer, wrong derivation |\n|---|---|---|---|---|---|"
        )
    parts = [answers(arguments.answers, arguments.data_dir)] if arguments.answers else []
    parts += [solver(arguments.data_dir, arguments.templates)] if arguments.solver else []
    parts += [kept(arguments.kept, arguments.data_dir)] if arguments.kept else []
    for part in parts:
        for name, one in part:
            told = [name, one["gold"], one["n"], one["solution"], one["derivation"], one["lucky"]]
            line = json.dumps({"system": name, **one}) if arguments.json else f"| {' | '.join(map(str, told))} |"
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
