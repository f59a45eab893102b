"""The figure of a derivation in the making, and the colours that its numbers have there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from draw_dataset.annotation.proposal.candidates import Origin, Proposal
from draw_dataset.annotation.proposal.induction import annotated_problem
from draw_dataset.annotation.store.work import Work
from draw_dataset.core.alignment import Place
from draw_dataset.errors import DrawError
from draw_dataset.report.figure import draw_svg
from draw_dataset.report.picture import picture_of
from draw_dataset.scoring.reference import Reference


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure.

    Attributes:
        svg: the drawing; empty if there is nothing to draw.
        trouble: why there is none.
        colours: the class that colours each number of the text that is used, by its place.
    """

    svg: str = ""
    trouble: str = ""
    colours: tuple[tuple[Place, str], ...] = ()


def draw_work(work: Work, width: float) -> Drawing:
    """Return the figure of someone's work; for values that are still open it has a guess, drawn faintly."""
    proposal = work.proposal
    if proposal is None:
        return Drawing(trouble=work.refusal or "")
    decided = {i: literal.origins[0] for i, literal in enumerate(proposal.literals) if not literal.is_question}
    decided |= work.chosen
    settled = {origin.number.place for origin in decided.values() if origin.number is not None}
    try:
        guessed = _guessed(proposal, decided, work.left)
        problem = annotated_problem(work.problem_id, proposal, guessed, work.groups, form="written")
        picture = picture_of(Reference(problem))
    except DrawError as error:
        return Drawing(trouble=str(error))
    picture = replace(picture, gold=replace(picture.gold, name="in q-notation"))
    svg = draw_svg(picture, width=width, style=False)
    for filled in picture.gold.slots:
        if filled.number.place not in settled:
            # Quotes in texts are escaped, so this can only be the attribute.
            svg = svg.replace(f'data-slot="{filled.slot}"', f'data-slot="{filled.slot}" data-guess="true"')
    colours = tuple(
        (piece.mark.number.place, f"dd-{piece.mark.colour}")
        for piece in picture.pieces
        if piece.mark is not None and piece.mark.colour is not None
    )
    return Drawing(svg, "", colours)


def _guessed(proposal: Proposal, decided: Mapping[int, Origin], left: Sequence[int]) -> dict[int, Origin]:
    """Return origins for all values: for an open one the first that no other value has, else its first."""
    found = dict(decided)
    for position in left:
        taken = {origin.number for origin in found.values()}
        origins = proposal.literals[position].origins
        found[position] = next((origin for origin in origins if origin.number not in taken), origins[0])
    return found
