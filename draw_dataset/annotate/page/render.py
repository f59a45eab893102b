"""HTML of the pages: the data for each template, and escaping.

All output of the Jinja templates is escaped, except figures, which are made of escaped strings already. The page has
everything that the script needs to move between questions, so that only decisions go to the server.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from draw_dataset.algebra.number import short_number
from draw_dataset.annotate.decisions import AnnotationState
from draw_dataset.annotate.normal import build_problem, rename_unknowns
from draw_dataset.annotate.outcome import compare
from draw_dataset.annotate.page.messages import (
    ASKED_KEYS,
    EXPRESSION_KEY,
    KEYS,
    NOTHING_KEY,
    ROLE_KEYS,
    Bar,
    Key,
    Listing,
    Notice,
    View,
    shortcut,
)
from draw_dataset.annotate.proposal import Origin, Proposal
from draw_dataset.derivation.derivation import Place, TextNumber
from draw_dataset.derivation.problem import ProblemId, name_of
from draw_dataset.errors import AnnotationError, DrawError
from draw_dataset.io.markup import escape
from draw_dataset.report.picture import COLOURS, Picture, Term, clip, derivation_picture, printable
from draw_dataset.report.svg import draw_svg, signs
from draw_dataset.text.edits import change_options
from draw_dataset.text.tokens import tokenize

if TYPE_CHECKING:
    from jinja2 import Environment


# Every number of the text and every value of the equations is a button. A number is named by its rank in the text
# (``q1``, ``q2`` …). The button of a value carries its choices: the proposed numbers, and all that its value allows.


CONSTANT = 0  # the rank of a constant, which is no number of the text


def rank(origin: Origin) -> int:
    """Return the rank of the number of an origin; 0 for a constant."""
    return CONSTANT if origin.number is None else origin.number.index or CONSTANT


def name_origin(origin: Origin) -> str:
    """Return the name of an origin, such as ``q3`` or ``a constant``."""
    return "a constant" if origin.number is None else f"q{rank(origin)}"


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Words of the text, or one of its numbers."""

    text: str
    number: TextNumber | None = None  # None for words
    same: tuple[str, ...] = ()  # the names of equivalent numbers
    colour: str = ""  # the CSS class of a used number

    @property
    def lines(self) -> list[str]:
        """The words in lines."""
        return [*self.text.splitlines(), *([""] if self.text.endswith("\n") else [])]

    @property
    def key(self) -> str:
        """The key that chooses the number."""
        return "" if self.number is None else shortcut(self.number.index or 0)

    @property
    def lettered(self) -> bool:
        """Whether the key has to be shown, because it is not the number's rank."""
        return self.key.isalpha()


@dataclass(frozen=True, slots=True)
class Value:
    """A value of the equations."""

    position: int  # the position of its literal in the proposal
    span: tuple[int, int]  # its characters in the equations, which identify it
    text: str
    held: Origin | None  # None if it is an open question
    chosen: bool  # by the annotator
    proposed: tuple[Origin, ...]
    fits: tuple[int, ...]  # the ranks of all numbers that a person may choose
    in_place: tuple[str, str, str]  # the part of its equation before it, the value itself, and the part after it
    is_unexplained: bool = False  # whether it is a constant that neither the text nor common use explains

    @property
    def state(self) -> str:
        """The CSS class of its state."""
        return "is-open" if self.held is None else "is-chosen" if self.chosen else "is-sure"

    @property
    def origins(self) -> tuple[int, ...]:
        """The ranks of the proposed numbers."""
        return tuple(map(rank, self.proposed))

    @property
    def rank(self) -> str:
        """The rank of its origin; empty if that is open."""
        return "" if self.held is None else str(rank(self.held))

    @property
    def said(self) -> str:
        """The name of its origin; empty if that is open."""
        return "" if self.held is None else name_origin(self.held)

    @property
    def tag(self) -> str:
        """The name of its origin in a few characters."""
        return "?" if self.held is None else "constant" if self.held.number is None else name_origin(self.held)

    @property
    def choices(self) -> str:
        """Its possible origins, in words."""
        *most, last = map(name_origin, self.proposed)
        return f"{', '.join(most)} or {last}" if most else last


def text_pieces(work: AnnotationState, colours: Mapping[Place, str]) -> list[TextPiece]:
    """Return the text of a problem in pieces."""
    group_of = {number.place: group for group in work.groups for number in group}
    pieces: list[TextPiece] = []
    at = 0
    for number in sorted(work.numbers, key=lambda n: (n.start or 0, n.end or 0)):
        # A number may stand inside another one; then only its name is shown.
        start = max(number.start or 0, at)
        end = max(number.end or 0, start)
        same = tuple(f"q{other.index}" for other in group_of.get(number.place, ()) if other.place != number.place)
        pieces.append(TextPiece(work.question[at:start]))
        pieces.append(TextPiece(work.question[start:end], number, same, colours.get(number.place, "")))
        at = end
    return [*pieces, TextPiece(work.question[at:])]


def values_of(work: AnnotationState) -> list[Value]:
    """Return the values of the equations in their order; empty if there is no proposal for them, or one's own."""
    proposal = work.proposal
    if proposal is None or work.stated is not None:
        return []
    spans = list(_spans(proposal.equations))
    found: list[Value] = []
    for position, literal in enumerate(proposal.literals):
        start, end = next(span for span in spans if span[0] <= literal.start and literal.end <= span[1])
        before, after = proposal.equations[start : literal.start], proposal.equations[literal.end : end]
        chosen = work.chosen.get(position)
        held = chosen or (None if literal.is_question else literal.origins[0])
        in_place = signs(before), literal.text, signs(after)
        span, fits = (literal.start, literal.end), _fitting(proposal, position)
        is_chosen, origins = chosen is not None, literal.origins
        found.append(
            Value(position, span, literal.text, held, is_chosen, origins, fits, in_place, literal.is_unexplained)
        )
    return found


def equation_parts(proposal: Proposal, values: Sequence[Value]) -> list[list[str | Value]]:
    """Return each equation in pieces: its values, and the text between them."""
    lines: list[list[str | Value]] = []
    for start, end in _spans(proposal.equations):
        parts: list[str | Value] = []
        at = start
        for value, literal in zip(values, proposal.literals, strict=True):
            if start <= literal.start and literal.end <= end:
                parts += [signs(proposal.equations[at : literal.start]), value]
                at = literal.end
        lines.append([*parts, signs(proposal.equations[at:end])])
    return lines


def _spans(equations: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each equation."""
    start = 0
    for equation in equations.replace("\n", ";").split(";"):
        end = start + len(equation)
        if equation.strip():
            yield end - len(equation.lstrip()), start + len(equation.rstrip())
        start = end + 1


def _fitting(proposal: Proposal, position: int) -> tuple[int, ...]:
    """Return the ranks that a person may choose for a value."""
    ranks = [CONSTANT]
    for number in proposal.numbers:
        try:
            proposal.origin(position, number)
        except AnnotationError:
            continue
        ranks.append(number.index or CONSTANT)
    return tuple(ranks)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure."""

    svg: str = ""
    trouble: str = ""  # why there is none
    colours: tuple[tuple[Place, str], ...] = ()  # CSS classes of the used numbers


def words_of(work: AnnotationState) -> list[tuple[int, str]]:
    """Return the words of a text that are not numbers, each with its rank among all words and a few words around it."""
    tokens = tokenize(work.question)
    numbers = {number.place for number in work.numbers}
    found = []
    for at, token in enumerate(tokens):
        if (token.sentence, token.index) not in numbers and any(map(str.isalnum, token.text)):
            before = " ".join(t.text for t in tokens[max(0, at - 2) : at])
            after = " ".join(t.text for t in tokens[at + 1 : at + 3])
            found.append((at, f"{token.text}   ({f'{before} {token.text} {after}'.strip()})"))
    return found


# Unknowns have the names of the equations that the annotator sees; decisions call them m, n and o, as the figure does.


@dataclass(frozen=True, slots=True)
class UnknownField:
    """An unknown, with the controls that say what it is and whether it is asked for."""

    name: str
    shown: str  # its name in the equations
    role: str
    role_key: str
    asked_key: str
    is_asked: bool
    toggled: str  # what is asked for after a click, as JSON


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is said of the unknowns and the question."""

    unknowns: tuple[UnknownField, ...]
    others: tuple[tuple[str, str], ...]  # other expressions that are asked for, with what is left after a click
    asked: str  # what is asked for, as JSON
    asks_nothing: bool  # the question does not say what it asks for

    @property
    def nothing_toggled(self) -> str:
        """What is asked for after a click on that, as JSON."""
        return "null" if self.asks_nothing else "[]"


def meaning_of(work: AnnotationState) -> Meaning:
    """Return what a work says of its unknowns and the question."""
    names, roles, asked = work.shown_names, dict(work.roles), shown_asked(work)

    def toggled(text: str) -> str:
        left = [other for other in asked if other != text]
        return json.dumps(left or None if text in asked else [*asked, text])

    fields = [
        UnknownField(name, shown, roles.get(name, ""), role_key, asked_key, shown in asked, toggled(shown))
        for (name, shown), role_key, asked_key in zip(names.items(), ROLE_KEYS, ASKED_KEYS, strict=False)
    ]
    others = tuple((text, toggled(text)) for text in asked if text not in names.values())
    return Meaning(tuple(fields), others, json.dumps(asked or None), work.asked == ())


def shown_asked(work: AnnotationState) -> list[str]:
    """Return what is asked for, in the names of the equations."""
    return [rename_unknowns(text, work.numbers, work.shown_names) for text in work.asked or ()]


def name_asked(work: AnnotationState) -> str:
    """Return what is asked for in words."""
    return " and ".join(shown_asked(work)) or "nothing that it names"


def draw_work(
    work: AnnotationState,
    width: float,
    colours_by_value: Mapping[tuple[int, int], int] | None = None,
    *,
    guesses: bool = False,
) -> Drawing:
    """Return the figure of a work; with `guesses` it has a faint curve for each value that is still open."""
    proposal = work.proposal
    if proposal is None and work.stated is None:
        return Drawing(trouble=work.refusal or "")
    guessed_places: set[Place] = set()
    colours: dict[Place, int] = {}
    try:
        if work.stated is not None or proposal is None:
            problem = work.problem()
        else:
            decided = {i: literal.origins[0] for i, literal in enumerate(proposal.literals) if not literal.is_question}
            decided |= work.chosen
            guessed = _guess(proposal, decided, work.left)
            open_numbers = [guessed[position].number for position in work.left]
            guessed_places = {number.place for number in open_numbers if number is not None}
            problem = build_problem(work.problem_id, proposal, guessed, work.groups, form="written")
            colours = _by_place(proposal, guessed, colours_by_value or {})
        picture = derivation_picture(
            problem.question,
            problem.numbers,
            problem.derivation,
            problem.number_classes,
            title=f"problem {problem.id}",
            name="in q-notation",
            colours=colours,
        )
    except DrawError as error:
        return Drawing(trouble=str(error))
    if work.left and not guesses:
        picture = _without_guesses(picture, guessed_places, work.groups)
    svg = draw_svg(picture, width=width, style=False)
    for filled in picture.below.slots:
        if filled.number.place in guessed_places:
            # Quotes in strings are escaped, so this can only be the attribute.
            svg = svg.replace(f'data-slot="{filled.slot}"', f'data-slot="{filled.slot}" data-guess="true"')
    classes = tuple(
        (piece.mark.number.place, f"dd-{piece.mark.colour}")
        for piece in picture.pieces
        if piece.mark is not None and piece.mark.colour is not None
    )
    return Drawing(svg, "", classes)


def _without_guesses(picture: Picture, guessed: Collection[Place], groups: Sequence[Sequence[TextNumber]]) -> Picture:
    """Return a picture that shows values where numbers are guessed, so that no guess sways the annotator."""
    hidden = {filled.slot: filled.number for filled in picture.below.slots if filled.number.place in guessed}
    kept = tuple(filled for filled in picture.below.slots if filled.slot not in hidden)
    equations = tuple(tuple(_as_value(term, hidden) for term in terms) for terms in picture.below.equations)
    used = {filled.number.place for filled in kept}
    meant = used.union(*(places for group in groups if (places := {n.place for n in group}) & used))
    pieces = tuple(
        piece
        if piece.mark is None or piece.mark.number.place in meant
        else replace(piece, mark=replace(piece.mark, kind="unused", colour=None, repeats=""))
        for piece in picture.pieces
    )
    below = replace(picture.below, name="as decided so far", notation="", slots=kept, equations=equations)
    return replace(picture, pieces=pieces, below=below)


def _as_value(term: Term, hidden: Mapping[str, TextNumber]) -> Term:
    number = None if term.slot is None else hidden.get(term.slot)
    return term if number is None or number.value is None else Term(short_number(number.value))


def _by_place(
    proposal: Proposal, origins: Mapping[int, Origin], colours: Mapping[tuple[int, int], int]
) -> dict[Place, int]:
    """Return the colour of each number: that of the first value that it is."""
    found: dict[Place, int] = {}
    for position, literal in enumerate(proposal.literals):
        number = origins[position].number
        if number is not None and (literal.start, literal.end) in colours:
            found.setdefault(number.place, colours[literal.start, literal.end])
    return found


def _guess(proposal: Proposal, decided: Mapping[int, Origin], left: Sequence[int]) -> dict[int, Origin]:
    """Return origins for all values: for an open one the first that no other value has, else its first."""
    found = dict(decided)
    for position in left:
        taken = {origin.number for origin in found.values()}
        origins = proposal.literals[position].origins
        found[position] = next((origin for origin in origins if origin.number not in taken), origins[0])
    return found


_STATUS_SIGNS = {"submitted": "✓", "skipped": "↷", "flagged": "⚑", "started": "◐", "refused": "!", "automatic": "✓"}
_ANNOTATING = "SUBMIT MARK NUMBER DERIVATION UNDO REDO SKIP FLAG EDIT REOPEN GUESSES NEXT PREVIOUS HELP"
_ADJUDICATING = "OWN FLAG NEXT PREVIOUS HELP"
_HELPED: dict[View, tuple[tuple[str, str], ...]] = {
    "annotate": (
        ("1 … 9", "choose that number of the text, q1 to q9"),
        ("a c d …", "choose q10, q11 and so on; the key is on the number"),
        ("0", "the value is a constant that the text does not give"),
        (" ".join(ROLE_KEYS), "say what the first, the second or the third unknown is; Enter keeps it"),
        (" ".join(ASKED_KEYS), "the question asks for the first, the second or the third unknown, or no longer"),
        (EXPRESSION_KEY, "the question asks for an expression, such as 10*x + y"),
        (NOTHING_KEY, "the question does not say what it asks for"),
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

    def escape_text(text: str) -> Markup:
        return Markup(escape(printable(text)))

    # A page has hundreds of short strings, and most of them are on every page.
    escape_short = lru_cache(maxsize=1 << 12)(escape_text)

    def finalize(value: object) -> Markup:
        if isinstance(value, Markup):
            return value
        text = str(value)
        return escape_short(text) if len(text) < _SHORT else escape_text(text)

    found = Environment(
        loader=PackageLoader("draw_dataset.annotate.page"),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals |= {"keys": KEYS, "status_signs": _STATUS_SIGNS, "take": lambda number: Key(str(number), "take")}
    found.filters |= {
        "name": name_of,
        "address": address_of,
        "short": lambda name: clip(name, _LONGEST_NAME),
        "signs": signs,
        # In a text field people see and change the text itself, with its line ends.
        "verbatim": lambda text: Markup(escape(text)),
    }
    return found


def _render(template: str, view: View, bar: Bar, notice: Notice, **more: Any) -> str:
    keys = _ANNOTATING if view == "annotate" or template == "annotate.html" else _ADJUDICATING
    helped = _HELPED["annotate" if keys == _ANNOTATING else "adjudicate"]
    commands = [KEYS[name] for name in keys.split()]
    defaults = {"work": None, "own": False}
    given = {"view": view, "bar": bar, "notice": notice, "helped": helped, "commands": commands}
    return _environment().get_template(template).render(defaults | given | more)


def address_of(problem: ProblemId, own: bool = False) -> str:
    """Return the address of a problem on a page."""
    return f"?problem={quote(name_of(problem), safe='')}{'&own' if own else ''}"


def annotation_html(
    work: AnnotationState,
    bar: Bar,
    listing: Listing,
    width: int,
    notice: Notice,
    *,
    view: View = "annotate",
    ask_roles: bool = False,
    guesses: bool = False,
) -> str:
    """Return the page of one problem; with `ask_roles` it says what is left to say of the unknowns."""
    drawing = draw_work(work, width, guesses=guesses)
    values = values_of(work)
    chosen = [rank(origin) for _, origin in sorted(work.chosen.items()) if origin.number is not None]
    return _render(
        "annotate.html",
        view,
        bar,
        notice,
        work=work,
        own=view == "adjudicate",
        fixed=work.is_done,
        # The last chosen number in the order of the equations, for marking its equivalents.
        anchor=chosen[-1] if chosen else "",
        first=work.left[0] if work.left else None,
        pieces=text_pieces(work, dict(drawing.colours)),
        values=values,
        equations=equation_parts(work.proposal, values) if work.proposal is not None and work.stated is None else [],
        meaning=meaning_of(work),
        unsaid=work.unsaid if ask_roles else (),
        optional=not ask_roles,
        expression_key=EXPRESSION_KEY,
        nothing_key=NOTHING_KEY,
        drawing=drawing,
        guesses=guesses,
        width=width,
        listing=listing,
        changes=change_options(work.stored.extra, work.question),
        words=words_of(work),
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """The answer of a work about a value, or about something else that has a label."""

    in_place: tuple[str, str, str] | None
    said: str
    differs: bool
    label: str = ""


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the works that are compared."""

    work: AnnotationState
    drawing: Drawing
    rows: tuple[_Row, ...]


def adjudication_html(
    works: Sequence[AnnotationState],
    details: Sequence[str],
    settled: AnnotationState | None,
    own: AnnotationState,
    bar: Bar,
    listing: Listing,
    width: int,
    notice: Notice,
    *,
    is_party: bool = False,
) -> str:
    """Return the page of one problem that annotators disagree about; `is_party` if the reader is one of them."""
    values = [values_of(work) for work in works]
    # Each value that is a number in some work has one colour in all figures.
    used = {one.span for mine in values for one in mine if one.held is not None and one.held.number}
    colours = {span: at % COLOURS for at, span in enumerate(sorted(used))}
    pairs = combinations([work for work in works if work.submitted], 2)
    apart = {field for one, other in pairs for field in compare(one, other).differing}
    sides = [
        _Side(
            work, draw_work(work, width, colours), (*_rows(work, mine, works, values), *_said_rows(work, works, apart))
        )
        for work, mine in zip(works[:_MOST_SIDES], values, strict=False)
    ]
    return _render(
        "adjudicate.html",
        "adjudicate",
        bar,
        notice,
        work=own,
        works=works,
        details=details,
        settled=settled,
        is_party=is_party,
        sides=sides,
        width=width,
        listing=listing,
    )


def _rows(
    work: AnnotationState, values: Sequence[Value], works: Sequence[AnnotationState], others: Sequence[Sequence[Value]]
) -> Iterator[_Row]:
    """Yield the answers of a work to all questions; differences from the others are marked."""
    # A stated derivation has no values to compare.
    saids = [
        {value.span: value.said for value in listed if value.held is not None}
        for other, listed in zip(works, others, strict=True)
        if other.stated is None and other.submitted
    ]
    for value in values:
        differs = len({said_of.get(value.span) for said_of in saids}) > 1
        if value.held is not None and (len(value.proposed) > 1 or differs):
            yield _Row(value.in_place, name_origin(value.held), differs)
    groups = [" = ".join(f"q{number.index}" for number in group) for group in work.groups]
    same = {tuple(tuple(n.place for n in group) for group in other.groups) for other in works}
    if groups or len(same) > 1:
        yield _Row(None, ", ".join(groups) or "none", len(same) > 1, "equivalent")


def _said_rows(work: AnnotationState, works: Sequence[AnnotationState], apart: set[str]) -> Iterator[_Row]:
    """Yield a stated derivation, what is asked, and the roles, if some work has them."""
    if any(other.stated is not None for other in works) and work.derivation is not None:
        yield _Row(None, work.derivation.q_notation(), "derivation" in apart, "derivation")
    for text in work.alternatives:
        yield _Row(None, text, False, "also allowed")
    if any(other.asked is not None for other in works):
        said = "not said" if work.asked is None else ", ".join(shown_asked(work)) or "nothing"
        yield _Row(None, said, "asked" in apart, "asks for")
    roles = dict(work.roles)
    for unknown, shown in work.shown_names.items():
        every = {dict(other.roles).get(unknown) for other in works if other.submitted}
        if every - {None}:
            name = unknown if shown == unknown else f"{shown} ({unknown})"
            yield _Row(None, roles.get(unknown, "not said"), "roles" in apart and len(every) > 1, name)


def finished_html(bar: Bar, listing: Listing, notice: Notice) -> str:
    """Return the page of an annotator who has nothing left to do."""
    if bar.total:
        lines = [f"Every problem of your queue is done{f' ({bar.times})' if bar.times else ''}."]
        lines.append("You can still open any problem of the list and change what you said.")
    else:
        lines = list(bar.parts)
        lines += ["You may still open any problem of the list."] * bool(listing.entries)
    return _message("annotate", bar, notice, "Done", "Nothing is left to do", lines, listing, aside=True)


def agreed_html(bar: Bar, listing: Listing, notice: Notice, overlapping: int, own: int = 0) -> str:
    """Return the page when there is nothing to settle, but for `own` disputes that the reader is a party to."""
    if own:
        title = "Nothing to settle for you"
        text = f"{own} problem{'s that you have annotated wait' if own > 1 else ' that you have annotated waits'} for "
        text += "somebody who has not annotated it." if own == 1 else "somebody who has not annotated them."
    elif listing.entries:
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
    return _render(
        "message.html", view, bar, notice, label=label, title=title, lines=lines, listing=listing, aside=aside
    )


def guideline_html() -> str:
    """Return the guideline for annotators, a page to read and to print."""
    return _environment().get_template("guideline.html").render()


def data_html(lines: Sequence[str], problem: str, policies: Sequence[str], *, asks_token: bool, megabytes: int) -> str:
    """Return the page for import and export."""
    template = _environment().get_template("data.html")
    return template.render(lines=lines, problem=problem, policies=policies, asks_token=asks_token, megabytes=megabytes)


def login_html(name: str, wanted: str, problem: str, *, asks_token: bool) -> str:
    """Return the login page."""
    template = _environment().get_template("login.html")
    return template.render(name=name, wanted=wanted, problem=problem, asks_token=asks_token)
