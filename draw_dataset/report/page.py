"""One page about systems and their errors, to be read and passed on as a single file.

The page holds everything: style, script and drawings. Text from data is escaped where it enters the page, and the
policy in its head lets nothing run but our own script, known by its hash. Right answers with wrong derivations come
first, since they are what other metrics do not see.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from draw_dataset.errors import ScoreError, shown
from draw_dataset.files import escape, write_whole
from draw_dataset.report.figure import draw_svg, figure_css
from draw_dataset.report.picture import picture_of
from draw_dataset.report.plain import clipped, number_text, printable, raw_text
from draw_dataset.report.sections import accuracies, conditions, reasons, slices
from draw_dataset.scoring.files import Judged
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.score import Score
from draw_dataset.scoring.table import ScoreTable
from draw_dataset.scoring.verdict import Reason, Verdict

MAX_FIGURES = 300
"""Figures on a page, at most, unless said otherwise: about two megabytes."""

FIGURE_WIDTH = 430

_MAX_SEARCHED = 2_000


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong prediction of a system."""

    system: str
    verdict: Verdict
    prediction: Any
    reference: Reference

    @property
    def lucky(self) -> bool:
        """Whether the answer is right all the same."""
        return bool(self.verdict.solution)


class WrongOnes:
    """Takes down the wrong predictions among those that are judged: as many as a page may show, of either kind.

    Call it with each; what it has taken down is in `found`.
    """

    def __init__(self, most: int = MAX_FIGURES) -> None:
        self._left = {True: most, False: most}
        self.found: list[Judged] = []

    def __call__(self, judged: Judged) -> None:
        """Take down a prediction if its derivation is wrong and there is room."""
        verdict = judged.verdict
        if not verdict.derivation and self._left[bool(verdict.solution)]:
            self._left[bool(verdict.solution)] -= 1
            self.found.append(judged)


def write_page(
    path: str | os.PathLike[str],
    table: ScoreTable,
    wrong: Mapping[str, Sequence[Judged]],
    title: str = "Derivation accuracy",
    *,
    figures: int = MAX_FIGURES,
) -> None:
    """Write the page; whoever reads the file meanwhile sees the old one or the new one, never a part.

    Args:
        path: the file.
        table: the systems side by side; the page shows its intervals and tests.
        wrong: predictions of each system whose derivation is wrong, all or some of them (see `WrongOnes`).
        title: of the page.
        figures: how many wrong predictions are shown, at most.

    Raises:
        ScoreError: wrong predictions are of a system that is not in the table.
        FolderError: the file cannot be written.
    """
    write_whole(path, page_html(table, wrong, title, figures=figures))


def page_html(
    table: ScoreTable,
    wrong: Mapping[str, Sequence[Judged]],
    title: str = "Derivation accuracy",
    *,
    figures: int = MAX_FIGURES,
) -> str:
    """Return the page as text; see `write_page`."""
    names = [system.name for system in table.systems]
    _check(names, wrong)
    shown = _ordered(wrong)[: max(figures, 0)]
    scores = [system.score for system in table.systems]
    total = sum(score.count - score.counts.get(Reason.RIGHT, 0) for score in scores)
    style, script = figure_css() + _resource("page.css"), _resource("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    index = [{"system": w.system, "reason": str(w.verdict.reason), "text": _searched(w)} for w in shown]
    name = _e(title)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{name}</title><style>{style}</style></head><body>"
        f'<a class="skip" href="#errors">Skip to the errors</a>'
        f"<header><h1>{name}</h1>{_summary(scores)}</header><main>"
        f"{accuracies(table)}{reasons(table)}{slices(table)}{conditions(table)}"
        f"{_errors(shown, total, names)}</main>"
        f'<script type="application/json" id="index">{_json(index)}</script><script>{script}</script></body></html>\n'
    )


def _check(names: Sequence[str], wrong: Mapping[str, Sequence[Judged]]) -> None:
    strange = [name for name in wrong if name not in names]
    if strange:
        raise ScoreError(f"page: expected wrong predictions of {', '.join(names)}, but got some of {shown(strange[0])}")


def _ordered(wrong: Mapping[str, Sequence[Judged]]) -> list[Wrong]:
    """Return the wrong predictions: right answers first, then in turn, so that every system has its share."""
    found = [
        (not judged.verdict.solution, position, Wrong(name, judged.verdict, judged.prediction, judged.reference))
        for name, of_system in wrong.items()
        for position, judged in enumerate(of_system)
    ]
    found.sort(key=lambda item: item[:2])
    return [item[2] for item in found]


def _summary(scores: Sequence[Score]) -> str:
    noun = "system" if len(scores) == 1 else "systems"
    lucky = sum(score.lucky for score in scores)
    return (
        f"<p>{len(scores)} {noun}, {scores[0].count} predictions each. How was each answer derived from the text? "
        f'<a href="#errors">{lucky} right answers had a wrong derivation.</a></p>'
    )


def _errors(shown: Sequence[Wrong], total: int, systems: Sequence[str]) -> str:
    left_out = total - len(shown)
    note = f'<p class="note">{left_out} of {total} wrong predictions are left out, to keep the page small.</p>'
    codes = list(dict.fromkeys(str(w.verdict.reason) for w in shown))
    lucky = [(i, w) for i, w in enumerate(shown) if w.lucky]
    others = [(i, w) for i, w in enumerate(shown) if not w.lucky]
    return (
        '<section id="errors" aria-labelledby="errors-title" tabindex="-1"><h2 id="errors-title">Wrong derivations</h2>'
        f"{note if left_out else ''}"
        '<form id="filter" hidden role="search">'
        f"{_select('system', 'System', systems)}{_select('reason', 'Reason', codes)}"
        '<label>Search <input type="search" name="q" autocomplete="off" placeholder="words, id, q2 …"></label>'
        '<button type="reset">Clear</button>'
        f'<output name="count" aria-live="polite">{len(shown)} shown</output></form>'
        f"{_listed('lucky', 'Right answer, wrong derivation', lucky)}{_listed('others', 'Wrong answer', others)}"
        '<p id="none" hidden>Nothing fits this filter.</p></section>'
    )


def _select(name: str, label: str, values: Iterable[str]) -> str:
    options = "".join(f'<option value="{_e(value)}">{_e(value)}</option>' for value in values)
    return f'<label>{label} <select name="{name}"><option value="">all</option>{options}</select></label>'


def _listed(name: str, title: str, items: Sequence[tuple[int, Wrong]]) -> str:
    if not items:
        return ""
    articles = "".join(_article(i, wrong) for i, wrong in items)
    return (
        f'<section class="list" id="{name}"><h3>{title} <span class="many">{len(items)}</span></h3>{articles}</section>'
    )


def _article(number: int, wrong: Wrong) -> str:
    picture = picture_of(wrong.reference, (wrong.prediction,), wrong.verdict)
    problem = wrong.reference.problem
    gold = ", ".join(number_text(value, 6) for value in problem.solutions)
    given = raw_text(wrong.prediction, 2_000) or "nothing"
    return (
        f'<article data-item="{number}"><h4>Problem {_e(str(problem.id))} <span class="chip">{_e(wrong.system)}</span> '
        f'<span class="chip reason">{_e(wrong.verdict.reason)}</span></h4><p>{_e(_sentence(wrong.verdict))}</p>'
        f'<div class="figure">{draw_svg(picture, width=FIGURE_WIDTH, style=False)}</div>'
        f"<details><summary>As given</summary><p>Gold solutions: {_e(gold)}</p><pre>{_e(given)}</pre></details>"
        "</article>"
    )


def _sentence(verdict: Verdict) -> str:
    message = clipped(printable(verdict.message), 600)
    shown = message if verdict.reason not in _CODED else f"{verdict.reason}: {message}"
    return shown[:1].upper() + shown[1:]


_CODED = (Reason.ABSTAINED, Reason.UNREADABLE, Reason.NOT_LINEAR, Reason.TOO_LARGE, Reason.BAD_ALIGNMENT)
"""Reasons whose sentence is that of an error, which does not name them."""


def _searched(wrong: Wrong) -> str:
    problem = wrong.reference.problem
    words = f"{problem.id} {problem.question} {wrong.verdict.message} {raw_text(wrong.prediction)}"
    return clipped(" ".join(printable(words).lower().split()), _MAX_SEARCHED)


def _json(value: object) -> str:
    """Return JSON that can stand in a script element: nothing in it can end the element or open a comment."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _resource(name: str) -> str:
    return files("draw_dataset.report").joinpath(name).read_text(encoding="utf-8")


def _e(text: str) -> str:
    return escape(printable(text))
