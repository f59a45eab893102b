"""Equivalence of templates: whether two are the same, how their slots correspond, and groups of many.

Two templates are equivalent (the paper's TemplEquiv) if some bijection of their slots gives both systems the same
solutions for all slot values, in any order of the unknowns. Systems without a unique solution are compared by their
solution sets, up to renaming unknowns. Slots that cancel still count: the bijection covers all slots.

Algorithm 1 of the paper tries every bijection with random numbers. Here nothing is random and no verdict depends on
probability. Solutions are functions of the slots, and templates are equivalent exactly if their solutions have the same
canonical form (`canonical`), which also gives a slot map without a search. Before that, a point with all slots equal
rejects most pairs: its coordinates are the same under every bijection.

`templates_equivalent`, `find_slot_map` and `all_slot_maps` answer whether, how, and in how many ways. A slot map always
goes from the first argument (predicted) to the second (gold).

`reconcile` computes the canonical form of each of many templates; templates with the same form are one group. No two of
them are ever compared with each other, so the time grows linearly with their number. The representative of a group is
the text that occurs most often, then the shortest, then the first in alphabetical order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from draw_dataset.core.algebra import POINT, PRIME, Polynomial, primitive_vector, variable
from draw_dataset.core.equations import (
    SolutionKind,
    System,
    number_of,
    regular_point,
    reordered_solutions,
    solution_set,
)
from draw_dataset.core.equivalence.canonical import Form, Structure, canonical_form, isomorphisms, searching
from draw_dataset.core.limits import comparing
from draw_dataset.core.memory import MEGABYTE, remembered
from draw_dataset.core.template import Template
from draw_dataset.errors import ReadError, shown

SlotMap = dict[str, str]
"""From the slots of the first (predicted) template to the slots of the second (gold) one."""

TemplateLike = Template | str | Sequence[str]


def templates_equivalent(predicted: TemplateLike, gold: TemplateLike, *, unknowns: Iterable[str] | None = None) -> bool:
    """Say whether two templates are equivalent.

    Two templates are equivalent if the slots and unknowns of one can be renamed to those of the other so that both have
    the same solutions for all values of the slots.

    >>> templates_equivalent("m = a + b*n; m = c - n", "m + n = a; m - c*n = b")
    True
    >>> templates_equivalent("m = a + b", "m = a - b")
    False
    >>> templates_equivalent("u = a + b", "v = b + a", unknowns="uv")
    True

    Args:
        predicted: a template, or its equations.
        gold: another template, or its equations.
        unknowns: the names that are unknowns where equations are given; by default m, n and o, see `Template`.

    Raises:
        ReadError: the equations cannot be read, or have no unknown.
        LimitError: they are larger than the bounds in `draw_dataset.core.limits`.
    """
    first, second = read_pair(predicted, gold, unknowns)
    return _equivalent(first.system, second.system)


def read_pair(predicted: TemplateLike, gold: TemplateLike, unknowns: Iterable[str] | None) -> tuple[Template, Template]:
    """Return two templates; `unknowns` applies to those that are given as equations."""
    names = None if unknowns is None else tuple(unknowns)
    return Template.of(predicted, names), Template.of(gold, names)


def find_slot_map(
    predicted: TemplateLike, gold: TemplateLike, *, unknowns: Iterable[str] | None = None
) -> SlotMap | None:
    """Return one slot map under which two templates are equivalent; None if they are not equivalent.

    >>> find_slot_map("m = a + b*n; m = c - n", "m + n = a; m - c*n = b")
    {'a': 'b', 'b': 'c', 'c': 'a'}

    Args:
        predicted: a template, or its equations.
        gold: another template, or its equations.
        unknowns: the names that are unknowns where equations are given; see `Template`.

    Returns:
        For each slot of the first template the slot of the second.

    Raises:
        ReadError: the equations cannot be read, or have no unknown.
        LimitError: they are larger than the bounds in `draw_dataset.core.limits`.
    """
    first, second = read_pair(predicted, gold, unknowns)
    if not _equivalent(first.system, second.system):
        return None
    back = {number: slot for slot, number in canonical_slots(second).items()}
    return {slot: back[number] for slot, number in canonical_slots(first).items()}


def all_slot_maps(
    predicted: TemplateLike, gold: TemplateLike, *, unknowns: Iterable[str] | None = None
) -> Iterator[SlotMap]:
    """Yield every slot map under which two templates are equivalent: the paper's Γ, each map once.

    >>> sorted(m["a"] for m in all_slot_maps("m = a + b", "n = a + b"))
    ['a', 'b']

    Args:
        predicted: a template, or its equations.
        gold: another template, or its equations.
        unknowns: the names that are unknowns where equations are given; see `Template`.

    Yields:
        For each slot of the first template the slot of the second; a map is computed when it is asked for.

    Raises:
        ReadError: the equations cannot be read, or have no unknown.
        LimitError: they are larger than the bounds in `draw_dataset.core.limits`, or there are too many maps. The error
            may come after some maps.
    """
    first, second = read_pair(predicted, gold, unknowns)
    if not _equivalent(first.system, second.system):
        return
    count = first.system.slot_count
    start = _structures(first.system, (0,) * count)[0]
    for target in _structures(second.system, (0,) * count):
        for renaming in isomorphisms(start, target):
            yield {slot: second.slots[renaming[i]] for i, slot in enumerate(first.slots)}


def canonical_key(template: TemplateLike, *, unknowns: Iterable[str] | None = None) -> str:
    """Return a string that two templates share exactly if they are equivalent.

    The key is the same in every process and in every version of this package. If it ever had to change, its leading
    number would change as well.

    >>> canonical_key("2*m = a*b")
    '1|unique|1 unknowns|2 slots|0:2;1:1.0.1'

    Args:
        template: a template, or its equations.
        unknowns: the names that are unknowns where equations are given; see `Template`.

    Raises:
        ReadError: the equations cannot be read, or have no unknown.
        LimitError: they are larger than the bounds in `draw_dataset.core.limits`.
    """
    return _key(Template.of(template, unknowns).system)


@remembered(8 * MEGABYTE, lambda key, _: 100 + len(key), key=number_of)
def _key(system: System) -> str:
    parts = ";".join(
        f"{label}:" + "+".join(".".join(map(str, (c, *variables))) for variables, c in terms)
        for label, terms in canonical_solutions(system)[0]
    )
    kind = solution_set(system).kind
    return f"1|{kind}|{system.unknown_count} unknowns|{system.slot_count} slots|{parts}"


def canonical_slots(template: Template) -> dict[str, int]:
    """Return the canonical number of each slot. In equivalent templates, slots with the same number correspond."""
    return dict(zip(template.slots, canonical_solutions(template.system)[1], strict=True))


def _equivalent(first: System, second: System) -> bool:
    if first.slot_count != second.slot_count or first.unknown_count != second.unknown_count:
        return False
    if first is second:
        return True
    one, other = _symmetric_point(first), _symmetric_point(second)
    if one is not None and other is not None and one != other:
        return False
    if solution_set(first).kind is not solution_set(second).kind:
        return False
    return canonical_solutions(first)[0] == canonical_solutions(second)[0]


def _symmetric_point(system: System) -> tuple[int, ...] | None:
    """Return the solutions, in order, where all slots have one value; None unless they are regular there."""
    if system.symmetric_point is None:
        found = None
        vector = regular_point(system, [POINT[0]] * system.slot_count) if not system.conditions else None
        if vector is not None:
            inverse = pow(vector[-1], -1, PRIME)
            found = tuple(sorted([h * inverse % PRIME for h in vector[:-1]]))
        system.symmetric_point = (found,)
    return system.symmetric_point[0]


def _weigh_form(found: tuple[Form, tuple[int, ...]], system: System, _: object = None) -> int:
    total = 500 + 16 * system.slot_count
    for _, terms in found[0]:
        total += 100 + 250 * len(terms) + (sum([c.bit_length() for _, c in terms]) >> 3)
    return total


@remembered(16 * MEGABYTE, _weigh_form, key=lambda system, colours=None: (system.number, colours))
def canonical_solutions(system: System, colours: tuple[int, ...] | None = None) -> tuple[Form, tuple[int, ...]]:
    """Return the canonical form of the solutions, and the number of each slot in it."""
    meter = searching()
    forms = [canonical_form(s, meter) for s in _structures(system, colours or (0,) * system.slot_count)]
    form, renaming = min(forms)
    return form, renaming[: system.slot_count]


def _structures(system: System, colours: tuple[int, ...]) -> list[Structure]:
    """Return the solutions as polynomials in the slots, in every way that is not distinguished by its form.

    A unique solution is the vector of its homogeneous coordinates without common factor, determined up to sign:
    a polynomial for the denominator (label 0) and one an unknown (label 1). An infinite set is its reduced rows,
    one structure for every order of the unknowns; there a row is one polynomial, with a variable of its own colour
    marking each column, and stands next to its negative.
    """
    solutions = solution_set(system)
    if solutions.kind is SolutionKind.NONE:
        return [Structure(colours, ())]
    if solutions.kind is SolutionKind.UNIQUE:
        vector = primitive_vector(solutions.vector, comparing())
        negative = [{m: -c for m, c in p.items()} for p in vector]
        weight, other = _coefficients(vector), _coefficients(negative)
        chosen = [vector, negative] if weight == other else [vector if weight > other else negative]
        return [Structure(colours, ((0, v[-1]), *((1, p) for p in v[:-1]))) for v in chosen]
    marks = [variable(system.slot_count + column) for column in range(system.unknown_count + 1)]
    mark_colours = tuple(max(colours, default=0) + 1 + column for column in range(len(marks)))
    # By their parts: orders of the unknowns that give the same set would give every slot map again.
    found: dict[tuple[object, ...], Structure] = {}
    meter = comparing()
    for one in reordered_solutions(system.unknown_count, system.rows, system.conditions):
        labelled = [(2 + i, row) for i, row in enumerate(one.rows)] + [(1, row) for row in one.excluded]
        meter.spend(8 * sum([len(p) for _, row in labelled for p in row]))
        parts = sorted(
            (label, sorted((m + mark, sign * c) for mark, p in zip(marks, row, strict=True) for m, c in p.items()))
            for label, row in labelled
            for sign in (1, -1)
        )
        at = tuple([(label, *terms) for label, terms in parts])
        if at not in found:
            polynomials = tuple([(label, dict(terms)) for label, terms in parts])
            found[at] = Structure((*colours, *mark_colours), polynomials)
    return list(found.values())


def _coefficients(vector: Sequence[Polynomial]) -> tuple[list[int], list[list[int]]]:
    """Return a value that renaming slots and unknowns does not change, to tell a vector from its negative."""
    return sorted(vector[-1].values()), sorted(sorted(p.values()) for p in vector[:-1])


@dataclass(frozen=True, slots=True)
class TemplateGroup:
    """Templates that are equivalent.

    Attributes:
        key: the canonical key that they share.
        representative: the template that stands for all of them.
        members: their positions among the templates given.
        slot_maps: for each member, its slots to those of the representative.
    """

    key: str
    representative: Template
    members: tuple[int, ...]
    slot_maps: tuple[SlotMap, ...]


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """The groups of a list of templates, in the order of their first members.

    Attributes:
        groups: one for each class of equivalent templates.
        group_of: for each template given, the position of its group.
    """

    groups: tuple[TemplateGroup, ...]
    group_of: tuple[int, ...]


def reconcile(templates: Iterable[TemplateLike]) -> Reconciliation:
    """Group templates by equivalence.

    >>> result = reconcile(["m + n = a; m - n = b", "m = a - n; n = m - b", "m = a * b"])
    >>> len(result.groups), result.group_of
    (2, (0, 0, 1))
    >>> result.groups[0].slot_maps[1]
    {'a': 'a', 'b': 'b'}

    Args:
        templates: templates, or their equations.

    Returns:
        The groups, each with its members and a slot map from each member to the first, and the group of each template.

    Raises:
        ReadError: a template cannot be read.
        LimitError: a template is larger than the bounds in `draw_dataset.core.limits`.
    """
    if not isinstance(templates, Iterable):
        raise ReadError("templates", "a list of templates", shown(templates))
    read = [Template.of(template) for template in templates]
    members: dict[str, list[int]] = {}
    for position, template in enumerate(read):
        members.setdefault(canonical_key(template), []).append(position)
    groups: list[TemplateGroup] = []
    group_of = [0] * len(read)
    for key, positions in members.items():
        representative = _representative([read[i] for i in positions])
        back = {number: slot for slot, number in canonical_slots(representative).items()}
        maps = [{slot: back[number] for slot, number in canonical_slots(read[i]).items()} for i in positions]
        for i in positions:
            group_of[i] = len(groups)
        groups.append(TemplateGroup(key, representative, tuple(positions), tuple(maps)))
    return Reconciliation(tuple(groups), tuple(group_of))


def _representative(templates: list[Template]) -> Template:
    counts = Counter(templates)
    if len(counts) == 1:
        return templates[0]
    texts = {template: str(template) for template in counts}
    return min(counts, key=lambda t: (-counts[t], len(texts[t]), texts[t]))
