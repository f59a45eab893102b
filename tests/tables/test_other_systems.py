"""Systems that a user adds to Table 5."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from reproduction.tables import read_system

from draw_dataset.data.sample import load_sample
from draw_dataset.errors import ChoiceError, DrawError, ScoreError


def perfect(split: str) -> list[dict[str, Any]]:
    return [{"id": p.id, "prediction": p.derivation.q_notation()} for p in load_sample()[split]]


def write_lines(path: Path, lines: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return f"mine={path}"


def test_predictions_of_a_system_are_scored_where_they_belong(tmp_path: Path) -> None:
    system = read_system(write_lines(tmp_path / "p.jsonl", perfect("test")), "sample", None)
    assert system.figures == {"draw1k": {"solution": 100.0, "equation": pytest.approx(86.67, abs=0.01),
                                         "derivation": 100.0}}  # fmt: skip
    assert system.signatures["draw1k"].startswith("deriv|data:draw1k/tested@")
    both = read_system(write_lines(tmp_path / "p.jsonl", perfect("test") + perfect("validation")), "sample", None)
    assert {data: found["derivation"] for data, found in both.figures.items()} == {"draw1k": 100.0, "alg514": 100.0}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "", r"\.jsonl.*\.json.*\.toml"),
        ("a.json", "[]", "draw1k, alg514, dolphin_l"),
        ("a.json", '{"draw": {}}', "draw1k, alg514, dolphin_l"),
        ("a.json", '{"draw1k": {"speed": 1}}', r"draw1k.*solution, equation, derivation"),
        ("a.json", '{"draw1k": {"solution": 130}}', r"draw1k.*solution.*130"),
        ("a.toml", "[draw1k", "TOML"),
        ("a.jsonl", "", r"a\.jsonl"),
        ("a.jsonl", '{"id": 999999, "prediction": null}', "999999"),
    ],
)
def test_systems_that_are_none_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(DrawError, match=message):
        read_system(f"mine={tmp_path / name}", "sample", None)
    with pytest.raises(ChoiceError, match="NAME=FILE"):
        read_system(str(tmp_path / name), "sample", None)


def test_predictions_for_a_part_of_a_dataset_are_refused(tmp_path: Path) -> None:
    some = perfect("test")
    with pytest.raises(ScoreError, match=r"\b30\b.*\b29\b"):
        read_system(write_lines(tmp_path / "p.jsonl", some[1:]), "sample", None)
    with pytest.raises(ScoreError, match=r"line 31\b"):
        read_system(write_lines(tmp_path / "p.jsonl", [*some, some[0]]), "sample", None)
