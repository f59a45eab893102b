"""Problems of our own that a solver can learn: a few plots, many names and numbers."""

from __future__ import annotations

from draw_dataset import Problem
from draw_dataset.derivation.problem import AlignedNumber
from draw_dataset.text.numbers import locate_numbers

PAIRS = [("Ann", "Ben"), ("Cleo", "Dirk"), ("Eve", "Finn"), ("Gus", "Hana"), ("Ida", "Jon"), ("Kim", "Leo")]
THINGS = ["coins", "stamps", "shells", "cards", "marbles", "books"]


def make(id_: int, question: str, template: list[str], equations: list[str], slots: dict[str, int]) -> Problem:
    """Return a problem; slots give the rank of the number in each slot, from 1."""
    numbers, _ = locate_numbers(question, rule="release")
    by_rank = {n.index: n for n in numbers}
    alignment = []
    for slot, rank in slots.items():
        number = by_rank[rank]
        assert number.sentence is not None
        assert number.value is not None
        alignment.append(AlignedNumber(slot, number.sentence, number.token, float(number.value)))
    problem = Problem(id_, question, numbers, tuple(equations), (), tuple(template), tuple(alignment))
    solutions = tuple(float(v) for v in problem.derivation.solve().numbers)
    return Problem(id_, question, numbers, tuple(equations), solutions, tuple(template), tuple(alignment))


def stories(count: int = 36) -> list[Problem]:
    """Return problems of three plots: sum and difference, price times count, a share of a whole."""
    found = []
    for i in range(count):
        one, other = PAIRS[i % len(PAIRS)]
        thing = THINGS[i // 3 % len(THINGS)]
        more, total, price, number = 4 + i % 7, 60 + 2 * i + i % 7 % 2, 3 + i % 5, 11 + i
        if i % 3 == 0:
            found.append(
                make(
                    i,
                    f"{one} and {other} have {total} {thing} together . {one} has {more} more than {other} . "
                    "How many does each have ?",
                    ["m + n = a", "m - n = b"],
                    [f"x + y = {total}", f"x - y = {more}"],
                    {"a": 1, "b": 2},
                )
            )
        elif i % 3 == 1:
            found.append(
                make(
                    i,
                    f"{one} buys {number} {thing} that cost $ {price} each . How much does {one} pay ?",
                    ["m = a * b"],
                    [f"x = {number} * {price}"],
                    {"a": 1, "b": 2},
                )
            )
        else:
            found.append(
                make(
                    i,
                    f"{one} gives {price} {thing} to {other} and keeps {number} . How many {thing} were there ?",
                    ["m = a + b"],
                    [f"x = {price} + {number}"],
                    {"a": 1, "b": 2},
                )
            )
    return found
