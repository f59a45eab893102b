"""Reconciling templates: which of many templates are the same, and how their slots correspond.

Each template is named by the canonical form of its solutions; templates of one name are one group. No two templates
are ever compared with each other, so the time grows linearly with their number. Within a group the representative is
the text that occurs most often, then the shortest, then the first in alphabetical order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from draw_dataset.core.equivalence import SlotMap, TemplateLike, canonical_key, canonical_slots
from draw_dataset.core.template import Template


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

    Raises:
        ReadError: a template cannot be read.
    """
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
