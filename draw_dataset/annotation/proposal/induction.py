"""Which template a derivation has, in one normal form, and the problem that is annotated with it.

In the normal form unknowns are m, n, o and slots a, b, c …, both by first appearance. The equations are either kept as
written, which people like to read, or *expanded* as in the release: no brackets, unknowns on the left, like terms
together. Both are the same derivation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

from draw_dataset.annotation.proposal.candidates import UNKNOWN_NAMES, Origin, Proposal
from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.derivation import Derivation, slot_letters
from draw_dataset.core.equations import solve, write
from draw_dataset.core.equivalence import expand
from draw_dataset.core.problem import AlignedNumber, Problem, ProblemId
from draw_dataset.core.template import UNKNOWNS, Template
from draw_dataset.errors import AnnotationError, ChoiceError

Form = Literal["expanded", "written"]
FORMS: tuple[Form, ...] = ("expanded", "written")


def induce(derivation: Derivation, form: Form = "expanded") -> Derivation:
    """Return the same derivation with its template in the normal form.

    >>> d = Derivation.read("x = q2*(y - q1) + q1; x + y = q3")
    >>> str(induce(d).template), str(induce(d, "written").template)
    ('m - a*n = b - a*b; m + n = c', 'm = a*(n - b) + b; m + n = c')

    Args:
        derivation: any derivation with at most three unknowns.
        form: ``expanded`` as in the release, or ``written``: as it is.

    Raises:
        AnnotationError: it has more than three unknowns.
        ChoiceError: there is no such form.
    """
    if form not in FORMS:
        raise ChoiceError(f"expected the form {' or '.join(FORMS)}, but got {form!r}")
    template = derivation.template
    if form == "expanded":
        template = Template(list(expand(template.source)), unknowns=template.unknowns, slots=template.slots)
    if len(template.unknowns) > len(UNKNOWN_NAMES):
        raise AnnotationError(f"expected at most {len(UNKNOWN_NAMES)} unknowns, but got {len(template.unknowns)}")
    new = dict(zip(template.unknowns, UNKNOWN_NAMES, strict=False))
    new |= dict(zip(template.slots, slot_letters(len(template.slots), set(UNKNOWNS)), strict=True))
    renamed = Template(write(template.source, lambda token: new[template.source.name(token)]))
    return Derivation(renamed, {new[slot]: derivation.alignment[slot] for slot in template.slots})


def annotated_problem(
    id_: ProblemId,
    proposal: Proposal,
    chosen: Mapping[int, Origin] = MappingProxyType({}),
    equiv_tnum: Iterable[Iterable[TextNumber]] = (),
    form: Form = "expanded",
) -> Problem:
    """Return the problem that is annotated with given origins.

    >>> from draw_dataset.annotation.proposal.candidates import propose
    >>> problem = annotated_problem(1, propose("Ann has 3 times as many as Bob , 12 in all .", "a = 3*b; a + b = 12"))
    >>> problem.template, problem.derivation.q_notation(), problem.solutions
    (('m - a*n = 0', 'm + n = b'), 'm - q1*n = 0; m + n = q2', (9.0, 3.0))

    Args:
        id_: what the problem is called.
        proposal: what the question and its equations leave open.
        chosen: origins by the positions of their literals; any other literal has its first one.
        equiv_tnum: the groups of numbers that mean the same.
        form: see `induce`.
    """
    derivation = induce(proposal.derive(chosen), form)
    equations = [equation.strip() for equation in proposal.equations.replace("\n", ";").split(";") if equation.strip()]
    return Problem(
        id=id_,
        question=proposal.question,
        numbers=proposal.numbers,
        equations=tuple(equations),
        solutions=tuple(float(value) for value in solve(proposal.equations).values.values()),
        template=derivation.template.equations,
        alignment=tuple(_aligned(slot, number) for slot, number in derivation.alignment.items()),
        equiv_tnum=tuple(tuple(group) for group in equiv_tnum),
    )


def _aligned(slot: str, number: TextNumber) -> AlignedNumber:
    if number.sentence is None or number.value is None:
        raise AnnotationError(f"slot {slot}: expected a number with its sentence and value, but got {number}")
    return AlignedNumber(slot, number.sentence, number.token, float(number.value))
