"""How the grader agrees with labels that were made by reading real answers."""

from __future__ import annotations

from pathlib import Path

import grade_answers
import pytest

from draw_dataset.files import read_json_lines

LABELS = Path(__file__).parent / "labels.jsonl"


@pytest.mark.release
@pytest.mark.answers
def test_the_grader_agrees_with_readers(answers_dir: Path, release_dir: Path) -> None:
    labels = {(e["set"], e["id"], e["sample"]): e for e in (line.value for line in read_json_lines(LABELS))}
    rows = list(grade_answers.graded(answers_dir, grade_answers.Golds(str(release_dir)), set(labels)))
    assert len(rows) == len(labels)
    fresh = grade_answers.agreement(rows, labels)
    algebra, gsm8k = fresh["fresh algebra"], fresh["fresh gsm8k"]
    assert algebra["derivation agrees"] >= 0.92 * algebra["answers"]
    assert algebra["solution agrees"] >= 0.95 * algebra["answers"]
    assert algebra["unread"] <= 0.05 * algebra["answers"]
    found, wrong = algebra["wrong called wrong"]
    assert found >= 0.85 * wrong
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
