"""A table of systems side by side: their scores with intervals, and how certain it is that each differs from the first.

Intervals and tests use random samples, so they are computed once and stored in the table. It shows the same ones as
text of at most 100 columns, as Markdown, as plain data and as a page (`draw_dataset.report.page`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

from draw_dataset.data.corrections import VERSION as EDITION
from draw_dataset.errors import ScoreError, short_repr
from draw_dataset.io.markup import Row, Table, one_line
from draw_dataset.scoring.score import SAMPLED, Score, default_ks
from draw_dataset.scoring.significance import (
    LEVEL,
    SAMPLES,
    Difference,
    Interval,
    bootstrap_over_groups,
    randomisation_test,
)
from draw_dataset.scoring.verdict import ACCURACIES, Kind, Reason

if TYPE_CHECKING:
    from pandas import DataFrame

SIGNIFICANT = 0.05
"""The p-value below which a difference is marked."""

_WIDTH = 100
_LONGEST_NAME = 20


@dataclass(frozen=True, slots=True)
class ScoredSystem:
    """A system in the table."""

    name: str
    score: Score
    intervals: dict[str, Interval]  # the confidence interval of each accuracy
    against_first: dict[str, Difference]  # by accuracy; empty for the first system
    corrected_intervals: dict[str, Interval]  # those on corrected gold; empty if it was not scored on that
    pass_at: dict[str, dict[int, tuple[float, Interval]]]  # derivation and solution: pass@k with its interval

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "name": self.name,
            **self.score.to_dict(),
            "abstained": self.score.counts.get(Reason.ABSTAINED, 0),
            "intervals": {name: [interval.low, interval.high] for name, interval in self.intervals.items()},
            "against_first": {
                name: {"difference": d.difference, "p_value": d.p_value, "significant": is_significant(d)}
                for name, d in self.against_first.items()
            },
            "slices": self.score.slices(),
            **{
                name: {
                    **{f"pass@{k}": value for k, (value, _) in found.items()},
                    "intervals": {f"pass@{k}": [own.low, own.high] for k, (_, own) in found.items()},
                }
                for name, found in self.pass_at.items()
            },
        }


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Systems side by side.

    Attributes:
        systems: the systems; the others are compared with the first.
        level: the level of the intervals.
        samples: the number of samples for intervals and tests.
        seed: the seed of these samples.
        with_slices: whether text and Markdown show the slices; plain data always have them.
        with_intervals: whether text and Markdown show the intervals; plain data always have them.
    """

    systems: tuple[ScoredSystem, ...]
    level: float
    samples: int
    seed: int
    with_slices: bool
    with_intervals: bool = True

    @property
    def reasons_lines(self) -> list[str]:
        """How many right answers of each system are right for the right reason, a line each; see `Score`."""
        if len(self.systems) == 1:
            return [self.systems[0].score.right_reasons]
        return [f"{_shorten(system.name)}: {system.score.right_reasons}" for system in self.systems]

    @property
    def intervals_note(self) -> str:
        """A sentence about the intervals."""
        if not self.with_intervals:
            return "Accuracies in percent, of too few predictions for intervals."
        return f"Accuracies in percent with {self.level:.0%} bootstrap intervals ({self.samples} samples)."

    @property
    def tests_note(self) -> str:
        """A sentence about the tests against the first system; empty if there is only one."""
        if len(self.systems) < 2:
            return ""
        return (
            f"Against {_shorten(self.systems[0].name)}: difference in points and p-value of a paired randomisation "
            f"test; * below {SIGNIFICANT:g}, not corrected for many comparisons."
        )

    @property
    def readings_note(self) -> str:
        """The certain derivations and the unread predictions of each system in turn."""
        scores = [system.score for system in self.systems]
        certain = ", ".join(f"{_shorten(s.name)} {percent_text(s.score.certain)}" for s in self.systems)
        undecided, unread, without = (
            ", ".join(map(str, counts))
            for counts in (
                [score.undecided for score in scores],
                [score.unread for score in scores],
                [score.no_derivation for score in scores],
            )
        )
        return (
            f"Derivation accuracy in every reading of the numbers: {certain} (in one reading only: {undecided}). "
            f"Could not be read: {unread}. No derivation: {without}."
        )

    @property
    def gold_note(self) -> str:
        """A sentence about which gold to report; empty if no system was scored on corrected gold."""
        if all(system.score.corrected is None for system in self.systems):
            return ""
        return (
            "Which gold to report: published gold to compare with the paper, corrected gold (edition "
            f"{EDITION}) for language models."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "systems": [system.to_dict() for system in self.systems],
            "level": self.level,
            "samples": self.samples,
            "seed": self.seed,
        }

    def to_text(self) -> str:
        """Return the table for a terminal. Systems that do not fit next to the others follow below them."""
        table = Table([_shorten(system.name) for system in self.systems], self._rows()).to_text(most=_WIDTH)
        lines = [*self.reasons_lines, "", *table]
        # A signature is copied as one line.
        wrapped = [note if "|" in note else fill(note, _WIDTH) for note in self._notes()]
        return "\n".join([*lines, "", *wrapped])

    def __repr__(self) -> str:
        systems = ", ".join(f"{s.name}: {percent_text(s.score.derivation_accuracy)}" for s in self.systems)
        return one_line(f"ScoreTable({'; '.join(self.reasons_lines)}; derivation accuracy in %: {systems})")

    def _repr_html_(self) -> str:
        table = Table([system.name for system in self.systems], self._rows())
        return table.to_html(title="; ".join(self.reasons_lines), notes=self._notes())

    def to_pandas(self) -> DataFrame:
        """Return the figures as a DataFrame, which needs pandas: one row a system, one column a number."""
        from pandas import DataFrame

        numbers = [{k: v for k, v in s.to_dict().items() if isinstance(v, (int, float))} for s in self.systems]
        return DataFrame(numbers, index=[system.name for system in self.systems])

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        table = Table([system.name for system in self.systems], self._rows()).to_markdown()
        first = (line.replace("|", "\\|") for line in self.reasons_lines)
        lines = [*([f"- {line}" for line in first] if len(self.systems) > 1 else first), "", *table]
        return "\n".join([*lines, "", *("- " + note.replace("|", "\\|") for note in self._notes())])

    def _rows(self) -> list[Row]:
        systems = self.systems
        lines: list[Row] = []
        for name in ACCURACIES:
            lines.append(
                (
                    f"{name} accuracy",
                    [self._accuracy_text(system.score, name, system.intervals[name]) for system in systems],
                )
            )
            if len(systems) > 1:
                lines.append(
                    ("  against the first", [difference_text(system.against_first.get(name)) for system in systems])
                )
            if name == "derivation":
                certain = [percent_text(s.score.certain) if s.score.decided else "–" for s in systems]
                lines.append(("  in every reading", certain))
                lines.append(("  in one reading only", [str(system.score.undecided) for system in systems]))
                if any(system.score.open for system in systems):
                    upper = [percent_text(system.score.derivation_accuracy_upper) for system in systems]
                    lines.append(("  upper bound", upper))
                    lines.append(("  decided", [percent_text(system.score.decided) for system in systems]))
            for k in sorted({k for system in systems for k in system.pass_at.get(name, ())}):
                chances = [system.pass_at.get(name, {}).get(k) for system in systems]
                lines.append((f"  pass@{k}", [self._chance_text(*one) if one else "-" for one in chances]))
        lines.append(("problems", [str(system.score.problems) for system in systems]))
        if any(system.pass_at for system in systems):
            lines.append(("predictions", [str(system.score.count) for system in systems]))
        corrected = [(system.score.corrected, system.corrected_intervals) for system in systems]
        if any(score is not None for score, _ in corrected):
            lines.append((f"on corrected gold, edition {EDITION}", []))
            for name in ACCURACIES:
                cells = [self._accuracy_text(one, name, own[name]) if one else "-" for one, own in corrected]
                lines.append((f"  {name} accuracy", cells))
            lines.append(("  problems", [str(one.problems) if one else "-" for one, _ in corrected]))
            if any(system.pass_at for system in systems):
                lines.append(("  predictions", [str(one.count) if one else "-" for one, _ in corrected]))
            lines.append(("  right answer, wrong derivation", [str(one.lucky) if one else "-" for one, _ in corrected]))
        lines.append(("could not be read", [str(system.score.unread) for system in systems]))
        if any(system.score.no_derivation for system in systems):
            lines.append(("no derivation", [str(system.score.no_derivation) for system in systems]))
        for kind in (Kind.WRONG, Kind.NONE, Kind.UNREAD):
            counts = [system.score.right_answers[kind] for system in systems]
            if any(counts) or kind is Kind.WRONG:
                lines.append((f"right answer, {kind}", [str(count) for count in counts]))
        lines.append(("reasons", []))
        for reason in Reason:
            counts = [system.score.counts.get(reason, 0) for system in systems]
            if any(counts) or reason is Reason.ABSTAINED:
                lines.append((f"  {reason}", [str(count) for count in counts]))
        if self.with_slices:
            lines += self._slice_rows()
        return lines

    def _accuracy_text(self, score: Score, name: str, interval: Interval) -> str:
        if self.with_intervals or (name != "solution" and not score.decided):
            return accuracy_text(score, name, interval)
        return percent_text(score.accuracy(name))

    def _chance_text(self, mean: float, interval: Interval) -> str:
        return interval_text(mean, interval) if self.with_intervals else percent_text(mean)

    def _slice_rows(self) -> list[Row]:
        """Return derivation / equation / solution accuracy of every slice."""
        lines: list[Row] = []
        slices = [system.score.slices() for system in self.systems]
        for name, values in slices[0].items():
            lines.append((f"by {name}: derivation/equation/solution", []))
            for value, figures in values.items():
                cells = [
                    "/".join(percent_text(sliced[name][value][f"{accuracy}_accuracy"]) for accuracy in ACCURACIES)
                    for sliced in slices
                ]
                lines.append((f"  {value} (n={figures['n']:g})", cells))
        return lines

    def _notes(self) -> list[str]:
        notes = [note for note in (self.intervals_note, self.tests_note, self.gold_note) if note]
        repeated = max(system.score.repeated for system in self.systems)
        if repeated:
            notes.append(
                f"{repeated} of the problems {'repeats' if repeated == 1 else 'repeat'} the id of another: a row that "
                "the data repeat counts each time, as in the release."
            )
        by_figures: dict[str, list[str]] = {}
        by_signature: dict[str, list[str]] = {}
        corrected: dict[str, list[str]] = {}
        for system in self.systems:
            figures = (
                f"{percent_text(1 - system.score.references_not_gold)}, since its references are found from the "
                f"equations alone ({system.score.mean_references:.1f} per problem on average)"
            )
            by_figures.setdefault(figures, []).append(system.name)
            by_signature.setdefault(str(system.score.signature), []).append(system.name)
            if system.score.corrected is not None:
                corrected.setdefault(str(system.score.corrected.signature), []).append(system.name)
        notes += _group_notes("Equation accuracy of gold itself", by_figures)
        notes += _group_notes("Signature", by_signature)
        return notes + (_group_notes("Signature on corrected gold", corrected) if corrected else [])


def compare_scores(
    scores: Mapping[str, Score],
    *,
    samples: int = SAMPLES,
    seed: int = 0,
    slices: bool = False,
    pass_at: Sequence[int] | None = None,
) -> ScoreTable:
    """Compare systems: their accuracies with intervals, and a paired test of each against the first.

    >>> from draw_dataset.data.sample import load_sample
    >>> rows = [problem.to_row() for problem in load_sample()["test"]]
    >>> gold = [row["derivation"] for row in rows]
    >>> from draw_dataset.scoring.score import score
    >>> table = compare_scores({"ours": score(gold, rows), "none": score([None] * 30, rows)}, samples=100)
    >>> [(system.name, system.score.derivation_accuracy) for system in table.systems]
    [('ours', 1.0), ('none', 0.0)]

    Args:
        scores: the score of each system by its name, on the same rows in the same order. The others are compared with
            the first.
        samples: the number of samples for intervals and tests.
        seed: the seed of these samples.
        slices: whether text and Markdown show the accuracies by properties of the problems.
        pass_at: the numbers k of samples of which pass@k is shown; by default 1, 2, 4, 8, … and all, if every problem
            has several samples.

    Returns:
        A table that can be written as text, Markdown or plain data.

    Raises:
        ScoreError: there is no score, or the systems were scored on different rows.
        ChoiceError: a problem has fewer samples than `pass_at`.
    """
    if not isinstance(scores, Mapping) or not all(isinstance(one, Score) for one in scores.values()):
        raise ScoreError(f"comparison: expected a mapping from names to scores, but got {short_repr(scores)}")
    if not scores:
        raise ScoreError("comparison: expected at least one score, but got none")
    names = list(scores)
    first = scores[names[0]]
    for name, other in scores.items():
        if (other.signature.rows, other.problems) != (first.signature.rows, first.problems):
            raise ScoreError(
                f"comparison: expected scores on the same rows, but {names[0]} has {_rows_of(first)} and "
                f"{name} has {_rows_of(other)}"
            )
    systems = [
        ScoredSystem(
            name,
            one,
            {a: _interval(one, a, samples, seed) for a in ACCURACIES},
            {} if name == names[0] else {a: _difference(one, first, a, samples, seed) for a in ACCURACIES},
            {} if one.corrected is None else {a: _interval(one.corrected, a, samples, seed) for a in ACCURACIES},
            _pass_at(one, default_ks(one.samples) if pass_at is None else pass_at, samples, seed),
        )
        for name, one in scores.items()
    ]
    return ScoreTable(tuple(systems), LEVEL, samples, seed, slices)


def _interval(one: Score, name: str, samples: int, seed: int) -> Interval:
    """Return the interval of an accuracy; the samples of a problem are drawn together."""
    return bootstrap_over_groups(*one.results.groups(name), samples=samples, seed=seed)


def _difference(one: Score, first: Score, name: str, samples: int, seed: int) -> Difference:
    """Test whether two systems differ, problem by problem."""
    return randomisation_test(_by_problem(one, name), _by_problem(first, name), samples, seed)


def _by_problem(one: Score, name: str) -> Sequence[float]:
    """Return what each problem adds to an accuracy, so that the mean over the problems is the accuracy."""
    counts, sums = one.results.groups(name)
    if one.count == len(counts):
        return sums
    return [value * len(counts) / one.count for value in sums]


def _pass_at(one: Score, ks: Sequence[int], samples: int, seed: int) -> dict[str, dict[int, tuple[float, Interval]]]:
    return {
        name: {
            k: (one.pass_at(k, name), Interval(*one.pass_at_interval(k, name, samples=samples, seed=seed))) for k in ks
        }
        for name in SAMPLED
        if ks
    }


def is_significant(difference: Difference) -> bool:
    """Decide whether a difference is marked."""
    return difference.p_value < SIGNIFICANT


def difference_text(difference: Difference | None) -> str:
    """Return a difference in points with its p-value and mark; nothing for the first system."""
    if difference is None:
        return ""
    mark = "*" if is_significant(difference) else " "
    return f"{100 * difference.difference:+.1f} p={difference.p_value:.4f}{mark}"


def _rows_of(score: Score) -> str:
    return f"{score.signature.rows[-8:]}, n:{score.count}"


def percent_text(share: float | None) -> str:
    """Return a share in percent, with one digit; a dash for None."""
    return "-" if share is None else f"{100 * share:.1f}"


def interval_text(mean: float, interval: Interval) -> str:
    """Return an accuracy with its interval, in percent."""
    return f"{percent_text(mean)} [{percent_text(interval.low)}, {percent_text(interval.high)}]"


def accuracy_text(score: Score, name: str, interval: Interval) -> str:
    """Return an accuracy with its interval; a dash for one about derivations if nothing is decided about any."""
    return "–" if name != "solution" and not score.decided else interval_text(score.accuracy(name), interval)


def _shorten(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else "…" + name[1 - _LONGEST_NAME :]


def _group_notes(title: str, names_of: Mapping[str, list[str]]) -> list[str]:
    """Return what systems share once, and otherwise one line for each."""
    if len(names_of) == 1:
        return [f"{title}: {next(iter(names_of))}"]
    return [f"{title} of {', '.join(map(_shorten, names))}: {what}" for what, names in names_of.items()]
