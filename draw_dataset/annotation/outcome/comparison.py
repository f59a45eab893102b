"""Where the works of annotators on one problem differ.

Works are compared number by number. If one annotator has edited the text, the numbers that are still there are found
in the text of the other (`text.changes`); a number that is not there differs from all others. These are compared:

* **alignment**: where each literal comes from; numbers that both annotators call equivalent are one. Literals that can
  be exchanged without changing the derivation are not a disagreement.
* **EquivTNum**: which numbers mean the same.
* **template**: up to equivalence.
* **derivation**: up to equivalence (Algorithm 1 of the paper), under the groups that both have.
* **annotation**: derivation and EquivTNum together, all that an annotator says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from draw_dataset.annotation.store.work import Work
from draw_dataset.core.alignment import NumberClasses, Place, TextNumber
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equivalence import derivations_equivalent, templates_equivalent
from draw_dataset.errors import AnnotationError
from draw_dataset.text.changes import carried_numbers

FIELDS = ("alignment", "equiv_tnum", "template", "derivation", "annotation")
"""What is compared."""

Span = tuple[int, int]
"""The characters of a literal in the equations; they identify it, whatever the text is."""

_NOWHERE = 1_000_000
"""Added to the sentence of a number that the other text does not have."""


@dataclass(frozen=True, slots=True)
class PlacedWork:
    """Complete work, with the places of its numbers in the text of another work.

    Attributes:
        work: the work.
        origins: the place that each literal comes from; None for a constant.
        names: the names of the numbers at the places.
        groups: the groups of equivalent numbers.
        derivation: the derivation.
    """

    work: Work
    origins: Mapping[Span, Place | None]
    names: Mapping[Place, str]
    groups: frozenset[frozenset[Place]]
    derivation: Derivation


@dataclass(frozen=True, slots=True)
class Comparison:
    """Where two works on a problem agree and where they do not.

    Attributes:
        agrees: for each of `FIELDS` whether they agree.
        same_text: whether neither has edited the text, or both in the same way.
        details: the differences in words, each naming both annotators.
    """

    agrees: Mapping[str, bool]
    same_text: bool
    details: tuple[str, ...]

    @property
    def differing(self) -> tuple[str, ...]:
        """The fields in which they differ, and ``text`` if the texts differ; empty if the works are the same."""
        return (*(field for field in FIELDS if not self.agrees[field]), *(() if self.same_text else ("text",)))


def placed_work(work: Work, reference: Work) -> PlacedWork:
    """Return complete work with the places of another's text.

    Raises:
        AnnotationError: the work is not complete.
    """
    proposal, derivation = work.proposal, work.derivation
    if proposal is None or derivation is None:
        raise AnnotationError(f"problem {work.problem_id}: {work.lacking()}")
    where = carried_numbers(work.question, proposal.numbers, reference.question, reference.numbers)

    def moved(number: TextNumber) -> TextNumber:
        if number.place in where:
            return where[number.place]
        return replace(number, sentence=_NOWHERE + (number.sentence or 0))

    origins: dict[Span, Place | None] = {}
    for position, literal in enumerate(proposal.literals):
        number = work.chosen.get(position, literal.origins[0]).number
        origins[literal.start, literal.end] = None if number is None else moved(number).place
    return PlacedWork(
        work,
        origins,
        {moved(number).place: str(number) for number in proposal.numbers},
        frozenset(frozenset(moved(number).place for number in group) for group in work.groups),
        Derivation(derivation.template, {slot: moved(number) for slot, number in derivation.alignment.items()}),
    )


def common_classes(placed: Sequence[PlacedWork]) -> NumberClasses:
    """Return the groups of numbers that all call equivalent."""
    groups: list[frozenset[Place]] = list(placed[0].groups)
    for work in placed[1:]:
        groups = [one & other for one in groups for other in work.groups]
    shared: list[list[Place]] = [sorted(group, key=_order) for group in groups if len(group) > 1]
    return NumberClasses(shared)


def compare(one: Work, other: Work) -> Comparison:
    """Say where two complete works on a problem differ.

    >>> from draw_dataset.annotation.store.decision import Decision
    >>> from draw_dataset.annotation.store.history import fold
    >>> from draw_dataset.annotation.store.work import StoredProblem
    >>> problem = {1: StoredProblem(7, "Two and 2 make 4 . Add 5 .", ("x = 2 + 5",))}
    >>> ann = fold(problem, "Ann", [Decision("choose", {"literal": 0, "place": [0, 0]})])
    >>> bob = fold(problem, "Bob", [Decision("choose", {"literal": 0, "place": [0, 2]})])
    >>> found = compare(ann, bob)
    >>> found.differing, found.details
    (('alignment', 'derivation', 'annotation'), ('2 comes from "Two" (q1) for Ann, but from "2" (q2) for Bob',))

    Raises:
        AnnotationError: a work is not complete.
    """
    first, second = placed_work(one, one), placed_work(other, one)
    classes = common_classes([first, second])
    derivation = derivations_equivalent(first.derivation, second.derivation, classes)
    apart = [] if derivation else _apart(first, second, classes)
    groups = first.groups == second.groups
    agrees = {
        "alignment": derivation or not apart,
        "equiv_tnum": groups,
        "template": templates_equivalent(first.derivation.template, second.derivation.template),
        "derivation": derivation,
        "annotation": derivation and groups,
    }
    same_text = one.question == other.question
    details = [_detail(span, first, second) for span in apart]
    if not derivation and not apart:
        # One number for two literals, or two numbers that mean the same: the alignment agrees, the template does not.
        written = [f"{r.derivation.q_notation()} for {r.work.annotator}" for r in (first, second)]
        details.append(f"the derivation is {', but '.join(written)}")
    details += [_joined(group, first, second) for group in _sorted(first.groups - second.groups)]
    details += [_joined(group, second, first) for group in _sorted(second.groups - first.groups)]
    if not same_text:
        details.append(f"{one.annotator} and {other.annotator} have different texts")
    return Comparison(agrees, same_text, tuple(details))


def _apart(first: PlacedWork, second: PlacedWork, classes: NumberClasses) -> list[Span]:
    """Return the literals that come from different numbers."""

    def origin(work: PlacedWork, span: Span) -> Place | str | None:
        place = work.origins.get(span, "no literal")
        return place if place is None or isinstance(place, str) else classes.of_place(place)

    spans = sorted({*first.origins, *second.origins})
    return [span for span in spans if origin(first, span) != origin(second, span)]


def _detail(span: Span, first: PlacedWork, second: PlacedWork) -> str:
    proposal = first.work.proposal
    text = "?" if proposal is None else proposal.equations[span[0] : span[1]]
    one, other = (f"{_named(r, span)} for {r.work.annotator}" for r in (first, second))
    return f"{text} comes from {one}, but from {other}"


def _named(work: PlacedWork, span: Span) -> str:
    place = work.origins.get(span)
    return "no number" if place is None else work.names[place]


def _joined(group: frozenset[Place], having: PlacedWork, lacking: PlacedWork) -> str:
    members = ", ".join(having.names[place] for place in sorted(group, key=_order))
    return f"{members} mean the same for {having.work.annotator}, but not for {lacking.work.annotator}"


def _sorted(groups: frozenset[frozenset[Place]]) -> list[frozenset[Place]]:
    return sorted(groups, key=lambda group: sorted(map(_order, group)))


def _order(place: Place) -> tuple[int, int]:
    return place[0] or 0, place[1]
