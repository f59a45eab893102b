"""HTML pages about systems and their errors, each in a single file, and the parts that other pages share.

Text from data is escaped, and the policy in the head lets only our own script run. The size of a page is limited: every
system and every reason gets its share, and a note says how many predictions are left out.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from draw_dataset.algebra.number import short_number
from draw_dataset.errors import ScoreError, short_repr
from draw_dataset.io.atomic import write_atomically
from draw_dataset.report.picture import clip, picture_of, printable, raw_text, safe_html
from draw_dataset.report.svg import answer_css, answer_html, draw_svg, figure_css, legend_html, verdict_text
from draw_dataset.scoring.files import Judged
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.prediction import answer_of
from draw_dataset.scoring.score import Score
from draw_dataset.scoring.significance import Interval
from draw_dataset.scoring.table import ScoredSystem, ScoreTable, difference_text
from draw_dataset.scoring.verdict import ACCURACIES, Kind, Reason, Verdict

MAX_FIGURES = 300  # the default number of figures on a page, at most: about two megabytes

FIGURE_WIDTH = 430

LISTS = {
    "lucky": "Right answer, wrong derivation",
    "bare": "Right answer, no derivation",
    "unread": "Right answer, derivation not understood",
    "slips": "Right derivation, wrong answer",
    "shortcuts": "Right answer by a shortcut",
    "others": "Wrong answer",
}
"""The lists of the page in their order: what other metrics do not see comes first."""

_MAX_SEARCHED = 2_000

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
    Reason.UNDECIDED: "a derivation that is proved neither right nor wrong",
}


class ErrorCollector:
    """Collects predictions that are not right in `found`, slips and shortcuts included: a limited number per reason."""

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


@dataclass(frozen=True, slots=True)
class Entry:
    """A prediction of a system on the page, as it was given."""

    system: str
    verdict: Verdict
    prediction: Any
    reference: PreparedProblem

    @property
    def listed(self) -> str:
        """The list it belongs to, one of `LISTS`."""
        if self.verdict.derivation:
            return "shortcuts" if self.verdict.solution else "slips"
        if not self.verdict.solution:
            return "others"
        return {Kind.NONE: "bare", Kind.UNREAD: "unread"}.get(self.verdict.reason.kind, "lucky")

    @property
    def answer(self) -> str | None:
        """The text of a model answer, if it is one."""
        return answer_of(self.prediction)

    def search_fields(self) -> dict[str, str]:
        """Return the fields that the filters of the page look at."""
        problem = self.reference.problem
        given = self.answer if self.answer is not None else raw_text(self.prediction)
        words = f"{problem.id} {problem.question} {self.verdict.message} {clip(given, 4 * _MAX_SEARCHED)}"
        text = clip(" ".join(printable(words).lower().split()), _MAX_SEARCHED)
        return {"system": self.system, "reason": str(self.verdict.reason), "text": text}


def html_document(title: str, *, header: str, main: str, script: str = "", index: object = None) -> str:
    """Return a self-contained page; `header` follows the title, and the script finds the index as JSON."""
    style = figure_css() + (answer_css() if script else "") + _resource("page.css")
    scripts = f"script-src '{_hash(script)}'; " if script else ""
    policy = f"default-src 'none'; style-src '{_hash(style)}'; {scripts}base-uri 'none'; form-action 'none'"
    embedded = (
        f'<script type="application/json" id="index">{_json(index)}</script><script>{script}</script>' if script else ""
    )
    name = safe_html(title)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{name}</title><style>{style}</style></head><body>"
        '<a class="skip" href="#errors">Skip to the errors</a>'
        f"<header><h1>{name}</h1>{header}</header><main>{main}</main>{embedded}</body></html>\n"
    )


def html_table(columns: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], *, cards: bool = False) -> str:
    """Return a table; a row without cells is a title. With `cards`, narrow windows show each row as a card."""
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    body = []
    for label, cells in rows:
        if not cells:
            body.append(f'<tr><th scope="colgroup" colspan="{len(columns)}">{label}</th></tr>')
            continue
        titles = [f' data-label="{name}"' if cards else "" for name in columns[1:]]
        filled = "".join(f"<td{title}>{cell}</td>" for title, cell in zip(titles, cells, strict=True))
        indented = ' class="part"' if label.startswith(" ") else ""
        body.append(f'<tr><th scope="row"{indented}>{label.strip()}</th>{filled}</tr>')
    opening = '<table class="cards">' if cards else "<table>"
    return f'<div class="wide">{opening}<thead><tr>{head}</tr></thead><tbody>{"".join(body)}</tbody></table></div>'


def write_page(
    path: str | os.PathLike[str],
    table: ScoreTable,
    wrong: Mapping[str, Sequence[Judged]],
    title: str = "Derivation accuracy",
    *,
    figures: int = MAX_FIGURES,
) -> None:
    """Write the page; `wrong` has predictions of each system that are not right (see `ErrorCollector`)."""
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
    strange = [name for name in wrong if name not in names]
    if strange:
        raise ScoreError(
            f"page: expected wrong predictions of {', '.join(names)}, but got some of {short_repr(strange[0])}"
        )
    found = _select_entries(wrong, max(figures, 0))
    scores = [system.score for system in table.systems]
    total = sum(score.count - score.counts.get(Reason.RIGHT, 0) for score in scores)
    return html_document(
        title,
        header=_summary(scores),
        main=f"{_accuracies(table)}{_reasons(table)}{_slices(table)}{_conditions(table)}{_errors(found, total, names)}",
        script=_resource("page.js"),
        index=[one.search_fields() for one in found],
    )


def _select_entries(wrong: Mapping[str, Sequence[Judged]], figures: int) -> list[Entry]:
    """Return the entries to show, list by list: in turn by system and reason, so that each has its share."""
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
        _list_html(name, title, [(i, one) for i, one in enumerate(shown) if one.listed == name])
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
    options = "".join(f'<option value="{safe_html(value)}">{safe_html(value)}</option>' for value in values)
    return f'<label>{label} <select name="{name}"><option value="">all</option>{options}</select></label>'


def _list_html(name: str, title: str, items: Sequence[tuple[int, Entry]]) -> str:
    if not items:
        return ""
    articles = "".join(_article(i, one) for i, one in items)
    return (
        f'<section class="list" id="{name}"><h3>{title} <span class="many">{len(items)}</span></h3>{articles}</section>'
    )


def _article(number: int, entry: Entry) -> str:
    """Return a prediction as HTML; the number is its place in the index of the page."""
    picture = picture_of(entry.reference, (entry.prediction,), entry.verdict)
    problem, answer = entry.reference.problem, entry.answer
    gold = ", ".join(map(short_number, problem.solutions))
    head = (
        f"<h4>Problem {safe_html(str(problem.id))} "
        f'<span class="chip">{safe_html(entry.system)}</span> '
        f'<span class="chip reason">{safe_html(entry.verdict.reason)}</span></h4>'
        f"<p>{safe_html(_sentence(entry.verdict))}</p>"
    )
    figure = f'<div class="figure">{draw_svg(picture, width=FIGURE_WIDTH, style=False)}</div>'
    if answer is None:
        given = raw_text(entry.prediction, 2_000) or "nothing"
        return (
            f'<article data-item="{number}">{head}{figure}'
            f"<details><summary>As given</summary><p>Gold solutions: {safe_html(gold)}</p>"
            f"<pre>{safe_html(given)}</pre></details>"
            "</article>"
        )
    told = f'<p class="note">{safe_html(verdict_text(entry.verdict))}; gold solutions {safe_html(gold)}</p>'
    shown = answer_html(answer, entry.verdict.reading, error=entry.verdict.first_error)
    return (
        f'<article class="of-answer" data-item="{number}">{head}{told}'
        f'<div class="beside"><div>{shown}</div>{figure}</div></article>'
    )


def _sentence(verdict: Verdict) -> str:
    message = clip(printable(verdict.message), 600)
    shown = message if verdict.reason not in _CODED else f"{verdict.reason}: {message}"
    return shown[:1].upper() + shown[1:]


_CODED = (Reason.ABSTAINED, Reason.UNREADABLE, Reason.NOT_LINEAR, Reason.TOO_LARGE, Reason.BAD_ALIGNMENT)
"""Reasons whose sentence is an error message that does not name the reason."""


def _accuracies(table: ScoreTable) -> str:
    """Return the accuracies of each system, their intervals, and how many right answers had no right derivation."""
    rows = []
    for system in table.systems:
        counts = [system.score.right_answers[kind] for kind in (Kind.WRONG, Kind.NONE, Kind.UNREAD)]
        lucky = f"{counts[0]} of {system.score.count}"
        if any(counts[1:]):
            lucky += f'<span class="against">none: {counts[1]}; not understood: {counts[2]}</span>'
        rows.append((safe_html(system.name), [*(_accuracy_cell(system, name) for name in ACCURACIES), lucky]))
    columns = ["system", *(f"{name} accuracy" for name in ACCURACIES), "right answer, wrong derivation"]
    notes = " ".join(note for note in (table.intervals_note, table.tests_note, table.readings_note) if note)
    inside = f'{html_table(columns, rows, cards=True)}<p class="note">{safe_html(notes)}</p>'
    return _section("accuracies", "Accuracies", inside)


def _accuracy_cell(system: ScoredSystem, name: str) -> str:
    """Return an accuracy with its interval, as text and as a bar from 0 to 100 %, and how it compares."""
    mean, interval = system.score.accuracy(name), system.intervals[name]
    text = f"{100 * interval.low:.1f} to {100 * interval.high:.1f}"
    against = difference_text(system.against_first.get(name)).strip()
    told = f'<b>{100 * mean:.1f} %</b> <span class="interval">{text}</span>{_interval_chart(mean, interval)}'
    if against:
        told += f'<span class="against">{against}</span>'
    if name == "derivation" and system.score.certain != mean:
        # Numbers of an answer may come from several numbers of the text.
        told += f'<span class="against">{100 * system.score.certain:.1f} % in every reading</span>'
    if name == "derivation" and system.score.open:
        upper, decided = 100 * system.score.derivation_accuracy_upper, 100 * system.score.decided
        told += f'<span class="against">at most {upper:.1f} %; {decided:.1f} % decided</span>'
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


def _reasons(table: ScoreTable) -> str:
    """Return how many predictions of each system have each reason."""
    most = max((count for system in table.systems for count in system.score.counts.values()), default=0)
    rows = []
    for reason in Reason:
        counts = [system.score.counts.get(str(reason), 0) for system in table.systems]
        if any(counts):
            # The link leads to the errors with this reason; right predictions have no link.
            name = str(reason) if reason is Reason.RIGHT else f'<a href="#{urlencode({"reason": reason})}">{reason}</a>'
            rows.append(
                (f"{name} <small>{safe_html(REASONS[reason])}</small>", [_count_cell(count, most) for count in counts])
            )
    columns = ["reason", *(safe_html(system.name) for system in table.systems)]
    inside = f"<p>A reason leads to the predictions that have it.</p>{html_table(columns, rows)}"
    return _section("reasons", "Reasons", inside)


def _count_cell(count: int, most: int) -> str:
    """Return a count as text and as a bar whose length compares it with the largest one."""
    width = 100 * count / most if most else 0
    return (
        f"{count}"
        '<svg class="chart bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="share" width="{width:.1f}" height="8"/></svg>'
    )


def _slices(table: ScoreTable) -> str:
    """Return the accuracies by properties of the problems, one table a system."""
    blocks = []
    for system in table.systems:
        rows = [
            (
                f"{safe_html(title)}: {safe_html(value)}",
                [f"{figures['n']:.0f}", *(f"{100 * figures[f'{name}_accuracy']:.1f}" for name in ACCURACIES)],
            )
            for title, values in system.score.slices().items()
            for value, figures in values.items()
        ]
        columns = ["problems with", "n", *ACCURACIES]
        blocks.append(f"<details><summary>{safe_html(system.name)}</summary>{html_table(columns, rows)}</details>")
    return _section("slices", "Slices", f"<p>Accuracies in % by properties of the problems.</p>{''.join(blocks)}")


def _conditions(table: ScoreTable) -> str:
    """Return the references of equation accuracy, and the signature of each score."""
    items = "".join(
        f"<dt>{safe_html(system.name)}</dt>"
        f"<dd>On average {system.score.mean_references:.1f} derivations of a problem give its gold equations. "
        f"{100 * system.score.references_not_gold:.1f} % of those that equation accuracy compared with are not "
        f"equivalent to gold.<br><code>{safe_html(str(system.score.signature))}</code></dd>"
        for system in table.systems
    )
    inside = f"<p>Only scores with equal signatures can be compared.</p><dl>{items}</dl>"
    return _section("conditions", "References and signatures", inside)


def _section(name: str, title: str, inside: str) -> str:
    return f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{title}</h2>{inside}</section>'


def _json(value: object) -> str:
    """Return JSON that can stand in a script element: nothing in it can end the element or open a comment."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _resource(name: str) -> str:
    return files("draw_dataset.report").joinpath(name).read_text(encoding="utf-8")
