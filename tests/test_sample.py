"""The embedded sample: what it covers, and that its derivations are right."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from draw_dataset import Template, canonical_key, solve
from draw_dataset.data.sample import PREDICTIONS, load_sample, load_sample_predictions
from draw_dataset.derivation.problem import Problem, asked_values

SAMPLE = load_sample()
PROBLEMS = [problem for problems in SAMPLE.values() for problem in problems]


def test_sizes_and_ids() -> None:
    assert {split: len(problems) for split, problems in SAMPLE.items()} == {"train": 60, "validation": 30, "test": 30}
    assert len({p.id for p in PROBLEMS}) == 120
    assert len({p.question for p in PROBLEMS}) == 120


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: str(p.id))
def test_the_gold_derivation_is_right(problem: Problem) -> None:
    solution = problem.derivation.solve()
    assert str(solution.kind) == "unique"
    assert sorted(map(float, solution.numbers)) == pytest.approx(sorted(problem.solutions), rel=1e-9)
    assert solve(list(problem.equations)).numbers == solution.numbers
    assert problem.number_classes is not None
    assert Problem.from_row(problem.to_row()).to_row() == problem.to_row()


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: str(p.id))
def test_all_of_gold_is_asked_for_in_the_order_of_its_solutions(problem: Problem) -> None:
    assert [float(value) for value in asked_values(problem)] == pytest.approx(list(problem.solutions), rel=1e-9)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: str(p.id))
def test_roles_tell_the_unknowns_apart(problem: Problem) -> None:
    assert list(problem.role_of) == sorted(problem.derivation.template.unknowns)
    assert len({role.lower() for role in problem.role_of.values()}) == len(problem.roles)
    for role in problem.role_of.values():
        assert role == role.strip(" .")
        assert 3 < len(role) <= 50
        # Digits are those of the text, so a variant can change them.
        assert set(re.findall(r"\d+", role)) <= set(re.findall(r"\d+", problem.question))


def test_every_aligned_and_equivalent_number_is_found_with_its_value() -> None:
    for problem in PROBLEMS:
        values = {n.place: n.value for n in problem.numbers}
        for a in problem.alignment:
            assert float(values[a.sentence, a.token]) == pytest.approx(a.value, rel=1e-6), problem.id
        for group in problem.equiv_tnum:
            assert len({values[n.place] for n in group}) == 1, problem.id


def test_coverage() -> None:
    assert len({canonical_key(list(p.template)) for p in PROBLEMS}) >= 40
    assert {len(Template(list(p.template)).unknowns) for p in PROBLEMS} == {1, 2, 3}
    assert {len(p.alignment) for p in PROBLEMS} == {0, 1, 2, 3, 4, 5, 6}
    assert sum(ambiguous(p) for p in PROBLEMS) >= 36
    assert sum(bool(p.equiv_tnum) for p in PROBLEMS) >= 25


def ambiguous(problem: Problem) -> bool:
    """Whether an aligned value stands on two or more numbers of the text."""
    counts: dict[Fraction | None, int] = {}
    for number in problem.numbers:
        counts[number.value] = counts.get(number.value, 0) + 1
    aligned = {(a.sentence, a.token) for a in problem.alignment}
    return any(counts[n.value] > 1 for n in problem.numbers if n.place in aligned)


@pytest.mark.parametrize("name", PREDICTIONS)
def test_predictions_are_for_the_test_split(name: str) -> None:
    assert list(load_sample_predictions(name)) == [p.id for p in SAMPLE["test"]]
