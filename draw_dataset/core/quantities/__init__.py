"""Derivations as functions: which quantities do equations determine, and are they the gold quantities.

A derivation determines quantities as functions of the numbers of the text. So does a template with its alignment. So do
equations with literals, a chain of arithmetic, or a mixture of these, once the origin of each literal is known.

Two derivations agree if the quantities of one are among those of the other.
"""

from __future__ import annotations

from draw_dataset.core.quantities.agreement import Agreement, Match, agree
from draw_dataset.core.quantities.expressions import (
    Literal,
    Node,
    Source,
    has_names,
    is_bare,
    is_fraction,
    is_ratio,
    literals_of,
    names_of,
)
from draw_dataset.core.quantities.gold import GoldQuantities, SystemQuantities
from draw_dataset.core.quantities.points import Gold
from draw_dataset.core.quantities.setup import Evaluation, Result, SetUp
from draw_dataset.core.quantities.solving import Algebra, Coefficient, Ratio, Solving
from draw_dataset.core.quantities.systems import agree_systems, setup_of

__all__ = [
    "Agreement",
    "Algebra",
    "Coefficient",
    "Evaluation",
    "Gold",
    "GoldQuantities",
    "Literal",
    "Match",
    "Node",
    "Ratio",
    "Result",
    "SetUp",
    "Solving",
    "Source",
    "SystemQuantities",
    "agree",
    "agree_systems",
    "has_names",
    "is_bare",
    "is_fraction",
    "is_ratio",
    "literals_of",
    "names_of",
    "setup_of",
]
