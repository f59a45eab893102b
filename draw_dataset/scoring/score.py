"""The score of a set of predictions: three accuracies, why predictions were wrong, and under which conditions.

Every score carries a signature: the data with a hash of its gold, how many items, every option that can move a figure,
and the versions. Two scores with equal signatures can be compared; two with different ones say where they differ.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from draw_dataset import __version__
from draw_dataset.core.references import POLICY
from draw_dataset.errors import ScoreError
from draw_dataset.scoring.equation import EquationReferences
from draw_dataset.scoring.grading import grade
from draw_dataset.scoring.options import METRIC_VERSION, Options
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.verdict import Reason, Verdict


@dataclass(frozen=True, slots=True)
class Score:
    """How good a set of predictions is.

    Attributes:
        count: how many predictions there were.
        derivation_accuracy: the share whose derivation is right.
        equation_accuracy: the share that equation accuracy finds right.
        solution_accuracy: the share whose solution is right.
        counts: how many predictions had each reason.
        lucky: how many had a right solution and a wrong derivation.
        mean_references: how many derivations lead to the gold equations, on average.
        references_not_gold: the share of the references of equation accuracy that are not equivalent to gold.
        signature: under which conditions.
        items: the three answers for each prediction in turn, for intervals and slices.
        references: the gold of each prediction in turn.
    """

    count: int
    derivation_accuracy: float
    equation_accuracy: float
    solution_accuracy: float
    counts: dict[str, int]
    lucky: int
    mean_references: float
    references_not_gold: float
    signature: str
    items: dict[str, array[float]]
    references: tuple[Reference, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "derivation_accuracy": self.derivation_accuracy,
            "equation_accuracy": self.equation_accuracy,
            "solution_accuracy": self.solution_accuracy,
            "counts": self.counts,
            "right_answer_wrong_derivation": self.lucky,
            "mean_references": self.mean_references,
            "references_not_gold": self.references_not_gold,
            "n": self.count,
            "signature": self.signature,
        }

    def slices(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the accuracies by properties of the problems: slots, unknowns, ambiguity.

        Returns:
            Property -> value -> count and the three accuracies.
        """
        return {name: self._sliced(key) for name, key in _SLICES.items()}

    def _sliced(self, key: Callable[[Reference], str]) -> dict[str, dict[str, float]]:
        members: dict[str, list[int]] = {}
        for i, reference in enumerate(self.references):
            members.setdefault(key(reference), []).append(i)
        return {
            value: {"n": len(rows)}
            | {f"{name}_accuracy": sum(values[i] for i in rows) / len(rows) for name, values in self.items.items()}
            for value, rows in sorted(members.items())
        }


def _ambiguity(reference: Reference) -> str:
    """Say whether an aligned value stands on two or more numbers of the text."""
    values = Counter(number.value for number in reference.problem.numbers)
    aligned = (reference.by_place.get(place) for place in reference.derivation.places)
    return "ambiguous" if any(number and values[number.value] > 1 for number in aligned) else "unambiguous"


_SLICES: dict[str, Callable[[Reference], str]] = {
    "slots": lambda reference: str(len(reference.derivation.template.slots)),
    "unknowns": lambda reference: str(len(reference.derivation.template.unknowns)),
    "ambiguity": _ambiguity,
}


def score(
    predictions: Iterable[Any],
    rows: Sequence[Mapping[str, Any] | Reference],
    options: Options = Options(),  # noqa: B008
    *,
    data: str = "rows",
    verdicts: list[Verdict] | None = None,
) -> Score:
    """Score predictions against the rows of their problems, in the same order.

    Args:
        predictions: see `draw_dataset.scoring.prediction`.
        rows: the rows, or their references.
        options: how to grade.
        data: what the rows are called in the signature, as in ``draw1k/test``.
        verdicts: a list to which every verdict is added, if they are wanted.

    Raises:
        ScoreError: the numbers of predictions and rows differ, or there are none.
        RowError: a row is none, or its gold cannot be read.
    """
    tally = Tally(options, data)
    known: dict[int, Reference] = {}
    given = list(predictions)
    if len(given) != len(rows):
        raise ScoreError(f"expected as many predictions as references, but got {len(given)} and {len(rows)}")
    for prediction, row in zip(given, rows, strict=True):
        if isinstance(row, Reference):
            reference = row
        else:
            # A row that comes again is the same object in a list of rows; preparing it costs more than grading.
            found = known.get(id(row))
            if found is None:
                known[id(row)] = found = Reference.of(row)
            reference = found
        verdict = tally.add(prediction, reference)
        if verdicts is not None:
            verdicts.append(verdict)
    return tally.result()


class Tally:
    """Counts verdicts one at a time, so that a stream of predictions can be scored in flat memory."""

    def __init__(self, options: Options, data: str) -> None:
        self._options = options
        self._data = data
        self._items = {name: array("d") for name in ("derivation", "equation", "solution")}
        self._reasons: Counter[Reason] = Counter()
        self._references: list[Reference] = []
        self._lucky = 0

    def add(self, prediction: Any, reference: Reference) -> Verdict:
        """Grade a prediction and count it."""
        verdict = grade(prediction, reference, self._options)
        self._items["derivation"].append(verdict.derivation)
        self._items["equation"].append(verdict.equation)
        self._items["solution"].append(verdict.solution)
        self._reasons[verdict.reason] += 1
        self._lucky += verdict.solution and not verdict.derivation
        self._references.append(reference)
        return verdict

    def result(self) -> Score:
        """Return the score of what was counted.

        Raises:
            ScoreError: nothing was.
        """
        count = len(self._references)
        if not count:
            raise ScoreError("expected at least one prediction, but got none")
        means = {name: sum(values) / count for name, values in self._items.items()}
        chosen: list[EquationReferences] = [
            r.memory[self._options] for r in self._references if self._options in r.memory
        ]
        return Score(
            count=count,
            derivation_accuracy=means["derivation"],
            equation_accuracy=means["equation"],
            solution_accuracy=means["solution"],
            counts={str(reason): self._reasons[reason] for reason in Reason if self._reasons[reason]},
            lucky=self._lucky,
            mean_references=sum(c.count for c in chosen) / len(chosen) if chosen else 0.0,
            references_not_gold=sum(1 - c.gold_share for c in chosen) / len(chosen) if chosen else 0.0,
            signature=self._signature(count),
            items=self._items,
            references=tuple(self._references),
        )

    def _signature(self, count: int) -> str:
        constants = POLICY.replace(" ", "-")
        return (
            f"deriv|data:{self._data}@{_data_hash(self._references)}|n:{count}|{self._options.signature()}"
            f"|const:{constants}|metric:{METRIC_VERSION}|version:{__version__}"
        )


def _data_hash(references: Iterable[Reference]) -> str:
    """Return a hash of the gold of all items, whatever their order."""
    known: dict[int, int] = {}
    total = 0
    for reference in references:
        digest = known.get(id(reference))
        if digest is None:
            row = reference.problem.to_row()
            row.pop("findings")
            known[id(reference)] = digest = int.from_bytes(hashlib.sha256(repr(row).encode()).digest(), "big")
        total += digest
    return f"{total % (1 << 256):064x}"[-8:]
