"""The figures of docs/confidence.md, on answers of our own making."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from experiments.confidence import answers, bins, calibration_error, curve, ranking_quality, selective
from lab import main

from draw_dataset.io.jsonl import write_json_lines


def line(id_: int, confidence: float | None, right: bool, lead: float = 1.0, of: str = "draw-cv") -> dict[str, Any]:
    signs = None if confidence is None else [lead, -0.1, 0.0, 0.0]
    return {
        "set": of, "id": id_, "prediction": None, "right": right, "solved": right, "confidence": confidence,
        "signs": signs, "familiarity": None if signs is None else 0.9, "unknowns": 1,
    }  # fmt: skip


GIVEN = [line(1, 0.9, True), line(2, 0.9, False), line(3, 0.3, False), line(4, None, False)]


def test_bins_compare_confidence_with_what_came_out() -> None:
    assert [(b.low, b.count, b.accuracy) for b in bins(GIVEN)] == [(0.0, 1, 0.0), (0.3, 1, 0.0), (0.9, 2, 0.5)]
    assert calibration_error(GIVEN) == pytest.approx((0 + 0.3 + 2 * 0.4) / 4)
    assert ranking_quality(GIVEN) == pytest.approx((0.5 + 1 + 1) / 3)
    assert ranking_quality(GIVEN[:1]) is None


def test_holding_back_leaves_the_surest() -> None:
    assert selective(GIVEN, 0.5) == (2, 0.5, 0.5)
    assert selective(GIVEN, 0.0) == (3, 1 / 3, 1 / 3)
    assert selective(GIVEN, 0.95) == (0, None, None)
    assert curve(GIVEN) == ([0.25, 0.5, 0.75, 1.0], [1.0, 0.5, pytest.approx(1 / 3), 0.25])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Answers to two folds, in which a lead of 2 is right and one of 0 is wrong, and to one-step problems."""
    for fold in (0, 1):
        lines = [line(100 * fold + i, 0.0, i % 2 == 0, 2.0 * (i % 2 == 0)) for i in range(40)]
        write_json_lines(tmp_path / f"draw-cv-{fold}.jsonl", [*lines, line(999 + fold, None, False)])
    write_json_lines(tmp_path / "draw-800.jsonl", [line(1, 0.2, False, 0.1, "mawps"), line(2, 0.8, False, 2, "mawps")])
    return tmp_path


def test_a_fold_is_judged_by_the_others(store: Path) -> None:
    found = answers(store)
    assert len(found["draw-cv"]) == 82
    assert all((one["confidence"] > 0.8) == one["right"] for one in found["draw-cv"] if one["signs"])
    assert [one["confidence"] for one in found["mawps"]] == [0.2, 0.8]  # as the model said


def test_the_scripts_print_and_draw_what_is_kept(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["confidence", "--no-run", "--store", str(store), "--plots", str(store)]) == 0
    told = capsys.readouterr().out
    assert "| Draw, cross-validated | 82 | 48.8 |" in told
    assert "| 0.5 | 40 (49 %), 100.0 | 1 (50 %), 0.0 |" in told
    assert "confidence" in (store / "reliability.svg").read_text(encoding="utf-8")
    assert (store / "selective.svg").is_file()
    assert main(["confidence", "--no-run", "--store", str(store), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mawps"]["mean confidence"] == 50.0
    assert main(["signs", "--store", str(store)]) == 0
    assert "| lead | no | 0." in capsys.readouterr().out


def test_what_is_missing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["confidence", "--no-run", "--store", str(tmp_path)]) == 2
    assert main(["confidence", "--sets", "mine"]) == 2
    assert "draw-cv" in capsys.readouterr().err
    assert main(["signs", "--store", str(tmp_path)]) == 2
