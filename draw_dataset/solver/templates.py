"""Template structure, and the inventory of template classes a solver knows.

Features tied to one template learn from few problems, so a template is described at three levels. Its **own** slots are
named up to symmetry: slots that an automorphism exchanges share a name. The slots of each **equation** are named by the
shape of that equation, up to symmetry as well. Every slot has a **generic** role, read from its terms: factor of an
unknown, constant, factor of a constant product.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from draw_dataset.algebra.grammar import Source, write
from draw_dataset.algebra.limits import MEGABYTE, weighted_cache
from draw_dataset.derivation.derivation import Derivation, TextNumber, slot_letters
from draw_dataset.derivation.equivalence import all_slot_maps, canonical_key, canonical_slots
from draw_dataset.derivation.normal_form import normal_form
from draw_dataset.derivation.template import UNKNOWNS, Template
from draw_dataset.errors import LimitError

# Symmetries of a template that are looked at; without the others some candidates would be scored twice
MAX_AUTOMORPHISMS = 5_040

Permutation = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TemplateStructure:
    """How a template is built; slots are numbered in an order that the template class decides."""

    key: str  # names the template
    rare: bool  # whether it was met so seldom that nothing can be learnt of it alone, only of its parts
    slot_count: int  # how many slots it has
    unknown_count: int
    automorphisms: tuple[Permutation, ...]  # the renumberings of its slots that change nothing
    orbits: tuple[int, ...]  # for each slot, the least slot that is interchangeable with it
    shapes: tuple[str, ...]  # the shape of each equation
    # for each slot, the equations it stands in: which shape, and which slot of it up to symmetry
    shape_slots: tuple[tuple[tuple[str, int], ...], ...]
    roles: tuple[tuple[str, ...], ...]  # for each slot, its generic roles, one for each equation it stands in
    terms: tuple[tuple[tuple[int, int, int], ...], ...]  # for each slot, where it stands: (equation, column, term)
    constants: tuple[str, ...]  # the numbers written in the template other than 0 and 1

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
    """Return how a template is built."""
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


@weighted_cache(8 * MEGABYTE, lambda shape, equation: 500 + 2 * len(equation) + len(shape[0]) + 100 * len(shape[1]))
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


# Template classes. With `reconciled` all equivalent templates are one class, named by their canonical key; without it
# a class is one normal form, so equivalent templates may stand side by side and split what is learnt about them.


RARE = 1  # problems that a class may come from and still be rare: too few to learn about the class alone


@dataclass(frozen=True, slots=True)
class TemplateClass:
    """Templates that the solver does not tell apart."""

    template: Template  # the template that stands for them
    slots: tuple[str, ...]  # its slots, in the order in which the class numbers them
    count: int  # how many problems it was learnt from
    structure: TemplateStructure  # how it is built

    @classmethod
    def of(cls, template: Template, count: int, reconciled: bool) -> TemplateClass:
        """Return the class that a template stands for."""
        slots = ordered_slots(template, reconciled)
        structure = structure_of(template, class_key(template, reconciled), slots, rare=count <= RARE)
        return cls(template, slots, count, structure)


def class_key(template: Template, reconciled: bool) -> str:
    """Return the name of the class of a template.

    >>> one, other = Template("m = a*n; m + n = b"), Template("m = a*n; a*n + n = b")
    >>> class_key(one, True) == class_key(other, True), class_key(one, False) == class_key(other, False)
    (True, False)
    """
    if reconciled:
        return canonical_key(template)
    return normal_form(template)[0]


def ordered_slots(template: Template, reconciled: bool) -> tuple[str, ...]:
    """Return the slots of a template in the order in which its class numbers them."""
    if not reconciled:
        return normal_form(template)[1]
    return tuple(sorted(template.slots, key=canonical_slots(template).__getitem__))


def with_usual_names(template: Template) -> Template:
    """Return a template with the usual names: unknowns m, n, o, and letters for slots.

    >>> str(with_usual_names(Template("x + y = p; x = 2*y", unknowns="xy")))
    'm + n = a; m = 2*n'
    """
    source = template.source
    unknowns = (*sorted(UNKNOWNS), *(f"u{i}" for i in range(len(UNKNOWNS), len(source.unknowns))))
    slots = slot_letters(len(source.slots), avoiding={*unknowns})
    unwritten = Source("", source.tokens, slots, unknowns[: len(source.unknowns)])
    return Template.from_system(unwritten._replace(text=write(unwritten, unwritten.name)), template.system)


class Inventory:
    """The classes of templates that a solver knows."""

    def __init__(self, classes: Sequence[TemplateClass], reconciled: bool) -> None:
        self.reconciled = reconciled  # whether equivalent templates are one class
        self.classes = tuple(classes)  # the classes, the most frequent first
        self._rank = {c.structure.key: i for i, c in enumerate(self.classes)}

    @classmethod
    def of(cls, templates: Iterable[Template], reconciled: bool) -> Inventory:
        """Return the inventory of templates, each given as often as it occurs."""
        counts: Counter[Template] = Counter(templates)
        members: dict[str, list[Template]] = {}
        for template in counts:
            members.setdefault(class_key(template, reconciled), []).append(template)
        found = []
        for listed in members.values():
            chosen = with_usual_names(min(listed, key=lambda t: (-counts[t], len(str(t)), str(t))))
            found.append(TemplateClass.of(chosen, sum(counts[t] for t in listed), reconciled))
        found.sort(key=lambda c: (-c.count, c.structure.key))
        return cls(found, reconciled)

    def locate(self, derivation: Derivation) -> tuple[int, tuple[TextNumber, ...]] | None:
        """Return the class of a derivation and the number in each slot of the class; None if it has no class."""
        rank = self._rank.get(class_key(derivation.template, self.reconciled))
        if rank is None:
            return None
        slots = ordered_slots(derivation.template, self.reconciled)
        return rank, tuple(derivation.alignment[slot] for slot in slots)

    def __len__(self) -> int:
        return len(self.classes)
