"""Manifest of the release: its files, pinned by SHA-256, their address, their check, and the splits.

`check` hashes a file once a process; later its stamp (device, inode, size, times) answers. A stamp is trusted only if
the file had not changed for a while when it was hashed, because file times are coarse.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar
from urllib.parse import quote

from draw_dataset.errors import ChecksumError, ReleaseAccessError, ReleaseRequestError, SplitError
from draw_dataset.io.jsonl import read_text

URL_VARIABLE = "DRAW_RELEASE_URL"

REPOSITORY = "rlebras/wordproblems-dataset"
COMMIT = "1cd06b415bc7eaec2e62ee684a5cf08aba8af68f"

# The folder of the data inside the repository; "" is its root, which is inferred and not confirmed. Should the address
# answer 404, this is the one place to change (DRAW_RELEASE_URL helps until then).
FOLDER = ""

BASE_URL = "/".join(part for part in ("https://raw.githubusercontent.com", REPOSITORY, COMMIT, FOLDER) if part)

_REST_NS = 2_000_000_000  # the coarsest file times in use (FAT) step by two seconds

_Stamp = tuple[int, int, int, int, int]
_known_right: dict[tuple[str, str], _Stamp] = {}


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """One file of the release, pinned to its bytes."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files of one state of a release."""

    version: str  # names that state; files of different versions never share a folder of the cache
    base_url: str  # the folder that holds every file, unless a mirror is named
    datasets: Mapping[str, tuple[ReleaseFile, ...]]  # the files that each dataset needs

    @property
    def files(self) -> dict[str, ReleaseFile]:
        """Every file by its name."""
        return {file.name: file for files in self.datasets.values() for file in files}

    def select(self, what: str | Iterable[str]) -> tuple[ReleaseFile, ...]:
        """Return the files that a dataset, a file name, or several of them stand for, each file once."""
        chosen: dict[str, ReleaseFile] = {}
        files = self.files
        for name in [what] if isinstance(what, str) else what:
            if name in self.datasets:
                chosen.update((file.name, file) for file in self.datasets[name])
            elif name in files:
                chosen[name] = files[name]
            else:
                known = f"a dataset ({', '.join(self.datasets)}) or a file ({', '.join(files)})"
                raise ReleaseRequestError(f"expected {known} of the release, but got {name!r}")
        return tuple(chosen.values())

    def url(self, file: ReleaseFile, base_url: str | None = None) -> str:
        """Return the address of a file: under `base_url`, else DRAW_RELEASE_URL, else the public copy."""
        base = base_url or os.environ.get(URL_VARIABLE) or self.base_url
        # A folder has its own ways in (data_dir, DRAW_RELEASE_DIR), so urllib's file: and ftp: stay closed.
        if not base.lower().startswith(("http://", "https://")):
            raise ReleaseRequestError(f"a release address must start with http:// or https://, but got {base!r}")
        return f"{base.rstrip('/')}/{quote(file.name)}"


_DRAW1K = (
    ReleaseFile("draw.json", "2cd6712178633730ca13fe10769d83dd129dbb873d97f2e2c436bca2c68404e2", 707788),
    ReleaseFile("draw-train.txt", "24f1ead8d45e2a85b3931354bca13903da0f208863aee660931d7b2470c85364", 4697),
    ReleaseFile("draw-dev.txt", "708b675588b98d84c256aa787140c4e34528802f1ce5a72494ab0c7188e1fa7e", 1566),
    ReleaseFile("draw-test.txt", "3abc7f65a2ab2cd2d2cdad5c6f1d253255f3eb79505927ace54e68cdf1051360", 1571),
)
_ALG514 = (
    ReleaseFile("kushman.json", "2fab56979c5011491d17dd7e1da8e4e09a14867874cfd83ada89afabdf64dcb8", 416581),
    ReleaseFile("kushman-fold-0.txt", "a9103b149e8321ef21a46f79efc320e2b884781914ff0fd4f3f7442c1cfe177a", 592),
    ReleaseFile("kushman-fold-1.txt", "64033b15be6796c43738a67adc6e95d17c4d47116d7bd86c052c9a1e0b188135", 605),
    ReleaseFile("kushman-fold-2.txt", "0719913cb87a10f1375656ce09d3c3cca9997c9f8627198470080997c68b29e8", 593),
    ReleaseFile("kushman-fold-3.txt", "5ccac8eaeca721a2f92715b27251b6cd389ae5aefb6a813be17df35ce8a8bc26", 596),
    ReleaseFile("kushman-fold-4.txt", "eb4ede63c5caa04b134105c47ab361b43d5fceaa6500c92c0dde80806e43d9c0", 618),
)
_DOLPHIN_L = (
    ReleaseFile("dolphin_t2_final.json", "93da8d1dccb3697f48458cacfaa4371a365b8cb1ff24108236d6581628059063", 469986),
    ReleaseFile("dolphin-t2-fold-new-0.txt", "6b536b7904770ed9b8bbb03d57664c5e9c6b3120c0565d5b9b9f2b2bb3ff85a2", 1072),
    ReleaseFile("dolphin-t2-fold-new-1.txt", "7180e704c8b6d5ee1fe8d0759f4fa916ececc556ff546186725e92383ad36510", 1048),
    ReleaseFile("dolphin-t2-fold-new-2.txt", "78c9bfe39290039259e9a58aa3fb631ae9ec53de7a318483b57ce852cadaa377", 1056),
    ReleaseFile("dolphin-t2-fold-new-3.txt", "26e5422131693004e160ef3dc51741308e1ac929b3bef6722b099c3c4a072e5f", 1056),
    ReleaseFile("dolphin-t2-fold-new-4.txt", "0c1ea6c9619b57eb44754dcf5e97dd2d27fdcfa97bf3368feaae89b9533be0a1", 1040),
)

RELEASE = Manifest(
    version=COMMIT,
    base_url=BASE_URL,
    datasets=MappingProxyType({"draw1k": _DRAW1K, "alg514": _ALG514, "dolphin_l": _DOLPHIN_L}),
)


def check(path: Path, file: ReleaseFile, advice: str = "") -> None:
    """Make sure that the file at `path` is `file` of the release; `advice` ends the message of a mismatch."""
    key = (os.path.abspath(path), file.sha256)
    try:
        with open(path, "rb") as source:
            stamp = _stamp(source.fileno())
            if _known_right.get(key) == stamp:
                return
            got = hashlib.file_digest(source, "sha256").hexdigest()
            unchanged = _stamp(source.fileno()) == stamp
    except OSError as error:
        raise ReleaseAccessError(str(path), "read", error.strerror or str(error)) from error
    if got != file.sha256:
        size = stamp[2]
        sizes = f" ({size} bytes instead of {file.size})" if size != file.size else ""
        raise ChecksumError(f"{path}{sizes}", file.sha256, got, advice)
    modified = stamp[3]
    if unchanged and time.time_ns() - modified > _REST_NS:
        _known_right[key] = stamp


def _stamp(descriptor: int) -> _Stamp:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


# In cross-validation i the test split is fold i and the train split is everything else, the 172 problems of Dolphin-L
# in no fold included, as the release prescribes.

FOLDS = ("fold0", "fold1", "fold2", "fold3", "fold4")


class Split(NamedTuple):
    """A split of a dataset."""

    name: str
    file: str | None  # the file of its ids; None for the split of the problems that no file names
    size: int  # how many problems it has


def _folds(file: str, sizes: Sequence[int]) -> tuple[Split, ...]:
    return tuple(Split(fold, file.format(i), size) for i, (fold, size) in enumerate(zip(FOLDS, sizes, strict=True)))


SPLITS: dict[str, tuple[Split, ...]] = {
    "draw1k": (
        Split("train", "draw-train.txt", 600),
        Split("validation", "draw-dev.txt", 200),
        Split("test", "draw-test.txt", 200),
    ),
    "alg514": _folds("kushman-fold-{}.txt", (102, 102, 102, 102, 106)),
    "dolphin_l": (*_folds("dolphin-t2-fold-new-{}.txt", (134, 131, 132, 132, 130)), Split("development", None, 172)),
}
"""The splits of each dataset."""

Item = TypeVar("Item")


def read_ids(path: Path) -> list[int]:
    """Return the ids of a split file, one a line."""
    ids = []
    for number, line in enumerate(read_text(path, error=SplitError).splitlines(), 1):
        word = line.strip()
        if not word:
            continue
        if not (word.isascii() and word.isdigit()):
            raise SplitError(f"{path}, line {number}: expected an id, but got {word[:40]!r}")
        ids.append(int(word))
    return ids


def divide(dataset: str, items: Sequence[tuple[int, Item]], ids: Mapping[str, Sequence[int]]) -> dict[str, list[Item]]:
    """Return the items of each split, in the order of the split's ids; items that share an id stay together."""
    by_id: dict[int, list[Item]] = {}
    for id_, item in items:
        by_id.setdefault(id_, []).append(item)
    owner: dict[int, str] = {}
    divided: dict[str, list[Item]] = {}
    for split, wanted in ids.items():
        divided[split] = []
        for id_ in wanted:
            if id_ not in by_id:
                raise SplitError(f"{dataset}/{split}: Unknown id {id_}: the dataset has no such problem")
            if id_ in owner:
                raise SplitError(f"{dataset}/{split}: expected each id in one split, but {id_} is also in {owner[id_]}")
            owner[id_] = split
            divided[split] += by_id[id_]
    rest = [id_ for id_ in by_id if id_ not in owner]
    others = [split.name for split in SPLITS[dataset] if split.file is None]
    if others:
        divided[others[0]] = [item for id_ in rest for item in by_id[id_]]
    elif rest:
        raise SplitError(f"{dataset}: expected every problem in a split, but {len(rest)} are in none, {rest[0]} first")
    return divided
