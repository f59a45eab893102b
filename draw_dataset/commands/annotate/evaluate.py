"""``draw annotate evaluate``: how often a person is needed, and how often what is proposed is gold."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from draw_dataset.catalog import load
from draw_dataset.commands.options import add_json, add_release, add_sources
from draw_dataset.release import DATASETS

if TYPE_CHECKING:
    from draw_dataset.annotation.proposal.evaluation import Evaluation

HELP = "propose derivations for problems whose gold is known, and compare"

PAPER_NEEDING = {"draw1k": 21, "alg514": 23, "dolphin_l": 35}
"""Problems with an ambiguous alignment in per cent, by the paper's Table 2."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "Only the question and the equations of a problem are used; gold is compared afterwards.\n\n"
        "examples:\n"
        "  draw annotate evaluate                   the three datasets of the release\n"
        "  draw annotate evaluate sample --json\n"
        "  draw annotate evaluate rows.jsonl"
    )
    add_sources(parser, "*", "the three datasets of the release")
    add_release(parser, corrected=False)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the figures."""
    # Here, as the other subcommands do not need them.
    from tqdm import tqdm

    from draw_dataset.annotation.proposal.evaluation import evaluate_proposals

    found: dict[str, Evaluation] = {}
    for name in arguments.sources or DATASETS:
        problems = load(name, arguments.data_dir)
        found[name] = evaluate_proposals(tqdm(problems, desc=name, unit="problem", disable=not sys.stderr.isatty()))
    if arguments.json:
        print(json.dumps({name: evaluation.as_data() for name, evaluation in found.items()}))
        return 0
    rows: list[tuple[str, Callable[[str, Evaluation], str]]] = [
        ("problems", lambda _, e: str(e.every.problems)),
        ("needing a person, % (paper)", _needing),
        ("questions a problem, mean / p95", lambda _, e: f"{e.mean_questions:.2f} / {e.p95_questions}"),
        ("most candidates of a problem", lambda _, e: str(e.candidates)),
        ("templates before / after reconciling", lambda _, e: f"{e.templates} / {e.classes}"),
        ("without findings: problems", lambda _, e: str(e.clean.problems)),
        ("  gold among the candidates, %", lambda _, e: _share(e.clean.among, e.clean.problems)),
        ("  automatic ones that are gold, %", lambda _, e: _share(e.clean.automatic_right, e.clean.automatic)),
        ("all: gold among the candidates, %", lambda _, e: _share(e.every.among, e.every.problems)),
        ("  automatic ones that are gold, %", lambda _, e: _share(e.every.automatic_right, e.every.automatic)),
    ]
    width = max(len(label) for label, _ in rows)
    columns = max(15, *(len(name) + 2 for name in found))
    print(" " * width + "".join(name.rjust(columns) for name in found))
    for label, cell in rows:
        print(label.ljust(width) + "".join(cell(name, e).rjust(columns) for name, e in found.items()))
    for name, evaluation in found.items():
        for cause, ids in evaluation.missed.items():
            print(f"{name}, without findings, {cause}: {', '.join(map(str, ids))}")
    return 0


def _needing(name: str, evaluation: Evaluation) -> str:
    share = _share(evaluation.needing, evaluation.every.problems)
    return f"{share} ({PAPER_NEEDING[name]})" if name in PAPER_NEEDING else share


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"
