"""Rivals: other derivations that give the same answers.

A *rival* is a derivation that is not gold: a template of the inventory with some numbers of the text in its slots, or
gold changed by one step (`steps`). A problem has thousands of them. So all templates with the same numbers of slots and
unknowns are evaluated at once, for all alignments, in floating point. That only removes rivals that are far off. The
rest is decided exactly.

Numbers that mean the same (EquivTNum) are one *column*. If a problem has so many numbers that there are more than
`MAX_ALIGNMENTS` ways to fill a template, columns that gold does not use are left out, the last ones first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from math import perm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from draw_dataset.core.equations import SolutionKind, System, solve_grounded
from draw_dataset.core.equivalence import canonical_key
from draw_dataset.core.template import Template
from draw_dataset.errors import LimitError

MAX_ALIGNMENTS = 840
"""How many ways to fill a template are tried."""

_MOST_UNKNOWNS = 3
_NAMES = tuple(f"x{i}" for i in range(64))

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rival:
    """A derivation of a problem, by the columns of its numbers.

    Attributes:
        template: its template.
        columns: the column in each slot.
        steps: in how many places it differs from gold, as far as that is known; larger for other templates.
        rank: how rare its template is: 0 for the most frequent one.
    """

    template: Template
    columns: tuple[int, ...]
    steps: int = 9
    rank: int = 0

    def solve(self, values: Sequence[Fraction]) -> tuple[Fraction, ...] | None:
        """Return its answers in the order of its unknowns, for values of the columns; None unless they are unique."""
        return solve_columns(self.template.system, self.columns, values)


def solve_columns(system: System, columns: Sequence[int], values: Sequence[Fraction]) -> tuple[Fraction, ...] | None:
    """Return the solution of a system with columns in its slots; None unless there is exactly one."""
    names = _NAMES[: system.unknown_count]
    try:
        solution = solve_grounded(system, [values[column] for column in columns], names)
    except LimitError:
        return None
    return tuple([solution.values[n] for n in names]) if solution.kind is SolutionKind.UNIQUE else None


@lru_cache(maxsize=64)
def _alignments(columns: int, slots: int) -> NDArray[np.intp]:
    ways = perm(columns, slots)
    return np.fromiter((i for p in permutations(range(columns), slots) for i in p), np.intp, ways * slots).reshape(
        ways, slots
    )


class _Group:
    """Templates with the same numbers of slots and unknowns, to be evaluated together."""

    def __init__(self, slots: int, unknowns: int, members: Sequence[tuple[int, Template]]) -> None:
        self.slots = slots
        self.unknowns = unknowns
        self.members = members
        monomials: dict[tuple[int, ...], int] = {}
        entries: list[tuple[int, int, int, int, int]] = []
        for at, (_, template) in enumerate(members):
            for row, terms in enumerate(template.system.terms):
                for column, c, factors in terms:
                    key = tuple(sorted(factors))
                    entries.append((at, row, column, monomials.setdefault(key, len(monomials)), c))
        self._monomials = list(monomials)
        table = np.zeros((len(members), unknowns, unknowns + 1, len(monomials)))
        for at, row, column, monomial, c in entries:
            table[at, row, column, monomial] += c
        self._table = table.reshape(-1, len(monomials)).T.copy()

    def solutions(self, values: Floats, alignments: NDArray[np.intp]) -> Floats:
        """Return the unknowns for all alignments and members; what has no unique solution is not finite."""
        filled = values[alignments]
        powers = np.ones((len(alignments), len(self._monomials)))
        for at, monomial in enumerate(self._monomials):
            for slot in monomial:
                powers[:, at] *= filled[:, slot]
        n = self.unknowns
        forms = (powers @ self._table).reshape(len(alignments), len(self.members), n, n + 1)
        with np.errstate(all="ignore"):
            if n == 1:
                found: Floats = -forms[..., 0, 1:] / forms[..., 0, :1]
                return found
            if n == 2:
                (a, b, c), (d, e, f) = np.moveaxis(forms[..., 0, :], -1, 0), np.moveaxis(forms[..., 1, :], -1, 0)
                determinant = a * e - b * d
                return np.stack([(b * f - c * e) / determinant, (c * d - a * f) / determinant], axis=-1)
            minors = [np.linalg.det(np.delete(forms, j, axis=-1)) * (-1) ** j for j in range(4)]
            return np.stack([minors[j] / minors[3] for j in range(3)], axis=-1)


class Inventory:
    """The templates that rivals are made of, equivalent ones once, the most frequent first.

    Args:
        templates: each as often as it occurs.
    """

    def __init__(self, templates: Iterable[Template]) -> None:
        counts: dict[str, int] = {}
        first: dict[str, Template] = {}
        for template in templates:
            key = canonical_key(template)
            counts[key] = counts.get(key, 0) + 1
            first.setdefault(key, template)
        self.templates = tuple(first[key] for key in sorted(first, key=lambda key: (-counts[key], key)))
        grouped: dict[tuple[int, int], list[tuple[int, Template]]] = {}
        for rank, template in enumerate(self.templates):
            n = len(template.unknowns)
            if len(template.system.terms) == n <= _MOST_UNKNOWNS and template.system.unknown_count == n:
                grouped.setdefault((len(template.slots), n), []).append((rank, template))
        self._groups = [_Group(slots, n, members) for (slots, n), members in sorted(grouped.items())]

    def __len__(self) -> int:
        return len(self.templates)

    def evaluate(self, points: Sequence[Sequence[Fraction]], used: Sequence[int]) -> Iterator[Evaluated]:
        """Yield what all rivals of the inventory answer at several points.

        Args:
            points: the values of the columns, once for each point.
            used: the columns that gold uses, which are never left out.
        """
        count = len(points[0]) if points else 0
        order = [*used, *(column for column in range(count) if column not in used)]
        for group in self._groups:
            kept = len(order)
            while kept > len(used) and perm(kept, group.slots) > MAX_ALIGNMENTS:
                kept -= 1
            if group.slots > kept or perm(kept, group.slots) > MAX_ALIGNMENTS:
                continue
            alignments = _alignments(kept, group.slots)
            chosen = np.array(order[:kept], np.intp)
            values = [np.array([float(point[c]) for c in chosen]) for point in points]
            yield Evaluated(group, chosen[alignments], [group.solutions(v, alignments) for v in values])


class Evaluated:
    """What the rivals of one group answer at several points.

    Attributes:
        answers: for each point, an array by alignment, template and unknown.
    """

    def __init__(self, group: _Group, columns: NDArray[np.intp], answers: list[Floats]) -> None:
        self._group = group
        self._columns = columns
        self.answers = answers

    def rivals(self, chosen: NDArray[Any]) -> Iterator[Rival]:
        """Yield the rivals at which an array by alignment and template is true."""
        for way, member in zip(*np.nonzero(chosen), strict=True):
            rank, template = self._group.members[int(member)]
            yield Rival(template, tuple(int(c) for c in self._columns[int(way)]), 5 + len(template.slots), rank)


def lucky_rivals(inventory: Inventory, gold: Rival, values: Sequence[Fraction]) -> list[Rival]:
    """Return the rivals that answer like gold at one point, gold itself in whatever writing included.

    Answers are compared as multisets, exactly.

    Args:
        inventory: the templates.
        gold: the gold derivation.
        values: of the columns.
    """
    solution = gold.solve(values)
    if solution is None:
        return []
    wanted = sorted(solution)
    floats = np.array([float(value) for value in wanted])
    near = 1e-7 * (1 + np.abs(floats))
    found: list[Rival] = []
    for evaluated in inventory.evaluate([values], gold.columns):
        answers = evaluated.answers[0]
        if answers.shape[-1] == len(wanted):
            close = (np.abs(np.sort(answers, axis=-1) - floats) <= near).all(axis=-1)
            found += [rival for rival in evaluated.rivals(close) if sorted(rival.solve(values) or ()) == wanted]
    return found
