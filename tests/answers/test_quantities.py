"""Quantities decide as Algorithm 1 does where unknowns and slots correspond, and forgive what it cannot."""

from __future__ import annotations

import pytest
from answers.test_styles import ROW

from draw_dataset import Problem, grade
from draw_dataset.algebra.nonlinear import Algebra, EquationSolver
from draw_dataset.data.release import load_problems
from draw_dataset.data.sample import load_sample
from draw_dataset.reading.compare import GoldQuantities, agree, setup_of


def gold_agrees_with_itself(problem: Problem) -> bool:
    gold = GoldQuantities(problem)
    derivation = problem.derivation
    order = {number.place: class_ for number, class_ in zip(problem.numbers, gold.classes, strict=True)}
    return agree(setup_of(derivation.template.system, [order[place] for place in derivation.places]), gold).certain


def test_gold_of_the_sample_agrees_with_itself() -> None:
    for problems in load_sample().values():
        for problem in problems:
            assert gold_agrees_with_itself(problem), problem.id


NO_VALUE = {2000334}
"""Problems whose gold determines no quantities: its template has one equation for two unknowns."""


@pytest.mark.release
@pytest.mark.parametrize("dataset", ["draw1k", "alg514", "dolphin_l"])
def test_gold_of_the_release_agrees_with_itself(dataset: str, release_dir: object) -> None:
    problems = [problem for split in load_problems(dataset, str(release_dir)).values() for problem in split]
    assert {problem.id for problem in problems if not gold_agrees_with_itself(problem)} <= NO_VALUE


def test_a_quantity_that_is_zero_is_determined() -> None:
    solving = EquationSolver(Algebra())
    assert solving.add({(0,): 5}) == "new"
    assert solving.value(({(0,): 1}, {(): 1})) == 0
    # A number of the text in front of it changes nothing, a second unknown does.
    solving = EquationSolver(Algebra())
    assert solving.add({(-1, 0): 5}) == "new"
    assert solving.add({(1, 2): 5}) == "contradicts"


@pytest.mark.parametrize(
    ("answer", "derivation", "reason"),
    [
        ("x + y = 120, 9x + 5y = 940, so x = 85 and y = 35", True, "right"),
        ("x + y = 120, 9x + 5y = 940, so 4x = 360, x = 90, y = 30", True, "slip"),
        ("x + y = 120, 9x - 5y = 940", False, "other"),
        ("85 adults and 35 children", False, "no-derivation"),
        ("Let me think about it.", False, "unread"),
        # 940 - 90 = 850 and 850 / 10 = 85: nothing of the problem but its total.
        ("940 - 90 = 850, 850 / 10 = 85 adults, 85 - 50 = 35 children", False, "undecided"),
    ],
    ids=["right", "slip", "other", "no derivation", "unread", "undecided"],
)
def test_reasons(answer: str, derivation: bool, reason: str) -> None:
    verdict = grade({"answer": answer}, ROW)
    assert (verdict.derivation, str(verdict.reason)) == (derivation, reason), verdict.message


def test_solutions_alone_are_graded_as_solutions() -> None:
    verdict = grade({"solutions": [85, 35]}, ROW)
    assert (verdict.derivation, verdict.solution, str(verdict.reason)) == (False, True, "no-derivation")
    assert not grade({"solutions": [85, 36]}, ROW).solution


def test_a_dropped_factor_of_one_is_a_shortcut() -> None:
    from draw_dataset.text.numbers import find_numbers

    question = "Tom has 20 coins worth $ 1 and $ 2 . They are worth $ 33 . How many of each does he have ?"
    found = find_numbers(question)
    row = {
        **ROW,
        "question": question,
        "numbers": [
            {"index": n.index, "sentence": n.sentence, "token": n.token, "start": n.start, "end": n.end,
             "text": n.text, "value": float(n.value)}
            for n in found
        ],
        "equations": ["x + y = 20", "1*x + 2*y = 33"],
        "solutions": [7.0, 13.0],
        "alignment": [
            {"slot": slot, "sentence": found[i].sentence, "token": found[i].token, "value": float(found[i].value)}
            for slot, i in zip("abcd", (0, 1, 2, 3), strict=True)
        ],
    }  # fmt: skip
    verdict = grade({"answer": "x + y = 20, x + 2y = 33. So y = 13 and x = 7."}, row)
    assert (verdict.derivation, verdict.certain, str(verdict.reason)) == (True, False, "shortcut")
    exact = grade({"answer": "x + y = 20, 1x + 2y = 33. So y = 13 and x = 7."}, row)
    assert exact.derivation


PREDICTIONS = ({"answer": "x + y = 120, 9x + 5y = 940"}, "9*x = q2")


def test_a_text_may_have_hundreds_of_numbers() -> None:
    row = {name: value for name, value in ROW.items() if name != "numbers"}
    row["question"] = f"{ROW['question']} " + " ".join(f"There are {number} birds ." for number in range(1_000, 1_300))
    verdicts = [grade(prediction, row, match="quantities") for prediction in PREDICTIONS]
    assert [verdict.derivation for verdict in verdicts] == [True, False]


def test_gold_may_name_a_number_that_is_not_among_the_numbers_of_its_row() -> None:
    verdicts = [grade(p, {**ROW, "numbers": ROW["numbers"][:2]}, match="quantities") for p in PREDICTIONS]
    assert [verdict.derivation for verdict in verdicts] == [True, False]
