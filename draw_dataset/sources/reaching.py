"""The way to a calculation of a solution: the numbers and results that it comes from, and whether names stand on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from draw_dataset.core.quantities import Node, SetUp, Source, literals_of, names_of


@dataclass(frozen=True, slots=True)
class Way:
    """Everything that a calculation comes from.

    Attributes:
        literals: the numbers, its own and those of the results.
        results: the results.
        named: whether names stand on it; then the equations of the solution are part of it.
    """

    literals: frozenset[int]
    results: frozenset[int]
    named: bool


def way_to(setup: SetUp, node: Node, sources: Mapping[int, Source], parts: Mapping[int, Node]) -> Way:
    """Return everything that a calculation comes from.

    Args:
        setup: the set-up of the solution.
        node: the calculation.
        sources: where each literal comes from; where that is not said, it is what comes first for a reader of answers.
        parts: literals that are two numbers, each as the expression that stands for it: its own source is not used.
    """
    literals: set[int] = set()
    results: set[int] = set()
    named = False
    todo = [node]
    while todo:
        part = todo.pop()
        by_name = bool(names_of(part))
        for index in literals_of(part):
            if index in literals:
                continue
            literals.add(index)
            if index in parts:
                todo.append(parts[index])
                continue
            source = sources.get(index) or setup.sources[index][0]
            by_name = by_name or source.kind == "name"
            new = [of for of in source.results() if of not in results]
            results.update(new)
            todo += [setup.results[of].node for of in new]
        if by_name and not named:
            named = True
            todo += [side for left, right, _ in setup.equations for side in (left, right)]
    return Way(frozenset(literals), frozenset(results), named)
