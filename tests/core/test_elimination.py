"""Equations in whole numbers say what equations in fractions say."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from draw_dataset.algebra.linear import Elimination

NUMBERS = st.fractions(min_value=-6, max_value=6, max_denominator=7)
VALUES = st.fixed_dictionaries({"x": NUMBERS, "y": NUMBERS, "z": NUMBERS})
ROWS = st.lists(st.dictionaries(st.sampled_from("xyz"), NUMBERS.filter(bool)), max_size=5)


def equation(row: dict[str, Fraction], values: dict[str, Fraction]) -> tuple[dict[str, Fraction], Fraction]:
    """Return an equation with these coefficients that holds at these values."""
    return row, -sum((c * values[name] for name, c in row.items()), Fraction(0))


@given(ROWS, VALUES)
def test_what_is_determined_has_its_value(rows: list[dict[str, Fraction]], values: dict[str, Fraction]) -> None:
    equations = [equation(row, values) for row in rows]
    elimination = Elimination(equations)
    assert elimination.values().items() <= values.items()
    assert all(elimination.reduce(*each) == ({}, 0) for each in equations)


@given(ROWS, VALUES, st.integers(1, 9))
def test_a_contradiction_leaves_a_constant(
    rows: list[dict[str, Fraction]], values: dict[str, Fraction], wrong: int
) -> None:
    equations = [equation(row, values) for row in rows]
    elimination = Elimination(equations)
    for coefficients, right in equations:
        rest, constant = elimination.reduce(coefficients, right + wrong)
        assert not rest
        assert constant


@given(st.permutations("xyz"), VALUES)
def test_as_many_independent_equations_as_unknowns_determine_all(order: list[str], values: dict[str, Fraction]) -> None:
    rows: list[dict[str, Fraction]] = [
        {name: Fraction(place + 2, 3) for place, name in enumerate(order[: size + 1])} for size in range(3)
    ]
    assert Elimination([equation(row, values) for row in rows]).values() == values
