"""Unknowns in words of the text: what they are called, what stays without a name, and what the question asks for."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draw_dataset import Derivation
from draw_dataset.data.sample import load_sample
from draw_dataset.solver.confidence import SolverAnswer
from draw_dataset.solver.model import Model
from draw_dataset.solver.naming.evidence import Evidence, comparisons_of
from draw_dataset.solver.naming.names import Naming, name_unknowns
from draw_dataset.solver.naming.pairs import people_of
from draw_dataset.solver.naming.words import Text
from draw_dataset.text.lexicon import split_words
from draw_dataset.text.numbers import locate_numbers


def naming_of(text: str, derivation: str) -> Naming:
    return name_unknowns(text, Derivation.read(derivation, locate_numbers(text)[0]))


def words_of(naming: Naming) -> list[str]:
    """Return the names in the order of the unknowns."""
    return [name.words for name in naming.names.values()]


def asked_in(naming: Naming) -> list[str]:
    return [quantity.name.words for quantity in naming.asked]


NAMED = [
    # people and their ages
    ("Nina is six years older than Omar. Their ages sum to 40.", "m + n = q2; m = n + q1", ["Nina", "Omar"]),
    ("Nina is six years older than Omar. Their ages sum to 40.", "m + n = q2; n = m + q1", ["Omar", "Nina"]),
    ("Jule's mother is 3 times as old as Jule. Their ages sum to 52.", "m - q1*n = 0; m + n = q2",
     ["the mother", "Jule"]),
    ("Ivo has a daughter called Ada. Their ages add up to 50 and differ by 26.", "m + n = q1; m - n = q2",
     ["Ivo", "Ada"]),
    ("In 4 years Rosa will be twice as old as her brother Ben. Their ages now sum to 22.",
     "m + q1 = q2*n + q2*q1; m + n = q3", ["Rosa", "Ben"]),
    ("The ages of two twins' friends differ by 4 and sum to 20. Find the ages of the two friends.",
     "m - n = q2; m + n = q3", ["the older friend", "the younger friend"]),
    # numbers as such
    ("The sum of two numbers is 30. Their difference is 4.", "m + n = q2; m - n = q3",
     ["the larger number", "the smaller number"]),
    ("The sum of two integers is 30. Twice the lesser is 6 more than the greater.", "m + n = q2; q3*m - n = q4",
     ["the lesser integer", "the greater integer"]),
    ("The second number is 5 times the first. The numbers add up to 54.", "m = q1*n; m + n = q2",
     ["the second number", "the first number"]),
    ("Three times one number plus five times another is 50. Together the numbers are 12.",
     "q1*m + q2*n = q3; m + n = q4", ["one number", "the other number"]),
    ("A number is 7 times the sum of its digits. The digits differ by 3.", "10*m + n - q1*m - q1*n = 0; m - n = q2",
     ["tens digit", "units digit"]),
    ("The digits of a number sum to 9. Reversing the digits makes the number 27 larger.",
     "m + n = q1; 10*n + m = 10*m + n + q2", ["tens digit", "units digit"]),
    ("The sum of three consecutive integers is 33. What are they?", "m + n + o = q2; n = m + 1; o = n + 1",
     ["the smallest integer", "the middle integer", "the largest integer"]),
    # things that are counted, and their prices
    ("Three CDs and two posters cost $19. One CD and four posters cost $23. What is the price of a CD?",
     "q1*m + q2*n = q3; q4*m + q5*n = q6", ["price of CDs", "price of posters"]),
    ("Adult tickets cost $9 and child tickets cost $4. In all 30 tickets were sold for $200.",
     "q1*m + q2*n = q4; m + n = q3", ["adult tickets", "child tickets"]),
    ("A museum takes $9 for adults and $4 for children. On Monday 30 people paid $200.", "q1*m + q2*n = q4; m + n = q3",
     ["adults", "children"]),
    ("A jar holds 20 coins, nickels and dimes, worth $1.40.", "q2*m + q3*n = q4; m + n = q1", ["nickels", "dimes"]),
    ("A jar holds 20 coins worth $1.40, some of them dimes and the others quarters.", "0.1*m + 0.25*n = q2; m + n = q1",
     ["dimes", "quarters"]),
    ("A farmer counts 12 heads and 34 legs of his hens and cows.", "m + n = q1; 2*m + 4*n = q2", ["hens", "cows"]),
    ("The choir has 8 more altos than basses. Altos and basses together are 40.", "m - n = q1; m + n = q2",
     ["altos", "basses"]),
    ("The tickets for adults and students cost $9 and $4, respectively, and 30 tickets cost $200. "
     "How many adults and students were there?", "q1*m + q2*n = q4; m + n = q3", ["amount at $ 9", "amount at $ 4"]),
    # figures, where words do not tell the things apart
    ("A chemist mixes a 10% acid and a 40% acid to get 60 ml of a 20% acid. How many ml of each are needed?",
     "0.01*q1*m + 0.01*q2*n = 0.01*q4*q3; m + n = q3", ["ml of 10 % acid", "ml of 40 % acid"]),
    ("Mia invested $900, part at 4% and the rest at 6% interest, and earned $46.",
     "0.01*q2*m + 0.01*q3*n = q4; m + n = q1", ["amount at 4 %", "amount at 6 %"]),
    # ranks, sizes and measures
    ("The first pump fills 3 tubs an hour and the second pump fills 5 tubs an hour. In 9 hours they filled 37 tubs.",
     "q1*m + q2*n = q4; m + n = q3", ["the first pump", "the second pump"]),
    ("Solution A is 20% salt and solution B is 50% salt. They make 60 grams with 30% salt. How many grams of each?",
     "0.01*q1*m + 0.01*q2*n = 0.01*q4*q3; m + n = q3", ["grams of 20 % salt", "grams of 50 % salt"]),
    ("A rope of 45 feet is cut in two. One piece is 9 feet longer than the other.", "m + n = q1; m - n = q3",
     ["the longer piece", "the shorter piece"]),
    ("The length of a yard is 4 feet more than twice its width. The fence around it is 56 feet long.",
     "m - q2*n = q1; 2*m + 2*n = q3", ["length of a yard", "width"]),
    ("Two trains are 270 miles apart. They meet after 3 hours. Their speeds differ by 10 mph. Find the speed of each "
     "train.",
     "q3*m + q3*n = q2; m - n = q4", ["speed of the faster train", "speed of the slower train"]),
    # what is done, and where
    ("A boat goes 24 miles downstream in 2 hours and back upstream in 3 hours. Find the speed of the current.",
     "q2*m + q2*n = q1; q3*m - q3*n = q1", ["speed of the boat", "speed of the current"]),
    ("Zoe walks at 3 miles per hour and jogs at 6 miles per hour. In 2 hours she covered 9 miles.",
     "q1*m + q2*n = q4; m + n = q3", ["hours at 3 miles per hour", "hours at 6 miles per hour"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "derivation", "names"), NAMED)
def test_unknowns_are_named_in_words_of_the_text(text: str, derivation: str, names: list[str]) -> None:
    assert words_of(naming_of(text, derivation)) == names


SINGLE = [
    ("How much water must be added to 10 liters of a 30% acid to make it 20% acid?", "q3*m = q2*q1 - q3*q1", "water"),
    ("Ana paints a fence in 4 hours and Ben in 6 hours. How long do they need together?", "m/q1 + m/q2 = 1",
     "hours together"),
    ("Two buses drive apart at 50 mph and 60 mph. How long will it take until they are 330 miles apart?",
     "q1*m + q2*m = q3", "hours until they are 330 miles apart"),
    ("A bus goes to the lake at 50 mph and back at 60 mph. It drives 11 hours. How far is it to the lake?",
     "m/q1 + m/q2 = q3", "miles to the lake"),
    ("How old is Lena if she was 9 a year ago?", "m = q1 + q2", "Lena"),
    ("Four times a number is 12 more than the number. What is the number?", "q1*m = q2 + m", "the number"),
    ("The sum of two consecutive integers is 27. What are the integers?", "2*m + 1 = q2", "the smaller integer"),
    ("How many pounds of raisins, at $3 a pound, go into 5 pounds of nuts at $6 a pound for a mix at $4 a pound?",
     "q1*m + q2*q3 = q4*m + q4*q2", "pounds of raisins"),
    ("What was the price of the coat if it is $40 after 20% were taken off?", "m - 0.01*q2*m = q1",
     "the price of the coat"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "derivation", "name"), SINGLE)
def test_one_unknown_has_the_words_of_the_question(text: str, derivation: str, name: str) -> None:
    assert words_of(naming_of(text, derivation)) == [name]


def test_a_way_is_not_called_the_time_that_is_asked_for() -> None:
    naming = naming_of(
        "Kai walks up at 2 mph and down at 6 mph. It takes 4 hours. How long does he walk up?", "m/q1 + m/q2 = q3"
    )
    assert (words_of(naming), naming.asked) == (["miles"], ())


def test_years_from_now_are_no_age() -> None:
    naming = naming_of(
        "Tom is 6 and his aunt is 30. How old is Tom when she is 4 times as old?", "q2 + m = q3*q1 + q3*m"
    )
    assert (words_of(naming), naming.asked) == (["years from now"], ())


@pytest.mark.parametrize(
    ("text", "derivation"),
    [
        ("Things add up to 40, and what is left is 6.", "m + n = q1; m - n = q2"),
        ("In a room are 8 desks.", "m = q1"),
        ("A red and a green crate weigh 9 and 12 pounds.", "m + n = q1; n + o = q2; m + o = q2 - q1"),
    ],
)
def test_an_unknown_that_nothing_speaks_for_has_no_name(text: str, derivation: str) -> None:
    assert naming_of(text, derivation) == Naming({})


ASKED = [
    ("Nina is six years older than Omar. Their ages sum to 40. How old is Omar?", "m + n = q2; m = n + q1", ["Omar"]),
    ("Nina is six years older than Omar. Their ages sum to 40. How old is each?", "m + n = q2; m = n + q1",
     ["Nina", "Omar"]),
    ("Nina is six years older than Omar. Their ages sum to 40. How old is Omar? How old is Nina?",
     "m + n = q2; m = n + q1", ["Omar", "Nina"]),
    ("Nina is six years older than Omar. Their ages sum to 40. How old will Omar be in 3 years?",
     "m + n = q2; m = n + q1", []),
    ("The sum of two numbers is 30. Their difference is 4. Find the smaller number.", "m + n = q2; m - n = q3",
     ["the smaller number"]),
    ("Adult tickets cost $9 and child tickets cost $4. In all 30 tickets brought $200. How many child "
     "tickets were sold?",
     "q1*m + q2*n = q4; m + n = q3", ["child tickets"]),
    ("Mia invested $900, part at 4% and the rest at 6% interest, and earned $46. How much did she invest at 6%?",
     "0.01*q2*m + 0.01*q3*n = q4; m + n = q1", ["amount at 6 %"]),
    ("A number is 7 times the sum of its digits. The digits differ by 3. Find the number.",
     "10*m + n - q1*m - q1*n = 0; m - n = q2", ["the number"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "derivation", "asked"), ASKED)
def test_what_the_question_asks_for_is_known(text: str, derivation: str, asked: list[str]) -> None:
    naming = naming_of(text, derivation)
    assert asked_in(naming) == asked
    assert [quantity.name.words for quantity in naming.quantities[: len(asked)]] == asked


def test_a_number_is_made_of_its_digits() -> None:
    text = "A number is 7 times the sum of its digits. The digits differ by 3. Find the number."
    naming = naming_of(text, "10*n + m - q1*m - q1*n = 0; n - m = q2")
    (number,) = naming.asked
    assert number.expression == "10*n + m"
    assert number.value({"m": Fraction(3), "n": Fraction(6)}) == 63
    assert [quantity.name.words for quantity in naming.quantities] == ["the number", "tens digit", "units digit"]


def test_gold_and_its_roles_play_no_part() -> None:
    for problem in load_sample()["test"]:
        bare = Derivation.read(problem.derivation.q_notation(), locate_numbers(problem.question)[0])
        assert name_unknowns(problem.question, bare) == name_unknowns(problem.question, bare, problem.numbers)


def test_most_unknowns_of_the_sample_are_named() -> None:
    problems = [problem for split in load_sample().values() for problem in split]
    named = sum(bool(name_unknowns(p.question, p.derivation, p.numbers).names) for p in problems)
    assert named >= 0.85 * len(problems)


WORDS = st.sampled_from(
    split_words(
        "the a of is than more twice times as many and , . ? how old first other number numbers age Ann Bo his her son "
        "cost $ % 3 4.5 per each nickels in what are miles hour ratio to 's exceeds"
    )
)


@given(
    st.lists(WORDS, max_size=40).map(" ".join),
    st.sampled_from(
        ["m + n = 3; m - n = 1", "m = 2*n; 10*m + n = 5", "m = 4", "m + n + o = 6; m = n + 1; o = 2*n", "m = m"]
    ),
)
def test_names_differ_and_no_text_is_an_error(text: str, derivation: str) -> None:
    naming = name_unknowns(text, Derivation.read(derivation))
    words = words_of(naming)
    assert len(set(words)) == len(words)
    assert all(word.strip() for word in words)
    assert {unknown for one in naming.asked for _, unknown in one.parts} <= naming.names.keys()


def test_a_derivation_without_numbers_has_its_names_from_words_alone() -> None:
    derivation = Derivation.read("q1*m + q2*n = q3; m + n = q4")
    assert words_of(name_unknowns("Find the length and the width.", derivation)) == []


@pytest.mark.parametrize(
    ("derivation", "numbers"),
    [
        ("q1*m + q2*n = q3; m + n = 9", [[(0, False)], [(2, False)]]),
        ("m/q1 + n/q2 = q3; m + n = 9", [[(0, True)], [(2, True)]]),
        ("q1*(m - n) = q3; q2*n = 9", [[], [(2, False)]]),
    ],
)
def test_a_number_that_multiplies_or_divides_one_unknown_belongs_to_it(
    derivation: str, numbers: list[list[tuple[int, bool]]]
) -> None:
    text = "5 and 6 and 7"
    found = locate_numbers(text)[0]
    assert Evidence(text, Derivation.read(derivation, found), found).multipliers == numbers


COMPARED = [
    ("Ada is 4 years older than Bo.", "Ada", "Bo"),
    ("Ada is 3 years younger than Bo.", "Bo", "Ada"),
    ("Ada is half as old as Bo.", "Bo", "Ada"),
    ("Ada is 3 times younger than Bo.", "Bo", "Ada"),
    ("The number of hens in a yard is 5 less than twice the number of ducks.", "hens", "ducks"),
    ("A pen exceeds a ruler by $2.", "pen", "ruler"),
    ("The ratio of hens to ducks is 3 to 2.", "hens", "ducks"),
    ("Ada sold 20% more than Bo.", "Ada", "Bo"),
    ("Ada can run twice as fast as Bo.", "Ada", "Bo"),
    ("Ada baked 4 times as many cakes as Bo.", "Ada", "Bo"),
    ("Bo's sister is 9 years older than Bo.", "Bo's sister", "Bo"),
]


@pytest.mark.parametrize(("text", "larger", "smaller"), COMPARED)
def test_a_comparison_says_what_is_larger(text: str, larger: str, smaller: str) -> None:
    found = comparisons_of(Text(text, locate_numbers(text)[0]))
    assert (larger, smaller) in [(one.larger.words, one.smaller.words) for one in found]


def test_people_are_names_and_relatives() -> None:
    text = "Dr. Roe has 2 sons. Her son Max is older than his brother. I am 30."
    assert [(person.words, person.generation) for person in people_of(Text(text, locate_numbers(text)[0]))] == [
        ("Dr. Roe", 0),
        ("Max", -1),
        ("the brother", 0),
        ("my age", 0),
    ]


# The answer of a solver


TEXT = "Max and Nora have 50 cards together. Nora has 8 more than Max. How many does Max have?"


def test_an_answer_has_its_values_by_name(model: Model) -> None:
    answer = model.predict(TEXT)
    assert answer.named == {"Max": 21, "Nora": 29}
    assert list(answer.named) == ["Max", "Nora"]
    assert [name.words for name in answer.asked] == ["Max"]
    assert repr(answer) == "SolverAnswer('m + n = q1; m - n = q2', {'Max': 21, 'Nora': 29})"


def test_an_abstention_has_no_names(model: Model) -> None:
    answer = model.predict("How many cards does Nora have?")
    assert (answer.named, answer.asked, repr(answer)) == ({}, (), "SolverAnswer(None, reason='no numbers')")


def test_an_answer_without_a_text_shows_letters() -> None:
    derivation = Derivation.read("m = q1", locate_numbers("She has 4 .")[0])
    assert repr(SolverAnswer(derivation, derivation.solve())) == "SolverAnswer('m = q1', {'m': 4})"
