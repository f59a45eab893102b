"""Tallies: the score of predictions that were graded in many places, none of which has seen all of them.

A `ShardTally` counts the predictions of one part. It keeps sums: for each problem how many predictions there were and
how many were right, and over all problems the reasons, slices and what the signature needs. Its size depends on the
number of problems, not on the number of predictions. Two tallies add up to the tally of both parts, in any order. Sums
are exact (whole numbers, and fractions for the shares of the expected equation accuracy). So the score of the merged
tally is the same as the score that `draw_dataset.scoring.score` gives for all predictions at once.

Intervals come from a bootstrap over problems: answers to one problem depend on each other, and a billion answers to 600
problems are not a billion independent items. With one prediction for each problem it is the plain bootstrap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from fractions import Fraction
from typing import Any

from draw_dataset.core.problem import ProblemId, is_problem_id
from draw_dataset.errors import RowError, ScoreError, shown
from draw_dataset.scoring.conditions import DataDigest, PredictionKinds
from draw_dataset.scoring.grading import judge
from draw_dataset.scoring.hints import FirstUnread, hint_for
from draw_dataset.scoring.origin import ROWS, Origin
from draw_dataset.scoring.prepared_gold import prepared_gold
from draw_dataset.scoring.reference import Reference, RowDigests
from draw_dataset.scoring.signature import Missing, Options, check_data_name
from draw_dataset.scoring.tallied import ProblemSums, TalliedScore
from draw_dataset.scoring.verdict import UNREAD, Kind, Reason, Verdict
from draw_dataset.version import __version__

_FORMAT = 2


@dataclass(frozen=True, slots=True, order=True)
class _At:
    """The position of a prediction: the number of its shard, then its position there."""

    shard: int
    place: int


class ShardTally:
    """The sums of a part of the predictions; they can be merged with those of other parts.

    Args:
        options: how to grade; only tallies with the same options can be merged.
        data: the name of the rows in the signature; only tallies of the same data can be merged.
        shard: the number of the part; it decides which unread prediction is the first of all.

    Raises:
        ChoiceError: the name of the data cannot stand in a signature.
    """

    __slots__ = (
        "_certain", "_counted", "_first", "_kinds", "_labels", "_not_gold", "_problems", "_reasons",
        "_references", "_right_answers", "_rows", "_undecided", "data", "options", "shard",
    )  # fmt: skip

    def __init__(self, options: Options, data: str = ROWS, shard: int = 0) -> None:
        check_data_name(data)
        self.options = options
        self.data = data
        self.shard = shard
        self._problems: dict[ProblemId, ProblemSums] = {}
        self._labels: dict[tuple[str, ...], int] = {}
        self._reasons: Counter[Reason] = Counter()
        self._not_gold: Counter[float] = Counter()
        self._rows: set[RowDigests] = set()
        self._kinds = PredictionKinds()
        self._references = self._counted = self._certain = self._undecided = 0
        self._right_answers: Counter[Kind] = Counter()
        self._first: tuple[_At, FirstUnread] | None = None

    @property
    def count(self) -> int:
        """How many predictions were counted."""
        return self._counted

    @property
    def ids(self) -> set[ProblemId]:
        """The ids of the problems that had a prediction."""
        return set(self._problems)

    def add(self, prediction: Any, reference: Reference) -> Verdict:
        """Grade a prediction and count it.

        Raises:
            RowError: the gold of the reference cannot be read.
            LimitError: the expectation of equation accuracy is asked for over too many derivations.
        """
        prepared = prepared_gold(reference, self.options)
        verdict = judge(prediction, reference, prepared, self.options)
        problem = reference.problem
        sums = self._problems.get(problem.id)
        if sums is None:
            group = self._labels.setdefault(reference.labels, len(self._labels))
            self._problems[problem.id] = sums = ProblemSums(group)
            self._rows.add(reference.digests)
        sums.add(verdict.derivation, verdict.equation, verdict.solution)
        self._counted += 1
        self._certain += verdict.certain
        self._undecided += verdict.derivation and not verdict.certain
        self._right_answers[verdict.reason.kind] += verdict.solution
        self._reasons[verdict.reason] += 1
        if self._first is None and verdict.reason in UNREAD:
            self._first = _At(self.shard, self._counted), _described(prediction, reference, verdict)
        self._kinds.add(prediction, verdict)
        self._not_gold[prepared.equations.share_not_gold] += 1
        self._references += min(prepared.equations.count, (1 << 63) - 1)
        return verdict

    def merge(self, other: ShardTally) -> None:
        """Add the sums of another part.

        Raises:
            ScoreError: the other part was graded with other options, has another name, or other gold of a problem.
        """
        if (self.options, self.data) != (other.options, other.data):
            raise ScoreError(
                f"tallies: expected the same options and data, but got {_conditions(self)} and {_conditions(other)}"
            )
        names = list(other._labels)
        for id_, sums in other._problems.items():
            own = self._problems.get(id_)
            if own is None:
                labels = names[sums.group]
                self._problems[id_] = own = ProblemSums(self._labels.setdefault(labels, len(self._labels)))
            own.merge(sums)
        self._reasons.update(other._reasons)
        self._not_gold.update(other._not_gold)
        self._references += other._references
        self._rows |= other._rows
        if len(self._rows) > len(self._problems):
            raise ScoreError("tallies: expected the same rows in all parts, but the gold of a problem differs")
        self._kinds.merge(other._kinds)
        self._counted += other._counted
        self._certain += other._certain
        self._undecided += other._undecided
        self._right_answers.update(other._right_answers)
        if other._first is not None and (self._first is None or other._first[0] < self._first[0]):
            self._first = other._first

    def result(self, missing: Missing = "error") -> TalliedScore:
        """Return the score of what was counted.

        Args:
            missing: what was done about rows without a prediction, for the signature.

        Raises:
            ScoreError: nothing was counted.
        """
        count = self._counted
        if not count:
            raise ScoreError("expected at least one prediction, but got none")
        not_gold = sum((Fraction(share) * times for share, times in self._not_gold.items()), Fraction(0))
        return TalliedScore(
            count=count,
            problems=tuple(self._problems.values()),
            labels=tuple(self._labels),
            certain=self._certain / count,
            undecided=self._undecided,
            unread=sum(self._reasons[reason] for reason in UNREAD),
            first_unread=self._first[1] if self._first else None,
            counts={str(reason): self._reasons[reason] for reason in Reason if self._reasons[reason]},
            right_answers={kind: self._right_answers[kind] for kind in Kind},
            mean_references=self._references / count,
            references_not_gold=float(not_gold) / count,
            signature=DataDigest(self.options, self.data, self._rows).signature(self._kinds, count, missing),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the sums as plain data."""
        return {
            "format": _FORMAT,
            "version": __version__,
            "data": self.data,
            "options": {**asdict(self.options), "tolerance": str(self.options.tolerance)},
            "shard": self.shard,
            "count": self._counted,
            "labels": [list(labels) for labels in self._labels],
            "problems": [[id_, *sums.to_json()] for id_, sums in self._problems.items()],
            "reasons": {str(reason): count for reason, count in self._reasons.items()},
            "not_gold": {share.hex(): count for share, count in self._not_gold.items()},
            "references": self._references,
            "rows": [[*map(hex, row[:3]), row.ambiguous, row.origin] for row in sorted(self._rows)],
            "certain": self._certain,
            "undecided": self._undecided,
            "right_answers": {str(kind): count for kind, count in self._right_answers.items()},
            "answers": self._kinds.answers,
            "others": self._kinds.others,
            "prompts": sorted(self._kinds.prompts, key=str),
            "first_unread": None if self._first is None else [*astuple(self._first[0]), *astuple(self._first[1])],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ShardTally:
        """Read the sums again.

        Raises:
            RowError: they are not of that shape, or another version of the package has counted them.
        """
        try:
            if (data["format"], data["version"]) != (_FORMAT, __version__):
                raise RowError(
                    f"tally: expected one of version {__version__}, but got version {shown(data['version'])}"
                )
            given = dict(data["options"])
            options = Options(**{**given, "tolerance": Fraction(given["tolerance"])})
            tally = cls(options, data["data"], int(data["shard"]))
            tally._labels = {tuple(map(str, labels)): place for place, labels in enumerate(data["labels"])}
            if not all(is_problem_id(row[0]) for row in data["problems"]):
                raise RowError("tally: expected ids of problems that are whole numbers or strings")
            tally._problems = {row[0]: ProblemSums.from_json(row[1:]) for row in data["problems"]}
            tally._reasons = Counter({Reason(name): int(count) for name, count in data["reasons"].items()})
            tally._not_gold = Counter({float.fromhex(share): int(n) for share, n in data["not_gold"].items()})
            tally._references = int(data["references"])
            tally._rows = {_row_digests(*row) for row in data["rows"]}
            tally._kinds = PredictionKinds(bool(data["answers"]), bool(data["others"]), set(data["prompts"]))
            tally._counted, tally._certain = int(data["count"]), int(data["certain"])
            tally._undecided = int(data["undecided"])
            tally._right_answers.update({Kind(kind): int(count) for kind, count in data["right_answers"].items()})
            if data["first_unread"] is not None:
                shard, place, *said = data["first_unread"]
                tally._first = _At(int(shard), int(place)), FirstUnread(*said)
        except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
            raise RowError(f"tally: not as this package writes it ({error!r}): {shown(data)}") from error
        if sum(sums.count for sums in tally._problems.values()) != tally._counted:
            raise RowError(
                f"tally: expected {tally._counted} predictions of its problems, but they add up to another number"
            )
        return tally


def _row_digests(gold: str, alternatives: str, asked: str, ambiguous: bool, origin: Sequence[Any] | None) -> RowDigests:
    if origin is not None:
        dataset, split, corrections, corrected = origin
        origin = Origin(str(dataset), str(split), tuple(map(str, corrections)), bool(corrected))
    return RowDigests(int(gold, 16), int(alternatives, 16), int(asked, 16), bool(ambiguous), origin)


def _described(prediction: Any, reference: Reference, verdict: Verdict) -> FirstUnread:
    where = f"problem {shown(reference.problem.id)}"
    return FirstUnread(where, f"{verdict.reason}: {verdict.message}", hint_for(prediction, "file"))


def _conditions(tally: ShardTally) -> str:
    options = tally.options
    return (
        f"{tally.data} (match {options.match}, gold {options.gold}, equation {options.equation}, seed {options.seed}, "
        f"tolerance {options.tolerance}, merge_equiv {options.merge_equiv})"
    )
