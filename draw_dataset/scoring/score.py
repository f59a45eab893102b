"""The score of a set of predictions: three accuracies, why predictions were wrong, and under which conditions.

Every score carries its `Signature`. Two scores with equal signatures can be compared; two with different ones say where
they differ.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from operator import itemgetter
from typing import Any, TypeVar

from draw_dataset.core.problem import Problem
from draw_dataset.errors import ScoreError
from draw_dataset.scoring.grading import judge
from draw_dataset.scoring.reference import SLICES, Reference
from draw_dataset.scoring.signature import Missing, Options, Signature, check_data_name
from draw_dataset.scoring.standard import standard_of
from draw_dataset.scoring.verdict import ACCURACIES, Reason, Verdict

Item = TypeVar("Item", int, float)


@dataclass(frozen=True, slots=True)
class Score:
    """How good a set of predictions is.

    Attributes:
        count: how many predictions there were.
        derivation_accuracy: the share whose derivation is right.
        equation_accuracy: the share that equation accuracy finds right.
        solution_accuracy: the share whose solution is right.
        certain: the share whose derivation is right in every reading; of anything but answers of language models, the
            share whose derivation is right.
        counts: how many predictions had each reason.
        lucky: how many had a right solution and a wrong derivation.
        mean_references: how many derivations lead to the gold equations, on average.
        references_not_gold: the share of the references of equation accuracy that are not equivalent to gold.
        signature: under which conditions.
        items: the three answers for each prediction in turn, for intervals and slices.
        references: the gold of each prediction in turn; nothing if it was too much to keep.
        groups: which group each prediction's problem belongs to, in turn.
        labels: what the problems of each group have in common, in the order of `SLICES`.
    """

    count: int
    derivation_accuracy: float
    equation_accuracy: float
    solution_accuracy: float
    certain: float
    counts: dict[str, int]
    lucky: int
    mean_references: float
    references_not_gold: float
    signature: Signature
    items: dict[str, array[float]]
    references: tuple[Reference, ...]
    groups: array[int]
    labels: tuple[tuple[str, ...], ...]

    def accuracy(self, name: str) -> float:
        """Return one of `ACCURACIES`."""
        value: float = getattr(self, f"{name}_accuracy")
        return value

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            **{f"{name}_accuracy": self.accuracy(name) for name in ACCURACIES},
            "derivation_accuracy_certain": self.certain,
            "counts": self.counts,
            "right_answer_wrong_derivation": self.lucky,
            "mean_references": self.mean_references,
            "references_not_gold": self.references_not_gold,
            "n": self.count,
            "signature": str(self.signature),
        }

    def slices(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the accuracies by properties of the problems: slots, unknowns, ambiguity, kind of numbers.

        Returns:
            Property -> value -> count and the three accuracies.
        """
        members: list[list[int]] = [[] for _ in self.labels]
        for i, group in enumerate(self.groups):
            members[group].append(i)
        return {name: self._sliced(at, members) for at, name in enumerate(SLICES)}

    def _sliced(self, at: int, members: list[list[int]]) -> dict[str, dict[str, float]]:
        rows_of: dict[str, list[int]] = {}
        for labels, rows in zip(self.labels, members, strict=True):
            rows_of.setdefault(labels[at], []).extend(rows)
        return {
            value: {"n": len(rows)}
            | {f"{name}_accuracy": fsum([values[i] for i in rows]) / len(rows) for name, values in self.items.items()}
            for value, rows in sorted(rows_of.items())
        }


def score(
    predictions: Iterable[Any],
    rows: Sequence[Mapping[str, Any] | Problem | Reference],
    options: Options = Options(),  # noqa: B008
    *,
    data: str = "rows",
    verdicts: list[Verdict] | None = None,
) -> Score:
    """Score predictions against the rows of their problems, in the same order.

    Args:
        predictions: see `draw_dataset.scoring.prediction`.
        rows: the rows, the problems or the references, as many.
        options: how to grade.
        data: what the rows are called in the signature, as in ``draw1k/test``.
        verdicts: a list to which every verdict is added, if they are wanted.

    Raises:
        ScoreError: the numbers of predictions and rows differ, or there are none.
        RowError: a row is none, or its gold cannot be read.
        ChoiceError: the name of the data cannot stand in a signature.
    """
    tally = Tally(options, data)
    known: dict[int, Reference] = {}
    given = list(predictions)
    if len(given) != len(rows):
        raise ScoreError(f"expected as many predictions as references, but got {len(given)} and {len(rows)}")
    for prediction, row in zip(given, rows, strict=True):
        # A row that comes again is the same object in a list of rows; preparing it costs more than grading.
        reference = row if isinstance(row, Reference) else known.get(id(row))
        if reference is None:
            known[id(row)] = reference = Reference.of(row)
        verdict = tally.add(prediction, reference)
        if verdicts is not None:
            verdicts.append(verdict)
    return tally.result()


class Tally:
    """Counts verdicts one at a time, so that a stream of predictions can be scored in flat memory.

    Args:
        options: how to grade.
        data: what the rows are called in the signature.
        missing: what is done about rows without a prediction.
        keep_references: whether the score shall have them; without them 44 bytes are kept of a prediction.

    Raises:
        ChoiceError: the name of the data cannot stand in a signature.
    """

    def __init__(
        self, options: Options, data: str, *, missing: Missing = "error", keep_references: bool = True
    ) -> None:
        check_data_name(data)  # now, and not after an hour of scoring
        self._options = options
        self._data = data
        self._missing: Missing = missing
        self._keep_references = keep_references
        self._derivation = array("d")
        self._equation = array("d")
        self._solution = array("d")
        self._not_gold = array("d")
        self._counts = array("q")
        self._groups = array("I")
        self._labels: dict[tuple[str, ...], int] = {}
        self._reasons: Counter[Reason] = Counter()
        self._references: list[Reference] = []
        self._digests = 0
        self._certain = 0

    def add(self, prediction: Any, reference: Reference) -> Verdict:
        """Grade a prediction and count it.

        Raises:
            LimitError: the expectation of equation accuracy is asked for over too many derivations.
        """
        standard = standard_of(reference, self._options)
        verdict = judge(prediction, reference, standard, self._options)
        self._derivation.append(verdict.derivation)
        self._equation.append(verdict.equation)
        self._solution.append(verdict.solution)
        self._certain += verdict.certain
        self._reasons[verdict.reason] += 1
        equations = standard.equations
        self._not_gold.append(equations.share_not_gold)
        self._counts.append(min(equations.count, _LARGEST_COUNT))
        facts = reference.facts
        group = self._labels.get(facts.labels)
        if group is None:
            self._labels[facts.labels] = group = len(self._labels)
        self._groups.append(group)
        self._digests += facts.digest
        if self._keep_references:
            self._references.append(reference)
        return verdict

    def result(self, positions: Sequence[int] | None = None) -> Score:
        """Return the score of what was counted.

        Args:
            positions: the place of each prediction in the score, if they did not come in order.

        Raises:
            ScoreError: nothing was counted.
        """
        count = len(self._derivation)
        if not count:
            raise ScoreError("expected at least one prediction, but got none")
        items = {"derivation": self._derivation, "equation": self._equation, "solution": self._solution}
        references, groups = self._references, self._groups
        if positions is not None:
            items = {name: _placed(values, positions) for name, values in items.items()}
            groups = _placed(groups, positions)
            if references:
                references = [r for _, r in sorted(zip(positions, references, strict=True), key=itemgetter(0))]
        # fsum, as its result does not depend on the order.
        means = {name: fsum(values) / count for name, values in items.items()}
        lucky = sum(s > d for s, d in zip(items["solution"], items["derivation"], strict=True))
        return Score(
            count=count,
            derivation_accuracy=means["derivation"],
            equation_accuracy=means["equation"],
            solution_accuracy=means["solution"],
            certain=self._certain / count,
            counts={str(reason): self._reasons[reason] for reason in Reason if self._reasons[reason]},
            lucky=lucky,
            mean_references=sum(self._counts) / count,
            references_not_gold=fsum(self._not_gold) / count,
            signature=Signature(self._data, self._digests, count, self._options, self._missing),
            items=items,
            references=tuple(references),
            groups=groups,
            labels=tuple(self._labels),
        )


_LARGEST_COUNT = (1 << 63) - 1


def _placed(values: array[Item], positions: Sequence[int]) -> array[Item]:
    """Return the values, each at its position."""
    placed = values[:]
    for position, value in zip(positions, values, strict=True):
        placed[position] = value
    return placed
