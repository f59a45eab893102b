"""The choices of a training that the paper makes, gathered to be measured one by one."""

from __future__ import annotations

from dataclasses import dataclass

FAMILIES = {
    "document": ("document",),
    "single": ("single", "constant"),
    "pair": ("pair", "parallel"),
    "solution": ("solution",),
}
"""The families of features that the paper leaves out in turn, and the tables of weights of each."""

TABLES = tuple(table for tables in FAMILIES.values() for table in tables)
"""The tables of weights."""


@dataclass(frozen=True, slots=True)
class KazbOptions:
    """How a model is trained; by default as in the paper.

    Attributes:
        penalty: by which the sum of the squares of the weights is multiplied (the paper's lambda).
        iterations: steps of L-BFGS, at most.
        width: derivations that the beam keeps in all (the paper's k).
        share: derivations that it keeps of one template (the paper's l).
        without: the families of features that are left out, of `FAMILIES`.
    """

    penalty: float = 0.1
    iterations: int = 50
    width: int = 200
    share: int = 20
    without: frozenset[str] = frozenset()

    @property
    def unused(self) -> tuple[str, ...]:
        """The tables of weights that stay zero."""
        return tuple(kind for family in sorted(self.without) for kind in FAMILIES[family])
