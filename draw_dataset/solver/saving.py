"""A model as one file: arrays and JSON in a zip archive (.npz), without anything that could run.

Most weights are zero; those that are not are kept with their places. Templates are kept as texts and dissected anew,
so a model is good for the version of the format and of the feature set it was saved with, and for no other: reading
refuses the rest. Writing goes to a file beside the target, which then takes its place.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from draw_dataset.core.template import Template
from draw_dataset.errors import ChoiceError, DrawError, ModelError, shown
from draw_dataset.files import whole_file
from draw_dataset.solver.feature_set import KINDS
from draw_dataset.solver.feature_sets import feature_set
from draw_dataset.solver.inventory import Inventory, TemplateClass
from draw_dataset.solver.layout import Layout
from draw_dataset.solver.model import Model
from draw_dataset.solver.ranking import Ranking
from draw_dataset.solver.weights import Names, Weights

FORMAT = 1
"""The version of the file; raised whenever a file of an older one would be misread or answer differently."""

_RANKING = "ranking"

# What reading a damaged archive raises: the last two for archives that are encrypted or packed in another way.
_UNREADABLE = (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError)


def save_model(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file.

    Raises:
        FolderError: the file cannot be written.
    """
    arrays: dict[str, npt.NDArray[Any]] = {"about": _as_bytes(_about(model))}
    tables: dict[str, Weights] = dict(model.weights)
    if model.ranking is not None:
        tables[_RANKING] = model.ranking.weights
    for name, table in tables.items():
        places = np.flatnonzero(table)
        arrays[f"{name} places"] = places.astype(np.int64)
        arrays[f"{name} values"] = table.ravel()[places]
    with whole_file(Path(path), binary=True) as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def load_model(path: str | os.PathLike[str]) -> Model:
    """Read a model from a file.

    Raises:
        ModelError: the file cannot be read, is no model, or is one of another version.
    """
    try:
        file = np.load(path, allow_pickle=False)
        if not isinstance(file, np.lib.npyio.NpzFile):
            raise ValueError("a single array")
        with file:
            arrays = {name: file[name] for name in file.files}
    except _UNREADABLE as error:
        raise ModelError(f"{path}: expected a model of the solver, but got {shown(str(error))}") from error
    about = _read_about(arrays, f"{path}")
    try:
        return _model(about, arrays)
    except ChoiceError as error:
        raise ModelError(f"{path}: {error}; train the model anew with this version") from error
    except (DrawError, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise ModelError(f"{path}: expected a whole model, but its parts do not fit: {shown(str(error))}") from error


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


def _as_bytes(about: dict[str, Any]) -> npt.NDArray[np.uint8]:
    return np.frombuffer(json.dumps(about, ensure_ascii=False).encode(), dtype=np.uint8)


def _read_about(arrays: Mapping[str, Any], where: str) -> dict[str, Any]:
    try:
        about = json.loads(bytes(arrays["about"]).decode())
        found, features = about["format"], about["features"]
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{where}: expected a model of the solver, but it does not say what it is") from error
    if found != FORMAT:
        raise ModelError(f"{where}: expected a model of format {FORMAT}, but got {shown(found)}; train it anew")
    known = _known_features(features, where)
    if known != features:
        raise ModelError(
            f"{where}: expected the feature set {known[0]} of version {known[1]}, but got {shown(features)}; "
            "train the model anew with this version"
        )
    return dict(about)


def _known_features(given: Any, where: str) -> list[Any]:
    try:
        known = feature_set(given[0] if isinstance(given, list) and given else given)
    except ChoiceError as error:
        raise ModelError(f"{where}: {error}") from error
    return [known.name, known.version]


def _model(about: Mapping[str, Any], arrays: Mapping[str, Any]) -> Model:
    features = feature_set(about["features"][0])
    reconciled = bool(about["reconciled"])
    classes = []
    for text, unknowns, slots, count in about["templates"]:
        template = Template(text, unknowns=unknowns)
        one = TemplateClass.of(template, int(count), reconciled)
        if one.slots != tuple(slots):
            raise ValueError(f"the slots of {text}")
        classes.append(one)
    inventory = Inventory(classes, reconciled)
    layout = Layout(inventory, features)
    attributes = {kind: Names(about["attributes"][kind]) for kind in KINDS}
    if attributes["solution"].names != layout.solution_attributes.names:
        raise ValueError("the attributes of solutions")
    shapes = {kind: (len(attributes[kind]), len(layout.columns[kind]) + 1) for kind in KINDS}
    weights = {kind: _table(arrays, kind, shape) for kind, shape in shapes.items()}
    ranking = Ranking(_table(arrays, _RANKING, shapes["text"])) if about["ranking"] else None
    return Model(
        inventory=inventory,
        features=features,
        attributes=attributes,
        weights=weights,
        ranking=ranking,
        lexicon=frozenset(about["lexicon"]),
        k=about["k"],
        signature=str(about["signature"]),
        layout=layout,
    )


def _table(arrays: Mapping[str, Any], name: str, shape: tuple[int, int]) -> Weights:
    places, values = arrays[f"{name} places"], arrays[f"{name} values"]
    table = np.zeros(shape, dtype=np.float32)
    if len(places) and not 0 <= places.min() <= places.max() < table.size:
        raise ValueError(f"the weights of {name}")
    table.ravel()[places] = values
    return table
