"""A model as one file: templates, words and weights, without anything that could run.

Most weights are zero; those that are not are kept with their places. Templates are kept as texts and dissected again,
so a model is good for the version of the format and of the feature set it was saved with, and for no other: reading
refuses the rest. Nothing in a file is believed: every field is checked before it is used, and what does not fit is said
in a `ModelError`. How large the parts of a file may be is the matter of `array_archive`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from draw_dataset.core.template import Template
from draw_dataset.errors import ChoiceError, DrawError, ModelError, shown
from draw_dataset.files import decode_json
from draw_dataset.solver.array_archive import Arrays, read_arrays, write_arrays
from draw_dataset.solver.features import KINDS, FeatureSet, feature_set
from draw_dataset.solver.inventory import Inventory, TemplateClass
from draw_dataset.solver.layout import ColumnLayout, Vocabulary, Weights
from draw_dataset.solver.model import Model
from draw_dataset.solver.ranking import Ranking

FORMAT = 1
"""The version of the file; raised whenever a file of an older one would be misread or answer differently."""

MAX_ABOUT = 1 << 24
"""Bytes of what a model says about itself; that of the whole release has half a million."""

MAX_WEIGHTS = 1 << 27
"""Weights in memory, zeros included; a model of the whole release has 23 million, and as many as its texts to rank."""

MAX_TEMPLATES = 10_000
"""Templates of a model; the whole release has 507."""

MAX_SYMMETRIES = 1_000_000
"""Symmetries of all templates of a model; those of the whole release have 588."""

_ABOUT = "about"
_RANKING = "ranking"
_PLACES, _VALUES = "<i8", "<f4"


def save_model(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file.

    Raises:
        FolderError: the file cannot be written.
        ModelError: the model is larger than a file of a model may be.
    """
    about = json.dumps(_about(model), ensure_ascii=False).encode()
    arrays: dict[str, npt.NDArray[Any]] = {_ABOUT: np.frombuffer(about, dtype=np.uint8)}
    tables: dict[str, Weights] = dict(model.weights)
    if model.ranking is not None:
        tables[_RANKING] = model.ranking.weights
    for name, table in tables.items():
        places = np.flatnonzero(table)
        arrays[f"{name} places"] = places.astype(_PLACES)
        arrays[f"{name} values"] = table.ravel()[places].astype(_VALUES)
    write_arrays(path, arrays)


def load_model(path: str | os.PathLike[str]) -> Model:
    """Read a model from a file.

    Raises:
        ModelError: the file cannot be read, is no model, or is one of another version.
    """
    where = os.fspath(path)
    types = {_ABOUT: "|u1"}
    for name in (*KINDS, _RANKING):
        types |= {f"{name} places": _PLACES, f"{name} values": _VALUES}
    arrays = read_arrays(path, types)
    about = _read_about(arrays, where)
    features = _features(about, where)
    try:
        return _model(about, features, arrays)
    except KeyError as error:
        raise ModelError(f"{where}: expected a complete model, but it lacks {error}") from error
    except (DrawError, ValueError) as error:
        raise ModelError(f"{where}: expected a complete model, but its parts do not fit: {str(error)[:200]}") from error


def _about(model: Model) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "features": [model.features.name, model.features.version],
        "signature": model.signature,
        "k": model.k,
        "reconciled": model.inventory.reconciled,
        "templates": [
            [str(c.template), list(c.template.unknowns), list(c.slots), c.count] for c in model.inventory.classes
        ],
        "attributes": {kind: names.names for kind, names in model.attributes.items()},
        "lexicon": sorted(model.lexicon),
        "ranking": model.ranking is not None,
    }


def _read_about(arrays: Arrays, where: str) -> dict[str, Any]:
    written = arrays.get(_ABOUT)
    if written is None or written.nbytes > MAX_ABOUT:
        raise ModelError(f"{where}: expected a model of the solver, but its description is missing or too large")
    about = decode_json(written.tobytes(), f"{where}, what it says about itself", ModelError)
    if not isinstance(about, dict) or "format" not in about:
        raise ModelError(f"{where}: expected a model of the solver, but its description is missing")
    if about["format"] != FORMAT:
        got = shown(about["format"])
        raise ModelError(f"{where}: expected a model of format {FORMAT}, but got {got}; train it again")
    return about


def _features(about: Mapping[str, Any], where: str) -> FeatureSet:
    given = about.get("features")
    name: Any = given[0] if isinstance(given, list) and given else given
    try:
        known = feature_set(name)
    except ChoiceError as error:
        raise ModelError(f"{where}: {error}; train the model again with this version") from error
    if given != [known.name, known.version]:
        raise ModelError(
            f"{where}: expected the feature set {known.name} of version {known.version}, but got {shown(given)}; "
            "train the model again with this version"
        )
    return known


def _model(about: Mapping[str, Any], features: FeatureSet, arrays: Arrays) -> Model:
    k, ranked = about["k"], _typed(about["ranking"], bool, "ranking")
    if (k is not None and (type(k) is not int or k < 1)) or ranked is (k is None):
        raise ValueError(f"k is {shown(k)}, with{'' if ranked else 'out'} a ranking")
    inventory = _inventory(about)
    layout = ColumnLayout(inventory, features)
    named = _typed(about["attributes"], dict, "attributes")
    attributes = {kind: Vocabulary(_texts(named[kind], f"attributes of {kind}")) for kind in KINDS}
    if attributes["solution"].names != layout.solution_attributes.names:
        raise ValueError("the attributes of solutions are others")
    shapes = {kind: (len(attributes[kind]), len(layout.columns[kind]) + 1) for kind in KINDS}
    if sum(rows * columns for rows, columns in shapes.values()) > MAX_WEIGHTS:
        raise ValueError(f"more than {MAX_WEIGHTS} weights")
    return Model(
        inventory=inventory,
        features=features,
        attributes=attributes,
        weights={kind: _table(arrays, kind, shape) for kind, shape in shapes.items()},
        ranking=Ranking(_table(arrays, _RANKING, shapes["text"])) if ranked else None,
        lexicon=frozenset(_texts(about["lexicon"], "lexicon")),
        k=k,
        signature=_typed(about["signature"], str, "signature"),
        layout=layout,
    )


def _inventory(about: Mapping[str, Any]) -> Inventory:
    reconciled = _typed(about["reconciled"], bool, "reconciled")
    listed = _typed(about["templates"], list, "templates")
    if not 1 <= len(listed) <= MAX_TEMPLATES:
        raise ValueError(f"{len(listed)} templates")
    classes: list[TemplateClass] = []
    symmetries = 0
    for entry in listed:
        text, unknowns, slots, count = _typed(entry, list, "a template")
        template = Template(_typed(text, str, "a template"), unknowns=_texts(unknowns, "unknowns"))
        one = TemplateClass.of(template, _typed(count, int, "how often a template occurs"), reconciled)
        if list(one.slots) != slots:
            raise ValueError(f"the slots of {shown(text)} are {shown(slots)}")
        symmetries += len(one.structure.automorphisms)
        if symmetries > MAX_SYMMETRIES:
            raise ValueError(f"templates with more than {MAX_SYMMETRIES} symmetries")
        classes.append(one)
    if len({one.structure.key for one in classes}) < len(classes):
        raise ValueError("a template twice")
    return Inventory(classes, reconciled)


def _typed(value: Any, kind: type, what: str) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{what}: {shown(value)}")
    return value


def _texts(value: Any, what: str) -> list[str]:
    if type(value) is not list or not all(type(text) is str for text in value) or len(set(value)) < len(value):
        raise ValueError(f"{what}: {shown(value)}")
    return value


def _table(arrays: Arrays, name: str, shape: tuple[int, int]) -> Weights:
    places, values = arrays[f"{name} places"], arrays[f"{name} values"]
    rows, columns = shape
    if len(places) != len(values):
        raise ValueError(f"{name}: {len(places)} places for {len(values)} weights")
    if len(places) and not (places[0] >= 0 and places[-1] < rows * columns and (np.diff(places) > 0).all()):
        raise ValueError(f"{name}: places of weights that are out of range, or in disorder")
    if (places % columns == columns - 1).any():
        raise ValueError(f"{name}: weights in the column that has none")
    if not np.isfinite(values).all():
        raise ValueError(f"{name}: weights that are no numbers")
    table = np.zeros(shape, dtype=np.float32)
    table.ravel()[places] = values
    return table
