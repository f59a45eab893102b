"""``draw demo``: what the package does, without network and release.

The embedded sample through `load_dataset`, the paper's own examples decided here and now, and three sets of predictions
for the sample scored side by side.
"""

from __future__ import annotations

import argparse
import os
from typing import Any

from draw_dataset.core.difference import find_difference
from draw_dataset.core.equivalence import derivations_equivalent, find_slot_map

HELP = "load the embedded sample, decide the paper's own examples, score predictions; needs no network, no release"

_TEMPLATES = (
    ("templates (1) and (2) of the paper", "m = a + b*n; m = c - n", "m + n = a; m - c*n = b"),
    ("the template of Figure 1 and a wrong one", "a*m = b*n; c*m + d*n = e", "a*m = b*n; a*m + a*n = c"),
    ("sum and difference", "m = a + b", "m = a - b"),
)
_DERIVATIONS = (
    (
        "right answer, wrong numbers",
        "m + n = q2; q1*m - q5*n = q7 + q3",
        "m + n = q2; q4*m - q7*n = q6 + q3",
    ),
    ("right equations, wrong number", "m - q3*n = q1; m + n = q4", "m - q3*n = q2; m + n = q4"),
    ("written differently", "n = q4 - m; m = q2 + n*q3", "m - q3*n = q2; m + n = q4"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: there are none."""
    del parser


def run(arguments: argparse.Namespace) -> int:
    """Print the sample's sizes, one of its problems, the verdicts, and the scores of the bundled predictions."""
    del arguments
    rows = _show_sample()
    _show_templates()
    _show_derivations()
    _show_scores(rows)
    return 0


def _show_sample() -> list[dict[str, Any]]:
    # The sample is inside the package: nothing may be asked of the network, whatever the machine is set to.
    os.environ["HF_HUB_OFFLINE"] = os.environ["HF_DATASETS_OFFLINE"] = "1"
    from datasets import load_dataset
    from datasets.utils.logging import disable_progress_bar

    disable_progress_bar()
    sample = load_dataset("draw1k", "sample")
    sizes = ", ".join(f"{split} {rows.num_rows}" for split, rows in sample.items())
    print(f'load_dataset("draw1k", "sample"): {sizes}')
    row = sample["test"][0]
    print(f"  {row['question']}")
    print("  numbers    " + ", ".join(f"q{n['index']} = {n['text']}" for n in row["numbers"]))
    print(f"  derivation {row['derivation']}")
    print("  solutions  " + ", ".join(f"{value:g}" for value in row["solutions"]))
    return list(sample["test"])


def _show_templates() -> None:
    print("Are these templates the same?")
    for title, first, second in _TEMPLATES:
        slot_map = find_slot_map(first, second)
        difference = find_difference(first, second)
        if slot_map is not None:
            verdict = "yes, by " + ", ".join(f"{a} -> {b}" for a, b in slot_map.items())
        else:
            verdict = f"no: {difference.message if difference else ''}"
        print(f"  {title}\n    {first}\n    {second}\n    {verdict}")


def _show_derivations() -> None:
    print("Are these derivations the same? (q1, q2 … are the numbers of the text)")
    for title, predicted, gold in _DERIVATIONS:
        verdict = "yes" if derivations_equivalent(predicted, gold) else "no"
        print(f"  {title}\n    predicted {predicted}\n    gold      {gold}\n    {verdict}")


def _show_scores(rows: list[dict[str, Any]]) -> None:
    from draw_dataset.sample import PREDICTIONS, load_sample_predictions
    from draw_dataset.scoring.score import score
    from draw_dataset.scoring.table import compare_scores

    print("How good are three sets of predictions for the test split?\n")
    scores = {}
    for name in PREDICTIONS:
        predictions = load_sample_predictions(name)
        scores[name] = score([predictions[row["id"]] for row in rows], rows, data="sample/test")
    print(compare_scores(scores).to_text())
