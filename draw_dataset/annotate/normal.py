"""Normal form of templates, annotated problems, and templates reconciled across datasets.

In the normal form unknowns are m, n, o and slots a, b, c …, both by first appearance. The equations are either kept as
written, or expanded as in the release: no brackets, unknowns on the left, like terms together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from draw_dataset.algebra.grammar import write
from draw_dataset.algebra.solution import solve
from draw_dataset.annotate.proposal import UNKNOWN_NAMES, Origin, Proposal
from draw_dataset.derivation.derivation import Derivation, TextNumber, slot_letters
from draw_dataset.derivation.equivalence import reconcile
from draw_dataset.derivation.normal_form import expand
from draw_dataset.derivation.problem import AlignedNumber, Problem, ProblemId
from draw_dataset.derivation.template import UNKNOWNS, Template
from draw_dataset.errors import AnnotationError, ChoiceError

Form = Literal["expanded", "written"]
FORMS: tuple[Form, ...] = ("expanded", "written")


def induce(derivation: Derivation, form: Form = "expanded") -> Derivation:
    """Return the same derivation with its template in the normal form.

    >>> d = Derivation.read("x = q2*(y - q1) + q1; x + y = q3")
    >>> str(induce(d).template), str(induce(d, "written").template)
    ('m - a*n = b - a*b; m + n = c', 'm = a*(n - b) + b; m + n = c')
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


def build_problem(
    id_: ProblemId,
    proposal: Proposal,
    chosen: Mapping[int, Origin] = MappingProxyType({}),
    equiv_tnum: Iterable[Iterable[TextNumber]] = (),
    form: Form = "expanded",
) -> Problem:
    """Return the problem that is annotated with given origins.

    >>> from draw_dataset.annotate.proposal import propose
    >>> problem = build_problem(1, propose("Ann has 3 times as many as Bob , 12 in all .", "a = 3*b; a + b = 12"))
    >>> problem.template, problem.derivation.q_notation(), problem.solutions
    (('m - a*n = 0', 'm + n = b'), 'm - q1*n = 0; m + n = q2', (9.0, 3.0))
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
        alignment=tuple(_align(slot, number) for slot, number in derivation.alignment.items()),
        equiv_tnum=tuple(tuple(group) for group in equiv_tnum),
    )


def _align(slot: str, number: TextNumber) -> AlignedNumber:
    if number.sentence is None or number.value is None:
        raise AnnotationError(f"slot {slot}: expected a number with its sentence and value, but got {number}")
    return AlignedNumber(slot, number.sentence, number.token, float(number.value))


# Annotators write the same template in many ways. Each class of equivalent templates gets one representative, and
# alignments are carried over by the slot map. The counts are the lower half of the paper's Table 2.


@dataclass(frozen=True, slots=True)
class TemplateCounts:
    """Numbers of templates of some problems."""

    problems: int
    before: int  # different templates as written, spaces apart
    after: int  # templates that are not equivalent


@dataclass(frozen=True, slots=True)
class ReconciledProblems:
    """Problems of several datasets with one template for each class."""

    problems: Mapping[str, tuple[Problem, ...]]
    counts: Mapping[str, TemplateCounts]
    together: TemplateCounts  # over all datasets
    shared: int  # templates that occur in more than one dataset


def reconcile_problems(datasets: Mapping[str, Sequence[Problem]]) -> ReconciledProblems:
    """Return the problems of datasets with the templates of all of them reconciled.

    >>> from draw_dataset.derivation.problem import AlignedNumber
    >>> alignment = AlignedNumber("a", 0, 1, 2.0), AlignedNumber("b", 0, 3, 1.0)
    >>> first = Problem(1, "", (), (), (), ("m = a - b",), alignment)
    >>> second = Problem(2, "", (), (), (), ("m + a = b",), alignment)
    >>> found = reconcile_problems({"one": [first, first], "two": [second]})
    >>> found.together.before, found.together.after, found.shared
    (2, 1, 1)
    >>> found.problems["two"][0].template, [(a.slot, a.token) for a in found.problems["two"][0].alignment]
    (('m = a - b',), [('b', 1), ('a', 3)])
    """
    listed = [(name, problem) for name, problems in datasets.items() for problem in problems]
    # By way of the derivation, so that an alignment that does not fit its template is found here, with its problem.
    templates = [problem.derivation.template for _, problem in listed]
    found = reconcile(templates)
    new: dict[str, list[Problem]] = {name: [] for name in datasets}
    classes: dict[str, set[int]] = {name: set() for name in datasets}
    texts: dict[str, set[str]] = {name: set() for name in datasets}
    slot_maps = {i: m for group in found.groups for i, m in zip(group.members, group.slot_maps, strict=True)}
    for position, ((name, problem), template) in enumerate(zip(listed, templates, strict=True)):
        group = found.group_of[position]
        classes[name].add(group)
        texts[name].add(str(template))
        slot_map = slot_maps[position]
        new[name].append(
            replace(
                problem,
                template=found.groups[group].representative.equations,
                alignment=tuple(replace(a, slot=slot_map[a.slot]) for a in problem.alignment),
            )
        )
    return ReconciledProblems(
        problems={name: tuple(problems) for name, problems in new.items()},
        counts={name: TemplateCounts(len(new[name]), len(texts[name]), len(classes[name])) for name in datasets},
        together=TemplateCounts(len(listed), len(set().union(*texts.values())), len(found.groups)),
        shared=sum(sum(group in own for own in classes.values()) > 1 for group in range(len(found.groups))),
    )
