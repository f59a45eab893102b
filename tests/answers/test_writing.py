"""What was read of an answer, written in the numbers of the problem: it is a derivation, and says the same."""

from __future__ import annotations

from fractions import Fraction

import pytest

from draw_dataset import Derivation, read_answer
from draw_dataset.data.sample import ANSWERS, load_sample, load_sample_answers
from draw_dataset.derivation.problem import Problem
from draw_dataset.reading.answer import MAX_RESULT

PROBLEMS = {problem.id: problem for problem in load_sample()["test"]}


def values(problem: Problem, equations: list[str]) -> dict[str, Fraction]:
    """What the unknowns of a derivation in q-notation come to at the numbers of a problem."""
    derivation = Derivation.read("; ".join(equations))
    ranks = [number.token for number in derivation.alignment.in_slots(derivation.template.slots)]
    numbers = [problem.numbers[rank - 1].value or Fraction(0) for rank in ranks]
    return dict(derivation.template.solve(dict(zip(derivation.template.slots, numbers, strict=True))).values)


@pytest.mark.parametrize("name", ANSWERS)
def test_every_set_up_is_a_derivation_with_the_quantities_that_were_read(name: str) -> None:
    for id_, answer in load_sample_answers(name).items():
        problem = PROBLEMS[id_]
        reading = read_answer(answer, problem)
        if reading.setup:
            found = values(problem, list(reading.setup))
            assert {letter: reading.quantities[letter] for letter in found} == found, id_
        if reading.chain:
            assert not reading.setup
            assert values(problem, [f"x{i} = {text}" for i, text in enumerate(reading.chain)])


@pytest.mark.parametrize(
    ("answer", "setup"),
    [
        ("0.24 * 10 = 2.4 litres. 2.4 = 0.15(10 + x)", ("0.01*q2*q1 = 0.01*q4*(q1 + x)",)),
        ("x + y = 34", ("x + y = q1 + q2",)),
        ("1.15x = 10", ("(1 + 0.01*q4)*x = q1",)),
    ],
)
def test_numbers_that_were_computed_are_written_as_they_were_computed(answer: str, setup: tuple[str, ...]) -> None:
    question = "10 litres of a 24 % feed are in 1 tank , to be thinned to 15 % ."
    assert read_answer(answer, question).setup == setup


def test_a_chain_is_written_as_what_it_ends_in() -> None:
    reading = read_answer("20 - 5 = 15. 15 * 3 = 45, and 20 / 5 = 4.", "20 hens , 5 sold , 3 eggs each .")
    assert reading.chain == ("(q1 - q2)*q3", "q1/q2")
    assert reading.setup == ()
    assert reading.to_dict()["chain"] == ["(q1 - q2)*q3", "q1/q2"]


def test_a_result_is_written_as_a_number_and_not_as_a_multiple_of_another() -> None:
    reading = read_answer("20 / 5 = 4, x + 5 = 45, x = 40", "20 hens in 5 sheds , 45 in all .")
    assert [statement.equation for statement in reading.statements] == ["q1/q2 = 4", "x + q2 = q3", "x = 40"]


def test_a_chain_that_doubles_stays_short() -> None:
    value, steps = 3, []
    for _ in range(300):
        steps.append(f"{value} + {value} = {2 * value % 1_000_003}")
        value = 2 * value % 1_000_003
    reading = read_answer("\n".join(steps), "Ann has 3 pears .")
    assert reading.chain
    assert max(map(len, reading.chain)) <= 2 * MAX_RESULT + 20


@pytest.mark.parametrize(
    ("answer", "setup", "finals"),
    [
        (r"\[ \frac{3}{4}L + L = 21 \]. So \boxed{12} km", ["3}{4}L + L = 21"], ["12"]),
        (r"$x + 5 = 21$, hence $\boxed{16}$", ["x + 5 = 21"], ["16"]),
        (r"\boxed{x = 16}", [], ["16"]),
        ('{"equations": ["x + 5 = 21"], "answer": "16 kilometres"}', ["x + 5 = 21"], ["16"]),
        ("```python\nsolve(Eq(x + 5, 21), x)\n```\n16", ["solve(Eq(x + 5, 21), x)"], ["16"]),
    ],
)
def test_spans_cover_what_stands_in_the_answer(answer: str, setup: list[str], finals: list[str]) -> None:
    reading = read_answer(answer, "Two villages laid 21 km , one 3/4 of the other , 5 in May .")
    assert [s.text.strip() for s in reading.statements if s.kind == "set-up"] == setup
    assert [final.text for final in reading.finals] == finals
    for found in (*reading.statements, *reading.finals):
        assert answer[found.start : found.end] == found.text
