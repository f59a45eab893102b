"""The question: what do the records of many jobs say together.

The folds of a cross-validation are pooled: the right answers of all folds over the problems of all folds. That gives
one figure a seed; over the seeds there are a mean and a standard deviation. A seed that lacks a fold does not count.
Differences of two settings are taken seed by seed, so that what both have in common drops out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum, sqrt

from reproduction.jobs import Plan
from reproduction.paper import METRICS
from reproduction.store import Record, Records

CORRECTED = "corrected"
"""Where a record has the score on corrected gold. Records made before it was computed have none."""

Variant = tuple[str, int | None]
"""A solver: its name and its k."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure over the seeds.

    Attributes:
        values: its value for each seed, by seed.
    """

    values: Mapping[int, float]

    @property
    def mean(self) -> float:
        """The mean over the seeds."""
        return fsum(self.values.values()) / len(self.values)

    @property
    def deviation(self) -> float | None:
        """The standard deviation of a sample; None if there is one seed only."""
        if len(self.values) < 2:
            return None
        mean = self.mean
        return sqrt(fsum((value - mean) ** 2 for value in self.values.values()) / (len(self.values) - 1))

    def __sub__(self, other: Spread) -> Spread:
        return Spread({seed: v - other.values[seed] for seed, v in self.values.items() if seed in other.values})

    def __str__(self) -> str:
        if not self.values:
            return "–"
        deviation = self.deviation
        # Adding 0 turns a rounded -0.0 into 0.0.
        mean = f"{round(self.mean, 1) + 0:.1f}"
        return mean if deviation is None else f"{mean} ± {deviation:.1f}"

    def as_data(self) -> dict[str, object]:
        """Return the figure as plain data."""
        if not self.values:
            return {"mean": None, "sd": None, "values": []}
        deviation = self.deviation
        return {
            "mean": round(self.mean, 3),
            "sd": None if deviation is None else round(deviation, 3),
            "values": [round(value, 3) for value in self.values.values()],
        }


@dataclass(frozen=True, slots=True)
class Pooled:
    """One solver under one setting on one dataset, the folds of each seed pooled.

    Attributes:
        seeds: the records of each seed that is whole.
    """

    seeds: Mapping[int, tuple[Record, ...]]

    def accuracy(self, metric: str, gold: str = "score") -> Spread:
        """Return an accuracy in percent; on corrected gold, if `CORRECTED` is given."""
        return Spread(
            {
                seed: 100 * fsum(r[gold][f"{metric}_accuracy"] * r[gold]["n"] for r in records) / _total(records)
                for seed, records in self.seeds.items()
            }
        )

    def with_corrected(self) -> Pooled:
        """Return the seeds that are scored on corrected gold as well."""
        return Pooled({seed: found for seed, found in self.seeds.items() if all(CORRECTED in r for r in found)})

    def share(self, *path: str) -> Spread:
        """Return a count of the records, found by a path of keys, in percent of the problems tested."""
        return Spread(
            {
                seed: 100 * sum(_count(record, path) for record in records) / _total(records)
                for seed, records in self.seeds.items()
            }
        )

    @property
    def tested(self) -> int:
        """How many problems are tested with each seed."""
        return _total(next(iter(self.seeds.values()))) if self.seeds else 0


def _total(records: tuple[Record, ...]) -> int:
    return sum(record["score"]["n"] for record in records)


def _count(record: Record, path: tuple[str, ...]) -> int:
    found = record
    for key in path:
        found = found.get(key, {})
    return found if isinstance(found, int) else 0


def pooled(records: Records, plan: Plan, variant: Variant, data: str, setting: str) -> Pooled:
    """Return what the records say of one solver under one setting on one dataset."""
    seeds = {}
    for seed in range(plan.seeds):
        jobs = plan.folds(variant, data, setting, seed)
        if all(job in records for job in jobs):
            seeds[seed] = tuple(records[job] for job in jobs)
    return Pooled(seeds)


def accuracies(found: Pooled) -> list[Spread]:
    """Return the three accuracies in the order of the paper's columns."""
    return [found.accuracy(metric) for metric in METRICS]
