"""The pages as HTML: the data for each template, and escaping.

The templates are Jinja templates. All their output goes through the escaper of the package, after characters that
cannot be shown are replaced. Only figures are written unchanged, because they are made of escaped strings already. The
page has everything that the script needs to move between questions, so that only decisions go to the server.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from draw_dataset.annotation.page.content import KEYS, Bar, Key, Listing, Notice, View
from draw_dataset.annotation.page.template_data import (
    Drawing,
    Value,
    colours_of,
    draw_work,
    equation_parts,
    rank,
    said,
    text_pieces,
    values_of,
    words_of,
)
from draw_dataset.annotation.store.work import Work
from draw_dataset.core.problem import ProblemId, name_of
from draw_dataset.errors import DrawError
from draw_dataset.files import escape
from draw_dataset.report.plain import clipped, printable
from draw_dataset.report.shapes import signs
from draw_dataset.text.changes import change_options

if TYPE_CHECKING:
    from jinja2 import Environment

_STATUS_SIGNS = {"submitted": "✓", "skipped": "↷", "flagged": "⚑", "started": "◐", "refused": "!", "automatic": "✓"}
_ANNOTATING = "SUBMIT MARK NUMBER UNDO REDO SKIP FLAG EDIT REOPEN NEXT PREVIOUS HELP"
_ADJUDICATING = "OWN FLAG NEXT PREVIOUS HELP"
_HELPED: dict[View, tuple[tuple[str, str], ...]] = {
    "annotate": (
        ("1 … 9", "choose that number of the text, q1 to q9"),
        ("a c d …", "choose q10, q11 and so on; the key is on the number"),
        ("0", "the value is a constant that the text does not give"),
        ("← →", "move between the values that are open; Tab moves between everything that can be pressed"),
    ),
    "adjudicate": (
        ("1 2 …", "take the work of the first annotator, of the second and so on, and show the next problem"),
    ),
}
_MOST_SIDES = 9
_SHORT = 40
_LONGEST_NAME = 24


@cache
def _environment() -> Environment:
    # Imported here: only a served page needs it, and it comes with the extra [annotate].
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def fully(text: str) -> Markup:
        return Markup(escape(printable(text)))

    # A page has hundreds of short strings, and most of them are on every page.
    remembered = lru_cache(maxsize=1 << 12)(fully)

    def escaped(value: object) -> Markup:
        if isinstance(value, Markup):
            return value
        text = str(value)
        return remembered(text) if len(text) < _SHORT else fully(text)

    found = Environment(
        loader=PackageLoader("draw_dataset.annotation.page"),
        autoescape=True,
        finalize=escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals |= {"keys": KEYS, "status_signs": _STATUS_SIGNS, "take": lambda number: Key(str(number), "take")}
    found.filters |= {
        "name": name_of,
        "address": address_of,
        "short": lambda name: clipped(name, _LONGEST_NAME),
        "signs": signs,
        # In a text field people see and change the text itself, with its line ends.
        "verbatim": lambda text: Markup(escape(text)),
    }
    return found


def _rendered(template: str, view: View, bar: Bar, notice: Notice, **more: Any) -> str:
    keys = _ANNOTATING if view == "annotate" or template == "annotate.html" else _ADJUDICATING
    helped = _HELPED["annotate" if keys == _ANNOTATING else "adjudicate"]
    commands = [KEYS[name] for name in keys.split()]
    given = {
        "work": None,
        "own": False,
        "view": view,
        "bar": bar,
        "notice": notice,
        "helped": helped,
        "commands": commands,
    }
    return _environment().get_template(template).render(given | more)


def address_of(problem: ProblemId, own: bool = False) -> str:
    """Return the address of a problem on a page."""
    return f"?problem={quote(name_of(problem), safe='')}{'&own' if own else ''}"


def annotation_html(
    work: Work, bar: Bar, listing: Listing, width: int, notice: Notice, *, view: View = "annotate"
) -> str:
    """Return the page of one problem.

    Args:
        work: the problem and what was made of it.
        bar: what the bar shows.
        listing: the annotator's problems.
        width: the room for the figure, in pixels.
        notice: what happened last.
        view: the page that it stands on: an adjudicator's own work looks the same.
    """
    drawing = draw_work(work, width)
    values = values_of(work)
    chosen = [rank(origin) for _, origin in sorted(work.chosen.items()) if origin.number is not None]
    return _rendered(
        "annotate.html",
        view,
        bar,
        notice,
        work=work,
        own=view == "adjudicate",
        fixed=work.submitted or work.flagged is not None,
        # The last chosen number in the order of the equations, for marking its equivalents.
        anchor=chosen[-1] if chosen else "",
        first=work.left[0] if work.left else None,
        pieces=text_pieces(work, dict(drawing.colours)),
        values=values,
        equations=equation_parts(work.proposal, values) if work.proposal is not None else [],
        drawing=drawing,
        width=width,
        listing=listing,
        changes=change_options(work.stored.extra, work.question),
        words=words_of(work),
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """What a work says about a value, or about equivalent numbers."""

    in_place: tuple[str, str, str] | None
    said: str
    differs: bool


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the works that are compared."""

    work: Work
    drawing: Drawing
    rows: tuple[_Row, ...]


def adjudication_html(
    works: Sequence[Work],
    details: Sequence[str],
    settled: Work | None,
    own: Work,
    bar: Bar,
    listing: Listing,
    width: int,
    notice: Notice,
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
        notice: what happened last.
    """
    values = [values_of(work) for work in works]
    colours = colours_of(values)
    sides = [
        _Side(work, draw_work(work, width, colours), tuple(_rows(work, mine, works, values)))
        for work, mine in zip(works[:_MOST_SIDES], values, strict=False)
    ]
    return _rendered(
        "adjudicate.html",
        "adjudicate",
        bar,
        notice,
        work=own,
        works=works,
        details=details,
        settled=settled,
        sides=sides,
        width=width,
        listing=listing,
    )


def _rows(
    work: Work, values: Sequence[Value], works: Sequence[Work], others: Sequence[Sequence[Value]]
) -> Iterator[_Row]:
    """Yield what a work says about each value that is a question; differences from the others are marked."""
    saids = [{value.span: value.said for value in listed if value.held is not None} for listed in others]
    for value in values:
        differs = len({said_of.get(value.span) for said_of in saids}) > 1
        if value.held is not None and (len(value.proposed) > 1 or differs):
            yield _Row(value.in_place, said(value.held), differs)
    groups = [" = ".join(f"q{number.index}" for number in group) for group in work.groups]
    same = {tuple(tuple(n.place for n in group) for group in other.groups) for other in works}
    if groups or len(same) > 1:
        yield _Row(None, ", ".join(groups) or "none", len(same) > 1)


def finished_html(bar: Bar, listing: Listing, notice: Notice) -> str:
    """Return the page of an annotator who has nothing left to do."""
    lines = [
        f"Every problem of your queue is done ({bar.times}).",
        "You can still open any problem of the list and change what you said.",
    ]
    return _message("annotate", bar, notice, "Done", "Nothing is left to do", lines, listing, aside=True)


def agreed_html(bar: Bar, listing: Listing, notice: Notice, overlapping: int) -> str:
    """Return the page when there is nothing to settle.

    Args:
        bar: what the bar shows.
        listing: the problems that annotators disagreed about.
        notice: what happened last.
        overlapping: how many problems several annotators have submitted.
    """
    if listing.entries:
        title, text = "Everything is settled", "Each problem that annotators disagreed about has been decided."
    elif overlapping:
        title, text = "Nothing to settle", f"All annotators agree about the {overlapping} problems that they share."
    else:
        title, text = "Nothing to compare yet", "No problem has been submitted by two annotators."
    return _message("adjudicate", bar, notice, "Adjudication", title, [text], listing)


def trouble_html(view: View, name: str, error: DrawError) -> str:
    """Return the page for an error, for example if the store cannot be read."""
    line = "What was confirmed is saved. Reload the page when this is repaired."
    return _message(view, Bar(name), Notice.refusal(error), "Trouble", "The page cannot be shown", [line])


def _message(
    view: View,
    bar: Bar,
    notice: Notice,
    label: str,
    title: str,
    lines: Sequence[str],
    listing: Listing | None = None,
    aside: bool = False,
) -> str:
    return _rendered(
        "message.html", view, bar, notice, label=label, title=title, lines=lines, listing=listing, aside=aside
    )


def guideline_html() -> str:
    """Return the guideline for annotators, a page to read and to print."""
    return _environment().get_template("guideline.html").render()


def login_html(name: str, wanted: str, problem: str, *, asks_token: bool) -> str:
    """Return the page that asks who somebody is.

    Args:
        name: the name that was given already, if any.
        wanted: the page to open after that.
        problem: why the page asks again; may be empty.
        asks_token: whether a token is needed as well.
    """
    given = {"name": name, "wanted": wanted, "problem": problem, "asks_token": asks_token}
    return _environment().get_template("login.html").render(given)
