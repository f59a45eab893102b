"""HTML report about systems: their accuracies, and a viewer of all predictions, in a single file; parts of other pages.

The page needs no network. Text from data is escaped or stands in compressed data that the script only ever shows as
text; the policy in the head lets only our own script run, and forbids it to make markup of text.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from draw_dataset.data.corrections import VERSION as EDITION
from draw_dataset.errors import ScoreError, short_repr
from draw_dataset.io.atomic import write_atomically
from draw_dataset.report.entries import CHUNK, REASONS, STATUSES, STEPS, Entries, compressed
from draw_dataset.report.picture import KINDS, printable, safe_html
from draw_dataset.report.svg import answer_css, figure_css
from draw_dataset.scoring.files import Judged
from draw_dataset.scoring.significance import Interval
from draw_dataset.scoring.table import ScoredSystem, ScoreTable, difference_text
from draw_dataset.scoring.verdict import ACCURACIES, Kind, Reason, Status, StepKind

FIGURE_WIDTH = 430

REASON_TEXTS = {
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
    Reason.NO_DERIVATION: "only numbers, and no calculation that is understood",
    Reason.UNREAD: "nothing could be read, or only parts",
    Reason.UNDECIDED: "a derivation that is proved neither right nor wrong",
}

STEP_TEXTS = {
    StepKind.SLIP: "its arithmetic is false as it is written",
    StepKind.FOREIGN: "a number in it comes from nowhere",
    StepKind.OTHER: "it is no quantity of gold, and none uses it",
    StepKind.LEFT_OUT: "the result is taken although something is missing",
}

ICONS = {Status.RIGHT: "✓", Status.WRONG: "✗", Status.UNDECIDED: "?"}

VIEWS = {
    "Right answer, wrong derivation": {"verdict": "wrong", "solution": "right"},
    "Right derivation, wrong answer": {"verdict": "right", "solution": "wrong"},
    "Right answer, undecided derivation": {"verdict": "undecided", "solution": "right"},
    "Systems differ": {"differ": "1"},
}
"""Links to views that other metrics do not have."""

RELIABILITY = (
    "“Wrong” is said only of a derivation that was read completely and proved to differ from gold, for an answer with "
    "numbers as a witness where they show it; “undecided” means that nothing is proved, so derivation accuracy lies "
    "between the figure and “at most”."
)


def html_document(
    title: str,
    *,
    header: str,
    main: str,
    style: str = "",
    script: str = "",
    skip: tuple[str, str] = ("errors", "Skip to the errors"),
) -> str:
    """Return a self-contained page; `header` follows the title, and `skip` is the id and the text of the first link."""
    style = figure_css() + _resource("page.css") + style
    # No text can become markup or a script, whatever the script does with it.
    scripts = f"script-src '{_hash(script)}'; require-trusted-types-for 'script'; trusted-types 'none'; " * bool(script)
    policy = f"default-src 'none'; style-src '{_hash(style)}'; {scripts}base-uri 'none'; form-action 'none'"
    embedded = f"<script>{script}</script>" if script else ""
    name = safe_html(title)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{name}</title><style>{style}</style></head><body>"
        f'<a class="skip" href="#{skip[0]}">{skip[1]}</a>'
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
    entries: Entries | Mapping[str, Iterable[Judged]],
    title: str = "Derivation accuracy",
) -> None:
    """Write the page.

    Args:
        path: the file; it is replaced as a whole.
        table: the scores of the systems.
        entries: the predictions to show, collected one by one, or graded predictions by system.
        title: the title of the page.

    Raises:
        ScoreError: there are predictions of a system that is not in the table.
    """
    write_atomically(path, page_html(table, entries, title))


def page_html(
    table: ScoreTable, entries: Entries | Mapping[str, Iterable[Judged]], title: str = "Derivation accuracy"
) -> str:
    """Return the page as text; see `write_page`."""
    names = [system.name for system in table.systems]
    strange = [name for name in (entries.systems if isinstance(entries, Entries) else entries) if name not in names]
    if strange:
        raise ScoreError(f"page: expected predictions of {', '.join(names)}, but got some of {short_repr(strange[0])}")
    collected = entries if isinstance(entries, Entries) else _collect(entries)
    shown = unique_names([printable(name) for name in names])
    parts = [
        _accuracies(table, shown),
        f'<div class="pair">{_reasons(table, shown)}{_first_errors(collected, names, shown)}</div>',
        _viewer(collected, names, shown, title),
        _slices(table),
        _conditions(table),
    ]
    return viewer_document(title, header=_summary(table, shown), main="".join(parts))


def _collect(judged: Mapping[str, Iterable[Judged]]) -> Entries:
    entries = Entries()
    for name, ones in judged.items():
        for one in ones:
            entries.add(name, one)
    return entries


def unique_names(names: Sequence[str]) -> list[str]:
    """Return the names, with a number after one that is there already, as the address tells systems apart by them."""
    found: list[str] = []
    for name in names:
        told, count = name, 1
        while told in found:
            count += 1
            told = f"{name} ({count})"
        found.append(told)
    return found


def _summary(table: ScoreTable, shown: Sequence[str]) -> str:
    """Return how many answers of each system are right for the right reason, and how many there are."""
    scores = [system.score for system in table.systems]
    noun = "system" if len(scores) == 1 else "systems"
    each = f"{scores[0].count} predictions each"
    if any(score.count != score.problems for score in scores):
        each = f"{scores[0].problems} problems, {' and '.join(str(score.count) for score in scores)} predictions"
    view = VIEWS["Right answer, wrong derivation"]
    lines = "<br>".join(
        view_link(line, **view, **({"system": name} if len(scores) > 1 else {}))
        for line, name in zip(table.reasons_lines, shown, strict=True)
    )
    return f'<p>{lines}</p><p>{len(scores)} {noun}, {each}. <a href="#answers">All answers</a></p>'


def view_link(text: str, **view: str) -> str:
    """Return a link to a view of the answers; the text is escaped here."""
    return f'<a href="#{safe_html(urlencode(view))}">{safe_html(text)}</a>'


def _viewer(entries: Entries, names: Sequence[str], shown: Sequence[str], title: str) -> str:
    """Return the section of all predictions: its form, the empty list, and the data that the script fills it with."""
    listed = entries.index(names)
    present = {row[place][1] for row in listed for place in range(2, len(row)) if row[place] is not None}
    errors = {kind for name in names for kind in entries.first_errors(name)}
    index = {
        "title": printable(title),
        "systems": list(shown),
        "statuses": [[str(status), ICONS[status]] for status in STATUSES],
        "reasons": [[str(reason), REASON_TEXTS[reason]] for reason in REASONS],
        "steps": list(map(str, STEPS)),
        "marks": KINDS,
        "chunk": CHUNK,
        "rows": listed,
        "samples": entries.samples(),
    }
    form = (
        f"{select_field('system', 'System', shown, 'any')}"
        f"{select_field('verdict', 'Verdict', map(str, STATUSES))}"
        f"{select_field('reason', 'Reason', [str(reason) for place, reason in enumerate(REASONS) if place in present])}"
        f"{select_field('solution', 'Answer', ('right', 'wrong'))}"
        f"{select_field('error', 'First error', [str(kind) for kind in STEPS if kind in errors])}"
        f"{select_field('sort', 'Sort by', ('verdict', 'reason', 'length', 'difference'), 'id')}"
    )
    return viewer_section(index, entries.chunks(names), form, VIEWS)


def viewer_section(
    index: Mapping[str, Any], chunks: Sequence[str], fields: str, views: Mapping[str, Mapping[str, str]]
) -> str:
    """Return the section that viewer.js fills.

    Args:
        index: what the list needs, as viewer.js reads it; `systems` and `rows` among it.
        chunks: the details of the rows in their order, `CHUNK` rows in each compressed text.
        fields: the fields of the filter between the search and the order.
        views: links to views, by their text.
    """
    data = "".join(f'<script type="application/gzip" class="chunk">{text}</script>' for text in chunks)
    compact = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    several = len(index["systems"]) > 1
    links = " ".join(view_link(text, **view) for text, view in views.items() if several or "differ" not in view)
    differ = '<label class="check"><input type="checkbox" name="differ" value="1"> systems differ</label>'
    form = (
        '<label class="search">Search <input type="search" name="q" autocomplete="off" '
        'placeholder="words of question, answer or message, id"></label>'
        f"{fields}"
        '<div class="checks"><label class="check"><input type="checkbox" name="desc" value="1"> reversed order</label>'
        f"{differ if several else ''}"
        '<button type="reset">Clear</button></div>'
    )
    return (
        '<section id="answers" aria-labelledby="answers-title" tabindex="-1"><h2 id="answers-title">Answers</h2>'
        "<noscript><p>The list of answers needs JavaScript. Everything else on this page works without.</p></noscript>"
        '<p id="trouble" role="alert" hidden></p>'
        f'<p class="views">{links}</p><form id="filter" role="search" hidden>{form}</form>'
        '<div class="told" hidden><output id="count" aria-live="polite"></output>'
        '<span class="save">Save what is shown: <button type="button" id="csv">CSV</button> '
        '<button type="button" id="json">JSON</button></span>'
        '<span class="keys"><kbd>j</kbd> <kbd>k</kbd> next, previous; <kbd>s</kbd> next system; <kbd>/</kbd> search; '
        "<kbd>Esc</kbd> close</span></div>"
        '<div id="viewer" hidden><div id="board"></div>'
        '<section id="detail" aria-label="Problem" tabindex="-1" hidden></section></div>'
        f'<script type="application/gzip" id="index">{compressed(compact)}</script>{data}</section>'
    )


def viewer_document(title: str, *, header: str, main: str) -> str:
    """Return a page with a viewer in its main part."""
    return html_document(
        title,
        header=header,
        main=main,
        style=answer_css() + _resource("viewer.css"),
        script=_resource("viewer.js"),
        skip=("answers", "Skip to the answers"),
    )


def select_field(name: str, label: str, values: Iterable[str], all_: str = "all") -> str:
    """Return a field of the filter: a value, or all of them."""
    options = "".join(f'<option value="{safe_html(value)}">{safe_html(value)}</option>' for value in values)
    return f'<label>{label} <select name="{name}"><option value="">{all_}</option>{options}</select></label>'


def _accuracies(table: ScoreTable, shown: Sequence[str]) -> str:
    """Return the accuracies of each system, their intervals, and how many right answers had no right derivation."""
    rows = []
    for system, name in zip(table.systems, shown, strict=True):
        counts = [system.score.right_answers[kind] for kind in (Kind.WRONG, Kind.NONE, Kind.UNREAD)]
        lucky = f"{counts[0]} of {system.score.count}"
        if any(counts[1:]):
            lucky += _note([f"none: {counts[1]};", f"not understood: {counts[2]}"])
        if system.score.corrected is not None:
            lucky += _note([f"{system.score.corrected.lucky} on corrected gold,", f"edition {EDITION}"])
        rows.append(
            (
                safe_html(name),
                [*(_accuracy_cell(system, one) for one in ACCURACIES), f"<b>{lucky.replace(' of ', '</b> of ', 1)}"],
            )
        )
    columns = ["system", *(f"{name} accuracy" for name in ACCURACIES), "right answer, wrong derivation"]
    notes = " ".join(note for note in (table.intervals_note, table.tests_note, table.readings_note) if note)
    told = f"<p>{RELIABILITY}</p>"
    inside = f'{html_table(columns, rows, cards=True)}{told}<p class="note">{safe_html(notes)}</p>'
    return page_section("accuracies", "Accuracies", inside)


def _accuracy_cell(system: ScoredSystem, name: str) -> str:
    """Return an accuracy with its interval, as text and as a bar from 0 to 100 %, and how it compares."""
    mean, interval = system.score.accuracy(name), system.intervals[name]
    text = f"{100 * interval.low:.1f} to {100 * interval.high:.1f}"
    if name != "solution" and not system.score.decided:
        return "–" + _note(["nothing is decided"])
    told = f'<b>{100 * mean:.1f} %</b> <span class="interval">{text}</span>{_interval_chart(mean, interval)}'
    notes = [[difference_text(system.against_first.get(name)).strip()]]
    if system.score.corrected is not None:
        corrected = 100 * system.score.corrected.accuracy(name)
        notes.append([f"{corrected:.1f} % on corrected gold,", f"edition {EDITION}"])
    chances = [f"pass@{k} {100 * value:.1f} %" for k, (value, _) in system.pass_at.get(name, {}).items()]
    notes.append([f"{chance}," for chance in chances[:-1]] + chances[-1:])
    if name == "derivation" and system.score.certain != mean:
        # Numbers of an answer may come from several numbers of the text.
        notes.append([f"{100 * system.score.certain:.1f} % in every reading"])
    if name == "derivation" and system.score.open:
        upper, decided = 100 * system.score.derivation_accuracy_upper, 100 * system.score.decided
        notes.append([f"at most {upper:.1f} %;", f"{decided:.1f} % decided"])
    return told + "".join(_note(parts) for parts in notes if any(parts))


def _note(parts: Sequence[str]) -> str:
    """Return a line of small text that breaks only between its parts."""
    inside = " ".join(f'<span class="nowrap">{part}</span>' for part in parts)
    return f'<span class="against">{inside}</span>'


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


def _reasons(table: ScoreTable, shown: Sequence[str]) -> str:
    """Return how many predictions of each system have each verdict and each reason, as bars that lead to them."""
    counts = {reason: [s.score.counts.get(str(reason), 0) for s in table.systems] for reason in Reason}
    rows: list[tuple[str, Sequence[str]]] = []
    for status in STATUSES:
        reasons = [reason for reason in Reason if _status_of(reason) is status and any(counts[reason])]
        if not reasons:
            continue
        sums = [sum(column) for column in zip(*(counts[reason] for reason in reasons), strict=True)]
        rows.append(bar_row(f"{ICONS[status]} {status}", "", sums, _most(table), shown, verdict=str(status)))
        if reasons != [Reason.RIGHT]:
            rows += [
                bar_row(f" {reason}", REASON_TEXTS[reason], counts[reason], _most(table), shown, reason=str(reason))
                for reason in reasons
            ]
    columns = ["verdict and reason", *map(safe_html, shown)]
    return page_section(
        "reasons", "Verdicts and reasons", f"<p>Click one to see it.</p>{html_table(columns, rows)}", fold=True
    )


def _status_of(reason: Reason) -> Status:
    """Return the status of a verdict with this reason."""
    return {Kind.RIGHT: Status.RIGHT, Kind.WRONG: Status.WRONG}.get(reason.kind, Status.UNDECIDED)


def _most(table: ScoreTable) -> int:
    return max((system.score.count for system in table.systems), default=0)


def _first_errors(entries: Entries, names: Sequence[str], shown: Sequence[str]) -> str:
    """Return how many answers of each system first go wrong in each kind of step; nothing if none does."""
    counts = [entries.first_errors(name) for name in names]
    most = max((sum(count.values()) for count in counts), default=0)
    if not most:
        return ""
    rows = [
        bar_row(str(kind), STEP_TEXTS[kind], [count[kind] for count in counts], most, shown, error=str(kind))
        for kind in STEPS
        if any(count[kind] for count in counts)
    ]
    told = "<p>The kind of the first wrong step of answers that are wrong.</p>"
    return page_section(
        "steps", "First errors", told + html_table(["first wrong step", *map(safe_html, shown)], rows), fold=True
    )


def bar_row(
    label: str, meaning: str, counts: Sequence[int], most: int, systems: Sequence[str], **view: str
) -> tuple[str, Sequence[str]]:
    """Return a row of a table: a count for each system as text and as a bar; all lead to the predictions."""
    indent = " " * label.startswith(" ")
    title = f"{view_link(label.strip(), **view)} <small>{safe_html(meaning)}</small>"
    cells = [
        f"{view_link(str(count), **view, system=system) if count else '0'}{_bar(count, most)}"
        for system, count in zip(systems, counts, strict=True)
    ]
    return indent + title, cells


def _bar(count: int, most: int) -> str:
    width = 100 * count / most if most else 0
    return (
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
    return page_section("slices", "Slices", f"<p>Accuracies in % by properties of the problems.</p>{''.join(blocks)}")


def _conditions(table: ScoreTable) -> str:
    """Return the references of equation accuracy, and the signature of each score."""
    items = "".join(
        f"<dt>{safe_html(system.name)}</dt>"
        f"<dd>On average {system.score.mean_references:.1f} derivations of a problem give its gold equations. "
        f"{100 * system.score.references_not_gold:.1f} % of those that equation accuracy compared with are not "
        f"equivalent to gold.<br><code>{safe_html(str(system.score.signature))}</code></dd>"
        for system in table.systems
    )
    told = "<p>Only scores with equal signatures can be compared.</p>"
    inside = f"{told}<details><summary>Show them</summary><dl>{items}</dl></details>"
    return page_section("conditions", "References and signatures", inside)


def page_section(name: str, title: str, inside: str, *, fold: bool = False) -> str:
    """Return a section; with `fold`, it can be folded, and narrow windows show it folded."""
    heading = f'<h2 id="{name}-title">{title}</h2>'
    folded = f'<details class="fold" open><summary>{heading}</summary>{inside}</details>'
    shown = folded if fold else heading + inside
    return f'<section id="{name}" aria-labelledby="{name}-title">{shown}</section>'


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _resource(name: str) -> str:
    return files("draw_dataset.report").joinpath(name).read_text(encoding="utf-8")
