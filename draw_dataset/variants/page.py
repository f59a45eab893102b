"""An HTML page about answers to variants: the systems side by side, and what explains the wrong derivations.

Like the page of the metric it is self-contained. It has no script, and text from data is escaped. Problems that are
right on the original and wrong on their variants come first, since no other metric finds them. The figure shows the
simplest explanation next to gold.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping, Sequence
from importlib.resources import files

from draw_dataset.core.problem import ProblemId
from draw_dataset.errors import DrawError
from draw_dataset.files import escape, write_atomically
from draw_dataset.report.article import FIGURE_WIDTH
from draw_dataset.report.figure import draw_svg, figure_css
from draw_dataset.report.picture import picture_of
from draw_dataset.report.plain import printable
from draw_dataset.scoring.grading import grade_derivation
from draw_dataset.scoring.reference import Reference
from draw_dataset.variants.probe import ProblemProbe
from draw_dataset.variants.probing import Case
from draw_dataset.variants.table import NOTE, ProbeTable
from draw_dataset.variants.verdicts import FromAnswers

MAX_ARTICLES = 200
"""The largest number of problems on a page."""


def write_probe_page(
    path: str | os.PathLike[str], table: ProbeTable, cases: Sequence[Case], title: str = "Derivation from answers"
) -> None:
    """Write the page: whole, or not at all.

    Args:
        path: the file.
        table: the systems side by side.
        cases: the problems with their variants.
        title: of the page.

    Raises:
        FolderError: the file cannot be written.
    """
    write_atomically(path, probe_page(table, cases, title))


def probe_page(table: ProbeTable, cases: Sequence[Case], title: str = "Derivation from answers") -> str:
    """Return the page as text; see `write_probe_page`."""
    style = figure_css() + files("draw_dataset.report").joinpath("page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    by_id = {case.id: case for case in cases}
    wrong = [
        (system.name, one)
        for system in table.systems
        for one in system.probe.problems
        if one.verdict is not FromAnswers.RIGHT or one.slips
    ]
    wrong.sort(key=lambda entry: _place(entry[1]))
    articles = "".join(_article(name, one, by_id) for name, one in wrong[:MAX_ARTICLES])
    left = len(wrong) - MAX_ARTICLES
    note = f'<p class="note">{left} more are left out, to keep the page small.</p>' if left > 0 else ""
    name = _e(title)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{name}</title><style>{style}</style></head><body>"
        '<a class="skip" href="#errors">Skip to the errors</a>'
        f"<header><h1>{name}</h1><p>{_e(NOTE)}</p></header><main>{_figures(table)}"
        '<section id="errors" aria-labelledby="errors-title" tabindex="-1">'
        f'<h2 id="errors-title">What went wrong</h2>{note}<div class="list">{articles}</div></section>'
        "</main></body></html>\n"
    )


def _place(one: ProblemProbe) -> tuple[bool, bool, bool]:
    lucky = one.verdict is FromAnswers.WRONG and any(one.of_kind(original=True))
    return not lucky, one.verdict is not FromAnswers.WRONG, not one.explanations


def _figures(table: ProbeTable) -> str:
    head = "".join(f'<th scope="col">{_e(system.name)}</th>' for system in table.systems)
    rows = "".join(_row(name, cells, len(table.systems)) for name, cells in table.lines())
    signatures = "".join(f"<p><code>{_e(text)}</code></p>" for text in table.signatures())
    return (
        '<section id="figures"><h2>Figures</h2><div class="wide"><table><thead><tr><th scope="col">accuracies in %</th>'
        f"{head}</tr></thead><tbody>{rows}</tbody></table></div>{signatures}</section>"
    )


def _row(name: str, cells: Sequence[str], systems: int) -> str:
    """Return a row of the table; one without cells is a title over the indented rows after it."""
    if not cells:
        return f'<tr><th scope="colgroup" colspan="{systems + 1}">{_e(name)}</th></tr>'
    indented = ' class="part"' if name.startswith(" ") else ""
    return f'<tr><th scope="row"{indented}>{_e(name.strip())}</th>{"".join(f"<td>{_e(c)}</td>" for c in cells)}</tr>'


def _article(system: str, one: ProblemProbe, cases: Mapping[ProblemId, Case]) -> str:
    marks = ", ".join(
        f"{_e(str(item.id))} ({_e(item.kind)}) {'right' if item.right else 'wrong' if item.answered else 'no answer'}"
        for item in one.items
    )
    told = "".join(
        f"<li>{_e(t.sentence)} <code>{_e(t.derivation)}</code> "
        f"<small>explains {t.explained} of {len(one.items)}</small></li>"
        for t in one.explanations
    )
    more = f'<p class="note">and {one.others} more derivations explain as many.</p>' if one.others else ""
    slips = f"<p>Slips: {_e(', '.join(map(str, one.slips)))}</p>" if one.slips else ""
    case = cases.get(one.id)
    figure = "" if case is None else _figure(one, case)
    return (
        f'<article><h4>Problem {_e(str(one.id))} <span class="chip">{_e(system)}</span> '
        f'<span class="chip reason">{_e(str(one.verdict))}</span></h4><p>{marks}</p>{slips}'
        f"{f'<ol>{told}</ol>{more}' if told else ''}{figure}</article>"
    )


def _figure(one: ProblemProbe, case: Case) -> str:
    """Return the simplest explanation next to gold; the problem alone if there is none that can be drawn."""
    reference = Reference(case.puzzle.problem)
    for prediction in [told.derivation for told in one.explanations[:1] if "trap" not in told.derivation]:
        try:
            picture = picture_of(reference, (prediction,), grade_derivation(prediction, reference))
        except DrawError:
            continue
        return f'<div class="figure">{draw_svg(picture, width=FIGURE_WIDTH, style=False)}</div>'
    return f"<p>{_e(case.puzzle.problem.question)}</p>"


def _e(text: str) -> str:
    return escape(printable(text))
