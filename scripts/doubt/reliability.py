"""What confidences are worth: how often answers of a confidence are right, and what is gained by holding back others.

An abstention without any derivation has no confidence; it counts as an answer of confidence 0 that is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

from draw_dataset.files.plot import COLOURS, INK, plot_file

BINS = 10
THRESHOLDS = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)

Answers = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers of about one confidence.

    Attributes:
        low: the least confidence of the bin.
        count: how many answers there are.
        confidence: the mean of their confidences.
        accuracy: the share that is right.
    """

    low: float
    count: int
    confidence: float
    accuracy: float


def confidence_of(answer: Mapping[str, Any]) -> float:
    """Return the confidence of an answer."""
    return float(answer["confidence"] or 0.0)


def bins(answers: Answers) -> list[Bin]:
    """Return the answers in bins of equal width, those that are empty left out.

    >>> bins([{"confidence": 0.91, "right": True}, {"confidence": 1.0, "right": False}])
    [Bin(low=0.9, count=2, confidence=0.955, accuracy=0.5)]
    """
    found: dict[int, list[Mapping[str, Any]]] = {}
    for answer in answers:
        found.setdefault(min(int(confidence_of(answer) * BINS), BINS - 1), []).append(answer)
    return [
        Bin(
            low=at / BINS,
            count=len(listed),
            confidence=sum(map(confidence_of, listed)) / len(listed),
            accuracy=sum(answer["right"] for answer in listed) / len(listed),
        )
        for at, listed in sorted(found.items())
    ]


def calibration_error(answers: Answers) -> float:
    """Return the expected calibration error: how far confidence and accuracy of a bin are apart, on average."""
    return sum(one.count * abs(one.confidence - one.accuracy) for one in bins(answers)) / len(answers)


def log_loss(answers: Answers) -> float:
    """Return the mean of -ln(p), p being the probability that was given to what came out."""
    given = [min(max(confidence_of(a), 0.001), 0.999) for a in answers]
    return sum(-log(p if a["right"] else 1 - p) for p, a in zip(given, answers, strict=True)) / len(answers)


def ranking_quality(answers: Answers) -> float | None:
    """Return how often a right answer has more confidence than a wrong one (the area under the curve)."""
    right = [confidence_of(a) for a in answers if a["right"]]
    wrong = [confidence_of(a) for a in answers if not a["right"]]
    if not right or not wrong:
        return None
    return sum((r > w) + (r == w) / 2 for r in right for w in wrong) / (len(right) * len(wrong))


def selective(answers: Answers, least: float) -> tuple[int, float | None, float | None]:
    """Return how many answers are given from a confidence on, and the shares with right derivation and solution."""
    kept = [answer for answer in answers if answer["confidence"] is not None and confidence_of(answer) >= least]
    if not kept:
        return 0, None, None
    shares = [sum(answer[what] for answer in kept) / len(kept) for what in ("right", "solved")]
    return len(kept), shares[0], shares[1]


def curve(answers: Answers) -> tuple[list[float], list[float]]:
    """Return the shares of answers that are given, the surest first, and the accuracy of each share."""
    ordered = sorted(answers, key=confidence_of, reverse=True)
    covered, accurate, right = [], [], 0
    for count, answer in enumerate(ordered, 1):
        right += answer["right"]
        covered.append(count / len(ordered))
        accurate.append(right / count)
    return covered, accurate


def draw_reliability(named: Mapping[str, Answers], path: Path) -> None:
    """Draw accuracy against confidence, a panel a set; the area of a dot is the number of answers."""
    with plot_file(path, (2.7 * len(named) + 0.4, 2.9), {"font.size": 9}) as figure:
        panels = figure.subplots(1, len(named), sharey=True, squeeze=False)[0]
        for axes, (name, answers) in zip(panels, named.items(), strict=True):
            found = bins(answers)
            axes.plot([0, 1], [0, 1], color=INK, linewidth=0.8, linestyle=":")
            axes.plot([b.confidence for b in found], [b.accuracy for b in found], color=COLOURS[0], linewidth=1)
            sizes = [600 * b.count / len(answers) for b in found]
            axes.scatter(
                [b.confidence for b in found], [b.accuracy for b in found], s=sizes, color=COLOURS[0], alpha=0.7
            )
            axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="confidence")
            axes.set_title(f"{name}, error {calibration_error(answers):.3f}", loc="left", fontsize=9)
        panels[0].set_ylabel("right derivations")


def draw_selective(named: Mapping[str, Answers], path: Path) -> None:
    """Draw the accuracy of the surest answers against their share."""
    with plot_file(path, (4.8, 3.2), {"font.size": 9}) as figure:
        axes = figure.subplots()
        for (name, answers), colour in zip(named.items(), COLOURS, strict=False):
            axes.plot(*curve(answers), color=colour, linewidth=1.2, label=name)
        axes.set(xlim=(0, 1), ylim=(0.5, 1.0), xlabel="share of the problems that are answered")
        axes.set_ylabel("right derivations among them")
        axes.legend(frameon=False, loc="lower left")
