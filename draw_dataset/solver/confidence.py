"""How sure a solver may be of an answer: a probability from a few signs of doubt, fitted on answers that were held out.

The score of a derivation says how much better it is than another one of the same text, not how often such a derivation
is right. So training keeps parts of its problems apart, one after the other, lets a model of the others answer them,
and sees which answers are right (`held_out`). A logistic regression then learns what the signs of an answer (`signs`)
say about that. A little is taken from the weights (a ridge), so that a sign that hardly matters hardly counts, and no
probability comes nearer to 0 or 1 than the number of answers that were seen allows.

This holds for texts like those that were held out, and for no others. A text that is stranger than nearly all of them
(`STRANGE`) is no longer one of them, and the probability falls: with one in a thousand texts as strange, it is a
fiftieth of what the signs say. Among the held-out texts themselves that moves little; on problems of another kind it is
what keeps the solver from being sure.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from draw_dataset.errors import ChoiceError, TrainingError, shown
from draw_dataset.solver.answerer import Abstention, SolverAnswer
from draw_dataset.solver.signs import DIRECTIONS, SIGNS, Doubt

T = TypeVar("T")

RIDGE = 1.0
"""How much a weight costs, in terms of one answer; signs are scaled to a standard deviation of 1 first."""

STEPS = 50
"""Steps of Newton's method; it settles after about eight."""

DIGITS = 4
"""Digits of a probability after the point: more would only be noise, and might differ between processors."""

STRANGE = 0.05
"""The share of held-out texts that are strange: the least familiar ones. Chosen on Draw and half of SVAMP."""

FOLDS = 5
"""Parts that are kept apart, one after the other, to see how good answers to unseen problems are."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Turns the signs of an answer into the probability that it is right.

    Attributes:
        weights: the weight of each sign.
        bias: what is added to their sum.
        strange: how familiar the least familiar held-out texts were, in rising order.
        count: how many held-out answers it was fitted on.
    """

    weights: tuple[float, ...]
    bias: float
    strange: tuple[float, ...]
    count: int

    def probability(self, doubt: Doubt) -> float:
        """Return the probability that an answer is right.

        >>> fitted = Calibration(weights=(2.0,), bias=-1.0, strange=(0.4, 0.5, 0.6, 0.7), count=98)
        >>> fitted.probability(Doubt((0.5,), 0.9)), fitted.probability(Doubt((90.0,), 0.9))
        (0.5, 0.99)
        >>> fitted.probability(Doubt((0.5,), 0.3))
        0.101
        """
        total = math.fsum([self.bias, *(w * s for w, s in zip(self.weights, doubt.signs, strict=True))])
        nearest = 1 / (self.count + 2)
        usual = min(max(_logistic(total), nearest), 1 - nearest)
        as_strange = (bisect_right(self.strange, doubt.familiarity) + 1) / (self.count + 1)
        return round(usual * min(1.0, as_strange / STRANGE), DIGITS)

    @classmethod
    def fit(cls, doubts: Sequence[Doubt], right: Sequence[bool], directions: Sequence[int] = DIRECTIONS) -> Calibration:
        """Return the calibration that explains best which answers were right.

        A sign that seems to speak for the opposite of what it means, which happens with few answers, is left out.

        >>> seen = [Doubt((x / 10,), 0.9 + x / 1000) for x in range(20)]
        >>> fitted = Calibration.fit(seen, [x >= 10 for x in range(20)], [1])
        >>> fitted.probability(Doubt((0.2,), 0.95)) < 0.2, fitted.probability(Doubt((1.8,), 0.95)) > 0.8
        (True, True)

        Args:
            doubts: what was seen of each held-out answer.
            right: whether it was right.
            directions: of each sign, 1 if more of it speaks for an answer, -1 if it speaks against it.

        Raises:
            TrainingError: there are no answers.
        """
        if not doubts:
            raise TrainingError("expected held-out answers to calibrate on, but the solver abstained from all of them")
        seen = np.array([doubt.signs for doubt in doubts], dtype=np.float64)
        mean, spread = seen.mean(axis=0), seen.std(axis=0)
        spread[spread == 0] = 1
        x = np.concatenate([np.ones((len(seen), 1)), (seen - mean) / spread], axis=1)
        y = np.array(right, dtype=np.float64)
        kept = list(range(x.shape[1]))
        while True:
            fitted = _regression(x[:, kept], y)
            wrong = [at for at, w in zip(kept, fitted, strict=True) if at and w * directions[at - 1] < 0]
            if not wrong:
                break
            kept = [at for at in kept if at not in wrong]
        w = np.zeros(x.shape[1])
        w[kept] = fitted
        scaled = w[1:] / spread
        bias = float(w[0] - (scaled * mean).sum())
        strange = sorted(round(doubt.familiarity, 6) for doubt in doubts)[: round(STRANGE * len(doubts))]
        return cls(tuple(round(float(weight), 6) for weight in scaled), round(bias, 6), tuple(strange), len(seen))


def held_out(problems: Sequence[T], folds: int, of: Callable[[T], str]) -> Iterator[tuple[list[T], list[T]]]:
    """Yield parts of problems, each with the others: first those to learn from, then those to ask.

    A part is every fifth problem, so that all parts are alike where neighbours are. Problems with the same text stay
    together, or a model would be asked what it has seen.

    >>> list(held_out("abca", 2, str))
    [(['b'], ['a', 'c', 'a']), (['a', 'c', 'a'], ['b'])]

    Args:
        problems: the problems.
        folds: into how many parts they are cut.
        of: the text of a problem.
    """
    part = {text: i % folds for i, text in enumerate(dict.fromkeys(of(problem) for problem in problems))}
    for fold in range(min(folds, len(part))):
        learnt = [problem for problem in problems if part[of(problem)] != fold]
        asked = [problem for problem in problems if part[of(problem)] == fold]
        yield learnt, asked


def check_confidence(least: float, answerer: object) -> None:
    """Refuse a confidence to ask for that is no probability, or that a system cannot tell.

    Raises:
        ChoiceError: it is one of these; says what to do.
    """
    if type(least) not in (int, float) or not 0 <= least <= 1:
        raise ChoiceError(f"min_confidence: expected a probability from 0 to 1, but got {shown(least)}")
    if getattr(answerer, "calibration", None) is None:
        raise ChoiceError(
            "min_confidence: this model cannot tell how sure it is; train it again with calibration, which "
            "draw solve train does by default, and train(..., calibrate=True) in Python"
        )


def held_back(answer: SolverAnswer, least: float | None) -> SolverAnswer:
    """Return an answer, or an abstention if its confidence is lower than what is asked for."""
    if least is None or answer.confidence is None or answer.confidence >= least:
        return answer
    return SolverAnswer(
        None,
        reason=Abstention.LOW_CONFIDENCE,
        message=f"the best derivation is {answer.q_notation}, right with a probability of {answer.confidence:.2f}, "
        f"and at least {least:g} is asked for",
        confidence=answer.confidence,
    )


def calibration_as_data(calibration: Calibration) -> dict[str, Any]:
    """Return a calibration as a file of a model keeps it."""
    return {
        "signs": list(SIGNS),
        "weights": list(calibration.weights),
        "bias": calibration.bias,
        "strange": list(calibration.strange),
        "count": calibration.count,
    }


def read_calibration(data: Any) -> Calibration | None:
    """Return the calibration that a file holds; None if it holds none.

    Raises:
        ValueError: something does not fit; KeyError: something is lacking.
    """
    if data is None:
        return None
    if type(data) is not dict or data["signs"] != list(SIGNS):
        raise ValueError(f"a calibration of other signs than {', '.join(SIGNS)}; train the model again")
    weights, bias, strange, count = data["weights"], data["bias"], data["strange"], data["count"]
    if type(weights) is not list or type(strange) is not list or type(count) is not int or count < 1:
        raise ValueError(f"calibration: {shown(data)}")
    if not all(type(value) is float and math.isfinite(value) for value in (*weights, bias, *strange)):
        raise ValueError("calibration: something that is no number")
    if len(weights) != len(SIGNS) or len(strange) > count or strange != sorted(strange):
        raise ValueError("calibration: weights that do not fit, or texts in disorder")
    return Calibration(tuple(weights), bias, tuple(strange), count)


def _regression(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the weights of a logistic regression with a ridge, by Newton's method."""
    w = np.zeros(x.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        slope = x.T @ (y - p) - RIDGE * w
        bend = (x * (p * (1 - p))[:, None]).T @ x + RIDGE * np.eye(x.shape[1])
        step = np.linalg.solve(bend, slope)
        w = w + step
        if float(np.abs(step).max()) < 1e-9:
            break
    return np.asarray(w)


def _logistic(total: float) -> float:
    return 1 / (1 + math.exp(-total)) if total >= 0 else math.exp(total) / (1 + math.exp(total))
