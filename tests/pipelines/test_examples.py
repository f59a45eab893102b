"""The examples of docs/scale.md for users of Ray Data and Spark: run as they stand, where the engine is installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from draw_dataset.data.sample import load_sample
from draw_dataset.scoring.score import score

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "scale.md"
PROBLEMS = load_sample()["test"]


def example(name: str) -> str:
    """Return the code after the comment that names an example."""
    found = re.search(rf"```python\n(# {name}\n.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found.group(1)


def predictions(path: Path) -> tuple[list[Any], list[Any]]:
    rows = [PROBLEMS[place % len(PROBLEMS)] for place in range(90)]
    given = [rows[place // 2].derivation.q_notation() if place % 2 else "m = 1" for place in range(90)]
    lines = [{"id": row.id, "prediction": text} for row, text in zip(rows, given, strict=True)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return given, rows


def run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, rows = predictions(tmp_path / "predictions.jsonl")
    monkeypatch.chdir(tmp_path)
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(example(name), str(DOCUMENT), "exec"), scope)
    assert scope["result"].to_dict() == score(given, rows, data="sample/test").to_dict()


def test_plain_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("Plain Python", tmp_path, monkeypatch)


def test_ray_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed; make test-scale installs it")
    pytest.importorskip("ray.data", reason="Ray Data is not installed; make test-scale installs it")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        run("Ray Data", tmp_path, monkeypatch)
    finally:
        ray.shutdown()


def test_spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark", reason="Spark is not installed; make test-scale installs it")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs a Java runtime, and there is none")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    run("Spark", tmp_path, monkeypatch)
