"""The parts of the page that are tables: accuracies, reasons, slices, references and signatures."""

from __future__ import annotations

from collections.abc import Mapping

from draw_dataset.files import escape
from draw_dataset.report.charts import accuracy_cell, count_cell
from draw_dataset.report.plain import printable
from draw_dataset.scoring.score import Score
from draw_dataset.scoring.verdict import Reason

METRICS = ("derivation", "equation", "solution")

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
}


def accuracies(systems: Mapping[str, Score]) -> str:
    """Return the three accuracies of each system, and how many right answers had a wrong derivation."""
    rows = []
    for name, score in systems.items():
        cells = "".join(
            f'<td data-label="{metric} accuracy">{accuracy_cell(score.items[metric])}</td>' for metric in METRICS
        )
        lucky = f"{score.lucky} of {score.count}"
        rows.append(
            f'<tr><th scope="row">{_e(name)}</th>{cells}'
            f'<td data-label="right answer, wrong derivation">{lucky}</td></tr>'
        )
    head = "".join(f'<th scope="col">{metric} accuracy</th>' for metric in METRICS)
    return _section(
        "accuracies",
        "Accuracies",
        "<p>With 95 % bootstrap intervals. A right answer may come of a wrong derivation: how often it did is "
        "counted beside.</p>"
        '<div class="wide"><table class="cards"><thead><tr><th scope="col">system</th>'
        f'{head}<th scope="col">right answer, wrong derivation</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>",
    )


def reasons(systems: Mapping[str, Score]) -> str:
    """Return how many predictions of each system were right, or wrong for which reason."""
    most = max((count for score in systems.values() for count in score.counts.values()), default=0)
    rows = []
    for reason, meaning in REASONS.items():
        counts = [score.counts.get(str(reason), 0) for score in systems.values()]
        if any(counts):
            cells = "".join(f"<td>{count_cell(count, most)}</td>" for count in counts)
            rows.append(f'<tr><th scope="row">{reason} <small>{meaning}</small></th>{cells}</tr>')
    head = "".join(f'<th scope="col">{_e(name)}</th>' for name in systems)
    return _section(
        "reasons",
        "Reasons",
        f'<div class="wide"><table><thead><tr><th scope="col">reason</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>",
    )


def slices(systems: Mapping[str, Score]) -> str:
    """Return the accuracies by properties of the problems, one table a system."""
    blocks = []
    for name, score in systems.items():
        rows = []
        for title, values in score.slices().items():
            for value, figures in values.items():
                cells = "".join(f"<td>{100 * figures[f'{metric}_accuracy']:.1f}</td>" for metric in METRICS)
                rows.append(f'<tr><th scope="row">{_e(title)}: {_e(value)}</th><td>{figures["n"]:.0f}</td>{cells}</tr>')
        head = "".join(f'<th scope="col">{metric}</th>' for metric in METRICS)
        blocks.append(
            f"<details><summary>{_e(name)}</summary>"
            '<div class="wide"><table><thead><tr><th scope="col">problems with</th><th scope="col">n</th>'
            f"{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></details>"
        )
    return _section("slices", "Slices", f"<p>Accuracies in % by properties of the problems.</p>{''.join(blocks)}")


def conditions(systems: Mapping[str, Score]) -> str:
    """Return the references of equation accuracy, and the signature of each score."""
    items = "".join(
        f"<dt>{_e(name)}</dt><dd>{score.mean_references:.1f} derivations lead from the text to the gold equations on "
        f"average; {100 * score.references_not_gold:.1f} % of those that equation accuracy compared with are not "
        f"equivalent to gold.<br><code>{_e(score.signature)}</code></dd>"
        for name, score in systems.items()
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
