"""Systems side by side on the same variants: for a terminal, as Markdown, as plain data, or as an HTML page.

The page also shows the explanations of the wrong derivations. Problems that are right on the original and wrong on
their variants come first, because no other metric finds them. The figure shows the simplest explanation next to gold.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from draw_dataset.derivation.problem import ProblemId
from draw_dataset.errors import DrawError, ScoreError
from draw_dataset.io.atomic import write_atomically
from draw_dataset.io.markup import Row, Table
from draw_dataset.report.page import FIGURE_WIDTH, html_document, html_table
from draw_dataset.report.picture import picture_of, safe_html
from draw_dataset.report.svg import draw_svg
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import grade_derivation
from draw_dataset.scoring.significance import Difference, Interval, bootstrap_interval, randomisation_test
from draw_dataset.scoring.table import difference_text, interval_text, percent_text
from draw_dataset.variants.explaining import DerivationVerdict
from draw_dataset.variants.probing import Case, Probe, ProblemProbe

MAX_ARTICLES = 200  # the largest number of problems on a page

_WIDTH = 118

NOTE = (
    "Derivation from answers: problems whose answers, to the original and its variants, gold explains better than any "
    "rival (up to fixed numbers). Macro: problems with all answers right. Gap: accuracy on originals minus on variants."
)


@dataclass(frozen=True, slots=True)
class ProbedSystem:
    """A system in a table."""

    name: str
    probe: Probe
    interval: Interval  # the interval of its derivation accuracy from answers
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
                    "derivation_interval": [one.interval.low, one.interval.high],
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
        accuracies = [interval_text(one.probe.derivation_accuracy, one.interval) for one in self.systems]
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
        kinds = [probe.by_kind() for probe in probes]
        if len({*kinds[0]} - {"original"}) > 1:
            rows.append(("accuracy by kind", []))
            rows += [
                (
                    f"  {kind} (n={kinds[0][kind]['n']:g})",
                    [percent_text(k.get(kind, {}).get("accuracy")) for k in kinds],
                )
                for kind in kinds[0]
            ]
        rows.append(("problems", [str(len(probe.problems)) for probe in probes]))
        rows.append(("variants", [str(probe.signature.variants) for probe in probes]))
        if any(probe.missing for probe in probes):
            rows.append(("variants without an answer", [str(len(probe.missing)) for probe in probes]))
        return rows

    def to_text(self) -> str:
        """Return the table for a terminal."""
        lines = Table([one.name[-24:] for one in self.systems], self.rows()).to_text()
        return "\n".join([*lines, "", fill(NOTE, _WIDTH), *self.signatures()])

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        lines = Table([one.name for one in self.systems], self.rows()).to_markdown()
        return "\n".join([*lines, "", NOTE, *(f"- `{signature}`" for signature in self.signatures())])

    def to_html(self) -> str:
        """Return the table and the signatures as a section of a page."""
        columns = ["accuracies in %", *(safe_html(system.name) for system in self.systems)]
        rows = [(safe_html(label), [*map(safe_html, cells)]) for label, cells in self.rows()]
        signatures = "".join(f"<p><code>{safe_html(text)}</code></p>" for text in self.signatures())
        return f'<section id="figures"><h2>Figures</h2>{html_table(columns, rows)}{signatures}</section>'

    def signatures(self) -> list[str]:
        """Return the conditions, once where systems share them."""
        texts = dict.fromkeys(str(one.probe.signature) for one in self.systems)
        return [f"Signature: {text}" for text in texts]


def compare_probes(probes: Mapping[str, Probe], *, seed: int = 0) -> ProbeTable:
    """Compare systems by name with the first; raises `ScoreError` if there is none or the variants differ."""
    if not probes:
        raise ScoreError("comparison: expected at least one system, but got none")
    names = list(probes)
    first = probes[names[0]]
    rights = {
        name: {one.id: float(one.verdict is DerivationVerdict.RIGHT) for one in p.problems}
        for name, p in probes.items()
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
        systems.append(ProbedSystem(name, one, bootstrap_interval([*rights[name].values()], seed=seed), against))
    return ProbeTable(tuple(systems))


def write_probe_page(
    path: str | os.PathLike[str], table: ProbeTable, cases: Sequence[Case], title: str = "Derivation from answers"
) -> None:
    """Write the page about systems on these problems: whole, or not at all."""
    write_atomically(path, probe_page(table, cases, title))


def probe_page(table: ProbeTable, cases: Sequence[Case], title: str = "Derivation from answers") -> str:
    """Return the page as text; see `write_probe_page`."""
    by_id = {case.id: case for case in cases}
    wrong = [
        (system.name, one)
        for system in table.systems
        for one in system.probe.problems
        if one.verdict is not DerivationVerdict.RIGHT or one.slips
    ]
    wrong.sort(key=lambda entry: _place(entry[1]))
    articles = "".join(_article(name, one, by_id) for name, one in wrong[:MAX_ARTICLES])
    left = len(wrong) - MAX_ARTICLES
    note = f'<p class="note">{left} more are left out, to keep the page small.</p>' if left > 0 else ""
    errors = (
        '<section id="errors" aria-labelledby="errors-title" tabindex="-1">'
        f'<h2 id="errors-title">What went wrong</h2>{note}<div class="list">{articles}</div></section>'
    )
    return html_document(title, header=f"<p>{safe_html(NOTE)}</p>", main=table.to_html() + errors)


def _place(one: ProblemProbe) -> tuple[bool, bool, bool]:
    lucky = one.verdict is DerivationVerdict.WRONG and any(one.of_kind(original=True))
    return not lucky, one.verdict is not DerivationVerdict.WRONG, not one.explanations


def _article(system: str, one: ProblemProbe, cases: Mapping[ProblemId, Case]) -> str:
    marks = ", ".join(
        f"{safe_html(str(item.id))} ({safe_html(item.kind)}) "
        f"{'right' if item.right else 'wrong' if item.answered else 'no answer'}"
        for item in one.items
    )
    told = "".join(
        f"<li>{safe_html(t.sentence)} {f'<code>{safe_html(t.derivation)}</code> ' if t.derivation else ''}"
        f"<small>explains {t.explained} of {len(one.items)}</small></li>"
        for t in one.explanations
    )
    more = f'<p class="note">and {one.others} more derivations explain as many.</p>' if one.others else ""
    slips = f"<p>Slips: {safe_html(', '.join(map(str, one.slips)))}</p>" if one.slips else ""
    case = cases.get(one.id)
    figure = "" if case is None else _figure(one, case)
    return (
        f'<article><h4>Problem {safe_html(str(one.id))} <span class="chip">{safe_html(system)}</span> '
        f'<span class="chip reason">{safe_html(str(one.verdict))}</span></h4><p>{marks}</p>{slips}'
        f"{f'<ol>{told}</ol>{more}' if told else ''}{figure}</article>"
    )


def _figure(one: ProblemProbe, case: Case) -> str:
    """Return the simplest explanation next to gold; the problem alone if there is none that can be drawn."""
    reference = PreparedProblem(case.variable.problem)
    for prediction in [
        told.derivation for told in one.explanations[:1] if told.derivation and "trap" not in told.derivation
    ]:
        try:
            picture = picture_of(reference, (prediction,), grade_derivation(prediction, reference))
        except DrawError:
            continue
        return f'<div class="figure">{draw_svg(picture, width=FIGURE_WIDTH, style=False)}</div>'
    return f"<p>{safe_html(case.variable.problem.question)}</p>"
