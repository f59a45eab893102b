"""The numbers of a problem as columns: first the fields, then the numbers that fill no slot, each class once.

Rivals are written in columns, so that the answers of one rival can be computed at the values of every variant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.core.alignment import Place, TextNumber
from draw_dataset.core.derivation import Derivation
from draw_dataset.variants.fields import Puzzle
from draw_dataset.variants.rivals import Rival


def gold_rival(puzzle: Puzzle) -> Rival:
    """Return gold by its columns: the fields come first, then the numbers that fill no slot."""
    return Rival(puzzle.problem.derivation.template, puzzle.field_of, steps=0)


def column_values(puzzle: Puzzle, values: Sequence[Fraction]) -> list[Fraction]:
    """Return the value of each column for values of the fields."""
    return [*values, *(number.value or Fraction(0) for number in unaligned(puzzle))]


def unaligned(puzzle: Puzzle) -> list[TextNumber]:
    """Return the numbers of the text that belong to no field, each class once."""
    classes = puzzle.problem.number_classes
    found: dict[Place, TextNumber] = {}
    for number, column in zip(puzzle.problem.numbers, puzzle.columns, strict=True):
        if column is None:
            found.setdefault(classes.of_place(number.place), number)
    return list(found.values())


_GENERIC = (1009, 2003, 3001, 4001, 5003, 6007, 7001, 8009, 9001, 10007, 11003, 12007, 13001, 14009, 15013, 16001)


def generic_values(puzzle: Puzzle, everything: bool) -> list[Fraction]:
    """Return values of the columns at which two derivations agree only if they always do.

    Args:
        puzzle: the problem.
        everything: whether the numbers that never move get such values, too.
    """
    values = column_values(puzzle, puzzle.values)
    for column in range(len(values)):
        if everything or (column < len(puzzle.fields) and puzzle.fields[column].moves):
            values[column] = Fraction(_GENERIC[column % 16] + 17000 * (column // 16), 7 + 2 * column)
    return values


def columns_of_ranks(puzzle: Puzzle) -> list[int]:
    """Return the column of each number of the text, in their order."""
    classes = puzzle.problem.number_classes
    places = [classes.of_place(number.place) for number in unaligned(puzzle)]
    return [
        len(puzzle.fields) + places.index(classes.of_place(number.place)) if column is None else column
        for number, column in zip(puzzle.problem.numbers, puzzle.columns, strict=True)
    ]


def rival_of(puzzle: Puzzle, derivation: Derivation, steps: int = 1) -> Rival:
    """Return a derivation, its numbers those of the problem, as a rival."""
    ranks = {number.place: rank for rank, number in enumerate(puzzle.problem.numbers)}
    columns = columns_of_ranks(puzzle)
    return Rival(derivation.template, tuple(columns[ranks[place]] for place in derivation.places), steps)


def numbers_of(puzzle: Puzzle, rival: Rival) -> list[TextNumber]:
    """Return the number in each slot of a rival: of a column, gold's own numbers first, and none twice if it can be."""
    gold = puzzle.problem.derivation
    members: dict[int, list[TextNumber]] = {}
    for number, column in zip(puzzle.problem.numbers, columns_of_ranks(puzzle), strict=True):
        members.setdefault(column, []).append(number)
    for listed in members.values():
        listed.sort(key=lambda number: number.place not in gold.places)
    seen: Counter[int] = Counter()
    found = []
    for column in rival.columns:
        found.append(members[column][min(seen[column], len(members[column]) - 1)])
        seen[column] += 1
    return found


def q_notation_of(puzzle: Puzzle, rival: Rival) -> str:
    """Return a rival in q-notation."""
    return rival.template.written_with([f"q{number.index}" for number in numbers_of(puzzle, rival)])
