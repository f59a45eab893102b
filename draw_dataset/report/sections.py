"""The parts of the page that are tables: accuracies, reasons, slices, references and signatures.

Every figure comes from the table of the systems; nothing is computed here. Small drawings stand inside the cells: a
share with its interval, and a count as a bar.
"""

from __future__ import annotations

from urllib.parse import urlencode

from draw_dataset.files import escape
from draw_dataset.report.plain import printable
from draw_dataset.scoring.comparison import Interval
from draw_dataset.scoring.table import ScoredSystem, ScoreTable, compared
from draw_dataset.scoring.verdict import ACCURACIES, Kind, Reason

REASONS = {
    Reason.RIGHT: "the same derivation as gold",
    Reason.ABSTAINED: "no prediction",
    Reason.UNREADABLE: "not a system of equations",
    Reason.NOT_LINEAR: "not linear in its unknowns",
    Reason.TOO_LARGE: "beyond the stated bounds",
    Reason.BAD_ALIGNMENT: "a slot without a number of the text",
    Reason.UNSOLVABLE: "no unique solution",
    Reason.SLOT_COUNT: "another number of slots",
    Reason.UNKNOWN_COUNT: "another number of unknowns",
    Reason.TEMPLATE: "another template",
    Reason.ALIGNMENT: "the right template, a wrong number",
    Reason.SLIP: "the right derivation, then a step that does not follow",
    Reason.LUCKY: "a right result by another derivation",
    Reason.SHORTCUT: "the right derivation but for a factor that is 1",
    Reason.PART: "some of gold's quantities, not the others",
    Reason.OTHER: "another derivation",
    Reason.NO_DERIVATION: "only numbers, without how they were found",
    Reason.UNREAD: "nothing could be read, or only parts",
}


def accuracies(table: ScoreTable) -> str:
    """Return the accuracies of each system, their intervals, and how many right answers had no right derivation."""
    rows = []
    for system in table.systems:
        cells = "".join(f'<td data-label="{name} accuracy">{_accuracy_cell(system, name)}</td>' for name in ACCURACIES)
        counts = [system.score.right_answers[kind] for kind in (Kind.WRONG, Kind.NONE, Kind.UNREAD)]
        lucky = f"{counts[0]} of {system.score.count}"
        if any(counts[1:]):
            lucky += f'<span class="against">none: {counts[1]}; not understood: {counts[2]}</span>'
        rows.append(
            f'<tr><th scope="row">{_e(system.name)}</th>{cells}'
            f'<td data-label="right answer, wrong derivation">{lucky}</td></tr>'
        )
    head = "".join(f'<th scope="col">{name} accuracy</th>' for name in ACCURACIES)
    notes = " ".join(note for note in (table.intervals_note, table.tests_note, table.readings_note) if note)
    return _section(
        "accuracies",
        "Accuracies",
        '<div class="wide"><table class="cards"><thead><tr><th scope="col">system</th>'
        f'{head}<th scope="col">right answer, wrong derivation</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
        f'<p class="note">{_e(notes)}</p>',
    )


def _accuracy_cell(system: ScoredSystem, name: str) -> str:
    """Return an accuracy with its interval, as text and as a bar from 0 to 100 %, and how it compares."""
    mean, interval = system.score.accuracy(name), system.intervals[name]
    text = f"{100 * interval.low:.1f} to {100 * interval.high:.1f}"
    against = compared(system.against_first.get(name)).strip()
    told = f'<b>{100 * mean:.1f} %</b> <span class="interval">{text}</span>{_interval_chart(mean, interval)}'
    if against:
        told += f'<span class="against">{against}</span>'
    if name == "derivation" and system.score.certain != mean:
        # Numbers of an answer may come from several numbers of the text.
        told += f'<span class="against">{100 * system.score.certain:.1f} % in every reading</span>'
    return told


def _interval_chart(mean: float, interval: Interval) -> str:
    low, high = 100 * interval.low, 100 * interval.high
    whiskers = f"M{low:.1f} 3V11M{high:.1f} 3V11M{low:.1f} 7H{high:.1f}"
    # Drawn in a box of 100 by 14 that is stretched to the cell; the strokes are not.
    return (
        '<svg class="chart" viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="track" y="4" width="100" height="6"/>'
        f'<rect class="share" y="4" width="{100 * mean:.1f}" height="6"/>'
        f'<path class="whiskers" vector-effect="non-scaling-stroke" d="{whiskers}"/></svg>'
    )


def reasons(table: ScoreTable) -> str:
    """Return how many predictions of each system were right, or wrong for which reason."""
    most = max((count for system in table.systems for count in system.score.counts.values()), default=0)
    rows = []
    for reason in Reason:
        counts = [system.score.counts.get(str(reason), 0) for system in table.systems]
        if any(counts):
            cells = "".join(f"<td>{_count_cell(count, most)}</td>" for count in counts)
            # The link leads to the errors with this reason; right predictions have no link.
            name = str(reason) if reason is Reason.RIGHT else f'<a href="#{urlencode({"reason": reason})}">{reason}</a>'
            rows.append(f'<tr><th scope="row">{name} <small>{_e(REASONS[reason])}</small></th>{cells}</tr>')
    head = "".join(f'<th scope="col">{_e(system.name)}</th>' for system in table.systems)
    return _section(
        "reasons",
        "Reasons",
        "<p>A reason leads to the predictions that have it.</p>"
        f'<div class="wide"><table><thead><tr><th scope="col">reason</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>",
    )


def _count_cell(count: int, most: int) -> str:
    """Return a count as text and as a bar whose length compares it with the largest one."""
    width = 100 * count / most if most else 0
    return (
        f"{count}"
        '<svg class="chart bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="share" width="{width:.1f}" height="8"/></svg>'
    )


def slices(table: ScoreTable) -> str:
    """Return the accuracies by properties of the problems, one table a system."""
    blocks = []
    for system in table.systems:
        rows = []
        for title, values in system.score.slices().items():
            for value, figures in values.items():
                cells = "".join(f"<td>{100 * figures[f'{name}_accuracy']:.1f}</td>" for name in ACCURACIES)
                rows.append(f'<tr><th scope="row">{_e(title)}: {_e(value)}</th><td>{figures["n"]:.0f}</td>{cells}</tr>')
        head = "".join(f'<th scope="col">{name}</th>' for name in ACCURACIES)
        blocks.append(
            f"<details><summary>{_e(system.name)}</summary>"
            '<div class="wide"><table><thead><tr><th scope="col">problems with</th><th scope="col">n</th>'
            f"{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></details>"
        )
    return _section("slices", "Slices", f"<p>Accuracies in % by properties of the problems.</p>{''.join(blocks)}")


def conditions(table: ScoreTable) -> str:
    """Return the references of equation accuracy, and the signature of each score."""
    items = "".join(
        f"<dt>{_e(system.name)}</dt><dd>On average {system.score.mean_references:.1f} derivations of a problem give "
        f"its gold equations. {100 * system.score.references_not_gold:.1f} % of those that equation accuracy "
        f"compared with are not equivalent to gold.<br><code>{_e(str(system.score.signature))}</code></dd>"
        for system in table.systems
    )
    return _section(
        "conditions",
        "References and signatures",
        f"<p>Only scores with equal signatures can be compared.</p><dl>{items}</dl>",
    )


def _section(name: str, title: str, inside: str) -> str:
    return f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{title}</h2>{inside}</section>'


def _e(text: str) -> str:
    return escape(printable(text))
