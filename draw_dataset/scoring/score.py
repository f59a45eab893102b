"""The score of a set of predictions: three accuracies, the reasons, and the conditions.

Every score carries its `Signature`. Two scores with equal signatures can be compared; different signatures show what
differs.
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
from draw_dataset.core.row_shapes import rows_of
from draw_dataset.errors import ScoreError, shown
from draw_dataset.scoring.conditions import DataDigest, PredictionKinds
from draw_dataset.scoring.figures import figures_as_data
from draw_dataset.scoring.grading import judge
from draw_dataset.scoring.hints import FirstUnread, Given, hint_for
from draw_dataset.scoring.origin import ROWS
from draw_dataset.scoring.prepared_gold import prepared_gold
from draw_dataset.scoring.reference import SLICES, Reference, ReferenceCache, RowDigests, refused_id
from draw_dataset.scoring.signature import GoldMode, MatchMode, Missing, Options, Signature
from draw_dataset.scoring.verdict import UNREAD, Kind, Reason, Verdict

Item = TypeVar("Item", int, float)


@dataclass(frozen=True, slots=True)
class Score:
    """How good a set of predictions is.

    Attributes:
        count: the number of predictions.
        derivation_accuracy: the share whose derivation is right.
        equation_accuracy: the share that is right by equation accuracy.
        solution_accuracy: the share whose solution is right.
        certain: the share whose derivation is right in every reading; it differs from `derivation_accuracy` only for
            answers of language models.
        undecided: how many derivations are right in some readings and wrong in others, shortcuts included.
        unread: how many predictions could not be read, for any of the reasons in `UNREAD`.
        first_unread: the first of these, with its cause and a hint.
        counts: the number of predictions with each reason.
        right_answers: how many predictions with a right solution have a right derivation, a wrong one, none, or one
            that was not understood.
        mean_references: the average number of derivations that lead to the gold equations.
        references_not_gold: the share of the references of equation accuracy that are not equivalent to gold.
        signature: the data, the options and the version with which the score was computed.
        items: the three verdicts on each prediction in turn, for intervals and slices.
        references: the gold of each prediction in turn; empty if it was too much to keep.
        groups: if references are not kept, the group of each prediction's problem, in turn.
        labels: what the problems of each of these groups have in common, in the order of `SLICES`.
    """

    count: int
    derivation_accuracy: float
    equation_accuracy: float
    solution_accuracy: float
    certain: float
    undecided: int
    unread: int
    first_unread: FirstUnread | None
    counts: dict[str, int]
    right_answers: dict[Kind, int]
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

    @property
    def lucky(self) -> int:
        """How many predictions have a right solution and a wrong derivation."""
        return self.right_answers[Kind.WRONG]

    @property
    def no_derivation(self) -> int:
        """How many predictions only gave numbers and did not say how they were found."""
        return self.counts.get(Reason.NO_DERIVATION, 0)

    @property
    def given(self) -> int:
        """How many predictions did not abstain."""
        return self.count - self.counts.get(Reason.ABSTAINED, 0)

    @property
    def nothing_read(self) -> bool:
        """Whether there were predictions and none of them could be read."""
        return 0 < self.unread == self.given

    @property
    def unread_note(self) -> str:
        """How many predictions could not be read, and what is wrong with the first; empty if all could be read."""
        if self.first_unread is None:
            return ""
        first = self.first_unread
        many = "None" if self.nothing_read else str(self.unread)
        could = "could" if self.nothing_read else "could not"
        hint = f" Hint: {first.hint}." if first.hint else ""
        return (
            f"{many} of {self.given} predictions {could} be read. The first ({first.where}): "
            f"{first.cause.rstrip('.')}{'' if first.cause.endswith('?') else '.'}{hint}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return figures_as_data(self)

    def slices(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the accuracies by properties of the problems: slots, unknowns, ambiguity, kind of numbers.

        Returns:
            For each property and each of its values, the count and the three accuracies.
        """
        listed = [r.labels for r in self.references] if self.references else [self.labels[g] for g in self.groups]
        members: dict[tuple[str, ...], list[int]] = {}
        for i, labels in enumerate(listed):
            members.setdefault(labels, []).append(i)
        return {name: self._sliced(at, members) for at, name in enumerate(SLICES)}

    def _sliced(self, at: int, members: dict[tuple[str, ...], list[int]]) -> dict[str, dict[str, float]]:
        rows_of: dict[str, list[int]] = {}
        for labels, rows in members.items():
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
    match: MatchMode | None = None,
    gold: GoldMode | None = None,
    data: str = ROWS,
    verdicts: list[Verdict] | None = None,
) -> Score:
    """Score predictions against the rows of their problems.

    >>> from draw_dataset.sample import load_sample
    >>> rows = [problem.to_row() for problem in load_sample()["test"]]
    >>> result = score([row["derivation"] for row in rows[:-1]] + [None], rows)
    >>> result.count, round(result.derivation_accuracy, 3), result.counts
    (30, 0.967, {'right': 29, 'abstained': 1})

    Args:
        predictions: the predictions, in any form of `draw_dataset.scoring.prediction`.
        rows: the rows, problems or references, in the same order. Refused rows have no gold and are left out.
        options: how to grade.
        match: when a derivation counts as right; overrides the options, see `Options`.
        gold: which derivations of a row count; overrides the options, see `Options`.
        data: the name of the rows in the signature. By default rows of the release and of the sample are named by
            their origin, such as ``draw1k/test+corrected-v2``, and others ``rows``.
        verdicts: a list to which every verdict is appended, if you want them.

    Raises:
        ScoreError: the numbers of predictions and rows differ, or there are none.
        RowError: a row or its gold cannot be read.
        ChoiceError: the name of the data cannot stand in a signature, or `match` or `gold` has an unknown value.
    """
    tally = Tally(options.matching(match).counting(gold), data)
    references = ReferenceCache()
    if isinstance(predictions, (str, bytes, Mapping)) or not isinstance(predictions, Iterable):
        raise ScoreError(f"predictions: expected a list with one for each row, but got {shown(predictions)}")
    given, listed = list(predictions), rows_of(rows)
    if len(given) != len(listed):
        raise ScoreError(f"expected as many predictions as references, but got {len(given)} and {len(listed)}")
    for prediction, row in zip(given, listed, strict=True):
        if refused_id(row) is not None:
            continue  # it has no gold
        verdict = tally.add(prediction, references.reference(row))
        if verdicts is not None:
            verdicts.append(verdict)
    return tally.result()


class Tally:
    """Counts verdicts one at a time, so that a stream of predictions can be scored in flat memory.

    Args:
        options: how to grade.
        data: the name of the rows in the signature (see `draw_dataset.scoring.origin.name_data`).
        missing: what is done about rows without a prediction.
        keep_references: whether the score shall have them; without them 44 bytes are kept of a prediction.
        given: how predictions are given, which hints depend on.

    Raises:
        ChoiceError: the name of the data cannot stand in a signature.
    """

    def __init__(
        self,
        options: Options,
        data: str,
        *,
        missing: Missing = "error",
        keep_references: bool = True,
        given: Given = "call",
    ) -> None:
        self._options = options
        self._data = DataDigest(options, data)
        self._kinds = PredictionKinds()
        self._rows: set[RowDigests] = set()
        self._missing: Missing = missing
        self._keep_references = keep_references
        self._given: Given = given
        self._derivation = array("d")
        self._equation = array("d")
        self._solution = array("d")
        self._not_gold = array("d")
        self._counts = array("q")
        self._groups = array("I")
        self._labels: dict[tuple[str, ...], int] = {}
        self._reasons: Counter[Reason] = Counter()
        self._right_answers: Counter[Kind] = Counter()
        self._references: list[Reference] = []
        self._certain = 0
        self._undecided = 0
        self._first_unread: FirstUnread | None = None

    def add(self, prediction: Any, reference: Reference, *, is_new: bool | None = None) -> Verdict:
        """Grade a prediction and count it.

        Args:
            prediction: the prediction.
            reference: the gold of its row.
            is_new: whether the row has had no prediction before. If None, it is looked up among all rows so far, which
                are then kept.

        Raises:
            LimitError: the expectation of equation accuracy is asked for over too many derivations.
        """
        prepared = prepared_gold(reference, self._options)
        verdict = judge(prediction, reference, prepared, self._options)
        self._derivation.append(verdict.derivation)
        self._equation.append(verdict.equation)
        self._solution.append(verdict.solution)
        self._certain += verdict.certain
        self._undecided += verdict.derivation and not verdict.certain
        self._reasons[verdict.reason] += 1
        self._right_answers[verdict.reason.kind] += verdict.solution
        if self._first_unread is None and verdict.reason in UNREAD:
            self._first_unread = self._describe(prediction, reference, verdict)
        self._kinds.add(prediction, verdict)
        equations = prepared.equations
        self._not_gold.append(equations.share_not_gold)
        self._counts.append(min(equations.count, _LARGEST_COUNT))
        if is_new is None:
            known = len(self._rows)
            self._rows.add(reference.digests)
            is_new = len(self._rows) > known
        if is_new:
            self._data.add(reference.digests)
        if self._keep_references:
            self._references.append(reference)
        else:
            labels = reference.labels
            group = self._labels.get(labels)
            if group is None:
                self._labels[labels] = group = len(self._labels)
            self._groups.append(group)
        return verdict

    def _describe(self, prediction: Any, reference: Reference, verdict: Verdict) -> FirstUnread:
        where = f"problem {shown(reference.problem.id)}"
        if self._given == "call":
            where = f"predictions[{len(self._derivation) - 1}], {where}"
        return FirstUnread(where, f"{verdict.reason}: {verdict.message}", hint_for(prediction, self._given))

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
            if references:
                references = [r for _, r in sorted(zip(positions, references, strict=True), key=itemgetter(0))]
            else:
                groups = _placed(groups, positions)
        # fsum, as its result does not depend on the order.
        means = {name: fsum(values) / count for name, values in items.items()}
        unread = sum(self._reasons[reason] for reason in UNREAD)
        return Score(
            count=count,
            derivation_accuracy=means["derivation"],
            equation_accuracy=means["equation"],
            solution_accuracy=means["solution"],
            certain=self._certain / count,
            undecided=self._undecided,
            unread=unread,
            first_unread=self._first_unread,
            counts={str(reason): self._reasons[reason] for reason in Reason if self._reasons[reason]},
            right_answers={kind: self._right_answers[kind] for kind in Kind},
            mean_references=sum(self._counts) / count,
            references_not_gold=fsum(self._not_gold) / count,
            signature=self._data.signature(self._kinds, count, self._missing),
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
