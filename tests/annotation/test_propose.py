"""What a question and its equations leave open."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draw_dataset import Problem, derivations_equivalent
from draw_dataset.annotate.normal import build_problem, induce
from draw_dataset.annotate.proposal import CONSTANT, Origin, Proposal, propose
from draw_dataset.data.sample import load_sample
from draw_dataset.errors import AnnotationError, ChoiceError


def sources(proposal: Proposal) -> list[tuple[str, list[str]]]:
    """Each literal with what it may come from, as q1, 1/100*q1 or constant."""

    def shown(origin: Origin) -> str:
        if origin.number is None:
            return "constant"
        text = f"q{origin.number.index}" if origin.factor == 1 else f"{origin.factor}*q{origin.number.index}"
        return f"1/({text})" if origin.is_reciprocal else text

    return [(literal.text, [shown(origin) for origin in literal.origins]) for literal in proposal.literals]


CASES = [
    # what it shows, question, equations, the origins of each literal
    (
        "one number fits",
        "Ann has 3 times as many shells as Bob , 12 in all .",
        "a = 3*b; a + b = 12",
        [("3", ["q1"]), ("12", ["q2"])],
    ),
    (
        "two numbers fit",
        "A rope of 7 m is cut in 2 pieces , the first 2 m longer .",
        "x + y = 7; x = y + 2",
        [("7", ["q1"]), ("2", ["q2", "q3"])],
    ),
    ("no number fits", "An angle has 40 degrees .", "x + 40 = 180", [("40", ["q1"]), ("180", ["constant"])]),
    ("a percentage as decimal", "Save 4 % of 250 .", "x = .04*250", [(".04", ["1/100*q1"]), ("250", ["q2"])]),
    ("a percentage times .01", "Save 4 % of 250 .", "x = .01*4*250",
     [(".01", ["constant"]), ("4", ["q1"]), ("250", ["q2"])]),
    ("a percentage as figure", "Save 4 % of 250 .", "100*x = 4*250",
     [("100", ["constant"]), ("4", ["q1"]), ("250", ["q2"])]),
    ("one percent times .01", "Save 1 % of 250 .", "x = .01*1*250",
     [(".01", ["constant"]), ("1", ["q1"]), ("250", ["q2"])]),
    ("one percent as decimal", "Save 1 % of 250 .", "x = .01*250", [(".01", ["1/100*q1"]), ("250", ["q2"])]),
    ("a percentage and a decimal", "Mix .25 L at 25 % .", "x = .25*.25", [(".25", ["q1", "1/100*q2"])] * 2),
    ("cents as dollars", "A pen is 5 cents , a book $ 3 .", "x = 0.05 + 3", [("0.05", ["1/100*q1"]), ("3", ["q2"])]),
    ("dollars as cents", "She has $ 2.50 in dimes .", "10*x = 250", [("10", ["100*q2"]), ("250", ["100*q1"])]),
    ("no unit where a number fits", "It costs $ 2 . He has 200 .", "x = 200", [("200", ["q2"])]),
    ("minutes as hours", "A bus goes 40 mph for 30 minutes .", "x = 40*0.5", [("40", ["q1"]), ("0.5", ["1/60*q2"])]),
    ("a rounded third", "He ate one-third of 12 .", "x = 0.33333*12", [("0.33333", ["q1"]), ("12", ["q2"])]),
    ("a quotient that is one number", "He ate 1/3 of 12 .", "x = (1/3)*12", [("1/3", ["q1"]), ("12", ["q2"])]),
    ("half as a division", "Half of a sum and 3 make 10 .", "x/2 + 3 = 10",
     [("2", ["1/(q1)", "constant"]), ("3", ["q2"]), ("10", ["q3"])]),
    ("a third as a division", "She keeps a third of her 12 eggs .", "x = 12/3",
     [("12", ["q2"]), ("3", ["1/(q1)", "constant"])]),
    ("a percentage as a division", "Take 25 % of 80 .", "x = 80/4",
     [("80", ["q2"]), ("4", ["1/(1/100*q1)", "constant"])]),
    ("a quarter as a division", "He walked a quarter of 80 km .", "x = 80/4",
     [("80", ["q2"]), ("4", ["1/(q1)", "constant"])]),
    ("a division by a number, or by half", "The 2 girls got half of x .", "y = x/2; x = 8",
     [("2", ["q1", "1/(q2)"]), ("8", ["constant"])]),
    ("a half that is used", "Half of 12 went to 3 boys .", "x = 0.5*12/3; y = 7/2",
     [("0.5", ["q1"]), ("12", ["q2"]), ("3", ["q3"]), ("7", ["constant"]), ("2", ["constant"])]),
    ("a power is no reciprocal", "Half of it is 3 .", "x/2^2 = 3", [("2", ["constant"]), ("3", ["q2"])]),
    ("a quotient of two numbers", "Of 3 cakes 4 ate .", "x = 3/4", [("3", ["q1"]), ("4", ["q2"])]),
    ("a negative number after a minus", "A number and -21 make 9 .", "x - 21 = 9", [("21", ["-1*q1"]), ("9", ["q2"])]),
    ("a negative number with its sign", "Twice a number is -6 .", "2*x = -6", [("2", ["q1"]), ("6", ["-1*q2"])]),
    ("the 1 of a reciprocal", "It takes 1 hour : 45 mph , 30 mph .", "x/45 + 1/30*x = 1",
     [("45", ["q2"]), ("1", ["constant"]), ("30", ["q3"]), ("1", ["q1", "constant"])]),
    ("places of digits", "The sum of the digits is 10 .", "10*x + y = 3; x + y = 10",
     [("10", ["q1", "constant"]), ("3", ["constant"]), ("10", ["q1"])]),
    ("an exponent is no literal", "There are 2 of 9 .", "x = 9^2/2", [("9", ["q2"]), ("2", ["q1"])]),
]  # fmt: skip


@pytest.mark.parametrize(("question", "equations", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_origins(question: str, equations: str, expected: list[tuple[str, list[str]]]) -> None:
    assert sources(propose(question, equations)) == expected


def test_only_what_is_ambiguous_is_asked() -> None:
    found = propose("A rope of 7 m is cut in 2 pieces , the first 2 m longer .", ["x + y = 7", "x = y + 2"])
    assert found.questions == (1,)
    assert found.equations == "x + y = 7; x = y + 2"
    literal = found.literals[1]
    assert found.equations[literal.start : literal.end] == "2"
    assert found.equations[: literal.start] == "x + y = 7; x = y + "


def test_a_slot_that_cancels_is_a_constant() -> None:
    found = propose("Three consecutive even numbers add up to 36 .", "x - 2 + x + x + 2 = 36")
    assert found.count == 1
    assert found.derive().q_notation() == "m - 2 + m + m + 2 = q3"
    assert str(induce(found.derive()).template) == "3*m = a"


def test_a_slot_that_cancels_for_one_choice_only() -> None:
    found = propose("Two numbers , 2 apart , add up to 36 .", "x - 2 + x + 2 = 36")
    assert [d.q_notation() for d in found] == [
        "m - 2 + m + 2 = q3",
        "m - q1 + m + q2 = q3",
        "m - q2 + m + q1 = q3",
        "m - 2 + m + 2 = q3",
    ]


def test_dividing_by_a_reciprocal_is_multiplying_by_the_number() -> None:
    half = propose("Half of a sum and 3 make 10 .", "x/2 + 3 = 10")
    assert [d.q_notation() for d in half] == ["m*q1 + q2 = q3", "m/2 + q2 = q3"]
    assert {d.solve().numbers for d in half} == {(Fraction(14),)}
    assert induce(half.derive()).q_notation() == "q1*m = q3 - q2"
    percent = propose("Take 25 % of 80 km .", "x = -80/4/2 + 1/4y; y = 1")
    assert percent.derive().q_notation() == "m = -q2*0.01*q1/2 + 1*0.01*q1*n; n = 1"
    assert percent.derive().solve().numbers == percent.nth(percent.count - 1).solve().numbers


def test_a_person_may_choose_a_reciprocal_that_was_not_proposed() -> None:
    found = propose("Half of 12 and 8 .", "x = 0.5*12; y = 8/2")
    assert found.count == 1
    assert found.derive({3: found.origin(3, found.numbers[0])}).q_notation() == "m = q1*q2; n = q3*q1"


def test_signs_and_units_are_written_into_the_derivation() -> None:
    minus = propose("Add -2 to a number , take it 8 times , and get 24 .", "8*(x - 2) = 24").derive()
    assert minus.q_notation() == "q2*(m + q1) = q3"
    assert minus.solve().numbers == (Fraction(5),)
    percent = propose("36 is 60 % of a number .", "36/.6 = x").derive()
    assert percent.q_notation() == "q1/(0.01*q2) = m"
    assert percent.solve().numbers == (Fraction(60),)
    half = propose("At 40 mph for 30 minutes .", "x = 2 - 0.5*40").derive()
    assert half.q_notation() == "m = 2 - (q2/60)*q1"


def test_candidates_are_counted_exactly_and_listed_lazily() -> None:
    question = "He wrote " + " , ".join(["3"] * 40) + " ."
    equations = "x = " + " + ".join(["3*3"] * 20)
    found = propose(question, equations)
    assert found.count == 40**40
    assert found.nth(0).q_notation().startswith("m = q1*q1 + q1*q1")
    assert found.nth(found.count - 1).q_notation().endswith("q40*q40")
    assert len([d for d, _ in zip(found, range(100), strict=False)]) == 100


def test_ranks_follow_the_order_of_iteration() -> None:
    found = propose("Of 2 bags with 2 and 2 , 5 left .", "x = 2*2 + 5")
    assert [found.nth(i) for i in range(found.count)] == list(found)
    with pytest.raises(IndexError, match="below 9"):
        found.nth(9)


def test_a_person_may_overrule_what_was_proposed() -> None:
    found = propose("A 1 hour trip at 45 and 30 mph .", "x/45 + x/30 = 1")
    one = found.numbers[0]
    assert found.origin(2, one) == Origin(one)
    assert found.derive({2: found.origin(2, one)}).q_notation() == "m/q2 + m/q3 = q1"
    assert found.derive({2: found.origin(2, None), 0: CONSTANT}).q_notation() == "m/45 + m/q3 = 1"
    with pytest.raises(AnnotationError, match=r"\b45\b.*\b30\b"):
        found.origin(0, found.numbers[2])
    with pytest.raises(AnnotationError, match=r"0.*2.*3"):
        found.derive({3: CONSTANT})
    with pytest.raises(AnnotationError, match=r"0.*2.*-1"):
        found.origin(-1, None)


@pytest.mark.parametrize(
    ("question", "equations", "message"),
    [
        ("No number here .", "x = 1", "question: "),
        ("", "x = 1", "question: "),
        ("There are 2 .", "x = = 2", "equations: equation 1, column 5"),
        ("There are 2 .", [], "equations: "),
        ("There are 2 .", ["x = 2", 3], "equations: equation 2: "),
        ("There are 2 .", "x*x = 2", "linear"),
        ("There are 2 .", "x + y = 2", "x, y"),
        ("There are 2 .", "x = 2; x = 3", r"\bx\b"),
        ("There are 2 .", "2 = 2", r"1.*3.*0"),
        ("There are 2 .", "a = 2; b = a; c = b; d = c", r"1.*3.*4"),
        ("There are 2 and 2 .", "2*x*x - 2*x*x + x = 3", "with these numbers chosen"),
    ],
)
def test_what_cannot_be_annotated_says_why(question: str, equations: str, message: str) -> None:
    with pytest.raises(AnnotationError, match=message):
        for _ in propose(question, equations):
            pass


def sample_problems() -> list[Problem]:
    return [problem for split in load_sample().values() for problem in split]


@pytest.mark.parametrize("form", ["expanded", "written"])
def test_both_forms_are_the_same_derivation(form: str) -> None:
    for problem in sample_problems():
        if not problem.numbers:
            continue
        derivation = propose(problem.question, problem.equations).derive()
        induced = induce(derivation, form)  # type: ignore[arg-type]
        assert derivations_equivalent(induced, derivation), problem.id
        assert set(induced.template.unknowns) <= set("mno")
        assert list(induced.template.slots) == sorted(induced.template.slots)


def test_there_are_two_forms() -> None:
    derivation = propose("There are 2 .", "x = 2").derive()
    with pytest.raises(ChoiceError, match=r"expanded.*written.*'short'"):
        induce(derivation, "short")  # type: ignore[arg-type]


def test_an_annotated_problem_is_a_whole_row() -> None:
    proposal = propose("In a jar are 7 coins , 2 more dimes than 2 times the nickels .", "d + n = 7; d = 2*n + 2")
    numbers = proposal.numbers
    chosen = {1: Origin(numbers[3]), 2: Origin(numbers[1])}
    problem = build_problem(5, proposal, chosen, [[numbers[1], numbers[3]]])
    again = Problem.from_row(problem.to_row())
    assert again == problem
    assert problem.derivation.q_notation() == "m + n = q1; m - q4*n = q2"
    assert problem.equations == ("d + n = 7", "d = 2*n + 2")
    assert problem.solutions == (16 / 3, 5 / 3)
    assert len(problem.equiv_tnum[0]) == 2


@given(st.lists(st.sampled_from(["2", "3", "two", "three", "5 %", "$ 3"]), min_size=1, max_size=6), st.data())
def test_every_candidate_gives_the_equations_back(words: list[str], data: st.DataObject) -> None:
    """Whatever the origins, the derivation's own equations have the solution of the given ones."""
    literals = data.draw(st.lists(st.sampled_from(["2", "3", ".05", "5", "300", "7"]), min_size=2, max_size=5))
    equations = f"x + y = {literals[0]}; x - y = {' + '.join(literals[1:])}"
    proposal = propose("He has " + " and ".join(words) + " .", equations)
    rank = data.draw(st.integers(0, proposal.count - 1))
    derivation = proposal.nth(rank)
    given_ = propose("1 .", equations).derive().solve()
    assert derivation.solve().numbers == given_.numbers


@pytest.mark.parametrize(
    ("question", "equations", "unexplained"),
    [
        ("A bus drives 300 km from 9:15 to 11:45 .", "v = 300/2.5", ["2.5"]),
        ("A pen costs 3,40 € . What do 2 pens cost ?", "x = 2*3.40", ["3.40"]),
        ("A gross costs 3 dollars .", "x = 3*144", ["144"]),
        ("A square has a perimeter of 36 .", "4*x = 36", []),
        ("He reads 7 pages a day , all year .", "x = 7*365", []),
        ("The sum of 3 consecutive odd numbers is 33 .", "x + x + 2 + x + 4 = 33; y = x + 4", []),
        ("Her scores are 80 , 90 and 70 . What is the average ?", "x = (80 + 90 + 70)/3", []),
        ("Add 1 to a half of 30 .", "x = 1 + 30/2 + 0.5*0", []),
        ("Mix 5 % of 80 .", "x = 0.01*5*80", []),
    ],
)
def test_a_constant_that_neither_text_nor_use_explains_is_asked_for(
    question: str, equations: str, unexplained: list[str]
) -> None:
    found = propose(question, equations)
    assert [literal.text for literal in found.literals if literal.is_unexplained] == unexplained
    assert all(literal.is_question for literal in found.literals if literal.is_unexplained)
    assert found.count >= 1


@pytest.mark.parametrize(
    ("equations", "message"),
    [
        ("a = 3; b = 4; c = a + b; d = c", r"but got 4: a, b, c, d; replace one of them"),
        ("x = 4x3", r"infinitely many; x3 is read as the name of an unknown: write a product with \*, as 4\*3"),
        ("x + y = 3", r"infinitely many$"),
    ],
)
def test_a_refusal_says_what_to_do(equations: str, message: str) -> None:
    with pytest.raises(AnnotationError, match=message):
        propose("Add 3 and 4 .", equations)
