"""How a template-first model is read from a file, without believing anything in it (see `saved_parts`).

A model is good for the version of the feature set it was saved with, and for no other: reading refuses the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draw_dataset.errors import ChoiceError, ModelError, shown
from draw_dataset.solver.array_archive import Arrays
from draw_dataset.solver.confidence import read_calibration
from draw_dataset.solver.features import KINDS, FeatureSet, feature_set
from draw_dataset.solver.layout import ColumnLayout, Vocabulary
from draw_dataset.solver.model import RANKING, Model
from draw_dataset.solver.ranking import Ranking
from draw_dataset.solver.relations.composed import Customs
from draw_dataset.solver.saved_parts import PLACES, VALUES, read_inventory, read_weights, texts, typed

MAX_WEIGHTS = 1 << 27
"""Weights in memory, zeros included; a model of the whole release has 23 million, and as many as its texts to rank."""

ARRAYS = {
    f"{name} {part}": kind for name in (*KINDS, RANKING) for part, kind in (("places", PLACES), ("values", VALUES))
}
"""The arrays of a model, and their types."""


def read_model(about: Mapping[str, Any], arrays: Arrays) -> Model:
    """Return the model that a file holds.

    Raises:
        ModelError: its features are others than those of this version.
        ValueError: something does not fit; KeyError: something is lacking.
    """
    features = _features(about)
    k, ranked = about["k"], typed(about["ranking"], bool, "ranking")
    if (k is not None and (type(k) is not int or k < 1)) or ranked is (k is None):
        raise ValueError(f"k is {shown(k)}, with{'' if ranked else 'out'} a ranking")
    inventory = read_inventory(about)
    layout = ColumnLayout(inventory, features)
    named = typed(about["attributes"], dict, "attributes")
    attributes = {kind: Vocabulary(texts(named[kind], f"attributes of {kind}")) for kind in KINDS}
    if attributes["solution"].names != layout.solution_attributes.names:
        raise ValueError("the attributes of solutions are others")
    shapes = {kind: (len(attributes[kind]), len(layout.columns[kind]) + 1) for kind in KINDS}
    if sum(rows * columns for rows, columns in shapes.values()) > MAX_WEIGHTS:
        raise ValueError(f"more than {MAX_WEIGHTS} weights")
    return Model(
        inventory=inventory,
        features=features,
        attributes=attributes,
        weights={kind: read_weights(arrays, kind, shape) for kind, shape in shapes.items()},
        ranking=Ranking(read_weights(arrays, RANKING, shapes["text"])) if ranked else None,
        lexicon=frozenset(texts(about["lexicon"], "lexicon")),
        k=k,
        signature=typed(about["signature"], str, "signature"),
        layout=layout,
        calibration=read_calibration(about.get("calibration")),
        customs=_customs(about.get("customs")),
    )


def _customs(given: Any) -> Customs | None:
    if given is None:
        return None
    told = typed(given, dict, "customs")
    return Customs(*(typed(told[name], bool, name) for name in Customs._fields))


def _features(about: Mapping[str, Any]) -> FeatureSet:
    given = about.get("features")
    name: Any = given[0] if isinstance(given, list) and given else given
    try:
        known = feature_set(name)
    except ChoiceError as error:
        raise ModelError(f"{error}; train the model again with this version") from error
    if given != [known.name, known.version]:
        raise ModelError(
            f"expected the feature set {known.name} of version {known.version}, but got {shown(given)}; "
            "train the model again with this version"
        )
    return known
