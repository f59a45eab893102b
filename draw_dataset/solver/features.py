"""What a set of features is, and which sets there are.

The score of a derivation is a sum over pairs (attribute, column): an *attribute* is something seen in the text (a
word, the neighbour of a number, the order of two numbers, the sign of a solution), a *column* is something about the
template (itself, the shape of an equation, the role of a slot). There are four kinds of pairs: the text with the
template, a number with the slot it fills, two numbers with their two slots, the solution with the template. A feature
set names attributes and columns; everything else is the same for all sets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, Protocol, get_args

from draw_dataset.errors import ChoiceError, shown
from draw_dataset.solver.extended_features import ExtendedFeatures
from draw_dataset.solver.inferred_features import InferredFeatures
from draw_dataset.solver.paper_features import PaperFeatures
from draw_dataset.solver.tagged_text import TaggedText
from draw_dataset.solver.template_structure import TemplateStructure
from draw_dataset.solver.zdc_features import ZdcFeatures

FeatureName = Literal["paper", "extended", "inferred", "zdc"]

KINDS = ("text", "number", "pair", "solution")
"""The kinds of features."""


class FeatureSet(Protocol):
    """Names attributes of texts and columns of templates."""

    @property
    def name(self) -> str:
        """What the set is called; a saved model says which it was made with."""

    @property
    def version(self) -> int:
        """The version of its names: raised whenever they mean something else."""

    def text_attributes(self, text: TaggedText) -> list[str]:
        """Return what is seen in the text as a whole."""

    def number_attributes(self, text: TaggedText) -> list[list[str]]:
        """Return what is seen at each number."""

    def pair_attributes(self, text: TaggedText) -> dict[tuple[int, int], list[str]]:
        """Return what is seen between two numbers, for each ordered pair of which anything is."""

    def solution_attributes(self, parts: tuple[int, ...]) -> list[str]:
        """Return what is seen in a solution, given the parts of its code."""

    def text_columns(self, structure: TemplateStructure) -> list[str]:
        """Return what a template is to a text."""

    def slot_columns(self, structure: TemplateStructure, slot: int) -> list[str]:
        """Return what a slot is to the number that fills it."""

    def pair_columns(self, structure: TemplateStructure, first: int, second: int) -> list[str]:
        """Return what two slots, in this order, are to the numbers that fill them."""

    def solution_columns(self, structure: TemplateStructure) -> list[str]:
        """Return what a template is to its solution."""


_SETS: Mapping[str, Callable[[], FeatureSet]] = {
    "paper": PaperFeatures,
    "extended": ExtendedFeatures,
    "inferred": InferredFeatures,
    "zdc": ZdcFeatures,
}


def feature_set(name: str) -> FeatureSet:
    """Return the feature set of a name.

    >>> feature_set("paper").name
    'paper'

    Raises:
        ChoiceError: there is none of that name.
    """
    found = _SETS.get(name) if isinstance(name, str) else None
    if found is None:
        raise ChoiceError(f"features: expected one of {', '.join(get_args(FeatureName))}, but got {shown(name)}")
    return found()
