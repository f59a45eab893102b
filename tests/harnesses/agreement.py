"""What every harness must show: the same figures as ``draw score`` on the stored responses, to the last digit."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from draw_dataset.adapters.common import rows_of
from draw_dataset.cli import main
from draw_dataset.scoring.prompted import find_style

ROWS = rows_of("sample/test")
SHARES = {"oracle": 1.0, "wrong": 20 / 30, "garbled": 0.0}
"""The derivation accuracy of each model of the stand-in."""


def harness(name: str) -> None:
    """Skip a module without its harness; where ``DRAW_HARNESS`` names it, that is a failure."""
    if os.environ.get("DRAW_HARNESS") == name:
        __import__(name)
    else:
        pytest.importorskip(
            name, reason=f"{name} is not installed: make test-harnesses installs it", exc_type=ImportError
        )


def run(*command: str, **environment: str) -> str:
    """Run a command of the harness's own environment and return what it prints."""
    program = Path(sys.executable).parent / command[0]
    done = subprocess.run(
        [str(program), *command[1:]],
        env={**os.environ, "HF_HUB_OFFLINE": "1", "NO_COLOR": "1", **environment},
        capture_output=True,
        text=True,
        timeout=1800,  # a busy machine takes minutes to import a harness
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-6000:]}"
    return done.stdout + done.stderr


def draw_score(
    folder: Path, responses: Iterable[tuple[int, str]], style: str, references: str = "sample/test"
) -> dict[str, Any]:
    """Return what ``draw score`` says of responses, with the verdicts by id."""
    path, verdicts = folder / "responses.jsonl", folder / "verdicts.jsonl"
    lines = [
        json.dumps({"id": id_, "answer": text, "prompt_style": find_style(style).label()}) for id_, text in responses
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        status = main(["score", str(path), "--references", references, "--format", "json", "--verdicts", str(verdicts)])
    assert status in (0, 3)  # 3: nothing could be read
    told: dict[str, Any] = json.loads(out.getvalue())["systems"][0]
    told["verdicts"] = {line["id"]: line for line in map(json.loads, verdicts.read_text("utf-8").splitlines())}
    return told


def check_explanations(explanations: Mapping[int, Mapping[str, Any]], told: Mapping[str, Any]) -> None:
    """Hold what a harness logs of each response against the verdicts of ``draw score``."""
    verdicts = told["verdicts"]
    assert set(explanations) == set(verdicts)
    for id_, logged in explanations.items():
        same = {name: logged[name] for name in ("status", "reason", "message")}
        assert same == {name: verdicts[id_][name] for name in same}
        error = logged["first_error"]
        assert logged["expected"] == (error and error["expected"])
        if error is not None:
            assert error["because"]
            assert not verdicts[id_]["derivation"] or logged["reason"] == "slip"


def same_score_of_the_log(path: Path, told: Mapping[str, Any]) -> None:
    """Score a stored log by one command, which takes gold from the log, and hold it against another score."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert main(["score", str(path), "--json"]) in (0, 3)
    again = json.loads(out.getvalue())["systems"][0]
    names = ("n", "derivation_accuracy", "derivation_accuracy_certain", "solution_accuracy", "counts")
    assert {name: again[name] for name in names} == {name: told[name] for name in names}


def check(figures: Mapping[str, float], told: Mapping[str, Any], model: str) -> None:
    """Hold the figures of a harness against those of ``draw score`` and against what is known of a model."""
    score = told.get("score", told)
    assert figures["derivation"] == score["derivation_accuracy"] == SHARES[model]
    assert figures["certain"] == score["derivation_accuracy_certain"]
    assert figures["solution"] == score["solution_accuracy"]
    assert figures["readable"] == 1 - score["unread"] / score["n"]
    assert figures["readable"] == (0.0 if model == "garbled" else 1.0)
    if model == "garbled":
        assert {line["reason"] for line in told["verdicts"].values()} == {"unread"}
        assert all(line["message"] for line in told["verdicts"].values())
