"""The feature sets by name."""

from __future__ import annotations

from typing import Literal, get_args

from draw_dataset.errors import ChoiceError, shown
from draw_dataset.solver.extended_features import ExtendedFeatures
from draw_dataset.solver.feature_set import FeatureSet
from draw_dataset.solver.paper_features import PaperFeatures

FeatureName = Literal["paper", "extended"]


def feature_set(name: str) -> FeatureSet:
    """Return the feature set of a name.

    >>> feature_set("paper").name
    'paper'

    Raises:
        ChoiceError: there is none of that name.
    """
    if name == "paper":
        return PaperFeatures()
    if name == "extended":
        return ExtendedFeatures()
    raise ChoiceError(f"features: expected one of {', '.join(get_args(FeatureName))}, but got {shown(name)}")
