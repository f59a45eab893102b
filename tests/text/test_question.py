"""One module says which sentences ask, and whether they ask for one thing."""

from __future__ import annotations

import pytest

from draw_dataset.solver.text import TaggedText
from draw_dataset.text.question import asking_sentences, asks_for_one, clause_of, questions_of


@pytest.mark.parametrize(
    ("text", "asking"),
    [
        ("Ann has 5 hens . How many legs is that ?", ["How many legs is that ?"]),
        ("A sum is 7 . Find the numbers . What is their product ?", ["Find the numbers .", "What is their product ?"]),
        ("If 3 pens cost 4.50 , tell me what 5 pens cost .", ["If 3 pens cost 4.50 , tell me what 5 pens cost ."]),
        ("Ann has 5 hens .", []),
    ],
)
def test_sentences_that_ask(text: str, asking: list[str]) -> None:
    assert [span.text for span in questions_of(text)] == asking


@pytest.mark.parametrize(
    ("text", "one"),
    [
        ("A sum is 20 . How many dimes are there ?", True),
        ("The two numbers differ by 3 . What is the larger one ?", True),
        ("If each of the 3 boxes holds 4 pens , how many pens are there ?", True),  # each is in the condition
        ("Find the two numbers .", False),
        ("How many dimes and nickels does she have ?", False),
        ("How old are they ?", False),
        ("Find the larger . Find the smaller .", False),
        ("How many hens are there ? How many cows ?", False),
        ("It has 5 legs .", True),
    ],
)
def test_a_text_asks_for_one_thing_or_several(text: str, one: bool) -> None:
    assert asks_for_one(text) is one


def test_a_clause_has_no_conditions() -> None:
    assert clause_of("If a pen costs 3 , how much are 5 pens when bought today ?") == "how much are 5 pens"
    assert clause_of("It has 5 legs .") == ""


def test_solvers_give_their_own_cues() -> None:
    words = TaggedText.of("Ann has 5 pens. Find their price. How many are left?").words
    assert asking_sentences(words, ()) == {2}
    assert asking_sentences(words, {"find"}) == {1, 2}
