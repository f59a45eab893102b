"""The score of predictions that were graded in parts, made from sums for each problem: see `tallies`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from draw_dataset.errors import RowError
from draw_dataset.scoring.figures import figures_as_data
from draw_dataset.scoring.hints import FirstUnread
from draw_dataset.scoring.reference import SLICES
from draw_dataset.scoring.signature import Signature
from draw_dataset.scoring.verdict import ACCURACIES, Kind

Exact = int | Fraction


class ProblemSums:
    """How many predictions a problem had, and how many of them were right.

    Attributes:
        group: the labels of the problem, as an index into the list of labels.
        count: the number of predictions.
        derivation, equation, solution: the sums of the three verdicts.
    """

    __slots__ = ("count", "derivation", "equation", "group", "solution")

    def __init__(self, group: int) -> None:
        self.group = group
        self.count = 0
        self.derivation = 0
        self.equation: Exact = 0
        self.solution = 0

    def add(self, derivation: bool, equation: float, solution: bool) -> None:
        """Count the verdict on one prediction."""
        self.count += 1
        self.derivation += derivation
        # A share is a float, which is a fraction exactly: so the sum does not depend on the order.
        self.equation += int(equation) if equation in (0, 1) else Fraction(equation)
        self.solution += solution

    def merge(self, other: ProblemSums) -> None:
        """Add the sums of other predictions for the problem."""
        self.count += other.count
        self.derivation += other.derivation
        self.equation += other.equation
        self.solution += other.solution

    def to_json(self) -> list[Any]:
        """Return the sums as plain data."""
        equation = self.equation if isinstance(self.equation, int) else str(self.equation)
        return [self.group, self.count, self.derivation, equation, self.solution]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> ProblemSums:
        """Read the sums again.

        Raises:
            RowError: they are not sums of as many predictions.
        """
        sums = cls(int(data[0]))
        sums.count, sums.derivation, sums.solution = int(data[1]), int(data[2]), int(data[4])
        sums.equation = Fraction(data[3]) if isinstance(data[3], str) else int(data[3])
        if not all(0 <= value <= sums.count for value in (sums.derivation, sums.equation, sums.solution)):
            raise RowError(f"tally: expected sums of {sums.count} predictions, but got {data!r}")
        return sums


@dataclass(frozen=True, slots=True)
class TalliedScore:
    """How good predictions are, by sums; the figures are those of `draw_dataset.scoring.score.Score`.

    Attributes:
        count: how many predictions there were.
        problems: the sums of each problem.
        labels: what the problems of each group have in common, in the order of `SLICES`.
        certain: the share whose derivation is right in every reading.
        undecided: how many derivations are right in some reading and not in every one.
        unread: how many predictions could not be read.
        first_unread: the first of these, with its cause and a hint.
        counts: how many predictions had each reason.
        right_answers: how many predictions with a right solution have a right derivation, a wrong one, none, or one
            that was not understood.
        mean_references: how many derivations lead to the gold equations, on average.
        references_not_gold: the share of the references of equation accuracy that are not equivalent to gold.
        signature: under which conditions.
    """

    count: int
    problems: tuple[ProblemSums, ...]
    labels: tuple[tuple[str, ...], ...]
    certain: float
    undecided: int
    unread: int
    first_unread: FirstUnread | None
    counts: dict[str, int]
    right_answers: dict[Kind, int]
    mean_references: float
    references_not_gold: float
    signature: Signature

    def accuracy(self, name: str) -> float:
        """Return one of `ACCURACIES`."""
        return _mean(self.problems, name)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data, as `Score.to_dict` does."""
        return figures_as_data(self)

    def slices(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the accuracies by properties of the problems, as `Score.slices` does."""
        result = {}
        for at, name in enumerate(SLICES):
            members: dict[str, list[ProblemSums]] = {}
            for sums in self.problems:
                members.setdefault(self.labels[sums.group][at], []).append(sums)
            result[name] = {
                value: {"n": sum(sums.count for sums in found)}
                | {f"{accuracy}_accuracy": _mean(found, accuracy) for accuracy in ACCURACIES}
                for value, found in sorted(members.items())
            }
        return result

    def intervals(self, level: float = 0.95, samples: int = 10_000, seed: int = 0) -> dict[str, tuple[float, float]]:
        """Return the interval of each accuracy, by a bootstrap over problems."""
        # Imported here: counting does not need numpy.
        from draw_dataset.scoring.comparison import bootstrap_over_groups

        counts = [sums.count for sums in self.problems]
        found = {}
        for name in ACCURACIES:
            sums_of = [float(getattr(sums, name)) for sums in self.problems]
            interval = bootstrap_over_groups(counts, sums_of, level, samples, seed)
            found[name] = (interval.low, interval.high)
        return found

    def to_text(self, intervals: dict[str, tuple[float, float]]) -> str:
        """Return the score for a terminal, with the given intervals."""
        lines = [
            f"{name + ' accuracy':<22}{100 * self.accuracy(name):6.1f} "
            f"[{100 * intervals[name][0]:.1f}, {100 * intervals[name][1]:.1f}]"
            for name in ACCURACIES
        ]
        reasons = ", ".join(f"{name} {count:,}" for name, count in self.counts.items())
        lines += [f"predictions           {self.count:>6,} for {len(self.problems):,} problems", f"reasons: {reasons}"]
        if self.first_unread is not None:
            first = self.first_unread
            hint = f" Hint: {first.hint}." if first.hint else ""
            lines.append(
                f"{self.unread:,} could not be read. The first ({first.where}): {first.cause.rstrip('.')}.{hint}"
            )
        return "\n".join([*lines, f"signature: {self.signature}"])


def _mean(problems: Sequence[ProblemSums], name: str) -> float:
    # As `fsum(values) / count` of all predictions: the exact sum, rounded once, then divided.
    total: Exact = sum((getattr(sums, name) for sums in problems), 0)
    return float(total) / sum(sums.count for sums in problems)
