"""A model in a file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from draw_dataset import Problem
from draw_dataset.errors import FolderError, ModelError
from draw_dataset.solver import Model, train


def test_a_loaded_model_answers_alike(model: Model, problems: list[Problem], tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    model.save(path)
    loaded = Model.load(path)
    assert loaded.signature == model.signature
    assert [loaded.predict(p) for p in problems] == [model.predict(p) for p in problems]
    assert [f.name for f in tmp_path.iterdir()] == ["model.npz"]


def test_a_loaded_model_answers_alike_in_another_process(problems: list[Problem], tmp_path: Path) -> None:
    model = train(problems[:24], k=2, setting="TE")
    model.save(tmp_path / "model.npz")
    code = (
        "import sys; from draw_dataset.solver import Model; p = Model.load(sys.argv[1]).predict(sys.argv[2]);"
        "print(p.q_notation, repr(p.score))"
    )
    text = problems[30].question
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "model.npz"), text], capture_output=True, text=True, check=True
    )
    own = model.predict(text)
    assert done.stdout.strip() == f"{own.q_notation} {own.score!r}"


def changed(model: Model, path: Path, **about: Any) -> Path:
    """Save a model that says something else about itself."""
    model.save(path)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    said = json.loads(bytes(arrays["about"]).decode()) | about
    arrays["about"] = np.frombuffer(json.dumps(said).encode(), dtype=np.uint8)
    np.savez(path, **arrays)
    return path


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"format": 99}, "format 1, but got 99"),
        ({"features": ["extended", 99]}, "feature set extended of version"),
        ({"features": ["other", 1]}, "'other'"),
        ({"features": None}, "expected"),
        ({"templates": []}, "do not fit"),
        ({"templates": [["m = a", ["m"], ["b"], 1]]}, "do not fit"),
        ({"attributes": {}}, "do not fit"),
        ({"lexicon": None}, "do not fit"),
    ],
)
def test_a_model_of_another_kind_is_refused(model: Model, tmp_path: Path, about: dict[str, Any], message: str) -> None:
    path = changed(model, tmp_path / "model.npz", **about)
    with pytest.raises(ModelError, match=message):
        Model.load(path)


@pytest.mark.parametrize("content", [b"", b"no model", b"PK\x03\x04 broken", b"\x93NUMPY"])
def test_what_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"model\.npz"):
        Model.load(path)
    with pytest.raises(ModelError, match="missing"):
        Model.load(tmp_path / "missing.npz")


def test_a_damaged_model_is_refused(model: Model, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    model.save(path)
    whole = path.read_bytes()
    for at in range(0, len(whole), len(whole) // 40):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            loaded = Model.load(path)
        except ModelError:
            continue
        assert loaded.signature == model.signature  # the byte was one that nothing depends on
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelError, match="expected a model"):
        Model.load(path)


def test_a_single_array_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "model.npy"
    np.save(path, np.arange(3))
    with pytest.raises(ModelError, match="a single array"):
        Model.load(path)


def test_a_pickle_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    np.savez(path, about=np.array([{"format": 1}], dtype=object))
    with pytest.raises(ModelError, match="expected a model"):
        Model.load(path)


def test_a_failed_write_leaves_the_old_model(model: Model, tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="cannot write"):
        model.save(tmp_path / "missing" / "model.npz")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FolderError, match="cannot write"):
        model.save(tmp_path / "folder")
    assert [f.name for f in tmp_path.iterdir()] == ["folder"]
