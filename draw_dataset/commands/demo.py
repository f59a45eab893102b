"""``draw demo``: the paper's own examples, decided here and now."""

from __future__ import annotations

import argparse

from draw_dataset.core.difference import find_difference
from draw_dataset.core.equivalence import derivations_equivalent, find_slot_map

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


HELP = "decide the paper's own examples"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: there are none."""
    del parser


def run(arguments: argparse.Namespace) -> int:
    """Print the verdicts."""
    del arguments
    print("Are these templates the same?")
    for title, first, second in _TEMPLATES:
        slot_map = find_slot_map(first, second)
        difference = find_difference(first, second)
        if slot_map is not None:
            verdict = "yes, by " + ", ".join(f"{a} -> {b}" for a, b in slot_map.items())
        else:
            verdict = f"no: {difference.message if difference else ''}"
        print(f"  {title}\n    {first}\n    {second}\n    {verdict}")
    print("Are these derivations the same? (q1, q2 … are the numbers of the text)")
    for title, predicted, gold in _DERIVATIONS:
        verdict = "yes" if derivations_equivalent(predicted, gold) else "no"
        print(f"  {title}\n    predicted {predicted}\n    gold      {gold}\n    {verdict}")
    return 0
