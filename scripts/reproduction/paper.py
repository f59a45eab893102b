"""What the paper prints in its Tables 3, 4 and 5 (those of Table 2 are kept in `draw_dataset.statistics.figures`)."""

from __future__ import annotations

from typing import NamedTuple


class Accuracies(NamedTuple):
    """The three accuracies of a system, in percent, in the order of the paper's columns."""

    solution: float
    equation: float
    derivation: float


METRICS = Accuracies._fields
"""The metrics, in the order of the paper's columns."""

TABLE3 = {
    ("alg514", "TE"): Accuracies(76.2, 72.7, 75.5),
    ("alg514", "TD"): Accuracies(78.4, 73.9, 77.8),
    ("draw1k", "TE"): Accuracies(52.0, 48.0, 48.0),
    ("draw1k", "TD"): Accuracies(55.0, 48.0, 53.0),
    ("dolphin_l", "TE"): Accuracies(55.1, 50.1, 44.2),
    ("dolphin_l", "TD"): Accuracies(57.5, 36.8, 54.9),
}
"""Training on equations and on derivations, by training data and setting."""

TABLE4 = {
    ("draw1k+alg514", "TE"): Accuracies(32.5, 31.5, 29.5),
    ("draw1k+alg514", "TE*"): Accuracies(60.5, 56.0, 54.0),
    ("draw1k+alg514", "TD"): Accuracies(62.0, 53.0, 59.5),
    ("draw1k+dolphin_l", "TE"): Accuracies(41.0, 37.5, 37.5),
    ("draw1k+dolphin_l", "TE*"): Accuracies(58.5, 55.5, 51.5),
    ("draw1k+dolphin_l", "TD"): Accuracies(60.0, 53.0, 58.0),
}
"""Training on two datasets, tested on Draw-1k."""

ACCURACIES = {**TABLE3, **TABLE4}


TABLE5 = {
    "alg514": {"ours": 76.2, "KAZB": 68.7, "ZDC": 79.7},
    "draw1k": {"ours": 52.0, "KAZB": 43.2},
    "dolphin_l": {"ours": 55.1, "KAZB": 37.5, "SWLLR": 46.3},
}
"""Solution accuracies of solvers side by side, in percent; ``ours`` is the paper's own solver, trained on equations."""
