"""Worker processes: the figures, verdicts and errors of one process, and no process for a short file."""

from __future__ import annotations

import json
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ChoiceError, RowError, ScoreError
from draw_dataset.prompting import answer_for
from draw_dataset.scoring.files import Judged, score_file
from draw_dataset.scoring.workers import FEW

pytestmark = pytest.mark.slow

SAMPLE = [problem for split in load_sample().values() for problem in split]


def problems(count: int) -> list[Problem]:
    """Return problems of the sample again and again, each with an id of its own."""
    return [replace(SAMPLE[at % len(SAMPLE)], id=at) for at in range(count)]


def prediction(problem: Problem, at: int) -> Any:
    plain = answer_for(problem, "plain")
    kinds: list[Any] = [
        problem.derivation.q_notation(),
        {"answer": plain},
        {"answer": plain.replace("Answer: ", "Answer: 1")},
        {"steps": ["5 + 3 = 9", "Answer: 9"]},
        {"template": list(problem.template), "alignment": []},
        None,
        "m = ",
    ]
    return kinds[at % len(kinds)]


def write(path: Path, rows: list[Problem]) -> Path:
    lines = [json.dumps({"id": row.id, "prediction": prediction(row, at)}) for at, row in enumerate(rows)]
    path.write_text("".join(f"{line}\n" for line in reversed(lines)), encoding="utf-8")
    return path


def everything(path: Path, rows: list[Any], workers: int, **settings: Any) -> tuple[Any, list[Any], int]:
    seen: list[Any] = []
    most = 0

    def watch(judged: Judged) -> None:
        nonlocal most
        most = max(most, len(active_children()))
        verdict = judged.verdict
        steps = [step.to_dict() for step in verdict.steps]
        seen.append((judged.reference.problem.id, judged.prediction, verdict.to_dict(), steps, repr(verdict.reading)))

    found = score_file(path, rows, judged=watch, workers=workers, **settings)
    return (found.to_dict(), found.verdicts, found.slices(), found.first_unread), seen, most


def test_two_workers_give_what_one_process_gives(tmp_path: Path) -> None:
    rows = problems(FEW + 40)
    path = write(tmp_path / "predictions.jsonl", rows)
    alone, seen, none = everything(path, rows, 1)
    shared, seen_too, most = everything(path, rows, 2)
    assert shared == alone
    assert seen_too == seen
    assert (none, most) == (0, 2)


def test_a_short_file_starts_no_process(tmp_path: Path) -> None:
    rows = problems(70)
    path = write(tmp_path / "predictions.jsonl", rows)
    assert everything(path, rows, 4)[2] == 0


def test_gold_that_cannot_be_read_is_named_as_in_one_process(tmp_path: Path) -> None:
    rows: list[Any] = [problem.to_row() for problem in problems(FEW + 10)]
    path = write(tmp_path / "predictions.jsonl", problems(FEW + 10))
    rows[3]["equations"] = ["x = ("]
    messages = []
    for workers in (1, 2):
        with pytest.raises(RowError) as raised:
            score_file(path, rows, workers=workers)
        messages.append(str(raised.value))
    assert messages[0] == messages[1]
    assert "problem 3" in messages[0]


def test_a_killed_worker_is_an_error_that_says_so(tmp_path: Path) -> None:
    rows = problems(FEW + 200)
    path = write(tmp_path / "predictions.jsonl", rows)

    def kill(_: Judged) -> None:
        for child in active_children():
            child.kill()

    with pytest.raises(ScoreError, match="one was killed"):
        score_file(path, rows, judged=kill, workers=2)


@pytest.mark.parametrize("workers", [0, -1, 1.0, True, None])
def test_a_number_of_workers_that_is_none_is_refused(tmp_path: Path, workers: Any) -> None:
    with pytest.raises(ChoiceError, match="workers: expected a whole number from 1"):
        score_file(tmp_path / "predictions.jsonl", SAMPLE, workers=workers)


@pytest.mark.release
def test_the_score_on_corrected_gold_is_the_same(release_dir: Path, tmp_path: Path) -> None:
    from draw_dataset.data.catalog import load

    rows = load("draw1k", release_dir)[: FEW + 60]
    path = write(tmp_path / "predictions.jsonl", rows)
    alone, *_ = everything(path, rows, 1)
    shared, *_ = everything(path, rows, 2)
    assert "corrected" in alone[0]
    assert shared == alone
