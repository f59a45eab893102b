"""What a text states of its unknowns: what is read, what is left out, and what becomes of it."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from solver.story_problems import make, stories

from draw_dataset import Derivation, Problem, TextNumber
from draw_dataset.derivation.equivalence import derivations_equivalent
from draw_dataset.solver import model as model_module
from draw_dataset.solver.model import Model
from draw_dataset.solver.relations.forms import Form
from draw_dataset.solver.relations.statements import Relation, read_relations
from draw_dataset.solver.relations.use import (
    AnnotationConventions,
    compose_derivation,
    count_violations,
    learn_conventions,
)
from draw_dataset.solver.systems import load_model, save_model, train
from draw_dataset.solver.text import TaggedText


def relations_of(text: str) -> tuple[Relation, ...]:
    return read_relations(TaggedText.of(text))


def read(text: str) -> list[str]:
    """Return what is read from a text, the first meaning of each relation, multiplied out."""
    return [str(relation.forms[0]) for relation in relations_of(text)]


def made(text: str) -> tuple[str, list[Fraction]] | None:
    """Return the derivation that the relations of a text make, and its solution."""
    tagged = TaggedText.of(text)
    found = compose_derivation(read_relations(tagged), tagged.numbers)
    return None if found is None else (found[0].q_notation(), sorted(found[1].numbers))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The sum of two numbers is 137 .", ["larger + smaller + -137"]),
        ("Two numbers differ by 7 .", ["larger + -1*smaller + -7"]),
        ("Find two numbers whose sum is 50 and whose difference is 12 .", ["larger + smaller + -50"]),
        ("Two numbers have a sum of 17 and a difference of 3 .", ["larger + smaller + -17"]),
        ("Their total is 19 .", ["larger + smaller + -19"]),
        ("One number is 4 more than another .", ["first + -1*second + -4"]),
        ("A number is 9 less than three times another number .", ["first + -3*second + 9"]),
        ("The larger is 5 less than twice the smaller .", ["larger + -2*smaller + 5"]),
        ("Three times the smaller exceeds the larger by 8 .", ["-1*larger + 3*smaller + -8"]),
        ("The larger number is greater than the smaller by 6 .", ["larger + -1*smaller + -6"]),
        ("The larger is 3 more than the other .", ["larger + -1*smaller + -3"]),
        ("Six times a number , increased by 4 , is 46 .", ["6*first + -42"]),
        ("Twice the sum of a number and 5 is 34 .", ["2*first + -24"]),
        ("The quotient of a number and 4 is 9 .", ["1/4*first + -9"]),
        ("The product of 7 and a number is 63 .", ["7*first + -63"]),
        ("20 % of a number is 14 .", ["1/5*first + -14"]),
        ("Half of a number is 11 .", ["1/2*first + -11"]),
        ("Two thirds of a number is 18 .", ["2/3*first + -18"]),
        ("If 8 is added to a number , the result is 21 .", ["first + -13"]),
        ("If 8 is subtracted from a number and the result is divided by 3 , you get 5 .", ["1/3*first + -23/3"]),
        ("If you multiply a number by 9 and then add 8 , the result is 71 .", ["9*first + -63"]),
        ("A number when doubled gives 18 .", ["2*first + -18"]),
        ("The sum of 3 times the first number and 2 times the second number is 40 .", ["3*first + 2*second + -40"]),
        ("The ratio of two numbers is 3 to 4 .", ["4*first + -3*second"]),
        ("Two consecutive even integers are on the wall .", ["larger + -1*smaller + -2"]),
        ("The sum of three numbers is 60 .", ["all + -60"]),
        ("Anna is 6 years older than Paul .", ["the anna + -1*the paul + -6"]),
        ("The father is three times as old as his son .", ["the father + -3*the son"]),
        ("There are 5 more hens than ducks on the farm .", ["-1*the duck + the hen + -5"]),
        ("He has four times as many pens as rulers .", ["the pen + -4*the ruler"]),
        ("The tens digit is 3 more than the units digit .", ["tens + -1*units + -3"]),
        ("The digits of a two-digit number add up to 9 .", ["tens + units + -9"]),
        (
            "When the larger is divided by the smaller , the quotient is 4 and the remainder is 2 .",
            ["larger + -4*smaller + -2"],
        ),
    ],
)
def test_a_statement_is_read(text: str, expected: list[str]) -> None:
    assert read(text)[: len(expected)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "A train leaves at 60 mph and another leaves at 45 mph .",
        "The square of the larger number is 25 more than the smaller .",
        "Tom is a farmer .",
        "Six years ago Anna was twice as old as Paul .",
        "In 4 years Anna will be twice as old as Paul .",
        "The fence is 130 feet long .",
        "The sum of two numbers is not 12 .",
        "One kind costs $ 4 a pound and the other is $ 6 a pound .",
        "She has 8 times as many pens as Rosa .",
        "He has 9 more than three times as many pens as rulers .",
        "We paid a total of $ 517 .",
        "",
    ],
)
def test_what_is_not_understood_is_left_out(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "derivation", "values"),
    [
        ("The sum of two numbers is 137 . Their difference is 9 .", "m + n = q2; m - n = q3", [64, 73]),
        (
            "The sum of two numbers is 148 . One number is 3 times as large as the other .",
            "m + n = q2; m - q3*n = 0",
            [37, 111],
        ),
        (
            "One number is 5 more than another . Three times the larger is 45 .",
            "m - n = q1; q2*m = q3",
            [10, 15],
        ),
        ("Anna is 6 years older than Paul . The sum of their ages is 30 .", "m - n = q1; m + n = q2", [12, 18]),
        ("If 8 is added to twice a number , the result is 30 .", "q1 + q2*m = q3", [11]),
        (
            "The digits of a two-digit number add up to 9 . If the digits are reversed , the new number is 27 more "
            "than the original number .",
            "m + n = q1; m + 10*n - 10*m - n = q2",
            [3, 6],
        ),
    ],
)
def test_enough_statements_make_a_derivation(text: str, derivation: str, values: list[int]) -> None:
    tagged = TaggedText.of(text)
    found = compose_derivation(read_relations(tagged), tagged.numbers)
    assert found is not None
    assert sorted(found[1].numbers) == values
    assert derivations_equivalent(found[0], Derivation.read(derivation, tagged.numbers))


@pytest.mark.parametrize(
    "text",
    [
        "The sum of two numbers is 137 .",
        "The sum of two numbers is 137 . The sum of the numbers is 138 .",
        "The sum of two numbers is 137 . Anna is 3 years older than Paul . Paul is 4 years older than Tim .",
        "The sum of three numbers is 60 .",
        "The larger is the smaller .",
    ],
)
def test_too_little_or_too_much_makes_none(text: str) -> None:
    assert made(text) is None


def test_of_several_readings_the_positive_one_is_taken() -> None:
    found = made("The difference of 6 times a number and 11 times the number is 85 .")
    assert found is not None
    assert found[1] == [17]
    found = made("Anna is four times as old as Paul . The difference of their ages is 51 .")
    assert found is not None
    assert found[1] == [17, 68]


def test_broken_relations_are_counted_under_the_best_naming() -> None:
    relations = relations_of("The sum of two numbers is 220 . One number is 136 more than the other .")
    # By unknown, then by candidate: right, the other way round, right sum alone, right difference alone, nothing.
    solutions = np.array([[178.0, 42.0, 110.0, 196.0, 1.0], [42.0, 178.0, 110.0, 60.0, 3.0]])
    assert count_violations(relations, None, solutions).tolist() == [0, 0, 1, 1, 2]
    assert count_violations(relations[:1], None, solutions).tolist() == [0, 0, 0, 1, 1]


def test_a_template_with_fewer_unknowns_must_find_one_of_them() -> None:
    relations = relations_of("The sum of two numbers is 220 . One number is 136 more than the other .")
    solutions = np.array([[42.0, 178.0, 8.0]])
    assert count_violations(relations, [42.0, 178.0], solutions).tolist() == [0, 0, 2]
    assert count_violations(relations, None, solutions).tolist() == [0, 0, 0]  # where they leave it open


def annotated(text: str, q_notation: str) -> tuple[TaggedText, list[Derivation]]:
    tagged = TaggedText.of(text)
    return tagged, [Derivation.read(q_notation, tagged.numbers)]


def test_training_problems_tell_the_annotators_customs() -> None:
    pairs = [annotated(f"Two numbers differ by {a} . Their sum is {b} .", "m - n = q2; m + n = q3") for a, b in PAIRS]
    shifts = [annotated(f"Two numbers differ by {a} . Their sum is {b} .", "m + m + q2 = q3") for a, b in PAIRS]
    evens = [annotated(f"The sum of two consecutive integers is {b} .", "m + m = q2 - 1") for _, b in PAIRS]
    assert learn_conventions([], []) == (True, True)
    assert learn_conventions(*zip(*pairs, strict=True)) == (True, True)
    assert learn_conventions(*zip(*shifts, strict=True)) == (False, True)
    assert learn_conventions(*zip(*pairs, *evens, strict=True)) == (True, False)


PAIRS = [(3, 19), (5, 27), (7, 41), (9, 55), (11, 61), (4, 30), (6, 52), (8, 74)]


def puzzles() -> list[Problem]:
    """Return problems of one plot in the words of UNSEEN, and others."""
    told = [
        make(
            100 + i,
            f"One number is {a} less than another number . The sum of the two numbers is {b} . Find the numbers .",
            ["n - m = a", "m + n = b"],
            [f"y - x = {a}", f"x + y = {b}"],
            {"a": 1, "b": 3},
        )
        for i, (a, b) in enumerate(PAIRS)
    ]
    return [*stories(24), *told]


@pytest.fixture(scope="module")
def solver() -> Model:
    return train(puzzles(), epochs=2)


UNSEEN = "5 times one number is 14 less than another number . The sum of the two numbers is 74 . Find the numbers ."


def test_a_solver_answers_by_a_template_that_it_has_never_seen(solver: Model) -> None:
    assert solver.conventions == (True, True)
    assert "|relations:read|" in solver.signature
    answer = solver.predict(UNSEEN)
    assert answer.solution is not None
    assert sorted(answer.solution.numbers) == [10, 64]
    assert answer.derivation is not None
    assert solver.inventory.locate(answer.derivation) is None
    assert answer.stated == ("5 times one number is 14 less than another number", "the sum of the two numbers is 74")
    without = replace(solver, conventions=None).predict(UNSEEN)
    assert without.stated == ()
    assert without.solution is None or sorted(without.solution.numbers) != [10, 64]


def test_a_solver_may_be_trained_without(solver: Model) -> None:
    plain = train(puzzles(), epochs=2, relations=False)
    assert plain.conventions is None
    assert "relations" not in plain.signature
    for kind, table in plain.weights.items():
        assert np.array_equal(table, solver.weights[kind])
    assert train(stories(24), features="paper", epochs=1).conventions is None


def test_customs_are_kept_in_a_file(solver: Model, tmp_path: Path) -> None:
    for customs in (None, AnnotationConventions(True, False), AnnotationConventions(False, True)):
        save_model(replace(solver, conventions=customs), tmp_path / "model.npz")
        assert load_model(tmp_path / "model.npz").conventions == customs


@pytest.mark.parametrize(
    "piece",
    [
        "twice ",
        "the sum of ",
        "5 more than ",
        "the sum of 3 and ",
        "a number plus 1 ",
        "a number times 9999999999999999999999999999999999999999 ",
        "if a number is added to 5 and the result is divided by ",
        "the difference between a number and 5 is the difference between ",
        "anna is 5 years older than paul , paul is 3 years older than tim . ",
        "the ratio of 3 to 4 and ",
        "the number of the number of ",
    ],
)
def test_endless_phrases_end(piece: str) -> None:
    """Four times the text takes at most about four times the steps, so nothing grows faster than the text."""

    def work(words: int) -> int:
        text = TaggedText.of(" ".join((piece * 1000).split()[:words]) + " is 5 .")
        calls = 0

        def count(*_: object) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(count)
        try:
            compose_derivation(read_relations(text), text.numbers)
        finally:
            sys.setprofile(None)
        return calls

    assert work(800) < 6 * work(200) + 20_000


def test_relations_with_many_meanings_end() -> None:
    text = TaggedText.of(
        " ".join(f"The difference between a number and {n} is {n + 1} . The ratio of 2 to {n} ." for n in range(3, 9))
    )
    relations = read_relations(text)
    assert len(relations) == 12
    assert all(len(relation.forms) > 1 for relation in relations)
    assert compose_derivation(relations, text.numbers) is None


def test_of_many_candidates_the_best_are_compared(solver: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = replace(solver, conventions=AnnotationConventions(composes=False, consecutive=True))
    expected = plain.predict(UNSEEN)
    monkeypatch.setattr(model_module, "MOST_COMPARED", 1)
    assert plain.predict(UNSEEN).derivation is not None
    monkeypatch.setattr(model_module, "MOST_COMPARED", 10**9)
    assert plain.predict(UNSEEN) == expected


def test_forms_are_exact() -> None:
    third = Form.number(Fraction(1, 3), "q1")
    form = third.times(Form.unknown("first"))
    assert form is not None
    assert form.plus(form).plus(form).parts == (("first", Fraction(1)),)
    assert Form.unknown("first").times(Form.unknown("second")) is None
    assert Form.unknown("first").over(Form.number(0)) is None
    assert Form.unknown("first").minus(Form.unknown("second")).rename({"second": "first"}).is_number


def test_every_problem_is_read_alike_twice(problems: list[Problem]) -> None:
    for problem in problems:
        text = TaggedText.of_problem(problem)
        assert read_relations(text) == read_relations(text)
        for relation in read_relations(text):
            assert relation.words
            assert all(form.names for form in relation.forms)


def test_numbers_keep_their_places() -> None:
    tagged = TaggedText.of("One half of a number is 6 more than one third of the number .")
    found = compose_derivation(read_relations(tagged), tagged.numbers)
    assert found is not None
    assert found[1].numbers == (36,)
    assert all(isinstance(number, TextNumber) for number in found[0].alignment.values())
