"""Every kind of defect, present and absent, in small problems of our own."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from checks.made import TEXT, problem

from draw_dataset import Derivation, TextNumber
from draw_dataset.checks.findings import (
    CODES,
    LASTING,
    UNTRUSTED,
    check_datasets,
    check_problem,
    check_problems,
    codes_by_id,
    is_derivable,
)
from draw_dataset.checks.suspicions import suspicions_of
from draw_dataset.data.release import CODES as OF_READERS
from draw_dataset.derivation.problem import Problem

TWO_BELLS = "Two kites cost as much as two bells and 6 pesos . A bell costs 4 pesos . What does a kite cost ?"


def codes(given: Problem) -> list[str]:
    return [finding.code for finding in check_problem(given)]


def test_a_sound_problem_has_no_findings() -> None:
    assert check_problems([problem()]) == []


def test_an_aligned_article_is_a_number_the_rules_miss() -> None:
    given = problem(
        template=("d*m + a*n = b", "m - n = c"),
        equations=("1*kite + 2*bell = 11", "kite = bell + 5"),
        alignment=(("a", 0, 3, 2.0), ("b", 0, 6, 11.0), ("c", 1, 3, 5.0), ("d", 0, 0, 1.0)),
    )
    assert codes(given) == ["number-missed"]


@pytest.mark.parametrize(("value", "found"), [(11.0, False), (11.0000001, False), (12.0, True)])
def test_a_value_that_is_not_on_its_token(value: float, found: bool) -> None:
    given = problem(alignment=(("a", 0, 3, 2.0), ("b", 0, 6, value), ("c", 1, 3, 5.0)))
    assert ("value-mismatch" in codes(given)) is found


def test_a_place_that_is_not_in_the_text_is_a_finding() -> None:
    given = replace(problem(), alignment=problem(alignment=(("a", 0, 3, 2.0),)).alignment)
    outside = replace(given.alignment[0], token=99)
    assert "value-mismatch" in codes(replace(given, alignment=(outside, *problem().alignment[1:])))


@pytest.mark.parametrize(("solutions", "found"), [((2.0, 7.0), False), ((2.001, 7.0), False), ((2.0, 8.0), True)])
def test_solutions_the_template_does_not_give(solutions: tuple[float, ...], found: bool) -> None:
    assert ("solution-mismatch" in codes(problem(solutions=solutions))) is found


def test_a_template_without_a_unique_solution() -> None:
    given = problem(template=("m + a*n + b*o = c",))
    assert codes(given) == ["solution-mismatch", "not-derivable"]


def test_exchanged_numbers_that_give_the_solution_are_not_derivable() -> None:
    question = "Three times a number is 4 more than one times it . Which number is it ?"
    right = problem(
        question=question,
        equations=("3*x = 4 + 1*x",),
        solutions=(2.0,),
        template=("a*m = b + c*m",),
        alignment=(("a", 0, 0, 3.0), ("b", 0, 5, 4.0), ("c", 0, 8, 1.0)),
    )
    assert codes(right) == []
    # A factor of 1 in the wrong place does not change the solution, only the reasoning.
    wrong = replace(right, template=("a*m - c*m = b*c",))
    assert codes(wrong) == ["not-derivable"]


@pytest.mark.parametrize(
    ("equations", "template", "values"),
    [
        ("0.32*x = 8", "0.01*a*m = b", {"a": 32, "b": 8}),
        ("0.01*32*x + 0.01*12*y = 5; x + y = 20", "a*m + b*n = 100*c; m + n = d", {"a": 32, "b": 12, "c": 5, "d": 20}),
        ("x = (3/4)*12", "m = a*b", {"a": "3/4", "b": 12}),
        ("0.33333*x = 12", "a*m = b", {"a": "1/3", "b": 12}),
        ("x + y = -6; x - y = 2", "m + n = a; m - n = b", {"a": -6, "b": 2}),
        ("x + y = 0; x - y = 2", "m + n = a; m - n = b", {"a": 0, "b": 2}),
        ("x = 3 + 5", "m = a + 5", {"a": 3}),
        ("t = s/2; s = 6", "m = a*n; n = b", {"a": "1/2", "b": 6}),
        ("x = 80/4", "m = 0.01*a*b", {"a": 25, "b": 80}),
    ],
)
def test_what_annotators_may_do_is_derivable(equations: str, template: str, values: dict[str, object]) -> None:
    assert is_derivable(equations.split("; "), _derivation(template, values))


@pytest.mark.parametrize(
    ("equations", "template", "values"),
    [
        ("x = 3 - 5", "m = b - a", {"a": 3, "b": 5}),
        ("x = 3 + 5", "m = a + b + c - c", {"a": 3, "b": 5, "c": 7}),
        ("x = 3 + 5; y = 1", "m = a + b", {"a": 3, "b": 5}),
        ("x = 0.3*10", "m = a*b", {"a": "1/3", "b": 10}),
        ("x = 2*6", "m = a*b", {"a": "1/2", "b": 6}),
        ("x = 6/2", "m = b/a", {"a": "1/2", "b": 6}),
    ],
)
def test_other_derivations_are_not_derivable(equations: str, template: str, values: dict[str, object]) -> None:
    assert not is_derivable(equations.split("; "), _derivation(template, values))


def _derivation(template: str, values: dict[str, object]) -> Derivation:
    numbers = {slot: TextNumber(0, i, Fraction(str(v)), i + 1) for i, (slot, v) in enumerate(values.items())}
    return Derivation(template, numbers)


def two_bells(groups: list[list[tuple[int, int, float]]]) -> Problem:
    return problem(
        question=TWO_BELLS,
        equations=("2*kite = 2*bell + 6", "bell = 4"),
        solutions=(7.0, 4.0),
        template=("a*m = b*n + c", "n = d"),
        alignment=(("a", 0, 0, 2.0), ("b", 0, 6, 2.0), ("c", 0, 9, 6.0), ("d", 1, 3, 4.0)),
        equiv_tnum=groups,
    )


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ([(0, 3, 2.0)], []),
        ([(0, 3, 2.0), (0, 1, 2.0)], ["equiv-token"]),  # a word
        ([(0, 3, 2.0), (0, 6, 11.0)], ["equiv-token", "equiv-joins-slots"]),  # another value
        ([(0, 3, 3.0)], ["equiv-token"]),  # a wrong value for its token
    ],
)
def test_equiv_members(group: list[tuple[int, int, float]], expected: list[str]) -> None:
    assert codes(problem(equiv_tnum=[group])) == expected


def test_a_group_that_joins_two_slots() -> None:
    assert codes(two_bells([])) == []
    assert codes(two_bells([[(0, 0, 2.0), (0, 6, 2.0)]])) == ["equiv-joins-slots"]


def test_a_slot_that_cancels() -> None:
    given = problem(
        question="Find 2 numbers . Five times the first is 5 times 8 .",
        equations=("5*x = 5*8",),
        solutions=(8.0,),
        template=("a*m = a*b",),
        alignment=(("a", 1, 5, 5.0), ("b", 1, 7, 8.0)),
    )
    assert codes(given) == ["slot-cancels"]


@pytest.mark.parametrize("asked", ["x", "m +", "q9", "m*n"])
def test_what_is_asked_must_be_readable(asked: str) -> None:
    assert codes(replace(problem(), asked=("m", "q1 - n"))) == []
    assert codes(replace(problem(), asked=(asked,))) == ["unreadable"]
    assert suspicions_of(replace(problem(), asked=(asked,))) == []


def test_every_gold_that_a_reader_found_wrong_is_not_to_be_trusted() -> None:
    assert {code for (verdict, _), code in OF_READERS.items() if verdict == "wrong"} <= UNTRUSTED
    assert CODES.keys() >= UNTRUSTED | LASTING
    assert not UNTRUSTED & LASTING


def test_what_cannot_be_read_is_a_finding_and_the_rest_is_still_checked() -> None:
    given = problem(template=("m + = a",), equiv_tnum=[[(0, 1, 2.0)]])
    assert codes(given) == ["unreadable", "equiv-token"]
    assert [f.code for f in check_problems([given, replace(given, id=2)])].count("duplicate-text") == 2


def test_ids_and_texts_that_are_there_twice() -> None:
    twin = replace(problem(), id=2, question=TEXT.replace("kite and", "Kite  and").replace("bells", "Bells"))
    assert [(f.code, f.problem_id) for f in check_problems([problem(), problem()])] == [("duplicate-id", 1)] * 2
    assert [(f.code, f.problem_id) for f in check_problems([problem(), twin])] == [
        ("duplicate-text", 1),
        ("duplicate-text", 2),
    ]


def test_ids_may_be_texts_and_come_after_numbers() -> None:
    found = check_problems([problem(id=id_, solutions=(1.0, 1.0)) for id_ in ("b", 10, 9, "a")])
    assert [(f.code, f.problem_id) for f in found] == [
        (code, id_) for code in ("solution-mismatch", "duplicate-text") for id_ in (9, 10, "a", "b")
    ]
    assert "9, 10, a" in found[-1].message
    assert list(codes_by_id(found)) == [9, 10, "a", "b"]


def test_one_text_with_two_templates() -> None:
    other = problem(
        id=2,
        equations=("(bell + 5) + 2*bell = 11",),
        template=("m + c + a*m = b",),
        solutions=(2.0,),
    )
    found = check_datasets({"one": {"train": [problem()]}, "two": {"train": [other]}})
    assert [f.code for f in found["one"]] == ["other-gold", "near-duplicate-dataset"]
    assert [f.code for f in found["two"]] == ["other-gold", "near-duplicate-dataset"]


def test_near_duplicates_have_the_same_numbers_in_nearly_the_same_words() -> None:
    near = problem(id=2, question=TEXT.replace("What does each cost", "Find both prices"))
    far = problem(id=3, question=TEXT.replace("11", "14"), alignment=(("a", 0, 3, 2.0),))
    found = check_datasets({"one": {"train": [problem()], "test": [near, far]}})["one"]
    assert [f.problem_id for f in found if f.code == "near-duplicate-split"] == [1, 2]
    assert not [f for f in check_problems([problem(), near]) if f.code.startswith("near")]


def test_every_code_has_a_meaning() -> None:
    assert all(CODES.values())
