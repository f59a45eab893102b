"""One way to write a template: expanded, with the names and the order that come first in the alphabet.

Two people who mean the same equation write it with other names, in another order, with brackets or without. The normal
form sees through names, brackets, and the order of equations and unknowns; slots are taken in the order in which they
are written, so that some orders of terms and factors still count. It sees no further: templates that are equivalent
only because one system follows from the other, as ``m = a*n; m + n = b`` and ``m = a*n; a*n + n = b``, keep different
forms. That comes near to what the paper counts as templates before they are reconciled: 288, 30 and 267 for its 329, 30
and 273.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations

from draw_dataset.core.expanding import expand
from draw_dataset.core.template import Template
from draw_dataset.core.tokens import Source, write
from draw_dataset.errors import LimitError

MAX_ORDERS = 4
"""Unknowns and equations up to which all their orders are tried; larger systems are taken in their own order."""


@lru_cache(maxsize=1 << 12)
def normal_form(template: Template) -> tuple[str, tuple[str, ...]]:
    """Return the normal form of a template as a text, and its slots in their order there, cancelled ones last.

    >>> normal_form(Template("x + y = p; x = 2*y", unknowns="xy"))[0]
    '2*u0 - u1 = 0; u0 + u1 = s0'
    >>> normal_form(Template("n = m*2; m + n = a")) == normal_form(Template("m - 2*n = 0; a - m = n"))
    True
    """
    source = template.source
    count = len(source.unknowns)
    names = tuple(f"u{i}" for i in range(count))
    orders = list(permutations(range(count))) if count <= MAX_ORDERS else [tuple(range(count))]
    found: list[tuple[str, tuple[str, ...]]] = []
    for order in orders:
        tokens = tuple(2 * order[t >> 1] + 1 if isinstance(t, int) and t & 1 else t for t in source.tokens)
        try:
            equations = expand(Source(source.text, tokens, source.slots, names))
        except LimitError:
            return str(template), template.slots
        few = len(equations) <= MAX_ORDERS
        found += [_written(listed, template) for listed in (permutations(equations) if few else [equations])]
    text, slots = min(found)
    cancelled = [slot for slot in template.slots if slot not in slots]
    # They still count: without them the form would be that of a smaller template.
    return text + "".join(f"; s{len(slots) + i} cancels" for i in range(len(cancelled))), (*slots, *cancelled)


def _written(equations: tuple[str, ...], template: Template) -> tuple[str, tuple[str, ...]]:
    """Return equations with their slots named by first appearance, and these slots."""
    read = Template(list(equations), slots=template.slots)
    return write(read.source, lambda token: read.source.name(token) if token & 1 else f"s{token >> 1}"), read.slots
