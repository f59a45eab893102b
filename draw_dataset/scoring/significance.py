"""Bootstrap intervals and paired randomisation tests.

Neither draws items one by one. How often each value is drawn is a multinomial variable, and how many of k equal
differences keep their sign is a binomial one. Drawing these directly gives the same distributions, for any number of
items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from draw_dataset.errors import ScoreError

SAMPLES = 10_000
LEVEL = 0.95

_MOST_DRAWN = 10_000_000
"""How many numbers are drawn at a time."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two systems on the same items."""

    difference: float  # the mean of the first minus the mean of the second
    p_value: float  # how often a difference at least as large occurs if the systems are the same


def bootstrap_interval(
    values: Sequence[float], level: float = LEVEL, samples: int = SAMPLES, seed: int = 0
) -> Interval:
    """Return the bootstrap interval of the mean of values."""
    items = np.asarray(values, dtype=np.float64)
    if not items.size:
        raise ScoreError("interval: expected at least one value, but got none")
    different, counts = np.unique(items, return_counts=True)
    draws = np.random.default_rng(seed).multinomial(items.size, counts / items.size, size=samples)
    low, high = np.quantile(draws @ different / items.size, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def bootstrap_over_groups(
    counts: Sequence[int], sums: Sequence[float], level: float = LEVEL, samples: int = SAMPLES, seed: int = 0
) -> Interval:
    """Return the bootstrap interval of the mean of values that come in groups, drawing whole groups.

    Groups of the same count and sum are drawn together, and samples a few at a time, so that many groups cost time and
    not memory. With groups of one value each it is `bootstrap_interval`.

    >>> bootstrap_over_groups([1] * 100, [1.0] * 50 + [0.0] * 50)
    Interval(low=0.4, high=0.6)
    """
    groups = np.column_stack([np.asarray(counts, dtype=np.float64), np.asarray(sums, dtype=np.float64)])
    if not groups.size:
        raise ScoreError("interval: expected at least one group, but got none")
    different, times = np.unique(groups, axis=0, return_counts=True)
    rng = np.random.default_rng(seed)
    means: list[np.ndarray] = []
    step = max(1, _MOST_DRAWN // len(different))
    for start in range(0, samples, step):
        drawn = rng.multinomial(len(groups), times / len(groups), size=min(step, samples - start)) @ different
        means.append(drawn[:, 1] / drawn[:, 0])
    low, high = np.quantile(np.concatenate(means), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def randomisation_test(
    first: Sequence[float], second: Sequence[float], samples: int = SAMPLES, seed: int = 0
) -> Difference:
    """Test whether two systems differ on the same items."""
    if len(first) != len(second) or not len(first):
        raise ScoreError(
            f"comparison: expected two equally long lists of values, but got {len(first)} and {len(second)}"
        )
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    observed = float(differences.sum())
    sizes, counts = np.unique(np.abs(differences), return_counts=True)
    kept = np.random.default_rng(seed).binomial(counts, 0.5, size=(samples, counts.size))
    totals = (2 * kept - counts) @ sizes
    # A small margin: equal sums stay equal if they are added in another order.
    as_large = int(np.count_nonzero(np.abs(totals) >= abs(observed) - 1e-9))
    return Difference(observed / len(first), (1 + as_large) / (1 + samples))
