"""Model files: arrays in one zip archive (.npz), read without trust.

A damaged or hostile file may claim any size, so no size is believed before it is compared: the archive's directory must
be small, all members together have at most `MAX_BYTES`, the first member says which others are expected, each has one
dimension and the expected type, and the length in its header must agree with the directory before it is unpacked.
Headers are matched by a regular expression; nothing in a file is evaluated.
"""

from __future__ import annotations

import json
import os
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from io import BytesIO
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from draw_dataset.derivation.template import Template
from draw_dataset.errors import ModelError, short_repr
from draw_dataset.io.atomic import STANDARD, atomic_file
from draw_dataset.io.jsonl import decode_json, unreadable
from draw_dataset.solver.search import Weights
from draw_dataset.solver.templates import Inventory, TemplateClass

MAX_BYTES = 1 << 28  # bytes of all members unpacked, and of a file; a model of the whole release has 18 million
_END = struct.Struct("<4s8xLLH")  # signature, (numbers of disks and members), size and start of the directory, comment
_LARGEST_DIRECTORY = 1 << 13
_LOCATOR = b"PK\x06\x07"  # of a second directory, for archives of more than 4 GB
_LOCATOR_BYTES = 20

_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|][a-z][0-9])', 'fortran_order': False, 'shape': \(([0-9]{1,18}),\), \} *\n",
    re.DOTALL,
)
_HEADER_BYTES = 128
_DATE = (1980, 1, 1, 0, 0, 0)  # the same arrays give the same file

# What reading a damaged archive raises: the last two for archives that are encrypted or packed in another way.
_UNREADABLE = (
    OSError, ValueError, EOFError, struct.error, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError,
)  # fmt: skip

Arrays = Mapping[str, npt.NDArray[Any]]


def write_arrays(path: str | os.PathLike[str], arrays: Arrays) -> None:
    """Write arrays of one dimension to a file that `numpy.load` reads as well."""
    total = sum(array.nbytes + _HEADER_BYTES for array in arrays.values())
    if total > MAX_BYTES:
        raise ModelError(f"{path}: expected a model of at most {MAX_BYTES} bytes, but got {total}")
    with atomic_file(path, binary=True) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy", _DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(member, "w", force_zip64=True) as unpacked:
                np.lib.format.write_array(unpacked, array, version=(1, 0), allow_pickle=False)


def read_arrays(
    path: str | os.PathLike[str], first: str, types_of: Callable[[npt.NDArray[Any] | None], Mapping[str, str]]
) -> dict[str, npt.NDArray[Any]]:
    """Read arrays from a file; ``-`` is standard input.

    The array `first` is read before the others. `types_of` gets it, or None, and returns the other arrays that may be
    there, with their types as numpy writes them (``<f4``), or raises `ModelError`.
    """
    try:
        with nullcontext(sys.stdin.buffer) if os.fspath(path) == STANDARD else open(path, "rb") as file:
            return _read(_seekable(file), first, types_of)
    except ModelError:
        raise
    except _UNREADABLE as error:
        if isinstance(error, OSError) and error.strerror:
            raise ModelError(f"{os.fspath(path)}: {unreadable(error)}") from error
        raise ModelError(f"{os.fspath(path)}: expected a model of the solver, but got {str(error)[:200]}") from error


def _seekable(file: IO[bytes]) -> IO[bytes]:
    held = file if file.seekable() else BytesIO(file.read(MAX_BYTES + 1))
    if held.seek(0, os.SEEK_END) > MAX_BYTES:
        raise ValueError(f"more than {MAX_BYTES} bytes")
    return held


def _read(
    file: IO[bytes], first: str, types_of: Callable[[npt.NDArray[Any] | None], Mapping[str, str]]
) -> dict[str, npt.NDArray[Any]]:
    _check_directory(file)
    with zipfile.ZipFile(file) as archive:
        members = {member.filename: member for member in archive.infolist()}
        names = archive.namelist()
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ValueError(f"a part called {twice[0][:40]} twice")
        total = sum(member.file_size for member in members.values())
        if total > MAX_BYTES:
            raise ValueError(f"{total} bytes unpacked, at most {MAX_BYTES}")
        leading = members.pop(f"{first}.npy", None)
        said = None if leading is None else _read_member(archive, leading, "|u1")
        types = types_of(said)
        expected = {f"{name}.npy": name for name in types}
        strange = [name for name in members if name not in expected]
        if strange:
            raise ValueError(f"a part called {strange[0][:40]}")
        return {
            expected[name]: _read_member(archive, member, types[expected[name]]) for name, member in members.items()
        }


def _check_directory(file: IO[bytes]) -> None:
    """Refuse a directory that `zipfile` would make too many objects of."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END.size - _LOCATOR_BYTES))
    tail = file.read()
    if len(tail) < _END.size:
        raise ValueError("a file that is too short")
    signature, directory, _, comment = _END.unpack(tail[-_END.size :])
    if signature != b"PK\x05\x06" or comment or tail.startswith(_LOCATOR):
        raise ValueError("something that is no archive of arrays, or is cut short")
    if directory > _LARGEST_DIRECTORY:
        raise ValueError(f"an archive whose directory has {directory} bytes")
    file.seek(0)


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, dtype: str) -> npt.NDArray[Any]:
    with archive.open(member) as unpacked:
        start = unpacked.read(_HEADER_BYTES)
        header = _HEADER.fullmatch(start)
        if header is None or header[1].decode() != dtype:
            raise ValueError(f"{member.filename} with another header than that of an array of {dtype}")
        count, item = int(header[2]), np.dtype(dtype).itemsize
        if _HEADER_BYTES + count * item != member.file_size:
            raise ValueError(f"{member.filename} with {count} elements in {member.file_size} bytes")
        # One byte more than there may be makes zipfile compare the checksum.
        content = unpacked.read(count * item + 1)
    if len(content) != count * item:
        raise ValueError(f"{member.filename} cut short")
    return np.frombuffer(content, dtype=dtype)


# Parts shared by the files of all systems: a description, templates, and sparse weights. The array ``about`` is a
# JSON object that names the system; templates are kept as texts and analysed again. Every field is checked before
# use: these functions raise `ValueError` or `KeyError`, and `systems` adds the file name.


FORMAT = 3  # the version of the file; raised whenever a file of an older one would be misread or answer differently

# The versions that are read; files of the first know nothing of confidence, the first two nothing of relations
READABLE = (1, 2, FORMAT)

MAX_ABOUT = 1 << 24  # bytes of a description; that of the whole release has half a million
MAX_TEMPLATES = 10_000  # templates of a model; the whole release has 507
MAX_SYMMETRIES = 1_000_000  # symmetries of all templates of a model; those of the whole release have 588
PLACES, VALUES = "<i8", "<f4"  # the types of the places of weights, and of weights, in a file
FIRST = "template-first"  # the system of a file that names none: files were of one system once

_ABOUT = "about"


class Saved(NamedTuple):
    """Content of a model file."""

    system: str  # the name of the system that wrote it
    about: dict[str, Any]  # its description
    arrays: dict[str, npt.NDArray[Any]]


def write_saved(path: str | os.PathLike[str], system: str, about: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a trained system to a file."""
    said = json.dumps({"format": FORMAT, "system": system, **about}, ensure_ascii=False).encode()
    write_arrays(path, {_ABOUT: np.frombuffer(said, dtype=np.uint8), **arrays})


def read_saved(path: str | os.PathLike[str], types_of: Callable[[str], Mapping[str, str]]) -> Saved:
    """Read the file of a system; `types_of` gives the arrays of a system with their types, or raises `ModelError`."""
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
        got = short_repr(about["format"])
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
    reconciled = check_type(about["reconciled"], bool, "reconciled")
    listed = check_type(about["templates"], list, "templates")
    if not 1 <= len(listed) <= MAX_TEMPLATES:
        raise ValueError(f"{len(listed)} templates")
    classes: list[TemplateClass] = []
    symmetries = 0
    for entry in listed:
        text, unknowns, slots, count = check_type(entry, list, "a template")
        template = Template(check_type(text, str, "a template"), unknowns=check_texts(unknowns, "unknowns"))
        one = TemplateClass.of(template, check_type(count, int, "how often a template occurs"), reconciled)
        if list(one.slots) != slots:
            raise ValueError(f"the slots of {short_repr(text)} are {short_repr(slots)}")
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
    return {f"{name} places": places.astype(PLACES), f"{name} values": table.ravel()[places].astype(VALUES)}


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


def check_type(value: Any, kind: type, what: str) -> Any:
    """Return a value that must be of a type."""
    if type(value) is not kind:
        raise ValueError(f"{what}: {short_repr(value)}")
    return value


def check_texts(value: Any, what: str) -> list[str]:
    """Return a value that must be a list of different texts."""
    if type(value) is not list or not all(type(text) is str for text in value) or len(set(value)) < len(value):
        raise ValueError(f"{what}: {short_repr(value)}")
    return value
