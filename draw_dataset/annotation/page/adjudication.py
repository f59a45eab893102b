"""The adjudication page as HTML: what annotators said about one problem, side by side, and what differs."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from draw_dataset.annotation.page.content import Bar, Listing, Told
from draw_dataset.annotation.page.drawing import draw_work
from draw_dataset.annotation.page.frame import button, flag_dialog, help_html, list_html, page_html, stage, status_html
from draw_dataset.annotation.page.keys import FLAG, HELP, NEXT, OWN, PREVIOUS, Key
from draw_dataset.annotation.page.marking import held_origin, said, shown_text, value_in_place
from draw_dataset.annotation.proposal.candidates import Origin
from draw_dataset.annotation.store.work import Work
from draw_dataset.report.plain import clipped

_KEYS = (OWN, FLAG, NEXT, PREVIOUS, HELP)
_FIRST = (("1 2 …", "take the work of the first annotator, of the second and so on, and go on"),)
_MOST_SIDES = 9
_LONGEST_NAME = 24


def adjudication_html(
    works: Sequence[Work],
    details: Sequence[str],
    settled: Work | None,
    own: Work,
    bar: Bar,
    listing: Listing,
    width: int,
    told: Told,
) -> str:
    """Return the page of one problem that annotators disagree about.

    Args:
        works: what they said, in the order of the annotators.
        details: the differences in words.
        settled: the work that settled it, if it is.
        own: the adjudicator's own work on it.
        bar: what the bar shows.
        listing: the problems that annotators disagree about.
        width: the room for a figure, in pixels.
        told: what happened last.
    """
    problem = own.problem_id
    shown = works[:_MOST_SIDES]
    sides = "".join(_side(work, works, which, settled, width) for which, work in enumerate(shown))
    actions = button(OWN) + button(FLAG) + "<span></span>" + button(PREVIOUS, "dp-plain") + button(NEXT, "dp-plain")
    body = (
        f'<div class="dp-wide" {stage(f"Problem {problem}")}><section class="dp-card dp-problem">'
        f'{_guide(works, settled)}{_details(details)}</section><div class="dp-sides">{sides}</div>'
        f'<div class="dp-actions" role="group" aria-label="Actions">{actions}</div>{status_html(told)}'
        f"{list_html(listing, problem)}</div>{flag_dialog()}{help_html(_KEYS, _FIRST)}"
    )
    return page_html("adjudicate", bar, body, problem=problem, seen=own.decided, spent=own.seconds)


def agreed_html(bar: Bar, listing: Listing, told: Told, overlapping: int) -> str:
    """Return the page when there is nothing to settle.

    Args:
        bar: what the bar shows.
        listing: the problems that annotators disagreed about.
        told: what happened last.
        overlapping: how many problems several annotators have submitted.
    """
    if listing.entries:
        title, text = "Everything is settled", "Each problem that annotators disagreed about has been decided."
    elif overlapping:
        title, text = "Nothing to settle", f"All annotators agree about the {overlapping} problems that they share."
    else:
        title, text = "Nothing to compare yet", "No problem has been submitted by two annotators."
    body = (
        f'<div class="dp-wide" {stage("Adjudication")}><section class="dp-card dp-finished">'
        f"<h1>{title}</h1><p>{text}</p></section>{status_html(told)}"
        f"{list_html(listing, None) if listing.entries else ''}</div>{help_html(_KEYS, _FIRST)}"
    )
    return page_html("adjudicate", bar, body)


def _guide(works: Sequence[Work], settled: Work | None) -> str:
    names = [f"<b>{shown_text(_short(work.annotator))}</b>" for work in works]
    both = f"{', '.join(names[:-1])} and {names[-1]}"
    if settled is None:
        line = f"<b>Who is right?</b> {both} do not say the same about this problem."
    else:
        how = f"took {shown_text(_short(settled.taken))}’s work" if settled.taken is not None else "decided otherwise"
        how = how if settled.flagged is None else f"flagged it: {shown_text(settled.flagged)}"
        line = f"<b>Settled:</b> {shown_text(_short(settled.annotator))} {how}. Taking another work replaces that."
    return f'<div class="dp-guides"><p class="is-shown">{line}</p></div>'


def _details(details: Sequence[str]) -> str:
    items = "".join(f"<li>{shown_text(detail)}</li>" for detail in details)
    return f'<ul class="dp-details" aria-label="What differs">{items}</ul>'


def _side(work: Work, works: Sequence[Work], which: int, settled: Work | None, width: int) -> str:
    name = _short(work.annotator)
    take = Key(str(which + 1), "take", "", "")
    taken = settled is not None and settled.taken == work.annotator
    label = f"{'Taken: ' if taken else 'Take '}{shown_text(name)}’s work"
    if work.flagged is not None:
        return (
            f'<section class="dp-card" aria-label="Work of {shown_text(name)}">'
            f"<p><b>{shown_text(name)}</b> flagged it:</p><p>{shown_text(work.flagged)}</p></section>"
        )
    drawing = draw_work(work, width)
    edited = "" if work.question == work.original else '<p class="dp-muted">with an edited text</p>'
    about = f'data-which="{which}" aria-pressed="{str(taken).lower()}"'
    return (
        f'<section class="dp-card dp-drawing{" is-taken" if taken else ""}" aria-label="Work of {shown_text(name)}">'
        f"{button(take, 'is-main', label=label, more=about)}"
        f'{edited}{_values(work, works)}<div class="dp-figure" data-width="{width}">{drawing.svg}</div></section>'
    )


def _values(work: Work, works: Sequence[Work]) -> str:
    """Return what a work says about each value that is a question, what others say otherwise marked."""
    proposal = work.proposal
    if proposal is None:
        return ""
    others = [{key: said(origin) for key, origin in _by_place(other).items()} for other in works]
    rows = []
    for position, literal in enumerate(proposal.literals):
        held = held_origin(work, position)
        differs = len({other.get((literal.start, literal.end)) for other in others}) > 1
        if held is not None and (literal.is_question or differs):
            mark = ' class="is-different"' if differs else ""
            rows.append(f"<li{mark}>{value_in_place(proposal, position)} <b>{said(held)}</b></li>")
    groups = [" = ".join(f"q{number.index}" for number in group) for group in work.groups]
    same = {tuple(tuple(n.place for n in group) for group in other.groups) for other in works}
    if groups or len(same) > 1:
        mark = ' class="is-different"' if len(same) > 1 else ""
        rows.append(f"<li{mark}>equivalent <b>{escape(', '.join(groups) or 'none')}</b></li>")
    return f'<ul class="dp-values">{"".join(rows)}</ul>'


def _by_place(work: Work) -> dict[tuple[int, int], Origin]:
    """Return where each value comes from, by where it stands in the equations."""
    found: dict[tuple[int, int], Origin] = {}
    for position, literal in enumerate(work.proposal.literals if work.proposal is not None else ()):
        held = held_origin(work, position)
        if held is not None:
            found[literal.start, literal.end] = held
    return found


def _short(name: str) -> str:
    return clipped(name, _LONGEST_NAME)
