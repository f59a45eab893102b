"""``draw solve evaluate``: how good a model is on annotated problems."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from draw_dataset.catalog import load, resolve
from draw_dataset.commands.options import add_json, add_release, add_sources
from draw_dataset.commands.solve.predict import problems_shown

HELP = "score a model on annotated problems: derivation, equation and solution accuracy"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "An abstention counts as wrong. For other ways of grading, or several systems, write predictions with\n"
        "draw solve predict and give them to draw score.\n\n"
        "examples:\n"
        "  draw solve evaluate draw1k/test --model model.npz\n"
        "  draw solve evaluate rows.jsonl --model model.npz --json"
    )
    add_sources(parser)
    parser.add_argument("--model", type=Path, required=True, metavar="FILE", help="what draw solve train has written")
    add_release(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the accuracies, the reasons of errors, and the signatures."""
    # Here, as the other subcommands do not need them.
    from draw_dataset.scoring.reference import Reference
    from draw_dataset.scoring.score import score
    from draw_dataset.scoring.signature import check_data_name
    from draw_dataset.scoring.table import compare_scores
    from draw_dataset.solver import load_model

    source = resolve(arguments.source)
    data = source.data_name(arguments.corrected)
    check_data_name(data)
    model = load_model(arguments.model)
    problems = load(source, arguments.data_dir, arguments.corrected)
    predictions = [model.predict(problem).to_dict() for problem in problems_shown(problems)]
    found = score(predictions, [Reference(problem) for problem in problems], data=data)
    table = compare_scores({arguments.model.stem: found})
    if arguments.json:
        print(json.dumps({**table.to_dict(), "model": model.signature}, ensure_ascii=False))
    else:
        print(table.to_text())
        print(f"model: {model.signature}")
    return 0
