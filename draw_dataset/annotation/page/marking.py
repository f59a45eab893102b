"""The text and the equations of a problem as HTML in which every number and every value is a button.

Numbers are named by their rank in the text, ``q1``, ``q2`` …; a constant is number 0. What may be chosen for a value
is written into its button: `data-origins` are the proposed numbers, `data-fits` all that its value allows. Everything
that comes from data is escaped here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from draw_dataset.annotation.page.keys import shortcut
from draw_dataset.annotation.proposal.candidates import LiteralOrigins, Origin, Proposal
from draw_dataset.annotation.store.work import Work
from draw_dataset.core.alignment import Place, TextNumber
from draw_dataset.errors import AnnotationError
from draw_dataset.report.plain import printable
from draw_dataset.report.shapes import signs

CONSTANT = 0
"""The rank that stands for no number of the text."""


def rank(origin: Origin) -> int:
    """Return the rank of the number that an origin is, 0 for a constant."""
    return CONSTANT if origin.number is None else origin.number.index or CONSTANT


def said(origin: Origin) -> str:
    """Return what an origin is called, as in ``q3`` or ``a constant``."""
    return "a constant" if origin.number is None else f"q{rank(origin)}"


def shown_text(text: str) -> str:
    """Return text from data as HTML."""
    return escape(printable(text))


def question_html(work: Work, colours: Mapping[Place, str]) -> str:
    """Return the text of a problem with its numbers as buttons.

    Args:
        work: the problem and what was made of it.
        colours: the class that colours a number, by its place.
    """
    group_of = {number.place: group for group in work.groups for number in group}
    pieces: list[str] = []
    at = 0
    for number in sorted(work.numbers, key=lambda n: (n.start or 0, n.end or 0)):
        # Numbers may stand inside each other; what is inside is shown by its name alone.
        start = max(number.start or 0, at)
        end = max(number.end or 0, start)
        pieces.append(_lines(work.question[at:start]))
        same = [other for other in group_of.get(number.place, ()) if other.place != number.place]
        pieces.append(_number(number, work.question[start:end], same, colours.get(number.place, "")))
        at = end
    pieces.append(_lines(work.question[at:]))
    return f'<p class="dp-question" lang="en">{"".join(pieces)}</p>'


def _lines(text: str) -> str:
    return "<br>".join(shown_text(line) for line in text.splitlines()) + ("<br>" if text.endswith("\n") else "")


def _number(number: TextNumber, text: str, same: list[TextNumber], colour: str) -> str:
    name = f"q{number.index}"
    key = shortcut(number.index or 0)
    kind = f"dp-number {colour}".strip() + (" is-used" if colour else "") + (" has-same" if same else "")
    also = f", the same as {', '.join(f'q{other.index}' for other in same)}" if same else ""
    equals = "".join(f"=q{other.index}" for other in same[:1]) + ("…" if len(same) > 1 else "")
    keys = f' aria-keyshortcuts="{key}" data-shortcut="{key}"' if key else ""
    hint, letter = (f" (key {key})", f" <i>{key}</i>") if key and key != str(number.index) else ("", "")
    return (
        f'<button type="button" id="dp-n{number.index}" class="{kind}" data-number="{number.index}" '
        f'data-same="{" ".join(str(other.index) for other in same)}" data-value="{number.value}"{keys} '
        f'aria-label="{shown_text(text)}, number {name}{also}" title="{name}{also}{hint}">'
        f"<span>{shown_text(text)}</span><sub>{name}{equals}{letter}</sub></button>"
    )


def equations_html(work: Work) -> str:
    """Return the equations with their values as buttons, one line an equation."""
    if work.proposal is None:
        lines = "".join(f"<li>{shown_text(signs(equation))}</li>" for equation in work.stored.equations)
        return f'<ol class="dp-equations">{lines}</ol>'
    lines = "".join(f"<li>{''.join(_values(work, work.proposal, *line))}</li>" for line in _spans(work.proposal))
    return f'<ol class="dp-equations" aria-label="Equations">{lines}</ol>'


def _spans(proposal: Proposal) -> Iterator[tuple[int, int]]:
    """Yield where each equation begins and ends."""
    start = 0
    text = proposal.equations.replace("\n", ";")
    for equation in text.split(";"):
        end = start + len(equation)
        if equation.strip():
            yield end - len(equation.lstrip()), start + len(equation.rstrip())
        start = end + 1


def _values(work: Work, proposal: Proposal, start: int, end: int) -> Iterator[str]:
    at = start
    for position, literal in enumerate(proposal.literals):
        if start <= literal.start and literal.end <= end:
            yield shown_text(signs(proposal.equations[at : literal.start]))
            yield _value(work, proposal, position, literal)
            at = literal.end
    yield shown_text(signs(proposal.equations[at:end]))


def _value(work: Work, proposal: Proposal, position: int, literal: LiteralOrigins) -> str:
    held = held_origin(work, position)
    state = "is-open" if held is None else "is-chosen" if position in work.chosen else "is-sure"
    origins = " ".join(str(rank(origin)) for origin in literal.origins)
    tag = "?" if held is None else "const" if held.number is None else said(held)
    told = "open" if held is None else said(held)
    return (
        f'<button type="button" id="dp-l{position}" class="dp-literal {state}" data-literal="{position}" '
        f'data-text="{escape(literal.text)}" data-origins="{origins}" data-fits="{fitting(proposal, position)}" '
        f'data-chosen="{"" if held is None else rank(held)}" aria-label="value {escape(literal.text)}: {told}">'
        f"{escape(literal.text)}<sub>{tag}</sub></button>"
    )


def held_origin(work: Work, position: int) -> Origin | None:
    """Return where a value comes from as things stand; None if that is an open question."""
    if position in work.chosen:
        return work.chosen[position]
    literal = work.proposal.literals[position] if work.proposal is not None else None
    return None if literal is None or literal.is_question else literal.origins[0]


def fitting(proposal: Proposal, position: int) -> str:
    """Return the ranks of all that a person may choose for a value, separated by blanks."""
    ranks = [str(CONSTANT)]
    for number in proposal.numbers:
        try:
            proposal.origin(position, number)
        except AnnotationError:
            continue
        ranks.append(str(number.index))
    return " ".join(ranks)


def value_in_place(proposal: Proposal, position: int) -> str:
    """Return the equation of a value as HTML, the value marked."""
    literal = proposal.literals[position]
    start, end = next(span for span in _spans(proposal) if span[0] <= literal.start and literal.end <= span[1])
    before, behind = proposal.equations[start : literal.start], proposal.equations[literal.end : end]
    return (
        f'<span class="dp-inline">{shown_text(signs(before.lstrip()))}<mark>{escape(literal.text)}</mark>'
        f"{shown_text(signs(behind.rstrip()))}</span>"
    )
