"""An HTML page about systems and their errors, in a single file.

The page has everything: style, script and drawings. Text from data is escaped when it enters the page, and the policy
in its head lets only our own script run, identified by its hash. Right answers with wrong derivations come first, since
other metrics do not see them.

The size of a page is limited: if there are many predictions, every system and every reason gets its share, and a note
says how many are left out.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files

from draw_dataset.errors import ScoreError, shown
from draw_dataset.files import escape, write_atomically
from draw_dataset.report.answer import answer_css, legend_html
from draw_dataset.report.article import LISTS, Entry, article
from draw_dataset.report.figure import figure_css
from draw_dataset.report.plain import printable
from draw_dataset.report.sections import accuracies, conditions, reasons, slices
from draw_dataset.scoring.files import Judged
from draw_dataset.scoring.score import Score
from draw_dataset.scoring.table import ScoreTable
from draw_dataset.scoring.verdict import Kind, Reason

MAX_FIGURES = 300
"""The default number of figures on a page, at most: about two megabytes."""


class ErrorCollector:
    """Collects predictions that are not right: as many as a page may show, of every reason.

    Call it with each prediction; the result is in `found`. Answers with a slip or a shortcut are collected as well.
    """

    def __init__(self, most: int = MAX_FIGURES) -> None:
        self._most = most
        self._taken: Counter[Reason] = Counter()
        self.found: list[Judged] = []

    def __call__(self, judged: Judged) -> None:
        """Keep a prediction if it is not right and there is room."""
        reason = judged.verdict.reason
        if reason is not Reason.RIGHT and self._taken[reason] < self._most:
            self._taken[reason] += 1
            self.found.append(judged)


def write_page(
    path: str | os.PathLike[str],
    table: ScoreTable,
    wrong: Mapping[str, Sequence[Judged]],
    title: str = "Derivation accuracy",
    *,
    figures: int = MAX_FIGURES,
) -> None:
    """Write the page. A reader sees the old file or the new one, never a part.

    Args:
        path: the file.
        table: the systems side by side; the page shows its intervals and tests.
        wrong: predictions of each system that are not right, all or some of them (see `ErrorCollector`).
        title: of the page.
        figures: how many predictions are shown, at most.

    Raises:
        ScoreError: wrong predictions are of a system that is not in the table.
        FolderError: the file cannot be written.
    """
    write_atomically(path, page_html(table, wrong, title, figures=figures))


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
    shown = _chosen(wrong, max(figures, 0))
    scores = [system.score for system in table.systems]
    total = sum(score.count - score.counts.get(Reason.RIGHT, 0) for score in scores)
    style, script = figure_css() + answer_css() + _resource("page.css"), _resource("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    index = [one.indexed() for one in shown]
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


def _chosen(wrong: Mapping[str, Sequence[Judged]], figures: int) -> list[Entry]:
    """Return what is shown, list by list: in turn by system and reason, so that each has its share."""
    found: list[tuple[int, int, Entry]] = []
    turns: Counter[tuple[str, str]] = Counter()
    for name, of_system in wrong.items():
        for position, judged in enumerate(of_system):
            turns[name, judged.verdict.reason] += 1
            one = Entry(name, judged.verdict, judged.prediction, judged.reference)
            found.append((turns[name, judged.verdict.reason], position, one))
    found.sort(key=lambda item: item[:2])
    kept = sorted(found[:figures], key=lambda item: (list(LISTS).index(item[2].listed), item[1]))
    return [one for _, _, one in kept]


def _summary(scores: Sequence[Score]) -> str:
    noun = "system" if len(scores) == 1 else "systems"
    wrong, none, unread = (
        sum(score.right_answers[kind] for score in scores) for kind in (Kind.WRONG, Kind.NONE, Kind.UNREAD)
    )
    further = [f"{none} had none"] * bool(none) + [f"{unread} could not be understood"] * bool(unread)
    rest = f" {' and '.join(further).capitalize()}." if further else ""
    return (
        f"<p>{len(scores)} {noun}, {scores[0].count} predictions each. How was each answer derived from the text? "
        f'<a href="#errors">{wrong} right answers had a wrong derivation.</a>{rest}</p>'
    )


def _errors(shown: Sequence[Entry], total: int, systems: Sequence[str]) -> str:
    left_out = total - len(shown)
    note = (
        f'<p class="note">{left_out} of {total} predictions that are not right are left out, to keep the page small; '
        "every system and every reason has its share of those that are here.</p>"
    )
    present = {str(one.verdict.reason) for one in shown}
    codes = [str(reason) for reason in Reason if str(reason) in present]
    of_answers = any(one.answer is not None for one in shown)
    lists = "".join(
        _listed(name, title, [(i, one) for i, one in enumerate(shown) if one.listed == name])
        for name, title in LISTS.items()
    )
    return (
        '<section id="errors" aria-labelledby="errors-title" tabindex="-1"><h2 id="errors-title">What went wrong</h2>'
        f"{note if left_out else ''}{legend_html() if of_answers else ''}"
        '<form id="filter" hidden role="search">'
        f"{_select('system', 'System', systems)}{_select('reason', 'Reason', codes)}"
        '<label>Search <input type="search" name="q" autocomplete="off" placeholder="words, id, q2 …"></label>'
        '<button type="reset">Clear</button>'
        f'<output name="count" aria-live="polite">{len(shown)} shown</output></form>'
        f'{lists}<p id="none" hidden>Nothing fits this filter.</p></section>'
    )


def _select(name: str, label: str, values: Iterable[str]) -> str:
    options = "".join(f'<option value="{_e(value)}">{_e(value)}</option>' for value in values)
    return f'<label>{label} <select name="{name}"><option value="">all</option>{options}</select></label>'


def _listed(name: str, title: str, items: Sequence[tuple[int, Entry]]) -> str:
    if not items:
        return ""
    articles = "".join(article(i, one) for i, one in items)
    return (
        f'<section class="list" id="{name}"><h3>{title} <span class="many">{len(items)}</span></h3>{articles}</section>'
    )


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
