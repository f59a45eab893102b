"""What both pages have around their work: the bar with progress and time, the list of problems, dialogs and help."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from draw_dataset.annotation.page.content import Bar, Entry, Listing, Told, View
from draw_dataset.annotation.page.keys import HELP, Key
from draw_dataset.annotation.page.marking import shown_text
from draw_dataset.errors import DrawError

_NEIGHBOURS = 3
_SHOWN = 9


def page_html(
    view: View,
    bar: Bar,
    body: str,
    *,
    problem: int | None = None,
    seen: int = 0,
    spent: float = 0.0,
    own: bool = False,
    more: str = "",
) -> str:
    """Return a whole page.

    Args:
        view: ``annotate`` or ``adjudicate``.
        bar: what its bar shows.
        body: what stands below.
        problem: which problem is shown.
        seen: how many decisions on it are known.
        spent: the seconds spent on it.
        own: whether an adjudicator's own work is shown.
        more: further attributes for the script.
    """
    which = "" if problem is None else str(problem)
    address = "" if problem is None else f"?problem={problem}{'&amp;own' if own else ''}"
    return (
        f'<div id="draw" class="dp dd-figure" data-view="{view}" data-problem="{which}" data-seen="{seen}" '
        f'data-spent="{spent:.3f}" data-address="{address}" {more}>'
        f"{_bar_html(view, bar, problem is not None)}{body}</div>"
    )


def stage(label: str) -> str:
    """Return the attributes of the element that gets the focus when a page is shown."""
    return f'id="dp-stage" role="region" aria-label="{escape(label)}" tabindex="-1"'


def _bar_html(view: View, bar: Bar, timed: bool) -> str:
    share = 100 * bar.done / bar.total if bar.total else 100.0
    here = ' aria-current="page"'
    links = "".join(
        f'<a href="{address}"{here if view == name else ""}>{label}</a>'
        for name, address, label in (
            ("annotate", "./", "Annotate"),
            ("adjudicate", "./adjudicate", f"Adjudicate{f' <b>{bar.disputed}</b>' if bar.disputed else ''}"),
        )
    )
    clock = '<span class="dp-clock"><span data-clock>0:00</span> here</span>' if timed else ""
    parts = " · ".join([f"<b>{bar.done}</b> of {bar.total} done", *map(escape, bar.parts)])
    return (
        f'<header class="dp-bar"><nav aria-label="Pages">{links}</nav>'
        f'<div class="dp-done"><div class="dp-track" role="progressbar" aria-label="Problems done" aria-valuemin="0" '
        f'aria-valuemax="{bar.total}" aria-valuenow="{bar.done}"><span style="width:{share:.2f}%"></span></div>'
        f'<p class="dp-parts">{parts}</p></div>'
        f'<p class="dp-times">{clock}<span>{escape(bar.times)}</span></p>'
        f'<div class="dp-who"><span class="dp-name" title="{shown_text(bar.name)}">{shown_text(bar.name)}</span>'
        f'<form method="post" action="/leave"><button type="submit" class="dp-plain">Leave</button></form>'
        f"{button(HELP, 'dp-plain dp-help')}</div></header>"
    )


def button(key: Key, kind: str = "", *, off: bool = False, label: str = "", more: str = "") -> str:
    """Return the button of a command, with its key on it.

    Args:
        key: the command.
        kind: further classes.
        off: whether it cannot be used now.
        label: what it says, if not what the command always says; as HTML.
        more: further attributes.
    """
    shown = "↵" if key.key == "Enter" else key.key
    return (
        f'<button type="button" id="dp-do-{key.does}-{escape(key.key)}" class="dp-button {kind}" data-do="{key.does}" '
        f'data-key="{escape(key.key)}" aria-keyshortcuts="{escape(key.key)}"{" disabled" if off else ""} {more}>'
        f"<span>{label or escape(key.label)}</span><kbd>{shown}</kbd></button>"
    )


def window(problems: Sequence[int], current: int | None) -> range:
    """Return which part of a long list is shown.

    >>> window(range(100, 150), 130), window([7, 8], None)
    (range(27, 36), range(0, 2))
    """
    at = problems.index(current) if current in problems else 0
    first = max(0, min(at - _NEIGHBOURS, len(problems) - _SHOWN))
    return range(first, min(first + _SHOWN, len(problems)))


def list_html(listing: Listing, current: int | None) -> str:
    """Return a list of problems, the current one marked."""
    before = f'<li class="dp-more">{listing.before} before</li>' if listing.before else ""
    after = f'<li class="dp-more">{listing.behind} more</li>' if listing.behind else ""
    items = "".join(_entry(entry, entry.problem == current) for entry in listing.entries)
    title, left = listing.title, listing.left
    return (
        f'<section class="dp-card dp-list" aria-labelledby="dp-list-title"><h2 id="dp-list-title">{escape(title)}</h2>'
        f'<p class="dp-left">{escape(left)}</p><ol>{before}{items}{after}</ol></section>'
    )


_SIGNS = {"submitted": "✓", "skipped": "↷", "flagged": "⚑", "started": "◐", "refused": "!", "automatic": "✓"}


def _entry(entry: Entry, current: bool) -> str:
    here = ' aria-current="true"' if current else ""
    return (
        f'<li><a href="?problem={entry.problem}" data-problem="{entry.problem}" class="is-{entry.status}"{here}>'
        f'<span class="dp-sign" aria-hidden="true">{_SIGNS.get(entry.status, "○")}</span>'
        f'<span class="dp-begin">{shown_text(entry.text)}</span>'
        f'<span class="dp-note">{escape(entry.note)}</span></a></li>'
    )


def status_html(told: Told) -> str:
    """Return the line that says what happened last."""
    return f'<p id="dp-status" class="dp-status{" is-bad" if told.bad else ""}">{shown_text(told.text)}</p>'


def trouble_html(view: View, name: str, error: DrawError) -> str:
    """Return the page that is shown when there is none to show, as when the store cannot be read."""
    body = (
        f'<div class="dp-wide" {stage("Trouble")}><section class="dp-card dp-finished">'
        "<h1>The page cannot be shown</h1>"
        "<p>What was confirmed is safe. Reload the page when this is mended.</p></section>"
        f"{status_html(Told.refusal(error))}</div>"
    )
    return page_html(view, Bar(name, 0, 0, (), 0, ""), body)


def help_html(keys: Iterable[Key], first: Iterable[tuple[str, str]]) -> str:
    """Return the help: what each key does.

    Args:
        keys: the commands.
        first: what is no command of one key, each as keys and meaning.
    """
    rows = [*first, *(("↵ Enter" if key.key == "Enter" else key.key, key.help) for key in keys)]
    lines = "".join(f"<div><dt><kbd>{escape(key)}</kbd></dt><dd>{escape(text)}</dd></div>" for key, text in rows)
    return dialog_html("help", "Keys", f'<dl class="dp-keys">{lines}</dl>')


def dialog_html(name: str, title: str, body: str) -> str:
    """Return a dialog; it is opened by the command of its name."""
    return (
        f'<dialog id="dp-{name}" class="dp-dialog" aria-labelledby="dp-{name}-title"><h2 id="dp-{name}-title">'
        f'{escape(title)}</h2>{body}<button type="button" class="dp-plain dp-close" data-do="close" '
        f'aria-label="Close">Close <kbd>Esc</kbd></button></dialog>'
    )


def flag_dialog() -> str:
    """Return the dialog that asks for the reason of a flag."""
    return dialog_html(
        "flag",
        "Flag this problem",
        '<form method="dialog" data-send="flag"><label for="dp-why">Why is it not fit to be annotated?</label>'
        '<textarea id="dp-why" rows="3" maxlength="1000" required '
        'placeholder="The equations do not belong to the text."></textarea>'
        '<button type="submit" class="dp-button is-main"><span>Flag it</span><kbd>↵</kbd></button></form>',
    )


def time_text(seconds: float) -> str:
    """Return a time as minutes and seconds.

    >>> time_text(75.4)
    '1:15'
    """
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02d}"
