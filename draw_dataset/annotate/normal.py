"""Normal form of templates, annotated problems, stated derivations, and templates reconciled across datasets.

In the normal form unknowns are m, n, o and slots a, b, c …, both by first appearance. The equations are either kept as
written, or expanded as in the release: no brackets, unknowns on the left, like terms together. A derivation that a
person states in q-notation keeps its form and the names of its unknowns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from draw_dataset.algebra.grammar import write
from draw_dataset.algebra.number import number_literal
from draw_dataset.algebra.solution import SolutionKind, solve
from draw_dataset.annotate.proposal import UNKNOWN_NAMES, Origin, Proposal
from draw_dataset.derivation.derivation import Derivation, Place, TextNumber, slot_letters
from draw_dataset.derivation.equivalence import reconcile
from draw_dataset.derivation.normal_form import expand
from draw_dataset.derivation.problem import AlignedNumber, AskedExpression, Problem, ProblemId, Role, read_asked
from draw_dataset.derivation.template import UNKNOWNS, Template
from draw_dataset.errors import AnnotationError, ChoiceError, DrawError, RowError, short_repr

Form = Literal["expanded", "written"]
FORMS: tuple[Form, ...] = ("expanded", "written")


def induce(derivation: Derivation, form: Form = "expanded") -> Derivation:
    """Return the same derivation with its template in the normal form.

    >>> d = Derivation.read("x = q2*(y - q1) + q1; x + y = q3")
    >>> str(induce(d).template), str(induce(d, "written").template)
    ('m - a*n = b - a*b; m + n = c', 'm = a*(n - b) + b; m + n = c')
    """
    return _induce(derivation, form)[0]


def _induce(derivation: Derivation, form: Form) -> tuple[Derivation, dict[str, str]]:
    """Return a derivation with its template in the normal form, and the new names of its unknowns."""
    if form not in FORMS:
        raise ChoiceError(f"expected the form {' or '.join(FORMS)}, but got {form!r}")
    template = derivation.template
    if form == "expanded":
        template = Template(list(expand(template.source)), unknowns=template.unknowns, slots=template.slots)
    if len(template.unknowns) > len(UNKNOWN_NAMES):
        raise AnnotationError(f"expected at most {len(UNKNOWN_NAMES)} unknowns, but got {len(template.unknowns)}")
    unknowns = dict(zip(template.unknowns, UNKNOWN_NAMES, strict=False))
    new = unknowns | dict(zip(template.slots, slot_letters(len(template.slots), set(UNKNOWNS)), strict=True))
    renamed = Template(write(template.source, lambda token: new[template.source.name(token)]))
    return Derivation(renamed, {new[slot]: derivation.alignment[slot] for slot in template.slots}), unknowns


def build_problem(
    id_: ProblemId,
    proposal: Proposal,
    chosen: Mapping[int, Origin] = MappingProxyType({}),
    equiv_tnum: Iterable[Iterable[TextNumber]] = (),
    form: Form = "expanded",
    asked: Iterable[str] = (),
    roles: Iterable[Role] = (),
) -> Problem:
    """Return the problem that is annotated with given origins; what is asked and roles name the unknowns of `derive`.

    >>> from draw_dataset.annotate.proposal import propose
    >>> problem = build_problem(1, propose("Ann has 3 times as many as Bob , 12 in all .", "a = 3*b; a + b = 12"))
    >>> problem.template, problem.derivation.q_notation(), problem.solutions
    (('m - a*n = 0', 'm + n = b'), 'm - q1*n = 0; m + n = q2', (9.0, 3.0))
    """
    derivation, names = _induce(proposal.derive(chosen), form)
    role_of = {names.get(unknown, unknown): role for unknown, role in roles}
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
        asked=tuple(rename_unknowns(text, proposal.numbers, names) for text in asked),
        roles=tuple((name, role_of[name]) for name in derivation.template.unknowns if name in role_of),
    )


def build_stated_problem(
    id_: ProblemId,
    question: str,
    numbers: Sequence[TextNumber],
    stated: str,
    alternatives: Iterable[str] = (),
    equiv_tnum: Iterable[Iterable[TextNumber]] = (),
    asked: Iterable[str] = (),
    roles: Iterable[Role] = (),
) -> Problem:
    """Return the problem that is annotated with a stated derivation; its equations are those of the derivation.

    >>> from draw_dataset.text.numbers import locate_numbers
    >>> text = "Ann has 3 times as many as Bob , 12 in all ."
    >>> problem = build_stated_problem(1, text, locate_numbers(text)[0], "n + m = q2; n = q1*m", asked=["n"])
    >>> problem.equations, problem.template, problem.asked
    (('n + m = 12', 'n = 3*m'), ('n + m = a', 'n = b*m'), ('n',))
    """
    derivation = read_stated(stated, numbers)
    template = derivation.template
    values = [number.value for number in derivation.alignment.in_slots(template.slots)]
    return Problem(
        id=id_,
        question=question,
        numbers=tuple(numbers),
        equations=tuple(template.written_with([number_literal(v) for v in values if v is not None]).split("; ")),
        solutions=tuple(float(value) for value in derivation.solve().values.values()),
        template=template.equations,
        alignment=tuple(_align(slot, number) for slot, number in derivation.alignment.items()),
        equiv_tnum=tuple(tuple(group) for group in equiv_tnum),
        alternatives=tuple(alternatives),
        asked=tuple(asked),
        roles=tuple(roles),
    )


def read_stated(text: str, numbers: Sequence[TextNumber]) -> Derivation:
    """Return the derivation that a person stated: in m, n and o, with one solution."""
    try:
        derivation = Derivation.read(text, numbers)
        unknowns = derivation.template.unknowns
        if len(unknowns) > len(UNKNOWN_NAMES):
            raise AnnotationError(
                f"expected 1 to {len(UNKNOWN_NAMES)} unknowns, but got {len(unknowns)}: {', '.join(unknowns)}; "
                "replace one of them by what it equals"
            )
        others = sorted(set(unknowns) - UNKNOWNS)
        if others:
            raise AnnotationError(f"expected the unknowns {', '.join(UNKNOWN_NAMES)}, but got {', '.join(others)}")
        if derivation.by_rank:
            raise AnnotationError("expected no number of the text, since there is none, but got some")
        kind = derivation.solve().kind
    except DrawError as error:
        raise AnnotationError(f"derivation {short_repr(text)}: {error}") from error
    if kind is not SolutionKind.UNIQUE:
        raise AnnotationError(f"derivation {short_repr(text)}: expected one solution, but got {kind}")
    return derivation


# Expressions that a question asks for, in the unknowns of a derivation. `derivation.problem` reads them, given a
# problem with these unknowns. To write an expression anew, it is read as an equation for a name of its own.

_NAME = "asked_for"


def read_expressions(
    asked: Iterable[str], unknowns: Sequence[str], numbers: Sequence[TextNumber]
) -> tuple[AskedExpression, ...]:
    """Return the expressions that a question asks for; an error names the one that is none.

    >>> [expression.is_unknown for expression in read_expressions(["m", "10*m + n"], "mn", ())]
    [True, False]
    """
    template = tuple(f"{unknown} = 0" for unknown in unknowns)
    problem = Problem(0, "", tuple(numbers), (), (), template, ())
    found: list[AskedExpression] = []
    for text in asked:
        try:
            found += read_asked(replace(problem, asked=(text,)))
        except RowError as error:
            why = str(error).removeprefix("problem 0: asked: ")
            raise AnnotationError(
                f"asked: expected expressions in {', '.join(unknowns)} and numbers of the text, as 10*m + n or m/q1, "
                f"but got {short_repr(text)}: {why}"
            ) from error
    return tuple(found)


def rename_unknowns(text: str, numbers: Sequence[TextNumber], names: Mapping[str, str]) -> str:
    """Return an expression with other names for its unknowns; names that are not given stay.

    >>> rename_unknowns("10x + y", (), {"x": "m", "y": "n"})
    '10*m + n'
    """
    if all(old == new for old, new in names.items()):
        return text
    try:
        read = Derivation.read(f"{_NAME} = {text}", numbers)
    except DrawError as error:
        raise AnnotationError(f"asked: expected an expression, but got {short_repr(text)}: {error}") from error
    return _right_side(_write_renamed(read, names))


def name_unknowns(text: str, numbers: Sequence[TextNumber], known: Sequence[str]) -> str:
    """Return q-notation with m, n and o as unknowns; `known` are names of the first, the second and the third.

    A text that cannot be read, or has more unknowns, stays as it is: whoever reads it says why.

    >>> name_unknowns("price = 3*y", (), ["x", "y"]), name_unknowns("m + n = 9", (), ["n", "m"])
    ('m = 3*n', 'm + n = 9')
    """
    try:
        read = Derivation.read(text, numbers)
    except DrawError:
        return text
    unknowns = read.template.unknowns
    if UNKNOWNS.issuperset(unknowns) or len(unknowns) > len(UNKNOWN_NAMES):
        return text
    names = {old: new for old, new in zip(known, UNKNOWN_NAMES, strict=False) if old in unknowns}
    names |= {name: name for name in unknowns if name not in known and name in set(UNKNOWN_NAMES) - set(names.values())}
    free = (name for name in UNKNOWN_NAMES if name not in names.values())
    return _write_renamed(read, names | {name: next(free) for name in unknowns if name not in names})


def _write_renamed(derivation: Derivation, names: Mapping[str, str]) -> str:
    """Return a derivation in q-notation with other names for its unknowns."""
    source = derivation.template.source
    slots = derivation.alignment.in_slots(derivation.template.slots)

    def written(token: int) -> str:
        name = source.name(token)
        return names.get(name, name) if token & 1 else f"q{slots[token >> 1].index}"

    return write(source, written)


def carry_expression(text: str, numbers: Sequence[TextNumber], where: Mapping[Place, TextNumber]) -> str | None:
    """Return an expression with the numbers of another text; None if one of them is not there."""
    carried = carry_derivation(f"{_NAME} = {text}", numbers, where)
    return None if carried is None else _right_side(carried)


def carry_derivation(text: str, numbers: Sequence[TextNumber], where: Mapping[Place, TextNumber]) -> str | None:
    """Return q-notation with the numbers of another text; None if one of them is not there."""
    read = Derivation.read(text, numbers)
    if not all(number.place in where for number in read.alignment.values()):
        return None
    alignment = {slot: where[number.place] for slot, number in read.alignment.items()}
    return Derivation(read.template, alignment).q_notation()


def _right_side(equation: str) -> str:
    return equation.partition(" = ")[2]


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
