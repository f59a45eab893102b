"""The question: which numbers of a solution does one of its calculations come from."""

from __future__ import annotations

from collections.abc import Mapping

from draw_dataset.core.quantities import Node, SetUp, Source, literals_of, names_of


def reached(setup: SetUp, node: Node, sources: Mapping[int, Source], parts: Mapping[int, tuple[int, int]]) -> list[int]:
    """Return the literals that a calculation comes from.

    Args:
        setup: the set-up of the solution.
        node: the calculation.
        sources: where each literal comes from; where that is not said, it is what comes first for a reader of answers.
        parts: literals that are two numbers.
    """
    found: dict[int, None] = {}
    todo = [node]
    if uses_names(setup, node, sources):
        todo += [side for left, right, _ in setup.equations for side in (left, right)]
    while todo:
        for index in literals_of(todo.pop()):
            if index not in found:
                found[index] = None
                if index in parts:
                    todo.append(parts[index])
                else:
                    todo += [setup.results[of].node for of in _source(setup, sources, index).results()]
    return list(found)


def uses_names(setup: SetUp, node: Node, sources: Mapping[int, Source]) -> bool:
    """Say whether names stand on the way to a calculation."""
    todo, seen = [node], set()
    while todo:
        part = todo.pop()
        if names_of(part):
            return True
        for index in literals_of(part):
            source = _source(setup, sources, index)
            if source.kind == "name":
                return True
            new = [of for of in source.results() if of not in seen]
            seen.update(new)
            todo += [setup.results[of].node for of in new]
    return False


def _source(setup: SetUp, sources: Mapping[int, Source], index: int) -> Source:
    return sources.get(index) or setup.sources[index][0]
