"""Rows whose templates are reconciled keep their derivations."""

from __future__ import annotations

from pathlib import Path

import pytest

from draw_dataset import Problem, derivations_equivalent
from draw_dataset.annotate.normal import reconcile_problems
from draw_dataset.data.release import load_problems
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import read_rows, write_rows
from draw_dataset.errors import FolderError, RowError


def assert_reconciled(datasets: dict[str, list[Problem]]) -> None:
    found = reconcile_problems(datasets)
    for name, problems in datasets.items():
        for before, after in zip(problems, found.problems[name], strict=True):
            assert derivations_equivalent(after.derivation, before.derivation), before.id
            assert (before.id, before.question, before.numbers) == (after.id, after.question, after.numbers)
    templates = {p.template for problems in found.problems.values() for p in problems}
    assert len(templates) == found.together.after
    again = reconcile_problems(found.problems)
    assert again.problems == found.problems
    assert again.together.before == again.together.after == found.together.after


def test_derivations_stay_and_templates_become_one_each() -> None:
    assert_reconciled({name: list(problems) for name, problems in load_sample().items()})


@pytest.mark.release
def test_the_release_is_reconciled_within_and_across(release_dir: Path) -> None:
    datasets = {
        name: [problem for split in load_problems(name, release_dir).values() for problem in split]
        for name in ("draw1k", "alg514", "dolphin_l")
    }
    assert_reconciled(datasets)
    found = reconcile_problems(datasets)
    assert {name: (c.before, c.after) for name, c in found.counts.items()} == {
        "draw1k": (230, 226),
        "alg514": (25, 24),
        "dolphin_l": (215, 209),
    }
    assert (found.together.before, found.together.after, found.shared) == (392, 382, 61)


def test_a_template_that_cannot_be_read_names_its_problem() -> None:
    problem = load_sample()["train"][0]
    broken = Problem(7, "", (), (), (), ("m = = 2",), ())
    with pytest.raises(RowError, match="problem 7"):
        reconcile_problems({"mine": [problem, broken]})


def test_rows_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    problems = load_sample()["train"]
    path = tmp_path / "new" / "rows.jsonl"
    write_rows(path, problems)
    assert read_rows(path) == list(problems)

    def failing() -> object:
        yield problems[0]
        raise OSError("no space left")

    with pytest.raises(FolderError, match="no space left"):
        write_rows(path, failing())  # type: ignore[arg-type]
    assert read_rows(path) == list(problems)
    assert [p.name for p in path.parent.iterdir()] == ["rows.jsonl"]
