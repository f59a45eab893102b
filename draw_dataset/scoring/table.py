"""A table of systems side by side: their scores with intervals, and how certain it is that each differs from the first.

Intervals and tests use random samples, so they are computed once and stored in the table. It shows the same ones as
text of at most 100 columns, as Markdown, as plain data and as a page (`draw_dataset.report.page`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from draw_dataset.errors import ScoreError, shown
from draw_dataset.scoring.comparison import (
    LEVEL,
    SAMPLES,
    Difference,
    Interval,
    bootstrap_interval,
    randomisation_test,
)
from draw_dataset.scoring.score import Score
from draw_dataset.scoring.verdict import ACCURACIES, Kind, Reason

SIGNIFICANT = 0.05
"""The p-value below which a difference is marked."""

_WIDTH = 100
_LONGEST_NAME = 20

Line = tuple[str, list[str]]
"""The label of a line of the table, and the cell of each system."""


@dataclass(frozen=True, slots=True)
class ScoredSystem:
    """A system in the table.

    Attributes:
        name: its name.
        score: its score.
        intervals: the confidence interval of each accuracy.
        against_first: for each accuracy, how much better it is than the first system; empty for the first itself.
    """

    name: str
    score: Score
    intervals: dict[str, Interval]
    against_first: dict[str, Difference]

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
    """

    systems: tuple[ScoredSystem, ...]
    level: float
    samples: int
    seed: int
    with_slices: bool

    @property
    def intervals_note(self) -> str:
        """What the intervals are, in a sentence."""
        return f"Accuracies in percent with {self.level:.0%} bootstrap intervals ({self.samples} samples)."

    @property
    def tests_note(self) -> str:
        """What the other systems are tested for against the first, in a sentence; empty if there is only one system."""
        if len(self.systems) < 2:
            return ""
        return (
            f"Against {_shortened(self.systems[0].name)}: difference in points and p-value of a paired randomisation "
            f"test; * below {SIGNIFICANT:g}, not corrected for many comparisons."
        )

    @property
    def readings_note(self) -> str:
        """How certain derivations are and what could not be read, for each system in turn."""
        scores = [system.score for system in self.systems]
        certain = ", ".join(f"{_shortened(s.name)} {_percent(s.score.certain)}" for s in self.systems)
        undecided, unread, without = (
            ", ".join(map(str, counts))
            for counts in (
                [score.undecided for score in scores],
                [score.unread for score in scores],
                [score.no_derivation for score in scores],
            )
        )
        return (
            f"Derivation accuracy in every reading of the numbers: {certain} (undecided: {undecided}). "
            f"Could not be read: {unread}. No derivation: {without}."
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
        lines = self._lines()
        label_width = max(len(label) for label, row in lines if row)
        names = [_shortened(system.name) for system in self.systems]
        cells = [*names, *(cell for _, row in lines for cell in row)]
        width = max(map(len, cells)) + 2
        per_block = max(1, (_WIDTH - label_width) // width)
        written: list[str] = []
        for start in range(0, len(names), per_block):
            chosen = range(start, min(start + per_block, len(names)))
            written.append((" " * label_width + "".join(f"{names[i]:>{width}}" for i in chosen)).rstrip())
            for label, row in lines:
                # A title has no cells; what is compared with the first leaves the first's own cells empty.
                if not row:
                    written.append(label)
                elif any(row[i] for i in chosen):
                    line = f"{label:{label_width}}" + "".join(f"{row[i]:>{width}}" for i in chosen)
                    written.append(line.rstrip())
            written.append("")
        # A signature is copied as one line.
        wrapped = [note if "|" in note else fill(note, _WIDTH) for note in self._notes()]
        return "\n".join([*written, *wrapped])

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        written = [
            "| | " + " | ".join(_escaped(system.name) for system in self.systems) + " |",
            "|---|" + "---:|" * len(self.systems),
        ]
        for label, row in self._lines():
            written.append(f"| {label.strip()} | " + " | ".join(map(str.strip, row or [""] * len(self.systems))) + " |")
        return "\n".join([*written, "", *(f"- {_escaped(note)}" for note in self._notes())])

    def _lines(self) -> list[Line]:
        systems = self.systems
        lines: list[Line] = []
        for name in ACCURACIES:
            lines.append((f"{name} accuracy", [_with_interval(system, name) for system in systems]))
            if len(systems) > 1:
                lines.append(("  against the first", [compared(system.against_first.get(name)) for system in systems]))
            if name == "derivation":
                lines.append(("  in every reading", [_percent(system.score.certain) for system in systems]))
                lines.append(("  undecided", [str(system.score.undecided) for system in systems]))
        lines.append(("problems", [str(system.score.count) for system in systems]))
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
            lines += self._slice_lines()
        return lines

    def _slice_lines(self) -> list[Line]:
        """Return derivation / equation / solution accuracy of every slice."""
        lines: list[Line] = []
        slices = [system.score.slices() for system in self.systems]
        for name, values in slices[0].items():
            lines.append((f"by {name}: derivation/equation/solution", []))
            for value, figures in values.items():
                cells = [
                    "/".join(_percent(of_system[name][value][f"{accuracy}_accuracy"]) for accuracy in ACCURACIES)
                    for of_system in slices
                ]
                lines.append((f"  {value} (n={figures['n']:g})", cells))
        return lines

    def _notes(self) -> list[str]:
        notes = [note for note in (self.intervals_note, self.tests_note) if note]
        by_figures: dict[str, list[str]] = {}
        by_signature: dict[str, list[str]] = {}
        for system in self.systems:
            figures = (
                f"{_percent(1 - system.score.references_not_gold)}, since its references are found from the equations "
                f"alone ({system.score.mean_references:.1f} per problem on average)"
            )
            by_figures.setdefault(figures, []).append(system.name)
            by_signature.setdefault(str(system.score.signature), []).append(system.name)
        notes += _noted("Equation accuracy of gold itself", by_figures)
        return notes + _noted("Signature", by_signature)


def compare_scores(
    scores: Mapping[str, Score], *, samples: int = SAMPLES, seed: int = 0, slices: bool = False
) -> ScoreTable:
    """Compare systems: their accuracies with intervals, and a paired test of each against the first.

    >>> from draw_dataset.sample import load_sample
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

    Returns:
        A table that can be written as text, Markdown or plain data.

    Raises:
        ScoreError: there is no score, or the systems were scored on different rows.
    """
    if not isinstance(scores, Mapping) or not all(isinstance(one, Score) for one in scores.values()):
        raise ScoreError(f"comparison: expected a mapping from names to scores, but got {shown(scores)}")
    if not scores:
        raise ScoreError("comparison: expected at least one score, but got none")
    names = list(scores)
    first = scores[names[0]]
    for name, other in scores.items():
        if (other.signature.rows, other.count) != (first.signature.rows, first.count):
            raise ScoreError(
                f"comparison: expected scores on the same rows, but {names[0]} has {_rows_of(first)} and "
                f"{name} has {_rows_of(other)}"
            )
    systems = [
        ScoredSystem(
            name,
            one,
            {a: bootstrap_interval(one.items[a], samples=samples, seed=seed) for a in ACCURACIES},
            {}
            if name == names[0]
            else {a: randomisation_test(one.items[a], first.items[a], samples, seed) for a in ACCURACIES},
        )
        for name, one in scores.items()
    ]
    return ScoreTable(tuple(systems), LEVEL, samples, seed, slices)


def is_significant(difference: Difference) -> bool:
    """Say whether a difference is marked."""
    return difference.p_value < SIGNIFICANT


def compared(difference: Difference | None) -> str:
    """Return a difference in points with its p-value and mark; nothing for the first system."""
    if difference is None:
        return ""
    mark = "*" if is_significant(difference) else " "
    return f"{100 * difference.difference:+.1f} p={difference.p_value:.4f}{mark}"


def _rows_of(score: Score) -> str:
    return f"{score.signature.rows[-8:]}, n:{score.count}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _with_interval(system: ScoredSystem, name: str) -> str:
    interval = system.intervals[name]
    return f"{_percent(system.score.accuracy(name))} [{_percent(interval.low)}, {_percent(interval.high)}]"


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else "…" + name[1 - _LONGEST_NAME :]


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def _noted(title: str, names_of: Mapping[str, list[str]]) -> list[str]:
    """Return what systems share once, and otherwise one line for each."""
    if len(names_of) == 1:
        return [f"{title}: {next(iter(names_of))}"]
    return [f"{title} of {', '.join(map(_shortened, names))}: {what}" for what, names in names_of.items()]
