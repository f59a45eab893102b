"""Gold is prepared when it is needed: calls are counted, not timed."""

from __future__ import annotations

from typing import Any

import pytest

from draw_dataset import Problem, grade, score, show
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation import problem as problem_module
from draw_dataset.derivation.consistent import ConsistentDerivations, consistent_derivations
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.errors import RowError
from draw_dataset.report.svg import answer_svg, derivation_html, derivation_svg
from draw_dataset.report.terminal import answer_text
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.options import Options

PROBLEMS = [problem for listed in load_sample().values() for problem in listed]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Takes down what is done about the derivations of equation accuracy."""
    told: list[str] = []
    of, system, check = ConsistentDerivations.of.__func__, ConsistentDerivations.system, ConsistentDerivations.check  # type: ignore[attr-defined]

    def watched_of(cls: Any, *arguments: Any) -> Any:
        told.append("of")
        return of(cls, *arguments)

    def watched_system(self: ConsistentDerivations, index: int) -> Any:
        told.append("system")
        return system(self, index)

    def watched_check(self: ConsistentDerivations) -> None:
        told.append("check")
        check(self)

    monkeypatch.setattr(ConsistentDerivations, "of", classmethod(watched_of))
    monkeypatch.setattr(ConsistentDerivations, "system", watched_system)
    monkeypatch.setattr(ConsistentDerivations, "check", watched_check)
    return told


def test_drawing_asks_for_no_derivation_of_the_equations(made: list[str]) -> None:
    for problem in PROBLEMS[:20]:
        for prediction in (None, problem.derivation.q_notation(), "m = q1", "x +"):
            derivation_svg(problem, prediction)
            derivation_html(problem.to_row(), prediction)
            str(show(problem, prediction))
        answer_svg(problem.question, problem.numbers, problem.derivation)
        answer_text(problem.question, problem.numbers, problem.derivation)
    assert made == []


def test_equations_that_cannot_be_read_stop_scoring_and_not_drawing() -> None:
    row = PROBLEMS[0].to_row() | {"equations": ["x = "]}
    assert "wrong number" in str(show(row, "m = n + q1; m + n = q3"))
    with pytest.raises(RowError, match="problem 1: gold equations: equation 1, column 5"):
        grade(None, row)
    with pytest.raises(RowError, match="problem 1: gold equations: equation 1, column 5"):
        PreparedProblem.of(row).check()


def test_one_reference_is_made_of_a_problem_however_many_predictions_come(made: list[str]) -> None:
    references = [PreparedProblem(problem) for problem in PROBLEMS[:20]]
    for _ in range(3):
        score([None] * 20, references)
    assert (made.count("of"), made.count("system")) == (20, 20)
    # Where a way with slots could be read, the equations themselves are not read once more.
    assert made.count("check") < 5


def test_a_derivation_of_a_problem_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []

    def watched(*arguments: Any) -> Derivation:
        read.append(arguments)
        return Derivation(*arguments)

    row = PROBLEMS[0].to_row()  # reads the derivation of another object, unless a test before this one did
    monkeypatch.setattr(problem_module, "Derivation", watched)
    problem = Problem.from_row(row)
    assert read == []
    assert problem.derivation is problem.derivation
    problem.to_row()
    score(["m = q1"], [PreparedProblem(problem)])
    assert len(read) == 1


def test_the_text_that_is_hashed_is_that_of_the_row() -> None:
    for problem in PROBLEMS:
        row = problem.to_row()
        for name in ("findings", "alternatives", "asked", "roles", "correction"):
            del row[name]
        assert problem.gold_text() == repr(row)


# Equations that a way with slots must not vouch for: what slots make readable, or hide.
NOT_VOUCHED = [
    ("x = 2 3", "2 and 3"),
    ("x (2) 3 = 5", "2 and 3 and 5"),
    ("x = 6/0", "6 and 0"),
    ("x = 6/(2 - 2)", "6 and 2 and 2"),
    ("x = 9^64*(9^64)^2*9^9", "9"),
    (f"x = {'7' * 99}*{'7' * 99}*{'7' * 99}*{'7' * 99}*{'7' * 99}*{'7' * 99}*{'7' * 99}*{'7' * 99}" * 2, "8"),
    ("x*x = 2", "2"),
    ("x = .", "2"),
]


@pytest.mark.parametrize(("equations", "words"), NOT_VOUCHED)
def test_what_cannot_be_read_with_literals_is_refused_though_slots_could_stand_there(
    equations: str, words: str
) -> None:
    row = PROBLEMS[0].to_row() | {"question": f"Take {words} .", "numbers": None, "equations": [equations]}
    row |= {"template": ["m = 1"], "alignment": [], "equiv_tnum": []}
    with pytest.raises(RowError, match="problem 1: gold equations"):
        grade(None, row)


def test_systems_are_those_of_the_derivations() -> None:
    for problem in PROBLEMS:
        found = consistent_derivations(problem.equations, problem.numbers)
        for index in range(min(found.count, 20)):
            derivation = found.nth(index)
            system, places = found.system(index)
            assert system is derivation.template.system
            assert places == derivation.places


def test_expected_equation_accuracy_asks_for_each_of_them_once(made: list[str]) -> None:
    reference = PreparedProblem(PROBLEMS[0])
    grade(None, reference, Options(equation="expected"))
    grade("m = q1", reference, Options(equation="expected"))
    assert made.count("system") == reference.consistent.count
