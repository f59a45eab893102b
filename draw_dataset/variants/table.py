"""Systems side by side on the same variants, for a terminal, as Markdown or as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from draw_dataset.errors import ScoreError
from draw_dataset.scoring.comparison import Difference, Interval, bootstrap_interval, randomisation_test
from draw_dataset.scoring.table import compared
from draw_dataset.variants.probe import Probe
from draw_dataset.variants.verdicts import FromAnswers

_WIDTH = 118

NOTE = (
    "Derivation from answers: problems whose answers, to the original and its variants, gold explains better than any "
    "rival (up to fixed numbers). Macro: problems with all answers right. Gap: accuracy on originals minus on variants."
)


@dataclass(frozen=True, slots=True)
class ProbedSystem:
    """A system in a table.

    Attributes:
        name: what it is called.
        probe: what is said of it.
        interval: of its derivation accuracy from answers.
        against_first: how it compares with the first system in that; None for the first.
    """

    name: str
    probe: Probe
    interval: Interval
    against_first: Difference | None


@dataclass(frozen=True, slots=True)
class ProbeTable:
    """Systems side by side.

    Attributes:
        systems: the systems, the one to compare with first.
    """

    systems: tuple[ProbedSystem, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "systems": [
                {
                    "name": one.name,
                    **one.probe.to_dict(),
                    "derivation_interval": [one.interval.low, one.interval.high],
                    "against_first": None
                    if one.against_first is None
                    else {"difference": one.against_first.difference, "p": one.against_first.p_value},
                }
                for one in self.systems
            ]
        }

    def lines(self) -> list[tuple[str, list[str]]]:
        """Return the rows of the table: a label, and a cell for each system; a label alone is a title."""
        probes = [one.probe for one in self.systems]
        rows = [("derivation from answers", [_with_interval(one) for one in self.systems])]
        if len(self.systems) > 1:
            rows.append(("  against the first", [compared(one.against_first) for one in self.systems]))
        rows += [(f"  {verdict}", [str(probe.counts[verdict]) for probe in probes]) for verdict in FromAnswers]
        rows += [
            ("  wrong and explained", [str(probe.explained) for probe in probes]),
            ("  slips where right", [str(probe.slips) for probe in probes]),
            ("macro accuracy", [_percent(probe.macro_accuracy) for probe in probes]),
            ("accuracy on variants", [_percent(probe.accuracy) for probe in probes]),
            ("accuracy on originals", [_percent(probe.original_accuracy) for probe in probes]),
            ("gap", ["-" if probe.gap is None else f"{100 * probe.gap:+.1f}" for probe in probes]),
        ]
        kinds = [probe.by_kind() for probe in probes]
        if len({*kinds[0]} - {"original"}) > 1:
            rows.append(("accuracy by kind", []))
            rows += [
                (f"  {kind} (n={kinds[0][kind]['n']:g})", [_percent(k.get(kind, {}).get("accuracy")) for k in kinds])
                for kind in kinds[0]
            ]
        rows.append(("problems", [str(len(probe.problems)) for probe in probes]))
        rows.append(("variants", [str(probe.signature.variants) for probe in probes]))
        return rows

    def to_text(self) -> str:
        """Return the table for a terminal."""
        rows = self.lines()
        label = max(len(name) for name, _ in rows)
        names = [one.name[-24:] for one in self.systems]
        width = max(map(len, [*names, *(cell for _, cells in rows for cell in cells)])) + 2
        written = [" " * label + "".join(f"{name:>{width}}" for name in names)]
        written += [(f"{name:{label}}" + "".join(f"{c:>{width}}" for c in cells)).rstrip() for name, cells in rows]
        return "\n".join([*written, "", fill(NOTE, _WIDTH), *self.signatures()])

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        written = [
            "| | " + " | ".join(one.name.replace("|", "\\|") for one in self.systems) + " |",
            "|---|" + "---:|" * len(self.systems),
        ]
        for name, cells in self.lines():
            written.append(f"| {name.strip()} | " + " | ".join(cells or [""] * len(self.systems)) + " |")
        return "\n".join([*written, "", NOTE, *(f"- `{signature}`" for signature in self.signatures())])

    def signatures(self) -> list[str]:
        """Return the conditions, once where systems share them."""
        texts = dict.fromkeys(str(one.probe.signature) for one in self.systems)
        return [f"Signature: {text}" for text in texts]


def compare_probes(probes: Mapping[str, Probe], *, seed: int = 0) -> ProbeTable:
    """Return systems side by side.

    Args:
        probes: of each system by its name, on the same variants; the first is what the others are compared with.
        seed: of the samples that intervals and tests rest on.

    Raises:
        ScoreError: there is none, or they are of different variants.
    """
    if not probes:
        raise ScoreError("comparison: expected at least one system, but got none")
    names = list(probes)
    first = probes[names[0]]
    rights = {name: [float(one.verdict is FromAnswers.RIGHT) for one in p.problems] for name, p in probes.items()}
    systems = []
    for name, one in probes.items():
        if one.signature.rows != first.signature.rows:
            raise ScoreError(f"comparison: expected the same variants, but {names[0]} and {name} have different ones")
        against = None if name == names[0] else randomisation_test(rights[name], rights[names[0]], seed=seed)
        systems.append(ProbedSystem(name, one, bootstrap_interval(rights[name], seed=seed), against))
    return ProbeTable(tuple(systems))


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def _with_interval(system: ProbedSystem) -> str:
    accuracy, interval = system.probe.derivation_accuracy, system.interval
    return f"{_percent(accuracy)} [{_percent(interval.low)}, {_percent(interval.high)}]"
