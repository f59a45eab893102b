"""A model in a file."""

from __future__ import annotations

import json
import os
import stat
import struct
import subprocess
import sys
import threading
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from draw_dataset import Problem, Template
from draw_dataset.errors import FolderError, LimitError, ModelError
from draw_dataset.solver import arrays as float_systems
from draw_dataset.solver import arrays as solutions
from draw_dataset.solver import files as array_archive
from draw_dataset.solver import files as saved_parts
from draw_dataset.solver import model as model_file
from draw_dataset.solver.model import Model
from draw_dataset.solver.systems import load_model, save_model, train
from draw_dataset.solver.templates import TemplateClass


def test_a_loaded_model_answers_alike(model: Model, problems: list[Problem], tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    save_model(model, path)
    loaded = load_model(path)
    assert loaded.signature == model.signature
    assert [loaded.predict(p) for p in problems] == [model.predict(p) for p in problems]
    assert [f.name for f in tmp_path.iterdir()] == ["model.npz"]


def test_a_loaded_model_answers_alike_in_another_process(problems: list[Problem], tmp_path: Path) -> None:
    model = train(problems[:24], k=2, setting="TE")
    save_model(model, tmp_path / "model.npz")
    code = (
        "import sys; from draw_dataset.solver.systems import load_model; "
        "p = load_model(sys.argv[1]).predict(sys.argv[2]); "
        "print(p.q_notation, repr(p.score))"
    )
    text = problems[30].question
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "model.npz"), text], capture_output=True, text=True, check=True
    )
    own = model.predict(text)
    assert done.stdout.strip() == f"{own.q_notation} {own.score!r}"


def arrays_of(model: Model, path: Path) -> dict[str, Any]:
    """Return the arrays that a model is saved as."""
    save_model(model, path)
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def said_by(arrays: dict[str, Any]) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(bytes(arrays["about"]).decode())
    return said


def as_bytes(said: Any) -> Any:
    return np.frombuffer(said if isinstance(said, bytes) else json.dumps(said).encode(), dtype=np.uint8)


def changed(model: Model, path: Path, **about: Any) -> Path:
    """Save a model that says something else about itself."""
    arrays = arrays_of(model, path)
    np.savez(path, **(arrays | {"about": as_bytes(said_by(arrays) | about)}))
    return path


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"format": 99}, r"3.*99"),
        ({"system": "other"}, r"system: .*.other."),
        ({"system": ["zdc"]}, "system: "),
        ({"features": ["extended", 99]}, "feature set extended of version"),
        ({"features": ["other", 1]}, "'other'"),
        ({"features": None}, "expected"),
        ({"templates": []}, "fit|model"),
        ({"templates": [["m = a", ["m"], ["b"], 1]]}, "fit|model"),
        ({"attributes": {}}, "'text'"),
        ({"lexicon": None}, "fit|model"),
        ({"lexicon": [["each"]]}, "lexicon"),
        ({"k": -1}, r"\bk\b.*-1"),
        ({"k": 0, "ranking": True}, r"\bk\b.*\b0\b"),
        ({"k": True, "ranking": True}, r"\bk\b.*True"),
        ({"k": 3}, r"\bk\b.*\b3\b"),
        ({"ranking": True}, r"\bk\b.*None"),
        ({"k": 3, "ranking": True}, "'ranking places'"),
        ({"signature": 7}, r"signature.*7"),
        ({"reconciled": "no"}, r"reconciled.*'no'"),
        ({"templates": [["m = a", ["m"], ["a"], 2], ["n = b", ["n"], ["b"], 1]]}, "template"),
        ({"templates": [["m = a", ["m"], ["a"], "many"]]}, "'many'"),
        ({"templates": [["m = = a", ["m"], ["a"], 2]]}, "equation 1"),
        ({"templates": [["m = a"]]}, "fit|model"),
        ({"templates": [7]}, r"template.*\b7\b"),
        ({"templates": [["m = a", ["m"], ["a"], 1]] * 10_001}, "10001"),
        ({"attributes": {"text": ["a", "a"]}}, r"attributes.*text"),
        ({"attributes": 3}, r"attributes.*3"),
    ],
)
def test_a_model_of_another_kind_is_refused(model: Model, tmp_path: Path, about: dict[str, Any], message: str) -> None:
    path = changed(model, tmp_path / "model.npz", **about)
    with pytest.raises(ModelError, match=message):
        load_model(path)


@pytest.mark.parametrize("content", [b"", b"no model", b"PK\x03\x04 broken", b"\x93NUMPY"])
def test_what_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"model\.npz"):
        load_model(path)
    with pytest.raises(ModelError, match="missing"):
        load_model(tmp_path / "missing.npz")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("text values", lambda a: np.where(a == a[0], np.nan, a), "text: "),
        ("pair values", lambda a: np.where(a == a[0], np.inf, a), "pair: "),
        ("text values", lambda a: a[:-1], "places for"),
        ("text places", lambda a: np.append(a[:-1], 10**12), "text: "),
        ("text places", lambda a: np.insert(a[1:], 0, -1), "text: "),
        ("text places", lambda a: a[::-1].copy(), "text: "),
        ("text values", lambda a: a.astype("<f8"), "<f4"),
        ("text places", lambda a: a.astype("<f8"), "<i8"),
        ("text places", lambda a: a.reshape(1, -1), "<i8"),
        ("about", lambda a: a.astype("<i8"), "about|header"),
        ("more", lambda _: np.zeros(3), r"\bmore\b"),
        ("about", lambda _: as_bytes(b"[" * 100_000), "about|nested"),
        ("about", lambda _: as_bytes(b"[" * 900 + b"]" * 900), r"\b60\b"),
        ("about", lambda _: as_bytes([1]), "description"),
        ("about", lambda _: as_bytes(b'{"format": 1, "format": 1}'), "twice"),
        ("about", lambda _: as_bytes(b"\xff"), "not UTF-8"),
        ("about", lambda _: as_bytes(b" " * ((1 << 24) + 1)), "about|description"),
    ],
)
def test_an_array_that_is_another_is_refused(
    model: Model, tmp_path: Path, name: str, content: Callable[[Any], Any], message: str
) -> None:
    path = tmp_path / "model.npz"
    arrays = arrays_of(model, path)
    np.savez_compressed(path, **(arrays | {name: content(arrays.get(name))}))
    with pytest.raises(ModelError, match=message) as refused:
        load_model(path)
    assert str(refused.value).startswith(str(path))


def test_weights_in_the_column_of_the_filler_are_refused(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    arrays = arrays_of(model, path)
    width = model.weights["text"].shape[1]
    places = np.array([width - 1], dtype="<i8")
    np.savez(path, **(arrays | {"text places": places, "text values": np.ones(1, dtype="<f4")}))
    with pytest.raises(ModelError, match=r"\btext\b"):
        load_model(path)


def test_a_part_that_is_missing_is_named(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    arrays = arrays_of(model, path)
    del arrays["pair values"]
    np.savez(path, **arrays)
    with pytest.raises(ModelError, match="it lacks 'pair values'"):
        load_model(path)


def npy(descr: str, shape: str, content: bytes = b"") -> bytes:
    """Return an array as a member of an archive, with any header."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + content


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (npy("'|u1'", f"({10**12},)"), "1000000000000 elements in 128 bytes"),
        (npy("'|u1'", f"({10**17},)", b"{}"), "100000000000000000 elements in 130 bytes"),
        (npy("'|u1'", f"({2**70},)"), "about|header"),
        (npy("'|u1'", "(-1,)"), "about|header"),
        (npy("'|u1'", "(1, 1000000, 1000000)"), "about|header"),
        (npy("'|O'", "(1,)", b"cos\nsystem\n(S'true'\ntR."), "about|header"),
        (npy("[('a', '<f8', (1000000,))]", "(1,)"), "about|header"),
        (npy("'|u1'", "(" * 10_000), "about|header"),
        (npy("'|u1'", "(" + "-" * 10_000 + "1,)"), "about|header"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "about|header"),
        (b"", "about|header"),
    ],
)
def test_absurd_headers_are_refused_before_anything_is_read(tmp_path: Path, member: bytes, message: str) -> None:
    path = tmp_path / "model.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("about.npy", member)
    with pytest.raises(ModelError, match=message):
        load_model(path)


def largest_memory(work: Callable[[], object]) -> int:
    """Return the bytes that some work held at its height."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def refused(path: Path, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load_model(path)


def test_gigabytes_of_zeros_are_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    count = 3 << 30
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("about.npy", npy("'|u1'", "(2,)", b"{}"))
    # The directory says what the zeros would be; they are not even there, as nobody may look for them.
    raw = path.read_bytes()
    small, large = struct.pack("<L", 130), struct.pack("<L", count)
    at = raw.rindex(b"PK\x01\x02") + 24
    assert raw[at : at + 4] == small
    path.write_bytes(raw[:at] + large + raw[at + 4 :])
    assert largest_memory(lambda: refused(path, str(count))) < 10_000_000


def test_a_member_is_unpacked_no_further_than_it_says(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("about.npy", npy("'|u1'", "(2,)", bytes(40_000_000)))
    raw = path.read_bytes()
    at = raw.rindex(b"PK\x01\x02") + 24
    path.write_bytes(raw[:at] + struct.pack("<L", 130) + raw[at + 4 :])
    assert largest_memory(lambda: refused(path, "CRC")) < 10_000_000


def test_a_directory_of_a_million_members_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for i in range(1_000):
            archive.writestr(f"{i}.npy", b"")
    refused(path, r"\b5\d*")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("about.npy", b"")
        archive.comment = b"a comment may hide another directory"
    refused(path, path.name)


def test_a_member_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("about.npy", npy("'|u1'", "(2,)", b"{}"))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("about.npy", npy("'|u1'", "(2,)", b"{}"))
    refused(path, r"\babout\b")


def test_more_weights_than_memory_are_refused(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_model(model, tmp_path / "model.npz")
    monkeypatch.setattr(model_file, "MAX_WEIGHTS", 100)
    refused(tmp_path / "model.npz", r"\b100\b")
    monkeypatch.setattr(saved_parts, "MAX_SYMMETRIES", 1)
    refused(tmp_path / "model.npz", r"\b1\b")
    monkeypatch.setattr(array_archive, "MAX_BYTES", 1_000)
    refused(tmp_path / "model.npz", r"\b1000\b")
    with pytest.raises(ModelError, match=r"\b1000\b"):
        save_model(model, tmp_path / "other.npz")
    assert not (tmp_path / "other.npz").exists()


def test_templates_too_many_to_be_solved_at_once_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(float_systems, "MAX_COEFFICIENTS", 3)
    with pytest.raises(LimitError, match=r"\b3\b.*\b4\b"):
        solutions.SystemSolver([TemplateClass.of(Template("m = a"), 2, reconciled=True)])


def test_any_damaged_byte_is_refused_or_harmless(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    save_model(model, path)
    whole = path.read_bytes()
    # The directory and the headers byte by byte, what is packed here and there.
    tail = range(whole.index(b"PK\x01\x02"), len(whole))
    for at in [*range(0, 60), *tail, *range(0, len(whole), len(whole) // 40)]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            loaded = load_model(path)
        except ModelError:
            continue
        assert loaded.signature == model.signature  # the byte was one that nothing depends on


def test_a_model_cut_short_is_refused(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    save_model(model, path)
    whole = path.read_bytes()
    for length in range(0, len(whole), len(whole) // 20):
        path.write_bytes(whole[:length])
        refused(path, path.name)


def test_a_single_array_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "model.npy"
    np.save(path, np.arange(3))
    with pytest.raises(ModelError, match="no archive of arrays"):
        load_model(path)


def test_a_pickle_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    np.savez(path, about=np.array([{"format": 1}], dtype=object))
    with pytest.raises(ModelError, match="model"):
        load_model(path)


def test_a_failed_write_leaves_the_old_model(model: Model, tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="cannot write"):
        save_model(model, tmp_path / "missing" / "model.npz")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FolderError, match="cannot write"):
        save_model(model, tmp_path / "folder")
    assert [f.name for f in tmp_path.iterdir()] == ["folder"]


def test_the_same_model_gives_the_same_file(model: Model, tmp_path: Path) -> None:
    save_model(model, tmp_path / "one.npz")
    save_model(load_model(tmp_path / "one.npz"), tmp_path / "other.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "other.npz").read_bytes()


def test_a_model_has_the_mode_that_the_umask_gives(model: Model, tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        save_model(model, tmp_path / "model.npz")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "model.npz").stat().st_mode) == 0o640


def test_a_link_to_a_model_stays_a_link(model: Model, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "model.npz").write_bytes(b"an older one")
    (tmp_path / "latest.npz").symlink_to(Path("kept") / "model.npz")
    save_model(model, tmp_path / "latest.npz")
    assert (tmp_path / "latest.npz").is_symlink()
    assert load_model(tmp_path / "kept" / "model.npz").signature == model.signature


def test_a_model_goes_through_a_pipe(model: Model, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    loaded: list[Model] = []
    reader = threading.Thread(target=lambda: loaded.append(load_model(pipe)))
    reader.start()
    save_model(model, pipe)
    reader.join()
    assert loaded[0].signature == model.signature
    assert stat.S_ISFIFO(pipe.stat().st_mode)
