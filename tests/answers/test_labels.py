"""How the grader agrees with labels that were made by reading real answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from experiments.answers import PARTS, References, agreement, graded

from draw_dataset.io.jsonl import read_json_lines

LABELS = Path(__file__).parent / "labels.jsonl"


@pytest.mark.release
@pytest.mark.answers
def test_the_grader_agrees_with_readers(answers_dir: Path, release_dir: Path) -> None:
    labels = {(e["set"], e["id"], e["sample"]): e for e in (line.value for line in read_json_lines(LABELS))}
    rows = list(graded(answers_dir, References(str(release_dir)), set(labels)))
    assert len(rows) == len(labels)
    found = agreement(rows, labels)
    for part in PARTS[1:]:
        check(found[f"{part} algebra"], found[f"{part} gsm8k"])
    lucky, every_lucky = (sum(found[f"{part} gsm8k"]["lucky called wrong"][i] for part in PARTS) for i in (0, 1))
    assert lucky >= 0.6 * every_lucky


def check(algebra: dict[str, Any], gsm8k: dict[str, Any]) -> None:
    assert algebra["derivation agrees"] >= 0.92 * algebra["answers"]
    assert algebra["solution agrees"] >= 0.95 * algebra["answers"]
    assert algebra["unread"] <= 0.05 * algebra["answers"]
    caught, wrong = algebra["wrong called wrong"]
    assert caught >= 0.85 * wrong
    assert wrong - caught <= 0.03 * algebra["answers"]
    right, sound = gsm8k["right called right"]
    assert right >= 0.95 * sound


def test_the_labels_are_enough() -> None:
    labels = [line.value for line in read_json_lines(LABELS)]
    assert len(labels) >= 200
    assert sum(label["derivation"] != "right" for label in labels) >= 60
    assert {label["set"] for label in labels} == {"chatgpt_draw1k", "gpt35_draw1k", "gpt35_alg514", "gsm8k"}
    assert set(labels[0]) == {
        "set", "id", "sample", "part", "draw", "derivation", "solution", "gold_ok", "slip", "lucky", "shortcut"
    }  # fmt: skip
