"""Canonical forms of systems of polynomials up to the names of their variables.

Graph isomorphism by individualisation and refinement, as in nauty; the nodes are variables, monomials and polynomials.
*Refinement* recolours each variable by its occurrences until no colour class splits. If variables still share a colour,
each in turn is singled out. At a leaf all colours differ and so order the variables; the canonical form is the smallest
system renamed by a leaf. Two leaves with equal forms reveal an automorphism, which prunes branches: a sum of twelve
interchangeable slots takes twelve short descents, not 12! leaves. Colours are hashes that are the same in every
process. A collision only makes a class larger, because in the end the renamed systems themselves are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from draw_dataset.algebra.limits import MAP_WORK, SEARCH_WORK, Meter
from draw_dataset.algebra.polynomial import PRIME, Polynomial, factors

Form = tuple[tuple[int, tuple[tuple[tuple[int, ...], int], ...]], ...]
"""Parts in order. Each has a label and terms; a term has variables and a coefficient."""

# Constants of the hashes, fixed for ever: canonical names depend on them.
_TERM = 0x1E3779B97F4A7C15
_MIX = 0x0F58476D1CE4E5B9
_SPECIAL = 0x1851F42D4C957F2D


@dataclass(frozen=True, slots=True)
class Structure:
    """Polynomials in variables that may be renamed within their initial colour."""

    colours: tuple[int, ...]  # the initial colour of each variable; a renaming must respect it
    parts: tuple[tuple[int, Polynomial], ...]  # polynomials with labels; parts of equal label are interchangeable


_Term = tuple[int, int, tuple[int, ...]]
"""A term: its coefficient, the share of the coefficient in its hash, and its variables."""


class _Terms:
    """A structure unpacked for refinement: for each part its label and its terms."""

    __slots__ = ("_size", "count", "initial", "meter", "parts", "start")

    def __init__(self, structure: Structure, meter: Meter) -> None:
        self.count = len(structure.colours)
        self.initial = structure.colours
        self.start = [colour + 1 for colour in structure.colours]
        self.meter = meter
        # Refinement works modulo PRIME: no large coefficient is multiplied again in each round.
        self.parts: list[tuple[int, list[_Term]]] = [
            (label, [(c, c * _TERM % PRIME, factors(m)) for m, c in polynomial.items()])
            for label, polynomial in structure.parts
        ]
        self._size = self.count + sum([len(variables) + 1 for _, terms in self.parts for _, _, variables in terms])
        meter.spend(self._size)

    def refine(self, colours: list[int]) -> list[int]:
        """Recolour until no colour class splits: hash terms, then parts, then the variables in them."""
        # Sums make the order of terms and factors irrelevant; x * (x + constant) tells different summands apart.
        distinct = len(set(colours))
        while distinct < self.count:
            self.meter.spend(self._size)
            gathered = [c * 3 for c in colours]
            for label, terms in self.parts:
                hashes = []
                for _, x, variables in terms:
                    for v in variables:
                        x += colours[v]
                    hashes.append(x * (x + _MIX) % PRIME)
                x = sum(hashes) + label
                part = x * (x + _MIX) % PRIME
                for (_, _, variables), x in zip(terms, hashes, strict=True):
                    x += part
                    x = x * (x + _MIX) % PRIME
                    for v in variables:
                        gathered[v] += x
            recoloured = [x * (x + _MIX) % PRIME for x in gathered]
            now = len(set(recoloured))
            if now <= distinct:
                break
            colours, distinct = recoloured, now
        return colours

    def form(self, colours: list[int]) -> tuple[Form, list[int]]:
        """Return the structure renamed by the order of distinct colours, and the new number of each variable."""
        self.meter.spend(4 * self._size)  # for sorting
        rank = [0] * self.count
        for new, (_, _, old) in enumerate(sorted(zip(self.initial, colours, range(self.count), strict=True))):
            rank[old] = new
        parts = [
            (label, tuple(sorted([(tuple(sorted([rank[v] for v in variables])), c) for c, _, variables in terms])))
            for label, terms in self.parts
        ]
        parts.sort()
        return tuple(parts), rank


def _special(colour: int, depth: int) -> int:
    """Return the colour of a variable singled out at a depth of the tree: no other variable gets it."""
    x = colour + _SPECIAL * (depth + 1)
    return x * (x + _MIX) % PRIME


def _first_shared_colour(colours: Sequence[int]) -> list[int] | None:
    """Return the variables of the smallest class that is not single, the class chosen by colour alone."""
    if len(set(colours)) == len(colours):
        return None
    classes: dict[int, list[int]] = {}
    for v, colour in enumerate(colours):
        classes.setdefault(colour, []).append(v)
    shared = [(len(members), colour) for colour, members in classes.items() if len(members) > 1]
    return classes[min(shared)[1]]


def search_budget() -> Meter:
    """Return a fresh budget for one search."""
    return Meter(SEARCH_WORK, "ordering the interchangeable slots")


def canonical_form(structure: Structure, meter: Meter) -> tuple[Form, tuple[int, ...]]:
    """Return the form that a structure shares with its renamings only, and the number of each variable in it."""
    best = _CanonicalSearch(_Terms(structure, meter)).best
    return best.form, tuple(best.rank)


class _Leaf(NamedTuple):
    """A leaf of the search tree: the renamed structure, the new number of each variable, and the path to it."""

    form: Form
    rank: list[int]
    fixed: tuple[int, ...]


def _common_length(one: Sequence[int], other: Sequence[int]) -> int:
    """Return the length of the common start of two paths."""
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length


class _CanonicalSearch:
    """The search tree of one structure."""

    def __init__(self, terms: _Terms) -> None:
        self._terms = terms
        self._automorphisms: list[list[int]] = []
        self._leaves: list[_Leaf] = []  # the first, and the best if that is another
        self._descend(terms.refine(terms.start), ())

    @property
    def best(self) -> _Leaf:
        return self._leaves[-1]

    def _descend(self, colours: list[int], fixed: tuple[int, ...]) -> int:
        """Explore a node; return the depth of the node at which to go on."""
        cell = _first_shared_colour(colours)
        if cell is None:
            return self._leaf(colours, fixed)
        explored: list[int] = []
        orbits = list(range(self._terms.count))  # of each variable the least in its orbit, as far as known
        known = 0
        for v in cell:
            if explored:
                known = self._join_orbits(orbits, known, fixed)
                if any(orbits[v] == orbits[u] for u in explored):
                    continue
            explored.append(v)
            branched = list(colours)
            branched[v] = _special(branched[v], len(fixed))
            depth = self._descend(self._terms.refine(branched), (*fixed, v))
            if depth < len(fixed):
                return depth
        return len(fixed)

    def _leaf(self, colours: list[int], fixed: tuple[int, ...]) -> int:
        leaf = _Leaf(*self._terms.form(colours), fixed)
        for other in self._leaves:
            if leaf.form == other.form:
                back = [0] * len(leaf.rank)
                for v, new in enumerate(leaf.rank):
                    back[new] = v
                self._automorphisms.append([back[new] for new in other.rank])
                # The tree below the fork is the image of the tree that was explored on its other side.
                return _common_length(fixed, other.fixed)
        if not self._leaves or leaf.form < self.best.form:
            self._leaves[1:] = [leaf]
        return len(fixed)

    def _join_orbits(self, orbits: list[int], known: int, fixed: tuple[int, ...]) -> int:
        """Join the orbits under automorphisms that keep the fixed variables; return the count of automorphisms."""
        # A branch whose variable lies in the orbit of an explored one is the image of that one's branch.
        for automorphism in self._automorphisms[known:]:
            self._terms.meter.spend(len(orbits))
            if any(automorphism[f] != f for f in fixed):
                continue
            for v, image in enumerate(automorphism):
                one, other = orbits[v], orbits[image]
                if one != other:
                    self._terms.meter.spend(len(orbits) >> 3)
                    least, gone = min(one, other), max(one, other)
                    orbits[:] = [least if orbit == gone else orbit for orbit in orbits]
        return len(self._automorphisms)


def isomorphisms(left: Structure, right: Structure) -> Iterator[tuple[int, ...]]:
    """Yield every renaming that turns one structure into the other: variable v of left is ``map[v]`` of right.

    Each comes once, and the first comes without visiting the others.
    """
    meter = search_budget()
    left_terms, right_terms = _Terms(left, meter), _Terms(right, meter)

    def descend(left_colours: list[int], right_colours: list[int], depth: int) -> Iterator[tuple[int, ...]]:
        meter.spend(len(left_colours))
        if sorted(left_colours) != sorted(right_colours):
            return
        cell = _first_shared_colour(left_colours)
        if cell is None:
            form, left_rank = left_terms.form(left_colours)
            other_form, right_rank = right_terms.form(right_colours)
            if form == other_form:
                back = {new: v for v, new in enumerate(right_rank)}
                meter.left += MAP_WORK
                yield tuple([back[new] for new in left_rank])
            return
        chosen = cell[0]
        colour = left_colours[chosen]
        left_branch = list(left_colours)
        left_branch[chosen] = _special(colour, depth)
        left_branch = left_terms.refine(left_branch)
        for v, right_colour in enumerate(right_colours):
            if right_colour == colour:
                right_branch = list(right_colours)
                right_branch[v] = _special(colour, depth)
                yield from descend(left_branch, right_terms.refine(right_branch), depth + 1)

    if left_terms.count == right_terms.count:
        yield from descend(left_terms.refine(left_terms.start), right_terms.refine(right_terms.start), 0)
