"""The question: how many problems are left after each step, and which filter took the others.

The steps stand next to those that the paper names: over 100k crawled, 12k left by the filters, 1,000 drawn. As a figure
each is a bar.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from draw_dataset.errors import RowError, shown
from draw_dataset.files.plot import COLOURS, plot_file

UNPARSED, KNOWN, DUPLICATE = "unparsed", "known", "duplicate"

STEPS: dict[str, tuple[str, ...]] = {
    "crawled": (),
    "parsed": (UNPARSED,),
    "questions with numbers": ("other-language", "no-question", "no-number"),
    "linear by its words": ("not-linear-words",),
    "with x": ("no-x",),
    "linear": ("not-linear-equations",),
    "with equations": ("no-equations",),
    "not in Draw-1k or Alg-514": (KNOWN,),
    "deduplicated": (DUPLICATE,),
}
"""The steps of the funnel, each with the filters that lead to it."""

PAPER = {"crawled": "100k", "with x": "12k", "sampled": "1,000"}
"""What the paper says of the same steps."""


@dataclass(slots=True)
class Funnel:
    """Counts of one cleaning.

    Attributes:
        crawled: the pages looked at.
        dropped: how many each filter dropped.
        restored: how many each filter would have dropped, had they not been restored.
        sampled: how many were drawn; None before that.
        notes: what was not done, and why.
    """

    crawled: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    restored: dict[str, int] = field(default_factory=dict)
    sampled: int | None = None
    notes: list[str] = field(default_factory=list)

    def count(self, dropped_by: str, restored_from: str = "") -> None:
        """Count a record by the filter that dropped it and by the one that would have; empty if there is none."""
        self.crawled += 1
        if dropped_by:
            self.dropped[dropped_by] = self.dropped.get(dropped_by, 0) + 1
        if restored_from:
            self.restored[restored_from] = self.restored.get(restored_from, 0) + 1

    def merge(self, other: Funnel) -> None:
        """Add the counts of another part of the same pages; notes that both have stay once.

        >>> funnel = Funnel(crawled=3, dropped={"no-x": 1})
        >>> funnel.merge(Funnel(crawled=4, dropped={"no-x": 2, "known": 1}))
        >>> funnel.crawled, funnel.dropped
        (7, {'no-x': 3, 'known': 1})
        """
        self.crawled += other.crawled
        for own, further in ((self.dropped, other.dropped), (self.restored, other.restored)):
            for name, count in further.items():
                own[name] = own.get(name, 0) + count
        if other.sampled is not None:
            self.sampled = (self.sampled or 0) + other.sampled
        self.notes += [note for note in other.notes if note not in self.notes]

    @property
    def steps(self) -> dict[str, int]:
        """How many are left after each step."""
        left, result = self.crawled, {}
        for step, names in STEPS.items():
            left -= sum(self.dropped.get(name, 0) for name in names)
            result[step] = left
        if self.sampled is not None:
            result["sampled"] = self.sampled
        return result

    def to_json(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return {
            "steps": self.steps,
            "paper": PAPER,
            "dropped": {name: self.dropped.get(name, 0) for names in STEPS.values() for name in names},
            "restored": self.restored,
            "notes": self.notes,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Funnel:
        """Read the counts again.

        Raises:
            RowError: they are not of that shape.
        """
        try:
            steps = data["steps"]
            return cls(
                crawled=int(steps["crawled"]),
                dropped={str(name): int(count) for name, count in data["dropped"].items() if count},
                restored={str(name): int(count) for name, count in data["restored"].items()},
                sampled=int(steps["sampled"]) if "sampled" in steps else None,
                notes=[str(note) for note in data["notes"]],
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise RowError(f"funnel: not as draw clean writes it ({error!r}): {shown(data)}") from error

    def to_text(self) -> str:
        """Return the funnel as a table.

        >>> funnel = Funnel(crawled=3, dropped={"no-x": 1})
        >>> print(funnel.to_text().splitlines()[5])
        with x                             2    66.7 %       12k   no-x 1
        """
        lines = [f"{'step':<27}{'problems':>9}{'of all':>10}{'paper':>10}   dropped"]
        for step, count in self.steps.items():
            share = f"{100 * count / self.crawled:.1f} %" if self.crawled else "-"
            dropped = ", ".join(
                f"{name} {self.dropped[name]}" for name in STEPS.get(step, ()) if self.dropped.get(name)
            )
            lines.append(f"{step:<27}{count:>9,}{share:>10}{PAPER.get(step, ''):>10}   {dropped}".rstrip())
        if self.restored:
            listed = ", ".join(f"{name} {count}" for name, count in sorted(self.restored.items()))
            lines.append(f"restored in spite of: {listed}")
        return "\n".join([*lines, *self.notes])


def save_funnel(funnel: Funnel, path: Path) -> None:
    """Draw a funnel, one bar a step with what the paper says of it, and save it in the format of the file's suffix.

    Raises:
        ChoiceError, FolderError, ExtraMissing: as `draw_dataset.files.plot.check_plot`.
    """
    steps = funnel.steps
    names, counts = list(steps), list(steps.values())
    with plot_file(path, (9, 0.5 * len(names) + 1.2)) as figure:
        axes = figure.subplots()
        axes.barh(range(len(names)), counts, 0.68, color=COLOURS[0])
        for place, (name, count) in enumerate(steps.items()):
            share = f" ({100 * count / funnel.crawled:.1f} %)" if funnel.crawled else ""
            paper = f"   paper: {PAPER[name]}" if name in PAPER else ""
            axes.annotate(
                f"{count:,}{share}{paper}", (count, place), xytext=(4, 0), textcoords="offset points", va="center"
            )
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlim(0, max(*counts, 1) * 1.45)  # room for the texts behind the bars
        axes.set_xlabel("problems")
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(length=0)
