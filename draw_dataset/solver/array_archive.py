"""Arrays in one zip archive (.npz), read without trust: nothing is unpacked before it is known how much it is.

A file that was damaged, or made to hurt, may claim anything: an array of a million million elements, gigabytes of
zeros in a few kilobytes, thousands of members. So the reader goes from the outside in and believes no size that it has
not compared. The directory at the end of the archive must be as small as that of a few arrays. All members together
may have at most `MAX_BYTES`. One member is read first and says which others are expected; each must be of one dimension
and of the expected type. The length in the header of a member must be what the directory says of its size. Then it is
unpacked, up to that size and no further.
Only headers of the form that the writer here makes are read, by a regular expression: no part of a file is evaluated.
"""

from __future__ import annotations

import os
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from io import BytesIO
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from draw_dataset.errors import ModelError
from draw_dataset.files import STANDARD, atomic_file
from draw_dataset.files.jsonl import unreadable

MAX_BYTES = 1 << 28
"""Bytes of all members unpacked, and of a file; a model of the whole release has 18 million."""

_END = struct.Struct("<4s8xLLH")  # signature, (numbers of disks and members), size and start of the directory, comment
_LARGEST_DIRECTORY = 1 << 13
_LOCATOR = b"PK\x06\x07"  # of a second directory, for archives of more than 4 GB
_LOCATOR_BYTES = 20

_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '([<|][a-z][0-9])', 'fortran_order': False, 'shape': \(([0-9]{1,18}),\), \} *\n",
    re.DOTALL,
)
_HEADER_BYTES = 128
_DATE = (1980, 1, 1, 0, 0, 0)  # the same arrays shall give the same file

# What reading a damaged archive raises: the last two for archives that are encrypted or packed in another way.
_UNREADABLE = (
    OSError, ValueError, EOFError, struct.error, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError,
)  # fmt: skip

Arrays = Mapping[str, npt.NDArray[Any]]


def write_arrays(path: str | os.PathLike[str], arrays: Arrays) -> None:
    """Write arrays of one dimension to a file that `numpy.load` reads as well.

    Raises:
        FolderError: the file cannot be written.
        ModelError: they are more than would be read again.
    """
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
    """Read arrays from a file.

    Args:
        path: the file; ``-`` is standard input. A pipe is read to its end first.
        first: the array of bytes that is read before the others.
        types_of: is given that array, or None if there is none, and returns the other arrays that may be there, with
            the type of each as numpy writes it, as in ``<f4``. It may raise `ModelError`.

    Raises:
        ModelError: the file cannot be read, or is not what `write_arrays` has written.
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
