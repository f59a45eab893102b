"""What questions ask for: by the words, and not where the words leave a doubt."""

from __future__ import annotations

from dataclasses import replace

import pytest
from checks.made import derived

from draw_dataset.checks.suspicions import find_asked, find_other_asked
from draw_dataset.derivation.problem import Problem

SUM = "m + n = q1; m - n = q2"
SHOP = "m + n = q1; q3*m + q4*n = q2"
STALL = "Ann sold 30 mugs and bowls for $ 100 . A mug is $ 3 and a bowl $ 4 . "

CASES = [
    ("A rope of 30 m is cut , one part 4 m longer . How long is each part ?", SUM, ("m", "n")),
    ("Two kites cost 30 pesos , one 4 more than the other . What is the price of the smaller one ?", None, ("n",)),
    (STALL + "How many mugs did she sell ?", SHOP, ("m",)),
    (STALL + "How many bowls did she sell ?", SHOP, ("n",)),
    (STALL + "How many of each did she sell ?", SHOP, ("m", "n")),
    (STALL + "How many mugs did she sell ? How many bowls ?", SHOP, ("m", "n")),
    (STALL + "How many of the $ 4 bowls did she sell ?", SHOP, ("n",)),
    (STALL + "How many more mugs than bowls are left ?", SHOP, ()),
    ("A pen is 3 pesos . How many pens cost 12 pesos ?", "q1*m = q2", ("m",)),
    ("Ann is 7 and Bo is 30 . How old will Ann be when Bo is 3 times as old ?", "q3*q1 + q3*m = q2 + m", ()),
    ("The sum of three consecutive integers is 33 . Find them .", "m + m + m = q2 - 3", ()),
    ("The digits of a number add up to 9 , one is 1 more . What is the number ?", "m + n = q1; m - n = q2", ()),
    ("If 4 pens cost 10 pesos , how much do 6 pens cost ?", "q1*m = q2; q3*m - n = 0", ("n",)),
    ("A walk at 3 mph and a ride at 9 mph took 4 hours . How long was the walk ?", "1/q1*m + 1/q2*m = q3", ()),
]


@pytest.mark.parametrize(("question", "derivation", "asked"), CASES, ids=[case[0][-40:] for case in CASES])
def test_what_is_asked_for(question: str, derivation: str | None, asked: tuple[str, ...]) -> None:
    assert find_asked(derived(question, derivation or "m + n = q2; m - n = q3")) == asked


def test_names_of_equations_tell_unknowns_apart() -> None:
    text = "On the farm are 30 animals , 4 more hens than goats . How many hens are there ?"
    problem = replace(derived(text, SUM), equations=("hens + goats = 30", "hens = goats + 4"))
    assert find_asked(problem) == ("m",)
    assert find_asked(replace(problem, equations=("x + y = 30", "x = y + 4"))) == ()


def asking(*asked: str) -> Problem:
    return replace(derived(STALL, SHOP), asked=asked)


def test_a_function_of_the_unknowns_is_unlike_gold() -> None:
    assert find_other_asked(asking("m", "n")) is None
    assert find_other_asked(asking()) is None
    assert "but got 10*m + n" in str(find_other_asked(asking("m", "10*m + n")))
