"""What the files of all systems have in common: a description, templates, and weights of which most are zero.

A file is an archive of arrays (`array_archive`). One of them, ``about``, is a JSON object in which the file says which
system it is of and what it knows; the others are numbers. Templates are kept as texts and dissected again, so a file is
good for the version of the format it was saved with, and for no other. Nothing in a file is believed: every field is
checked before it is used. The functions here raise `ValueError` or `KeyError` for what does not fit, and `systems` says
of which file that is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from draw_dataset.core.template import Template
from draw_dataset.errors import ModelError, shown
from draw_dataset.files import decode_json
from draw_dataset.solver.array_archive import Arrays, read_arrays, write_arrays
from draw_dataset.solver.inventory import Inventory, TemplateClass
from draw_dataset.solver.layout import Weights

FORMAT = 3
"""The version of the file; raised whenever a file of an older one would be misread or answer differently."""

READABLE = (1, 2, FORMAT)
"""The versions that are read; files of the first know nothing of confidence, the first two nothing of relations."""

MAX_ABOUT = 1 << 24
"""Bytes of what a model says about itself; that of the whole release has half a million."""

MAX_TEMPLATES = 10_000
"""Templates of a model; the whole release has 507."""

MAX_SYMMETRIES = 1_000_000
"""Symmetries of all templates of a model; those of the whole release have 588."""

PLACES, VALUES = "<i8", "<f4"
"""The types of the places of weights, and of weights, in a file."""

FIRST = "template-first"
"""The system of a file that names none: files were of one system once."""

_ABOUT = "about"


class Saved(NamedTuple):
    """What is in a file.

    Attributes:
        system: the name of the system that wrote it.
        about: its description.
        arrays: its arrays.
    """

    system: str
    about: dict[str, Any]
    arrays: dict[str, npt.NDArray[Any]]


def write_saved(path: str | os.PathLike[str], system: str, about: Mapping[str, Any], arrays: Arrays) -> None:
    """Write what a system knows to a file.

    Raises:
        FolderError: the file cannot be written.
        ModelError: it is larger than a file of a model may be.
    """
    said = json.dumps({"format": FORMAT, "system": system, **about}, ensure_ascii=False).encode()
    write_arrays(path, {_ABOUT: np.frombuffer(said, dtype=np.uint8), **arrays})


def read_saved(path: str | os.PathLike[str], types_of: Callable[[str], Mapping[str, str]]) -> Saved:
    """Read what a system has written.

    Args:
        path: the file; ``-`` is standard input.
        types_of: returns the arrays that a system writes, with their types; it may raise `ModelError`.

    Raises:
        ModelError: the file cannot be read, is no model, or is one of another version.
    """
    where = os.fspath(path)
    told: list[dict[str, Any]] = []

    def expected(written: npt.NDArray[Any] | None) -> Mapping[str, str]:
        told.append(_read_about(written, where))
        return types_of(told[0].setdefault("system", FIRST))

    arrays = read_arrays(path, _ABOUT, expected)
    return Saved(told[0]["system"], told[0], arrays)


def _read_about(written: npt.NDArray[Any] | None, where: str) -> dict[str, Any]:
    if written is None or written.nbytes > MAX_ABOUT:
        raise ModelError(f"{where}: expected a model of the solver, but its description is missing or too large")
    about = decode_json(written.tobytes(), f"{where}, what it says about itself", ModelError)
    if not isinstance(about, dict) or "format" not in about:
        raise ModelError(f"{where}: expected a model of the solver, but its description is missing")
    if about["format"] not in READABLE:
        got = shown(about["format"])
        raise ModelError(f"{where}: expected a model of format {FORMAT}, but got {got}; train it again")
    return about


def inventory_as_data(inventory: Inventory) -> dict[str, Any]:
    """Return an inventory as fields of a description."""
    return {
        "reconciled": inventory.reconciled,
        "templates": [[str(c.template), list(c.template.unknowns), list(c.slots), c.count] for c in inventory.classes],
    }


def read_inventory(about: Mapping[str, Any]) -> Inventory:
    """Return the inventory that a description holds."""
    reconciled = typed(about["reconciled"], bool, "reconciled")
    listed = typed(about["templates"], list, "templates")
    if not 1 <= len(listed) <= MAX_TEMPLATES:
        raise ValueError(f"{len(listed)} templates")
    classes: list[TemplateClass] = []
    symmetries = 0
    for entry in listed:
        text, unknowns, slots, count = typed(entry, list, "a template")
        template = Template(typed(text, str, "a template"), unknowns=texts(unknowns, "unknowns"))
        one = TemplateClass.of(template, typed(count, int, "how often a template occurs"), reconciled)
        if list(one.slots) != slots:
            raise ValueError(f"the slots of {shown(text)} are {shown(slots)}")
        symmetries += len(one.structure.automorphisms)
        if symmetries > MAX_SYMMETRIES:
            raise ValueError(f"templates with more than {MAX_SYMMETRIES} symmetries")
        classes.append(one)
    if len({one.structure.key for one in classes}) < len(classes):
        raise ValueError("a template twice")
    return Inventory(classes, reconciled)


def weights_as_arrays(name: str, table: Weights) -> dict[str, npt.NDArray[Any]]:
    """Return a table of weights as two arrays: the places of those that are not zero, and their values."""
    places = np.flatnonzero(table)
    return {
        f"{name} places": places.astype(PLACES),
        f"{name} values": table.ravel()[places].astype(VALUES),
    }


def read_weights(arrays: Arrays, name: str, shape: tuple[int, int], filler: bool = True) -> Weights:
    """Return a table of weights; with a filler, its last column must be zero."""
    places, values = arrays[f"{name} places"], arrays[f"{name} values"]
    rows, columns = shape
    if len(places) != len(values):
        raise ValueError(f"{name}: {len(places)} places for {len(values)} weights")
    if len(places) and not (places[0] >= 0 and places[-1] < rows * columns and (np.diff(places) > 0).all()):
        raise ValueError(f"{name}: places of weights that are out of range, or in disorder")
    if filler and (places % columns == columns - 1).any():
        raise ValueError(f"{name}: weights in the column that has none")
    if not np.isfinite(values).all():
        raise ValueError(f"{name}: weights that are no numbers")
    table = np.zeros(shape, dtype=np.float32)
    table.ravel()[places] = values
    return table


def typed(value: Any, kind: type, what: str) -> Any:
    """Return a value that must be of a type."""
    if type(value) is not kind:
        raise ValueError(f"{what}: {shown(value)}")
    return value


def texts(value: Any, what: str) -> list[str]:
    """Return a value that must be a list of different texts."""
    if type(value) is not list or not all(type(text) is str for text in value) or len(set(value)) < len(value):
        raise ValueError(f"{what}: {shown(value)}")
    return value
