"""Problems that no linear derivation fits: not linear, without a number, without a question."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

from crawl.stand_in_site.drawing import PEOPLE
from crawl.stand_in_site.kinds import GEOMETRY, MISC, NUMBERS
from crawl.stand_in_site.problems import Known, plain_known


def product(rng: random.Random) -> Known:
    x = rng.randint(4, 40)
    question = f"The product of two consecutive positive integers is {x * (x + 1)}. What is the smaller one?"
    steps = (f"x*(x + 1) = {x * (x + 1)}", f"x^2 + x - {x * (x + 1)} = 0", f"(x - {x})*(x + {x + 1}) = 0", f"x = {x}")
    return plain_known("product", question, steps, meaning={"x": "the smaller integer"}, solutions={"x": Fraction(x)})


def area(rng: random.Random) -> Known:
    width, more = rng.randint(3, 20), rng.randint(2, 9)
    square = width * (width + more)
    question = (
        f"A rectangle is {more} feet longer than it is wide. Its area is {square} square feet. Use the "
        "quadratic formula to "
        "find its width."
    )
    root = f"x = (-{more} + sqrt({more}^2 + 4*{square}))/2"
    return plain_known(
        "area",
        question,
        (f"x*(x + {more}) = {square}", f"x^2 + {more}*x - {square} = 0", root, f"x = {width}"),
        meaning={"x": "width"},
        unit="ft",
        solutions={"x": Fraction(width)},
    )


def ladder(rng: random.Random) -> Known:
    a, b, c = rng.choice(((3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25)))
    k = rng.randint(1, 4)
    question = f"The foot of a {c * k} foot ladder stands {a * k} feet from a wall. How high on the wall does it reach?"
    steps = (f"x^2 + {a * k}^2 = {c * k}^2", f"x^2 = {(b * k) ** 2}", f"x = sqrt({(b * k) ** 2})", f"x = {b * k}")
    return plain_known(
        "ladder", question, steps, meaning={"x": "height"}, unit="feet", solutions={"x": Fraction(b * k)}
    )


def thrown(rng: random.Random) -> Known:
    speed = rng.randint(2, 9) * 16
    question = f"A ball is thrown up at {speed} feet per second. Its height is h = {speed}t - 16t^2. When is it back?"
    return plain_known(
        "thrown",
        question,
        (f"{speed}*x - 16*x^2 = 0", f"x*({speed} - 16*x) = 0", f"x = {speed // 16}"),
        meaning={"x": "time"},
        unit="seconds",
        solutions={"x": Fraction(speed // 16)},
    )


def no_number(rng: random.Random) -> Known:
    question = rng.choice(
        (
            "How do I set up a word problem about ages when I know only the difference?",
            "What is the formula for distance, and how do I use it?",
            f"{rng.choice(PEOPLE)} is older than {rng.choice(PEOPLE)}. How do I write this as an equation?",
        )
    )
    return plain_known("no_number", question, ("x = y + d",), meaning={"x": "the older one"})


def no_question(rng: random.Random) -> Known:
    question = rng.choice(("", "help", "???", "I do not understand this chapter at all.", "see textbook page, please"))
    return plain_known("no_question", question, ("x + 2 = 5", "x = 3"))


NOT_LINEAR: tuple[tuple[Callable[[random.Random], Known], str], ...] = (
    (product, NUMBERS),
    (area, GEOMETRY),
    (ladder, GEOMETRY),
    (thrown, MISC),
)
