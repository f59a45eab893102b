"""How a template is built: what each slot does in it, how two slots stand to each other, which are interchangeable.

Features that are tied to one template learn from few problems. Much is shared between templates: the equation
``a*m + b*n = c`` stands in dozens of them, and "a factor of an unknown" in nearly all. So a template is described at
three levels. Its **own** slots are named up to symmetry: slots that an automorphism of the template exchanges share a
name. The slots of each **equation** are named by the shape of that equation, up to symmetry as well. And every slot has
a **generic** role, read from the terms it stands in: factor of an unknown, constant, factor of a constant product.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from draw_dataset.core.equivalence import all_slot_maps, canonical_key, canonical_slots
from draw_dataset.core.memory import MEGABYTE, remembered
from draw_dataset.core.template import Template
from draw_dataset.errors import LimitError

MAX_AUTOMORPHISMS = 5_040
"""Symmetries of a template that are looked at; without the others some candidates would be scored twice."""

Permutation = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TemplateStructure:
    """How a template is built; slots are numbered in an order that the template class decides.

    Attributes:
        key: names the template.
        rare: whether it was met so seldom that nothing can be learnt of it alone, only of its parts.
        slot_count: how many slots it has.
        unknown_count: how many unknowns.
        automorphisms: the renumberings of its slots that change nothing.
        orbits: for each slot, the least slot that is interchangeable with it.
        shapes: the shape of each equation.
        shape_slots: for each slot, the equations it stands in: which shape, and which slot of it up to symmetry.
        roles: for each slot, its generic roles, one for each equation it stands in.
        terms: for each slot, where it stands: (equation, column, term).
        constants: the numbers written in the template other than 0 and 1.
    """

    key: str
    rare: bool
    slot_count: int
    unknown_count: int
    automorphisms: tuple[Permutation, ...]
    orbits: tuple[int, ...]
    shapes: tuple[str, ...]
    shape_slots: tuple[tuple[tuple[str, int], ...], ...]
    roles: tuple[tuple[str, ...], ...]
    terms: tuple[tuple[tuple[int, int, int], ...], ...]
    constants: tuple[str, ...]

    def pair_name(self, i: int, j: int) -> tuple[int, int]:
        """Return a name of an ordered pair of slots, up to symmetry."""
        return min([(g[i], g[j]) for g in self.automorphisms])

    def relation(self, i: int, j: int) -> str:
        """Return how two slots stand to each other: in one equation, by one unknown, in one term."""
        here, there = self.terms[i], self.terms[j]
        same_equation = {e for e, _, _ in here} & {e for e, _, _ in there}
        unknowns = {c for _, c, _ in here if c < self.unknown_count} & {
            c for _, c, _ in there if c < self.unknown_count
        }
        same_term = {(e, t) for e, _, t in here} & {(e, t) for e, _, t in there}
        return f"{'e' if same_equation else '-'}{'u' if unknowns else '-'}{'t' if same_term else '-'}"


def structure_of(template: Template, key: str, slots: Sequence[str], rare: bool = False) -> TemplateStructure:
    """Return how a template is built.

    Args:
        template: the template.
        key: the name of its class.
        slots: its slots in the order that the class numbers them.
        rare: whether it was met so seldom that nothing can be learnt of it alone.
    """
    number = {slot: i for i, slot in enumerate(slots)}
    automorphisms = symmetries(template, slots)
    orbits = tuple(min(g[i] for g in automorphisms) for i in range(len(slots)))
    shapes: list[str] = []
    shape_slots: list[list[tuple[str, int]]] = [[] for _ in slots]
    for equation in template.equations:
        shape, places = shape_of(equation)
        shapes.append(shape)
        for slot, place in places.items():
            shape_slots[number[slot]].append((shape, place))
    roles: list[set[str]] = [set() for _ in slots]
    terms: list[list[tuple[int, int, int]]] = [[] for _ in slots]
    system = template.system
    for e, equation_terms in enumerate(system.terms):
        unknowns = len({column for column, _, _ in equation_terms if column < system.unknown_count})
        for t, (column, _, members) in enumerate(equation_terms):
            kind = "factor" if column < system.unknown_count else "constant"
            for member in set(members):
                at = number[template.slots[member]]
                roles[at].add(f"{kind}{len(members)}/{unknowns}")
                terms[at].append((e, column, t))
    return TemplateStructure(
        key=key,
        rare=rare,
        slot_count=len(slots),
        unknown_count=system.unknown_count,
        automorphisms=automorphisms,
        orbits=orbits,
        shapes=tuple(shapes),
        shape_slots=tuple(tuple(found) for found in shape_slots),
        roles=tuple(tuple(sorted(found)) or ("cancelled",) for found in roles),
        terms=tuple(tuple(found) for found in terms),
        constants=tuple(sorted(_constants(template))),
    )


def symmetries(template: Template, slots: Sequence[str]) -> tuple[Permutation, ...]:
    """Return the renumberings of a template's slots that leave its solutions as they are.

    >>> symmetries(Template("a*m + b*n = c; m + n = d"), "abcd")
    ((0, 1, 2, 3), (1, 0, 2, 3))
    """
    number = {slot: i for i, slot in enumerate(slots)}
    found = {
        tuple(number[renaming[slot]] for slot in slots)
        for renaming in islice(all_slot_maps(template, template), MAX_AUTOMORPHISMS)
    }
    return tuple(sorted(found | {tuple(range(len(slots)))}))


@remembered(8 * MEGABYTE, lambda shape, equation: 500 + 2 * len(equation) + len(shape[0]) + 100 * len(shape[1]))
def shape_of(equation: str) -> tuple[str, dict[str, int]]:
    """Return the shape of an equation, equal for equations that differ in names only, and its slots in the shape.

    >>> shape_of("a*m + b*n = c") == shape_of("c*n + d*m = b")
    False
    >>> shape_of("a*m + b*n = c")[0] == shape_of("c*n + d*m = b")[0]
    True
    """
    template = Template(equation)
    try:
        places = canonical_slots(template)
        order = sorted(template.slots, key=places.__getitem__)
        least = {i: min(g[i] for g in symmetries(template, order)) for i in range(len(order))}
        return canonical_key(template), {slot: least[i] for i, slot in enumerate(order)}
    except LimitError:  # too large to be compared: a shape of its own
        return equation, {slot: i for i, slot in enumerate(template.slots)}


def _constants(template: Template) -> Iterable[str]:
    return {t for t in template.source.tokens if isinstance(t, str) and t[0] in "0123456789." and t not in ("0", "1")}
