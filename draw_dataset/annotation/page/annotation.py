"""The annotation page as HTML: one problem, the question that is open, what can be done, and what has come of it.

Everything the script needs to move between questions is in the page, so that only decisions go to the server.
"""

from __future__ import annotations

from html import escape

from draw_dataset.annotation.page import keys
from draw_dataset.annotation.page.changes import change_options, changes_html
from draw_dataset.annotation.page.content import Bar, Listing, Told, View
from draw_dataset.annotation.page.drawing import Drawing, draw_work
from draw_dataset.annotation.page.frame import (
    button,
    dialog_html,
    flag_dialog,
    help_html,
    list_html,
    page_html,
    stage,
    status_html,
)
from draw_dataset.annotation.page.marking import (
    equations_html,
    held_origin,
    question_html,
    rank,
    said,
    shown_text,
    value_in_place,
)
from draw_dataset.annotation.proposal.candidates import Proposal
from draw_dataset.annotation.store.work import Work

_KEYS = (
    keys.SUBMIT, keys.MARK, keys.UNDO, keys.REDO, keys.SKIP, keys.FLAG, keys.EDIT, keys.REOPEN, keys.NEXT,
    keys.PREVIOUS, keys.HELP,
)  # fmt: skip
_FIRST = (
    ("1 … 9", "choose that number of the text, q1 to q9"),
    ("a c d …", "choose q10, q11 and so on; the key is on the number"),
    ("0", "the value is a constant that the text does not give"),
    ("← →", "move between the values that are open; Tab moves between everything that can be pressed"),
)


def annotation_html(work: Work, bar: Bar, listing: Listing, width: int, told: Told, *, view: View = "annotate") -> str:
    """Return the page of one problem.

    Args:
        work: the problem and what was made of it.
        bar: what the bar shows.
        listing: the annotator's problems.
        width: the room for the figure, in pixels.
        told: what happened last.
        view: the page that it stands on: an adjudicator's own work looks the same.
    """
    drawing = draw_work(work, width)
    fixed = work.submitted or work.flagged is not None
    body = (
        f'<div class="dp-columns"><div class="dp-main" {stage(f"Problem {work.problem_id}")}>'
        '<section class="dp-card dp-problem">'
        f"{_guides(work, fixed)}{question_html(work, dict(drawing.colours))}{_constant(work)}{equations_html(work)}"
        f"{_refusal(work, drawing)}</section>{_actions(work, fixed, view)}{status_html(told)}</div>"
        f'<aside class="dp-side" aria-label="Derivation and problems">{figure_html(work, drawing, width)}'
        f"{list_html(listing, work.problem_id)}</aside></div>"
        f"{flag_dialog()}{_edit_dialog(work)}{help_html(_KEYS, _FIRST)}"
    )
    anchor = _last_number(work)
    more = f'data-anchor="{anchor}" data-fixed="{str(fixed).lower()}"'
    return page_html(
        view,
        bar,
        body,
        problem=work.problem_id,
        seen=work.decided,
        spent=work.seconds,
        own=view == "adjudicate",
        more=more,
    )


def finished_html(bar: Bar, listing: Listing, told: Told) -> str:
    """Return the page of an annotator who has nothing left to do."""
    where = (
        f"<p>{bar.disputed} problem{'s wait' if bar.disputed > 1 else ' waits'} for an adjudicator: "
        '<a href="./adjudicate">adjudicate</a>.</p>'
        if bar.disputed
        else ""
    )
    body = (
        f'<div class="dp-columns"><div class="dp-main" {stage("Done")}><section class="dp-card dp-finished">'
        f"<h1>Nothing is left to do</h1><p>Every problem of your queue is done ({escape(bar.times)}).</p>{where}"
        "<p>You can still open any problem of the list and change what you said.</p></section>"
        f'<div class="dp-actions">{button(keys.PREVIOUS)}</div>{status_html(told)}</div>'
        f'<aside class="dp-side">{list_html(listing, None)}</aside></div>'
        f"{help_html(_KEYS, _FIRST)}"
    )
    return page_html("annotate", bar, body)


def figure_html(work: Work, drawing: Drawing, width: int) -> str:
    """Return the card with the figure of the derivation as it stands."""
    note = "As it stands; faint curves are guesses for what is open." if work.left else "All values are decided."
    figure = f'<div class="dp-figure" data-width="{width}">{drawing.svg}</div><p class="dp-muted">{note}</p>'
    return (
        f'<section class="dp-card dp-drawing" aria-label="Derivation"><h2>Derivation of problem {work.problem_id}</h2>'
        f"{figure if drawing.svg else '<p>There is none.</p>'}</section>"
    )


def _guides(work: Work, fixed: bool) -> str:
    """Return the lines that say what is asked; the script shows the one that fits."""
    if fixed:
        what = "submitted" if work.submitted else f"flagged{f': {work.flagged}' if work.flagged else ''}"
        return (
            '<div class="dp-guides"><p data-guide="none" class="is-shown dp-fixed">'
            f"<b>This problem is {shown_text(what)}.</b> Open it again to change it.</p></div>"
        )
    proposal = work.proposal
    if proposal is None:
        return (
            '<div class="dp-guides"><p data-guide="none" class="is-shown"><b>This cannot be annotated as it is.</b> '
            "Edit the text, flag the problem, or skip it.</p></div>"
        )
    lines = [_guide(work, proposal, position) for position in range(len(proposal.literals))]
    first = work.left[0] if work.left else None
    shown = [
        f'<p data-guide="{position}"{_shown_if(position == first)}>{line}</p>' for position, line in enumerate(lines)
    ]
    done = "<b>Everything is decided.</b> Enter submits it; a click on a value of the equations lets you change it."
    if work.stored.look_at:
        done += f" Look at this before: {shown_text('; '.join(work.stored.look_at))}."
    shown.append(f'<p data-guide="none"{_shown_if(first is None)}>{done}</p>')
    shown.append(
        '<p data-guide="same"><b>Which numbers mean the same as <span data-meant></span>?</b> '
        "Pick each of them, or pick one again to take it out. <kbd>e</kbd> ends.</p>"
    )
    shown.append(
        '<p data-guide="first"><b>Numbers that mean the same:</b> pick the first of them. <kbd>e</kbd> ends.</p>'
    )
    return f'<div class="dp-guides">{"".join(shown)}</div>'


def _shown_if(condition: bool) -> str:
    return ' class="is-shown"' if condition else ""


def _guide(work: Work, proposal: Proposal, position: int) -> str:
    literal = proposal.literals[position]
    equation = value_in_place(proposal, position)
    held = held_origin(work, position)
    if held is None:
        at = work.left.index(position) + 1
        count = f'<span class="dp-count">{at} of {len(work.left)}</span>' if len(work.left) > 1 else ""
        # Of the candidates' names only the last is joined by "or".
        names = [said(origin) for origin in literal.origins]
        either = f"{', '.join(names[:-1])} or {names[-1]}"
        return f"<b>Which number is the {escape(literal.text)} of {equation}?</b> It may be {either}. {count}"
    kind = "can only be" if position not in work.chosen else "is"
    return f"The {escape(literal.text)} of {equation} {kind} <b>{said(held)}</b>. Pick another number to change that."


def _constant(work: Work) -> str:
    if work.proposal is None:
        return ""
    return (
        '<p class="dp-constant"><button type="button" id="dp-n0" class="dp-number" data-number="0" data-shortcut="0" '
        'aria-keyshortcuts="0" aria-label="a constant, no number of the text">'
        "<span>a constant</span><sub>0</sub></button></p>"
    )


def _refusal(work: Work, drawing: Drawing) -> str:
    trouble = work.refusal or (drawing.trouble if work.proposal is not None else "")
    return f'<p class="dp-trouble" role="alert">{shown_text(trouble)}</p>' if trouble else ""


def _last_number(work: Work) -> str:
    """Return the rank of the number that was chosen last in the order of the equations, for marking its equivalents."""
    ranks = [rank(origin) for _, origin in sorted(work.chosen.items()) if origin.number is not None]
    return str(ranks[-1]) if ranks else ""


def _actions(work: Work, fixed: bool, view: View) -> str:
    if fixed:
        first = button(keys.NEXT, "is-main") + button(keys.REOPEN)
    else:
        first = button(keys.SUBMIT, "is-main", off=False, more=f'aria-disabled="{str(not work.is_complete).lower()}"')
        first += button(keys.MARK, off=work.proposal is None, more='aria-pressed="false"')
    rest = button(keys.UNDO, off=not work.can_undo) + button(keys.REDO, off=not work.can_redo)
    if view == "annotate":
        rest += button(keys.SKIP, off=fixed)
        around = button(keys.PREVIOUS, "dp-plain") + ("" if fixed else button(keys.NEXT, "dp-plain"))
    else:
        around = button(keys.COMPARE, "dp-plain")
    rest += button(keys.FLAG, off=fixed) + button(keys.EDIT, off=fixed)
    return f'<div class="dp-actions" role="group" aria-label="Actions">{first}{rest}<span></span>{around}</div>'


def _edit_dialog(work: Work) -> str:
    restore = (
        f'<details><summary>The text as it was imported</summary><p class="dp-original">{shown_text(work.original)}</p>'
        "</details>"
        if work.question != work.original
        else ""
    )
    return dialog_html(
        "edit",
        "Edit the text",
        '<form method="dialog" data-send="edit"><label for="dp-text">Mend what keeps a number from being found, or '
        "remove what does not belong. Values and choices are proposed anew.</label>"
        f'<textarea id="dp-text" rows="7" maxlength="10000" required>{escape(work.question)}</textarea>'
        '<button type="submit" class="dp-button is-main"><span>Keep this text</span><kbd>↵</kbd></button></form>'
        f"{restore}{changes_html(change_options(work.stored.extra, work.question))}",
    )
