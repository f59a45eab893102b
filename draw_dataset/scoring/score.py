"""Scores: verdicts are counted, and the counts become accuracies, reasons and a signature.

A `Tally` grades predictions one at a time; its `result` is a `Score`. `ItemResults` keeps the results of each
prediction, for paired tests. `ProblemResults` keeps sums for each problem, so tallies of several parts can be merged in
any order (`score_shard`, `merge_tallies`; docs/scale.md). All sums are exact, so both ways give the same score. In the
signature every row counts once, however many predictions it has. Intervals come from a bootstrap over problems, because
answers to one problem depend on each other. If every problem has several samples, `Score.pass_at` is the chance that at
least one of k is right: 1 - C(n - c, k) / C(n, k) for c right samples of n, averaged over the problems.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import asdict, astuple, dataclass, field
from fractions import Fraction
from math import comb
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from draw_dataset.derivation.problem import Problem, ProblemId, is_problem_id
from draw_dataset.errors import ChoiceError, RowError, ScoreError, short_repr
from draw_dataset.io.markup import Row, Table
from draw_dataset.scoring.gold import (
    ROWS,
    SLICES,
    Origin,
    PreparedProblem,
    PreparedProblemCache,
    RowDigests,
    name_data,
    refused_id,
)
from draw_dataset.scoring.gold_rows import FiledReferences, ListedReferences, lacking, unknown_id
from draw_dataset.scoring.grading import judge, pair_with_rows
from draw_dataset.scoring.options import (
    GoldMode,
    MatchMode,
    Missing,
    Options,
    Signature,
    check_data_name,
    gold_used,
    match_used,
)
from draw_dataset.scoring.prediction import FirstUnread, Given, answer_of, hint_for
from draw_dataset.scoring.verdict import ACCURACIES, UNREAD, Kind, Reason, Verdict, is_open, status_of
from draw_dataset.scoring.workers import Graded
from draw_dataset.version import __version__

if TYPE_CHECKING:
    from pandas import DataFrame

_FORMAT = 3
_LARGEST_COUNT = (1 << 63) - 1

Item = TypeVar("Item", int, float)
Labels = tuple[str, ...]
"""The values of a problem for each of `SLICES`."""


@dataclass(slots=True)
class Sums:
    """The exact sums of the verdicts on some predictions."""

    group: int = 0  # for one problem, the index of its labels
    count: int = 0  # the number of predictions. derivation, equation, solution: the sums of the three results
    derivation: int = 0
    equation: int | Fraction = 0
    solution: int = 0

    def add(self, derivation: float, equation: float, solution: float) -> None:
        """Count one verdict."""
        self.count += 1
        self.derivation += int(derivation)
        # A share is a float, which is a fraction exactly: so the sum does not depend on the order.
        self.equation += int(equation) if equation in (0, 1) else Fraction(equation)
        self.solution += int(solution)

    def merge(self, other: Sums) -> None:
        """Add other sums."""
        self.count += other.count
        self.derivation += other.derivation
        self.equation += other.equation
        self.solution += other.solution

    def means(self) -> dict[str, float]:
        """Return the three accuracies, each an exact sum that is rounded once and then divided."""
        return {name: float(getattr(self, name)) / self.count for name in ACCURACIES}

    def to_json(self) -> list[Any]:
        """Return the sums as plain data."""
        equation = self.equation if isinstance(self.equation, int) else str(self.equation)
        return [self.group, self.count, self.derivation, equation, self.solution]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Sums:
        """Read the sums of a problem again; raises `RowError` if they are not sums of as many predictions."""
        equation = Fraction(data[3]) if isinstance(data[3], str) else int(data[3])
        sums = cls(int(data[0]), int(data[1]), int(data[2]), equation, int(data[4]))
        if not all(0 <= value <= sums.count for value in (sums.derivation, sums.equation, sums.solution)):
            raise RowError(f"tally: expected sums of {sums.count} predictions, but got {data!r}")
        return sums


SAMPLED = ("derivation", "solution")
"""The accuracies with a pass@k; equation accuracy may be a share."""


class ProblemCounts(NamedTuple):
    """The predictions of the problems of a score, problem by problem."""

    counts: Sequence[int]  # how many predictions a problem has
    sums: Sequence[float]  # the sum of one accuracy over them


def pass_at_k(right: Sequence[float], samples: int | Sequence[int], k: int) -> float:
    """Return the chance that at least one of k samples is right, averaged over problems.

    >>> pass_at_k([0, 1, 2], samples=2, k=1), pass_at_k([0, 1, 2], samples=2, k=2)
    (0.5, 0.6666666666666666)

    Args:
        right: how many samples of each problem are right.
        samples: how many samples each problem has, or all of them have.
        k: how many samples are drawn; at most the smallest number of samples.
    """
    counts = [samples] * len(right) if isinstance(samples, int) else samples
    return float(sum(_chances(right, counts, k), Fraction(0)) / len(right))


def _chances(right: Sequence[float], counts: Sequence[int], k: int) -> list[Fraction]:
    """Return the chance of each problem that at least one of k of its samples is right, exactly."""
    return [1 - Fraction(comb(n - int(c), k), comb(n, k)) for c, n in zip(right, counts, strict=True)]


def default_ks(samples: int) -> tuple[int, ...]:
    """Return the numbers of samples of which pass@k is shown: 1, 2, 4, 8, … and all of them.

    >>> default_ks(10), default_ks(1)
    ((1, 2, 4, 8, 10), ())
    """
    if samples < 2:
        return ()
    return tuple(sorted({1 << power for power in range(samples.bit_length())} | {samples}))


_REASONS = {reason: place for place, reason in enumerate(Reason)}


class ItemResults:
    """The results of each prediction in turn, and the labels of its problem."""

    def __init__(self, *, keep_references: bool = True, keep_messages: bool = False) -> None:
        self.items = {name: array("d") for name in ACCURACIES}
        self.references: list[PreparedProblem] = []
        self._keep_references = keep_references
        self._reasons = array("B")  # the place of each reason among all reasons
        self._certain = array("B")
        self._messages: list[str] | None = [] if keep_messages else None
        self._problems = array("q")  # for each prediction a number of its problem; samples of a problem share it
        self._groups = array("I")
        self._labels: dict[Labels, int] = {}

    def fresh(self) -> ItemResults:
        """Return results of the same kind without any."""
        return ItemResults(keep_references=self._keep_references, keep_messages=self._messages is not None)

    def __len__(self) -> int:
        return len(self.items["derivation"])

    def add(self, verdict: Verdict, reference: PreparedProblem, problem: int | None = None) -> None:
        """Keep the results of a prediction: 38 bytes, and its reference and message if these are kept."""
        items = self.items
        self._problems.append(len(self) if problem is None else problem)
        items["derivation"].append(verdict.derivation)
        items["equation"].append(verdict.equation)
        items["solution"].append(verdict.solution)
        self._reasons.append(_REASONS[verdict.reason])
        self._certain.append(verdict.certain)
        if self._messages is not None:
            self._messages.append(verdict.message)
        if self._keep_references:
            self.references.append(reference)
        else:
            self._groups.append(self._labels.setdefault(reference.labels, len(self._labels)))

    def place(self, positions: Sequence[int]) -> ItemResults:
        """Return the results with each prediction at its position."""
        placed = copy(self)
        placed.items = {name: _place(values, positions) for name, values in self.items.items()}
        placed._problems = _place(self._problems, positions)
        placed._reasons, placed._certain = _place(self._reasons, positions), _place(self._certain, positions)
        if self._messages is not None:
            placed._messages = [message for _, message in sorted(zip(positions, self._messages, strict=True))]
        if self._keep_references:
            pairs = sorted(zip(positions, self.references, strict=True), key=itemgetter(0))
            placed.references = [reference for _, reference in pairs]
        else:
            placed._groups = _place(self._groups, positions)
        return placed

    def rows(self) -> list[dict[str, Any]]:
        """Return the results of each prediction with the id of its problem; raises `ScoreError` if no id was kept."""
        if not self._keep_references:
            raise ScoreError("verdicts: the ids of these predictions were not kept; draw score --verdicts writes them")
        reasons = list(Reason)
        found = []
        is_sampled, samples = self._is_sampled(), Counter[int]()
        for at, reference in enumerate(self.references):
            derivation, reason = bool(self.items["derivation"][at]), reasons[self._reasons[at]]
            problem = self._problems[at]
            sample = {"sample": samples[problem]} if is_sampled else {}
            samples[problem] += 1
            row = {
                "id": reference.problem.id,
                **sample,
                "derivation": derivation,
                "equation": self.items["equation"][at],
                "solution": bool(self.items["solution"][at]),
                "status": str(status_of(reason, derivation=derivation)),
                "reason": str(reason),
            }
            message = {} if self._messages is None else {"message": self._messages[at]}
            found.append({**row, **message, "certain": bool(self._certain[at])})
        return found

    def _is_sampled(self) -> bool:
        """Decide whether any problem has several predictions."""
        return len(set(self._problems)) < len(self)

    def groups(self, name: str) -> ProblemCounts:
        """Return how many predictions each problem has, and their sum of one accuracy."""
        if not self._is_sampled():
            return ProblemCounts([1] * len(self), self.items[name])
        counts: Counter[int] = Counter(self._problems)
        sums = dict.fromkeys(counts, 0.0)
        for problem, value in zip(self._problems, self.items[name], strict=True):
            sums[problem] += value
        return ProblemCounts(list(counts.values()), list(sums.values()))

    def by_labels(self) -> dict[Labels, Sums]:
        """Return the sums of the predictions with the same labels."""
        names = list(self._labels)
        labels = [one.labels for one in self.references] or [names[group] for group in self._groups]
        found: dict[Labels, Sums] = {}
        for one, *results in zip(labels, *self.items.values(), strict=True):
            found.setdefault(one, Sums()).add(*results)
        return found


class ProblemResults:
    """The sums of the results of each problem."""

    def __init__(self) -> None:
        self.sums: dict[ProblemId, Sums] = {}
        self.labels: dict[Labels, int] = {}

    items: Mapping[str, array[float]] = MappingProxyType({})
    references: Sequence[PreparedProblem] = ()
    """No result of a single prediction is kept."""

    def fresh(self) -> ProblemResults:
        """Return results of the same kind without any."""
        return ProblemResults()

    def __len__(self) -> int:
        return len(self.sums)

    def add(self, verdict: Verdict, reference: PreparedProblem, problem: int | None = None) -> None:  # noqa: ARG002
        """Count the results of a prediction; its problem is told by the id."""
        sums = self.sums.get(reference.problem.id)
        if sums is None:
            sums = self.sums[reference.problem.id] = self._new(reference.labels)
        sums.add(verdict.derivation, verdict.equation, verdict.solution)

    def _new(self, labels: Labels) -> Sums:
        return Sums(self.labels.setdefault(labels, len(self.labels)))

    def merge(self, other: ProblemResults) -> None:
        """Add the sums of another part."""
        names = list(other.labels)
        for id_, sums in other.sums.items():
            if id_ not in self.sums:
                self.sums[id_] = self._new(names[sums.group])
            self.sums[id_].merge(sums)

    def groups(self, name: str) -> ProblemCounts:
        """Return how many predictions each problem has, and their sum of one accuracy."""
        sums = self.sums.values()
        return ProblemCounts([one.count for one in sums], [float(getattr(one, name)) for one in sums])

    def by_labels(self) -> dict[Labels, Sums]:
        """Return the sums of the problems with the same labels."""
        names = list(self.labels)
        found: dict[Labels, Sums] = {}
        for sums in self.sums.values():
            found.setdefault(names[sums.group], Sums()).merge(sums)
        return found


def _place(values: array[Item], positions: Sequence[int]) -> array[Item]:
    placed = values[:]
    for position, value in zip(positions, values, strict=True):
        placed[position] = value
    return placed


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a set of predictions.

    Attributes:
        count: the number of predictions.
        derivation_accuracy: the share whose derivation is right.
        equation_accuracy: the share that is right by equation accuracy.
        solution_accuracy: the share whose solution is right.
        certain: the share whose derivation is right in every reading; it differs from `derivation_accuracy` only for
            model answers.
        undecided: how many derivations are right in some readings and wrong in others, shortcuts included.
        first_unread: the first prediction that could not be read, with its cause and a hint.
        counts: the number of predictions with each reason.
        right_answers: how many predictions with a right solution have a right derivation, a wrong one, none, or one
            that was not understood.
        mean_references: the average number of derivations that lead to the gold equations.
        references_not_gold: the share of the references of equation accuracy that are not equivalent to gold.
        signature: the data, the options and the version with which the score was computed.
        results: the results of each prediction, or their sums for each problem.
        corrected: the score on the latest edition of the corrections, if all rows are rows of the release as published.
    """

    count: int
    derivation_accuracy: float
    equation_accuracy: float
    solution_accuracy: float
    certain: float
    undecided: int
    first_unread: FirstUnread | None
    counts: dict[str, int]
    right_answers: dict[Kind, int]
    mean_references: float
    references_not_gold: float
    signature: Signature
    results: ItemResults | ProblemResults
    corrected: Score | None = None

    def accuracy(self, name: str) -> float:
        """Return one of `ACCURACIES`."""
        value: float = getattr(self, f"{name}_accuracy")
        return value

    @property
    def items(self) -> Mapping[str, array[float]]:
        """The three results of each prediction in turn; empty if predictions were graded in parts."""
        return self.results.items

    @property
    def references(self) -> tuple[PreparedProblem, ...]:
        """The gold of each prediction in turn; empty if it was too much to keep."""
        return tuple(self.results.references)

    @property
    def problems(self) -> int:
        """How many problems were scored; fewer than predictions if there are several samples."""
        return len(self.results.groups("derivation").counts)

    @property
    def samples(self) -> int:
        """The smallest number of predictions for a problem."""
        return min(self.results.groups("derivation").counts, default=0)

    def pass_at(self, k: int, name: str = "derivation") -> float:
        """Return pass@k: the chance that at least one of k samples of a problem is right, averaged over the problems.

        It is 1 - C(n - c, k) / C(n, k) for c right samples of n, without bias and computed exactly.

        Args:
            k: how many samples are drawn, at most `samples`.
            name: ``derivation`` or ``solution``.

        Raises:
            ChoiceError: a problem has fewer samples, or the name is another one.
        """
        counts, chances = self._chances(k, name)
        return float(sum(chances, Fraction(0)) / len(counts))

    def pass_at_interval(
        self, k: int, name: str = "derivation", level: float = 0.95, samples: int = 10_000, seed: int = 0
    ) -> tuple[float, float]:
        """Return the interval of pass@k, by a bootstrap over problems; see `pass_at`."""
        # Imported here: counting does not need numpy.
        from draw_dataset.scoring.significance import bootstrap_interval

        interval = bootstrap_interval([float(one) for one in self._chances(k, name)[1]], level, samples, seed)
        return interval.low, interval.high

    def _chances(self, k: int, name: str) -> tuple[Sequence[int], list[Fraction]]:
        if name not in SAMPLED:
            raise ChoiceError(f"pass@k: expected {' or '.join(SAMPLED)}, but got {short_repr(name)}")
        counts, sums = self.results.groups(name)
        least = min(counts)
        if type(k) is not int or not 1 <= k <= least:
            raise ChoiceError(
                f"pass@k: expected a k from 1 to {least}, the smallest number of samples of a problem, but got "
                f"{short_repr(k)}"
            )
        return counts, _chances(sums, counts, k)

    @property
    def unread(self) -> int:
        """How many predictions could not be read, for any of the reasons in `UNREAD`."""
        return sum(self.counts.get(reason, 0) for reason in UNREAD)

    @property
    def open(self) -> int:
        """How many derivations are proved neither right nor wrong; abstentions are not among them."""
        return sum(count for reason, count in self.counts.items() if is_open(Reason(reason)))

    @property
    def derivation_accuracy_upper(self) -> float:
        """Derivation accuracy if all that is undecided were right."""
        return self.derivation_accuracy + (self.open / self.count if self.count else 0.0)

    @property
    def decided(self) -> float:
        """The share of the predictions whose derivation is proved right or wrong."""
        return 1 - self.open / self.count if self.count else 1.0

    @property
    def lucky(self) -> int:
        """How many predictions have a right solution and a wrong derivation."""
        return self.right_answers[Kind.WRONG]

    @property
    def right_reasons(self) -> str:
        """How many right answers have a right derivation, as a sentence: answers right for the right reason."""
        total, right = sum(self.right_answers.values()), self.right_answers[Kind.RIGHT]
        noun = "right answer" if total == 1 else "right answers"
        unknown = total - right - self.lucky
        return f"{total} {noun}: {right} for the right reason, {self.lucky} for a wrong one, {unknown} not known"

    @property
    def repeated(self) -> int:
        """How many problems have the id of another: rows that the data repeat; 0 if ids were not kept."""
        ids = {reference.problem.id for reference in self.references}
        return self.problems - len(ids) if ids else 0

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
    def mostly_unread(self) -> bool:
        """Whether more than half of the predictions that did not abstain could not be read."""
        return 2 * self.unread > self.given

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
            f"{f' Besides these, {self.count - self.given} abstained.' if self.count > self.given else ''}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data; those on the latest edition of the corrections under ``corrected``."""
        more: dict[str, Any] = {} if self.corrected is None else {"corrected": self.corrected.to_dict()}
        samples = self.samples
        if samples > 1:
            more = {
                "problems": self.problems,
                "samples": samples,
                **{name: {f"pass@{k}": self.pass_at(k, name) for k in default_ks(samples)} for name in SAMPLED},
                **more,
            }
        return {
            "right_reasons": self.right_reasons,
            **{f"{name}_accuracy": self.accuracy(name) for name in ACCURACIES},
            "derivation_accuracy_upper": self.derivation_accuracy_upper,
            "decided": self.decided,
            "derivation_accuracy_certain": self.certain,
            "undecided": self.undecided,
            "unread": self.unread,
            "no_derivation": self.no_derivation,
            "counts": self.counts,
            "right_answer_right_derivation": self.right_answers[Kind.RIGHT],
            "right_answer_wrong_derivation": self.right_answers[Kind.WRONG],
            "right_answer_no_derivation": self.right_answers[Kind.NONE],
            "right_answer_not_understood": self.right_answers[Kind.UNREAD],
            "mean_references": self.mean_references,
            "references_not_gold": self.references_not_gold,
            "n": self.count,
            "match": self.signature.match,
            "signature": str(self.signature),
            **more,
        }

    @property
    def verdicts(self) -> list[dict[str, Any]]:
        """The verdict on each prediction as a row; with `message` if `score` was called with ``keep_verdicts=True``.

        Raises `ScoreError` if predictions were graded in parts, or against a file of rows.
        """
        if isinstance(self.results, ProblemResults):
            raise ScoreError("verdicts: predictions that are graded in parts are counted, and not kept one by one")
        return self.results.rows()

    def to_pandas(self) -> DataFrame:
        """Return `verdicts` as a DataFrame, which needs pandas: one row a prediction, in order."""
        from pandas import DataFrame

        return DataFrame(self.verdicts)

    def __repr__(self) -> str:
        accuracies = ", ".join(f"{name}={100 * self.accuracy(name):.1f}%" for name in ACCURACIES)
        samples = self.samples
        if samples > 1:
            accuracies += f", pass@{samples}={100 * self.pass_at(samples):.1f}%"
        return f"Score({self.right_reasons}; n={self.count}, {accuracies}, decided={100 * self.decided:.1f}%)"

    def _repr_html_(self) -> str:
        rows: list[Row] = []
        for name in ACCURACIES:
            rows.append((f"{name} accuracy", [f"{100 * self.accuracy(name):.1f} %"]))
            if name == "derivation" and self.open:
                rows.append(("  upper bound", [f"{100 * self.derivation_accuracy_upper:.1f} %"]))
        for k in default_ks(self.samples):
            rows += [(f"{name} pass@{k}", [f"{100 * self.pass_at(k, name):.1f} %"]) for name in SAMPLED]
        rows += [("predictions", [f"{self.count:,}"]), ("reasons", [])]
        rows += [(f"  {name}", [f"{count:,}"]) for name, count in self.counts.items()]
        notes = [*filter(None, [self.unread_note]), str(self.signature)]
        return Table([], rows).to_html(title=self.right_reasons, notes=notes)

    def slices(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the accuracies by properties of the problems: slots, unknowns, ambiguity, kind of numbers."""
        by_labels = self.results.by_labels()
        result = {}
        for at, name in enumerate(SLICES):
            members: dict[str, Sums] = {}
            for labels, sums in by_labels.items():
                members.setdefault(labels[at], Sums()).merge(sums)
            result[name] = {
                value: {"n": sums.count} | {f"{one}_accuracy": mean for one, mean in sums.means().items()}
                for value, sums in sorted(members.items())
            }
        return result

    def intervals(self, level: float = 0.95, samples: int = 10_000, seed: int = 0) -> dict[str, tuple[float, float]]:
        """Return the interval of each accuracy, by a bootstrap over problems."""
        # Imported here: counting does not need numpy.
        from draw_dataset.scoring.significance import bootstrap_over_groups

        found = {name: bootstrap_over_groups(*self.results.groups(name), level, samples, seed) for name in ACCURACIES}
        return {name: (interval.low, interval.high) for name, interval in found.items()}

    def to_text(self, intervals: Mapping[str, tuple[float, float]] | None = None) -> str:
        """Return the score for a terminal, with the given intervals; by default with those of `intervals`."""
        intervals = self.intervals() if intervals is None else intervals
        lines = [self.right_reasons] + [
            f"{name + ' accuracy':<22}{100 * self.accuracy(name):6.1f} "
            f"[{100 * intervals[name][0]:.1f}, {100 * intervals[name][1]:.1f}]"
            for name in ACCURACIES
        ]
        for k in default_ks(self.samples):
            lines += [f"{f'{name} pass@{k}':<22}{100 * self.pass_at(k, name):6.1f}" for name in SAMPLED]
        reasons = ", ".join(f"{name} {count:,}" for name, count in self.counts.items())
        lines += [f"predictions           {self.count:>6,} for {len(self.results):,} problems", f"reasons: {reasons}"]
        if self.first_unread is not None:
            first = self.first_unread
            hint = f" Hint: {first.hint}." if first.hint else ""
            lines.append(
                f"{self.unread:,} could not be read. The first ({first.where}): {first.cause.rstrip('.')}.{hint}"
            )
        lines.append(f"signature: {self.signature}")
        if self.corrected is not None:
            accuracies = ", ".join(f"{name} {100 * self.corrected.accuracy(name):.1f}" for name in ACCURACIES)
            lines += [f"on corrected gold: {accuracies}", f"signature: {self.corrected.signature}"]
        return "\n".join(lines)


@dataclass(slots=True)
class PredictionKinds:
    """The kinds of the predictions of a score."""

    answers: bool = False  # whether there were model answers
    others: bool = False  # whether there were templates or q-notation, readable or not
    prompts: set[str | None] = field(default_factory=set)  # their styles; None for an answer that does not say

    def add(self, prediction: Any, verdict: Verdict) -> None:
        """Note the kind of a prediction."""
        if answer_of(prediction) is not None:
            self.answers = True
            self.prompts.add(prediction.get("prompt_style"))
        elif verdict.reason is not Reason.ABSTAINED:  # neither rule judges an abstention
            self.others = True

    def merge(self, other: PredictionKinds) -> None:
        """Add the kinds of other predictions."""
        self.answers |= other.answers
        self.others |= other.others
        self.prompts |= other.prompts

    @property
    def prompt(self) -> str:
        """The styles of the prompts as a signature has them; empty if no answer says one."""
        return ",".join(sorted(label or "other" for label in self.prompts)) if self.prompts - {None} else ""


class DataDigest:
    """The digest of the rows of a score, in any order. Each row is to be added once.

    Raises `ChoiceError` if the name of the data cannot stand in a signature.
    """

    def __init__(self, options: Options, data: str, rows: Iterable[RowDigests] = ()) -> None:
        check_data_name(data)  # check it now, not after an hour of scoring
        self._options = options
        self._data = data
        self._gold = self._alternatives = self._asked = 0
        self._ambiguous = self._settled = False
        self._origins: frozenset[Origin | None] = frozenset()
        for row in rows:
            self.add(row)

    def add(self, row: RowDigests) -> None:
        """Count a row."""
        self._gold += row.gold
        self._asked += row.asked
        if row.origin not in self._origins:
            self._origins |= {row.origin}
        if row.alternatives:
            self._ambiguous |= row.ambiguous
            self._settled |= not row.ambiguous
            if self._options.gold == "any" or (self._options.gold == "auto" and row.ambiguous):
                self._alternatives += row.alternatives

    def with_rows(self, rows: Iterable[RowDigests]) -> DataDigest:
        """Return the digest of these rows and others."""
        both = copy(self)
        for row in rows:
            both.add(row)
        return both

    def signature(self, kinds: PredictionKinds, count: int, missing: Missing) -> Signature:
        """Return the signature of a score of so many predictions for these rows."""
        match = match_used(self._options.match, answers=kinds.answers, others=kinds.others)
        return Signature(
            name_data(self._data, self._origins),
            self._gold,
            count,
            self._options.with_match(match),
            missing,
            gold=gold_used(self._options.gold, ambiguous=self._ambiguous, settled=self._settled),
            alternatives=self._alternatives,
            asked=self._asked if kinds.answers else 0,
            prompt=kinds.prompt,
        )


class Tally:
    """Grades predictions one at a time and counts their verdicts. Tallies with `ProblemResults` can be merged."""

    def __init__(
        self,
        options: Options,
        data: str = ROWS,
        results: ItemResults | ProblemResults | None = None,
        *,
        shard: int = 0,
        given: Given = "file",
    ) -> None:
        self.options = options
        self.data = data
        self.shard = shard
        self._given: Given = given
        self._results = ProblemResults() if results is None else results
        self._total = Sums()
        self._certain = self._undecided = self._references = 0
        self._reasons: Counter[Reason] = Counter()
        self._right_answers: Counter[Kind] = Counter()
        self._not_gold: Counter[float] = Counter()
        self._first: tuple[tuple[int, int], FirstUnread] | None = None
        self._kinds = PredictionKinds()
        self._rows: set[RowDigests] = set()
        self._counted_rows = DataDigest(options, data)
        # The same predictions on corrected gold, as long as every row is a published row of the release.
        self._corrected: Tally | None = None
        self._is_published = True
        self.corrected_verdict: Verdict | None = None  # on the last prediction, if corrected gold differs
        self._excluded: list[int] = []  # the places of predictions to rows that corrected gold excludes

    @property
    def count(self) -> int:
        """How many predictions were counted."""
        return self._total.count

    def add(
        self,
        prediction: Any,
        reference: PreparedProblem,
        *,
        is_new: bool | None = None,
        problem: int | None = None,
        verdict: Verdict | None = None,
        graded: Graded | None = None,
    ) -> Verdict:
        """Grade a prediction and count it.

        `is_new` says whether the row has had no prediction before. If it is None, the row is looked up among all rows
        so far, which are then kept. `problem` is a number that all samples of a problem share; by default every
        prediction has a problem of its own, or one told by the id. A `verdict` that is given is counted; then nothing
        is graded on corrected gold. `graded` has the verdicts if a worker found them. Raises `RowError` if gold cannot
        be read.
        """
        self.corrected_verdict = None
        if verdict is not None:
            self._is_published = False
            self._count(prediction, reference, verdict, is_new, problem)
            return verdict
        if graded is None:
            verdict = judge(prediction, reference, reference.gold(self.options), self.options)
        else:
            verdict = graded.verdict
        self._count(prediction, reference, verdict, is_new, problem)
        if self._is_published:
            corrected = None if graded is None or graded.corrected is None else Graded(graded.corrected)
            self._add_corrected(prediction, reference, verdict, is_new, problem, corrected)
        return verdict

    def _add_corrected(
        self,
        prediction: Any,
        reference: PreparedProblem,
        verdict: Verdict,
        is_new: bool | None,
        problem: int | None,
        graded: Graded | None,
    ) -> None:
        """Count a prediction on corrected gold; most rows are not changed, so that their verdict is the same."""
        self._is_published = reference.is_published
        if not self._is_published:
            self._corrected = None
            return
        if self._corrected is None:
            self._corrected = self._without_predictions()
        corrected = reference.corrected
        if corrected is reference:
            self._corrected._count(prediction, reference, verdict, is_new, problem)
        elif corrected is not None:
            self.corrected_verdict = self._corrected.add(
                prediction, corrected, is_new=is_new, problem=problem, graded=graded
            )
        else:
            self._excluded.append(self.count - 1)

    def _without_predictions(self) -> Tally:
        """Return a tally of corrected gold."""
        tally = Tally(self.options, self.data, self._results.fresh(), shard=self.shard, given=self._given)
        tally._is_published = False
        return tally

    def _count(
        self, prediction: Any, reference: PreparedProblem, verdict: Verdict, is_new: bool | None, problem: int | None
    ) -> None:
        gold = reference.gold(self.options)
        self._total.add(verdict.derivation, verdict.equation, verdict.solution)
        self._results.add(verdict, reference, problem)
        self._certain += verdict.certain
        self._undecided += verdict.derivation and not verdict.certain
        self._reasons[verdict.reason] += 1
        self._right_answers[verdict.reason.kind] += verdict.solution
        if self._first is None and verdict.reason in UNREAD:
            self._first = (self.shard, self.count), self._describe(prediction, reference, verdict)
        self._kinds.add(prediction, verdict)
        self._not_gold[gold.equations.share_not_gold] += 1
        self._references += min(gold.equations.count, _LARGEST_COUNT)
        if is_new is None:
            self._rows.add(reference.digests)
        elif is_new:
            self._counted_rows.add(reference.digests)

    def _describe(self, prediction: Any, reference: PreparedProblem, verdict: Verdict) -> FirstUnread:
        where = f"problem {short_repr(reference.problem.id)}"
        if self._given == "call":
            where = f"predictions[{self.count - 1}], {where}"
        return FirstUnread(where, f"{verdict.reason}: {verdict.message}", hint_for(prediction, self._given))

    def add_missing(self, references: ListedReferences | FiledReferences, missing: Missing) -> None:
        """Count rows without a prediction as abstentions, skip them, or raise `ScoreError` if they are an error."""
        if missing == "skip":
            return
        seen = bytearray(references.id_at(at) in self._by_problem.sums for at in range(len(references)))
        if missing == "error" and 0 in seen:
            raise lacking("tallies", references, seen)
        for position, has_prediction in enumerate(seen):
            if not has_prediction:
                self.add(None, references.reference(position))

    def merge(self, other: Tally) -> None:
        """Add the counts of another part."""
        if (self.options, self.data) != (other.options, other.data):
            raise ScoreError(
                f"tallies: expected the same options and data, but got {_conditions(self)} and {_conditions(other)}"
            )
        self._by_problem.merge(other._by_problem)
        self._rows |= other._rows
        if len(self._rows) > len(self._by_problem):
            raise ScoreError("tallies: expected the same rows in all parts, but the gold of a problem differs")
        self._total.merge(other._total)
        self._certain += other._certain
        self._undecided += other._undecided
        self._references += other._references
        self._reasons.update(other._reasons)
        self._right_answers.update(other._right_answers)
        self._not_gold.update(other._not_gold)
        self._kinds.merge(other._kinds)
        if other._first is not None and (self._first is None or other._first[0] < self._first[0]):
            self._first = other._first
        self._is_published &= other._is_published
        if not self._is_published:
            self._corrected = None
        elif other._corrected is not None:
            self._corrected = self._corrected or self._without_predictions()
            self._corrected.merge(other._corrected)

    @property
    def _by_problem(self) -> ProblemResults:
        if not isinstance(self._results, ProblemResults):
            raise ScoreError("tallies: expected sums for each problem, but got results of each prediction")
        return self._results

    def result(self, missing: Missing = "error", positions: Sequence[int] | None = None) -> Score:
        """Return the score of what was counted; raises `ScoreError` if that is nothing.

        `missing` is for the signature. `positions` are the places of the predictions, if they did not come in order.
        """
        count = self.count
        if not count:
            raise ScoreError("expected at least one prediction, but got none")
        results = self._results
        if positions is not None and isinstance(results, ItemResults):
            results = results.place(positions)
        corrected = self._corrected if self._is_published else None
        if corrected is not None and positions is not None:
            left_out = {*self._excluded}
            kept = [position for at, position in enumerate(positions) if at not in left_out]
            rank = {position: at for at, position in enumerate(sorted(kept))}
            positions = [rank[position] for position in kept]
        means = self._total.means()
        not_gold = sum((Fraction(share) * times for share, times in self._not_gold.items()), Fraction(0))
        return Score(
            count=count,
            derivation_accuracy=means["derivation"],
            equation_accuracy=means["equation"],
            solution_accuracy=means["solution"],
            certain=self._certain / count,
            undecided=self._undecided,
            first_unread=self._first[1] if self._first else None,
            counts={str(reason): self._reasons[reason] for reason in Reason if self._reasons[reason]},
            right_answers={kind: self._right_answers[kind] for kind in Kind},
            mean_references=self._references / count,
            references_not_gold=float(not_gold) / count,
            signature=self._counted_rows.with_rows(self._rows).signature(self._kinds, count, missing),
            results=results,
            corrected=corrected.result(missing, positions) if corrected is not None and corrected.count else None,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        results = self._by_problem
        return {
            "format": _FORMAT,
            "version": __version__,
            "data": self.data,
            "options": {**asdict(self.options), "tolerance": str(self.options.tolerance)},
            "shard": self.shard,
            "count": self.count,
            "labels": [list(labels) for labels in results.labels],
            "problems": [[id_, *sums.to_json()] for id_, sums in results.sums.items()],
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
            "first_unread": None if self._first is None else [*self._first[0], *astuple(self._first[1])],
            "published": self._is_published,
            "corrected": None if self._corrected is None else self._corrected.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Tally:
        """Read the counts again."""
        try:
            if (data["format"], data["version"]) != (_FORMAT, __version__):
                raise RowError(
                    f"tally: expected one of version {__version__}, but got version {short_repr(data['version'])}"
                )
            given = dict(data["options"])
            options = Options(**{**given, "tolerance": Fraction(given["tolerance"])})
            results = ProblemResults()
            results.labels = {tuple(map(str, labels)): place for place, labels in enumerate(data["labels"])}
            if not all(is_problem_id(row[0]) for row in data["problems"]):
                raise RowError("tally: expected ids of problems that are whole numbers or strings")
            results.sums = {row[0]: Sums.from_json(row[1:]) for row in data["problems"]}
            tally = cls(options, data["data"], results, shard=int(data["shard"]))
            for sums in results.sums.values():
                tally._total.merge(sums)
            tally._reasons = Counter({Reason(name): int(count) for name, count in data["reasons"].items()})
            tally._not_gold = Counter({float.fromhex(share): int(n) for share, n in data["not_gold"].items()})
            tally._references = int(data["references"])
            tally._rows = {_read_digests(*row) for row in data["rows"]}
            tally._kinds = PredictionKinds(bool(data["answers"]), bool(data["others"]), set(data["prompts"]))
            tally._certain, tally._undecided = int(data["certain"]), int(data["undecided"])
            tally._right_answers.update({Kind(kind): int(count) for kind, count in data["right_answers"].items()})
            if data["first_unread"] is not None:
                shard, place, *said = data["first_unread"]
                tally._first = (int(shard), int(place)), FirstUnread(*said)
            tally._is_published = bool(data["published"])
            tally._corrected = None if data["corrected"] is None else cls.from_json(data["corrected"])
            count = int(data["count"])
        except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
            raise RowError(f"tally: not as this package writes it ({error!r}): {short_repr(data)}") from error
        if tally.count != count:
            raise RowError(f"tally: expected {count} predictions of its problems, but they add up to another number")
        return tally


def _read_digests(
    gold: str, alternatives: str, asked: str, ambiguous: bool, origin: Sequence[Any] | None
) -> RowDigests:
    if origin is not None:
        dataset, split, corrections, corrected = origin
        origin = Origin(str(dataset), str(split), tuple(map(str, corrections)), bool(corrected))
    return RowDigests(int(gold, 16), int(alternatives, 16), int(asked, 16), bool(ambiguous), origin)


def _conditions(tally: Tally) -> str:
    options = tally.options
    return (
        f"{tally.data} (match {options.match}, gold {options.gold}, equation {options.equation}, seed {options.seed}, "
        f"tolerance {options.tolerance}, merge_equiv {options.merge_equiv})"
    )


def score(
    predictions: Iterable[Any] | Mapping[Any, Any],
    rows: Sequence[Mapping[str, Any] | Problem | PreparedProblem],
    options: Options = Options(),  # noqa: B008
    *,
    match: MatchMode | None = None,
    gold: GoldMode | None = None,
    data: str = ROWS,
    verdicts: list[Verdict] | None = None,
    keep_verdicts: bool = False,
) -> Score:
    """Score predictions against the rows of their problems.

    >>> from draw_dataset.data.sample import load_sample
    >>> rows = [problem.to_row() for problem in load_sample()["test"]]
    >>> result = score([row["derivation"] for row in rows[:-1]] + [None], rows)
    >>> result.count, round(result.derivation_accuracy, 3), result.counts
    (30, 0.967, {'right': 29, 'abstained': 1})

    Args:
        predictions: the predictions, in any form of `draw_dataset.scoring.prediction`, in the order of the rows; or a
            mapping from ids to predictions, ``{91: prediction, …}``, where "91" is the id 91 if all ids are numbers. If
            every item is a list, it has the samples of a problem, and the score a pass@k (`Score.pass_at`).
        rows: the rows, problems or prepared problems, in the same order. Refused rows have no gold and are left out. A
            row that is repeated has several samples.
        options: how to grade.
        match: when a derivation counts as right; overrides the options, see `Options`.
        gold: gold derivations to accept; overrides the options, see `Options`.
        data: the name of the rows in the signature. By default rows of the release and of the sample are named by
            their origin, such as ``draw1k/test+corrected-v2``, and others ``rows``.
        verdicts: a list to which every verdict is appended, if you want them. A verdict on a model answer keeps its
            reading, so many of them take much memory.
        keep_verdicts: whether rows of `Score.verdicts` and `Score.to_pandas` have the column ``message``. Writing the
            messages takes time, and each is a line of memory; the other columns are always there.

    Raises:
        ScoreError: the numbers of predictions and rows differ, ids do not match, or there are no predictions.
        RowError: a row or its gold cannot be read.
        ChoiceError: the name of the data cannot stand in a signature, or `match` or `gold` has an unknown value.
    """
    tally = Tally(
        options.with_match(match).with_gold(gold), data, ItemResults(keep_messages=keep_verdicts), given="call"
    )
    references = PreparedProblemCache()
    problems: dict[ProblemId, int] = {}  # by id, because a row that is repeated has several samples
    for prediction, row in pair_with_rows(predictions, rows, samples=True):
        if refused_id(row) is not None:
            continue  # it has no gold
        reference = references.prepared(row)
        problem = problems.setdefault(reference.problem.id, len(problems))
        verdict = tally.add(prediction, reference, problem=problem)
        if verdicts is not None:
            verdicts.append(verdict)
    return tally.result()


References = ListedReferences | FiledReferences | Iterable[Mapping[str, Any] | Problem | PreparedProblem]


def score_shard(
    predictions: Iterable[tuple[ProblemId, Any]],
    references: References,
    options: Options = Options(),  # noqa: B008
    *,
    data: str = ROWS,
    shard: int = 0,
    judged: Callable[[ProblemId, Verdict], object] | None = None,
) -> Tally:
    """Grade a part of the predictions; `judged` is called with each verdict, in their order.

    >>> from draw_dataset.data.sample import load_sample
    >>> rows = ListedReferences(load_sample()["test"])
    >>> parts = [[(rows.id_at(0), "m = 1")], [(rows.id_at(0), rows.reference(0).problem.derivation.q_notation())]]
    >>> merged = merge_tallies(score_shard(part, rows) for part in parts)
    >>> merged.count, merged.result().accuracy("derivation")
    (2, 0.5)
    """
    known = references if isinstance(references, (ListedReferences, FiledReferences)) else ListedReferences(references)
    tally = Tally(options, data, shard=shard)
    for place, (id_, prediction) in enumerate(predictions):
        positions = known.positions(id_)
        if not positions and known.is_refused(id_):
            continue
        if not positions:
            raise ScoreError(f"shard {shard}, prediction {place}: {unknown_id(id_, known, data)}")
        for position in positions:
            try:
                verdict = tally.add(prediction, known.reference(position))
            except RowError as error:
                raise known.located(position, error) from error
            if judged is not None:
                judged(id_, verdict)
    return tally


def merge_tallies(tallies: Iterable[Tally]) -> Tally:
    """Return the tally of all parts; raises `ScoreError` if there are none or they were graded differently."""
    merged: Tally | None = None
    for tally in tallies:
        if merged is None:
            merged = Tally(tally.options, tally.data, shard=tally.shard)
        merged.merge(tally)
    if merged is None:
        raise ScoreError("tallies: expected at least one, but got none")
    return merged


def complete(tally: Tally, references: ListedReferences | FiledReferences, missing: Missing) -> Score:
    """Return the score of all parts; rows without a prediction raise `ScoreError`, abstain or are skipped."""
    tally.add_missing(references, missing)
    return tally.result(missing)
