"""Which templates the solver knows, and where a derivation stands among them.

Templates are counted as **classes**: with `reconciled` all equivalent templates are one class, named by their canonical
key, their slots numbered canonically; without it a class is one normal form (`core.equivalence.normal_form`): names,
brackets and orders do not count, but templates that follow from each other stand side by side and share what is learnt
about them between them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.derivation import Derivation, slot_letters
from draw_dataset.core.equations import Source, write
from draw_dataset.core.equivalence import canonical_key, canonical_slots, normal_form
from draw_dataset.core.template import UNKNOWNS, Template
from draw_dataset.solver.template_structure import TemplateStructure, structure_of

RARE = 1
"""Problems that a class may come from and still be rare: too few to learn about the class alone."""


@dataclass(frozen=True, slots=True)
class TemplateClass:
    """Templates that the solver does not tell apart.

    Attributes:
        template: the template that stands for them.
        slots: its slots, in the order in which the class numbers them.
        count: how many problems it was learnt from.
        structure: how it is built.
    """

    template: Template
    slots: tuple[str, ...]
    count: int
    structure: TemplateStructure

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


def renamed(template: Template) -> Template:
    """Return a template with the usual names: unknowns m, n, o, and letters for slots.

    >>> str(renamed(Template("x + y = p; x = 2*y", unknowns="xy")))
    'm + n = a; m = 2*n'
    """
    source = template.source
    unknowns = (*sorted(UNKNOWNS), *(f"u{i}" for i in range(len(UNKNOWNS), len(source.unknowns))))
    slots = slot_letters(len(source.slots), avoiding={*unknowns})
    unwritten = Source("", source.tokens, slots, unknowns[: len(source.unknowns)])
    return Template.read(unwritten._replace(text=write(unwritten, unwritten.name)), template.system)


class Inventory:
    """The classes of templates that a solver knows.

    Attributes:
        reconciled: whether equivalent templates are one class.
        classes: the classes, the most frequent first.
    """

    def __init__(self, classes: Sequence[TemplateClass], reconciled: bool) -> None:
        self.reconciled = reconciled
        self.classes = tuple(classes)
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
            chosen = renamed(min(listed, key=lambda t: (-counts[t], len(str(t)), str(t))))
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
