"""Systems side by side on the same variants: for a terminal, as Markdown, as plain data, or as a table in HTML.

`draw_dataset.variants.page` has the page with every answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from draw_dataset.derivation.problem import name_of
from draw_dataset.errors import ScoreError
from draw_dataset.io.markup import Row, Table
from draw_dataset.report.picture import printable
from draw_dataset.scoring.significance import Difference, Interval, bootstrap_interval, randomisation_test
from draw_dataset.scoring.table import difference_text, interval_text, percent_text
from draw_dataset.variants.explaining import DerivationVerdict
from draw_dataset.variants.probing import ORIGINAL, CommonError, KindFigures, Probe

_WIDTH = 118

NOTE = (
    "Derivation from answers: problems whose answers, to the original and its variants, gold explains better than any "
    "rival (up to fixed numbers). Macro: problems with all answers right. Gap: accuracy on originals minus on variants."
)
KIND_NOTE = (
    "Drop: 1 - accuracy / accuracy on the same originals (the performance drop rate of GSM-Plus). Deviation: of the "
    "accuracies on the first, second, … variants of the same problems, as GSM-Symbolic compares instances."
)
ANYWAY_NOTE = "Answered anyway: answers with a number to questions that cannot be decided, as a statement is missing."

COMMON = 3
"""How many of the most common errors are named."""


@dataclass(frozen=True, slots=True)
class ProbedSystem:
    """A system in a table."""

    name: str
    probe: Probe
    interval: Interval | None  # the interval of its derivation accuracy from answers; None without verdicts
    against_first: Difference | None  # its difference to the first system in that; None for the first


@dataclass(frozen=True, slots=True)
class ProbeTable:
    """Systems side by side; the others are compared with the first."""

    systems: tuple[ProbedSystem, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "systems": [
                {
                    "name": one.name,
                    **one.probe.to_dict(),
                    "derivation_interval": None if one.interval is None else [one.interval.low, one.interval.high],
                    "against_first": None
                    if one.against_first is None
                    else {"difference": one.against_first.difference, "p": one.against_first.p_value},
                }
                for one in self.systems
            ]
        }

    def rows(self) -> list[Row]:
        """Return the rows of the table, with a cell for each system."""
        probes = [one.probe for one in self.systems]
        accuracies = [_accuracy_text(one) for one in self.systems]
        rows: list[Row] = [("derivation from answers", accuracies)]
        if len(self.systems) > 1:
            rows.append(("  against the first", [difference_text(one.against_first) for one in self.systems]))
        rows += [(f"  {verdict}", [str(probe.counts[verdict]) for probe in probes]) for verdict in DerivationVerdict]
        rows += [
            ("  wrong and explained", [str(probe.explained) for probe in probes]),
            ("  slips where right", [str(probe.slips) for probe in probes]),
            ("macro accuracy", [percent_text(probe.macro_accuracy) for probe in probes]),
            ("accuracy on variants", [percent_text(probe.accuracy) for probe in probes]),
            ("accuracy on originals", [percent_text(probe.original_accuracy) for probe in probes]),
            ("gap", ["-" if probe.gap is None else f"{100 * probe.gap:+.1f}" for probe in probes]),
        ]
        if any(probe.answered_anyway is not None for probe in probes):
            rows.append(("answered anyway", [percent_text(probe.answered_anyway) for probe in probes]))
        rows += _kind_rows(probes) + _difficulty_rows(probes)
        rows.append(("problems", [str(len(probe.problems)) for probe in probes]))
        rows.append(("variants", [str(probe.signature.variants) for probe in probes]))
        if any(probe.missing for probe in probes):
            rows.append(("variants without an answer", [str(len(probe.missing)) for probe in probes]))
        if any(probe.missing_originals for probe in probes):
            rows.append(("originals without an answer", [str(len(probe.missing_originals)) for probe in probes]))
        return rows

    def notes(self) -> list[str]:
        """Return what the figures mean."""
        probes = [one.probe for one in self.systems]
        anyway = any(probe.answered_anyway is not None for probe in probes)
        return [NOTE, KIND_NOTE, *([ANYWAY_NOTE] if anyway else [])]

    def errors(self) -> list[tuple[str, list[CommonError]]]:
        """Return the most common errors of each system that makes some."""
        found = [(one.name, one.probe.errors()[:COMMON]) for one in self.systems]
        return [(name, errors) for name, errors in found if errors]

    def to_text(self) -> str:
        """Return the table for a terminal, and the most common errors with an example each."""
        lines = Table([one.name[-24:] for one in self.systems], self.rows()).to_text()
        for name, errors in self.errors():
            lines += ["", f"Most common errors of {name}:"]
            for error in errors:
                lines += [fill(_error_text(error), _WIDTH, initial_indent="  ", subsequent_indent="      ")]
        return "\n".join([*lines, "", *(fill(note, _WIDTH) for note in self.notes()), *self.signatures()])

    def to_markdown(self) -> str:
        """Return the table as Markdown, and the most common errors with an example each."""
        lines = Table([one.name for one in self.systems], self.rows()).to_markdown()
        for name, errors in self.errors():
            lines += ["", f"Most common errors of {_plain_markdown(name)}:", ""]
            lines += [f"- {_plain_markdown(_error_text(error))}" for error in errors]
        return "\n".join([*lines, "", *self.notes(), *(f"- `{signature}`" for signature in self.signatures())])

    def signatures(self) -> list[str]:
        """Return the conditions, once where systems share them."""
        texts = dict.fromkeys(str(one.probe.signature) for one in self.systems)
        return [f"Signature: {text}" for text in texts]


def _accuracy_text(one: ProbedSystem) -> str:
    accuracy = one.probe.derivation_accuracy
    return "-" if accuracy is None or one.interval is None else interval_text(accuracy, one.interval)


def _error_text(error: CommonError) -> str:
    problems = f"{error.problems} problem{'s' * (error.problems > 1)}"
    return printable(f"{error.kind}: {problems}, such as {name_of(error.example)}: {error.sentence}")


_MARKUP = re.compile(r"[\\`*_\[\]<>#|~$&]")


def _plain_markdown(text: str) -> str:
    """Return text from data so that Markdown shows it as it is."""
    return _MARKUP.sub(r"\\\g<0>", printable(text))


def _kind_rows(probes: Sequence[Probe]) -> list[Row]:
    """Return accuracy, drop and deviation of each kind of variant."""
    figures = [probe.by_kind() for probe in probes]
    kinds = [kind for kind in dict.fromkeys(kind for one in figures for kind in one) if kind != ORIGINAL]
    rows: list[Row] = [("by kind: accuracy ± deviation, drop", [])]
    for kind in kinds:
        own = [one.get(kind) for one in figures]
        count = max(one.count for one in own if one is not None)
        rows.append((f"  {kind} (n={count})", [_kind_text(one) for one in own]))
    return rows


def _kind_text(figures: KindFigures | None) -> str:
    if figures is None:
        return "-"
    deviation = "" if figures.deviation is None else f" ± {percent_text(figures.deviation)}"
    drop = "" if figures.drop is None else f", drop {percent_text(figures.drop)}"
    return f"{percent_text(figures.accuracy)}{deviation}{drop}"


def _difficulty_rows(probes: Sequence[Probe]) -> list[Row]:
    """Return the accuracy on variants by each measure of difficulty that rows have."""
    figures = [probe.by_difficulty() for probe in probes]
    rows: list[Row] = []
    for measure in dict.fromkeys(name for one in figures for name in one):
        rows.append((f"accuracy by {measure}", []))
        values = sorted({int(value) for one in figures for value in one.get(measure, {})})
        for value in map(str, values):
            own = [one.get(measure, {}).get(value) for one in figures]
            count = max(int(one["n"]) for one in own if one is not None)
            accuracies = [None if one is None else one["accuracy"] for one in own]
            rows.append((f"  {value} (n={count})", [*map(percent_text, accuracies)]))
    return rows


def compare_probes(probes: Mapping[str, Probe], *, seed: int = 0) -> ProbeTable:
    """Compare systems by name with the first; raises `ScoreError` if there is none or the variants differ."""
    if not probes:
        raise ScoreError("comparison: expected at least one system, but got none")
    names = list(probes)
    first = probes[names[0]]
    rights = {
        name: {one.id: float(one.verdict is DerivationVerdict.RIGHT) for one in p.judged} for name, p in probes.items()
    }
    systems = []
    for name, one in probes.items():
        if one.signature.rows != first.signature.rows:
            raise ScoreError(f"comparison: expected the same variants, but {names[0]} and {name} have different ones")
        both = [id_ for id_ in rights[names[0]] if id_ in rights[name]]  # problems that both have answered
        against = None
        if name != names[0] and both:
            own, theirs = ([rights[system][id_] for id_ in both] for system in (name, names[0]))
            against = randomisation_test(own, theirs, seed=seed)
        own_rights = [*rights[name].values()]
        interval = bootstrap_interval(own_rights, seed=seed) if own_rights else None
        systems.append(ProbedSystem(name, one, interval, against))
    return ProbeTable(tuple(systems))
