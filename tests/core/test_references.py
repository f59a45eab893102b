"""Consistent derivations: which there are, how many, in which order, and that each gives the equations' solution."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_dataset import TextNumber, solve
from draw_dataset.derivation.consistent import consistent_derivations
from draw_dataset.errors import NotLinearError


def numbers(*values: object) -> list[TextNumber]:
    return [TextNumber(0, i, Fraction(str(v)), i) for i, v in enumerate(values, 1)]


def written(equations: str, *values: object) -> list[str]:
    return [d.q_notation() for d in consistent_derivations(equations, numbers(*values))]


def test_a_literal_stays_a_constant_only_if_no_number_fits() -> None:
    assert written("x = 2*3 + 1", 3) == ["x = 2*q1 + 1"]


def test_the_earliest_numbers_come_first_and_the_last_literal_changes_first() -> None:
    assert written("x = 5 + 5", 5, 5) == ["x = q1 + q1", "x = q1 + q2", "x = q2 + q1", "x = q2 + q2"]
    assert consistent_derivations("x = 5 + 5", numbers(5, 5)).first.q_notation() == "x = q1 + q1"


def test_values_are_compared_exactly_whatever_their_notation() -> None:
    assert written("x = 2.0*0.5 + 1,000", 2, "1/2", 1000) == ["x = q1*q2 + q3"]
    assert written("x = 0.3333", "1/3") == ["x = 0.3333"]


def test_literals_are_tokens() -> None:
    assert written("x1 + 1.5 = 1", 1) == ["x1 + 1.5 = q1"]
    assert consistent_derivations("q1 + a = 7", numbers(7)).first.template.slots == ("b",)


def test_a_sign_belongs_to_a_negative_number_and_not_to_a_positive_one() -> None:
    assert written("x + y = -6; x - 6 = y", -6) == ["x + y = q1; x - 6 = y"]
    assert written("x = -6", 6, -6) == ["x = -q1", "x = q2"]
    assert written("x = 2 - -3", -3) == ["x = 2 - q1"]


def test_an_exponent_is_no_literal() -> None:
    assert written("x = 2^2 + 2^(-2)", 2) == ["x = q1^2 + q1^(-2)"]
    assert written("x = -3^2", -3) == ["x = -3^2"]


def test_nothing_is_made_that_is_not_asked_for() -> None:
    many = consistent_derivations("x = " + " + ".join(["5"] * 60), numbers(*[5] * 10))
    assert many.count == 10**60
    assert len(list(islice(many, 3))) == 3


def test_what_is_linear_only_by_equal_literals_is_refused_when_reached() -> None:
    found = consistent_derivations("2*x*x - 2*x*x + x = 3", numbers(2, 2))
    assert found.first.solve().numbers == (3,)
    with pytest.raises(NotLinearError):
        list(found)


literals = st.sampled_from(["1", "2", "3.0", "0.5", "7"])


@st.composite
def equations(draw: st.DrawFn) -> str:
    a, b, c, d, e = (draw(literals) for _ in range(5))
    return draw(
        st.sampled_from(
            [
                f"x + y = {a}; {b}*x - {c}*y = {d} + {e}",
                f"{a}*(x + {b}) = {c} - {d}*x",
                f"x/{a} + {b}*x = -{c}",
                f"{a}*(x - {b}) = {c}*({d} + x) - {e}",
            ]
        )
    )


@settings(max_examples=150)
@given(equations(), st.lists(st.sampled_from(["1", "2", "3", "1/2", "7", "-7"]), max_size=4))
def test_the_count_is_right_and_every_derivation_gives_the_solution(text: str, values: list[str]) -> None:
    found = consistent_derivations(text, numbers(*values))
    made = list(found)
    assert len(made) == found.count == len(set(made))
    assert made[0] == found.first
    for derivation in made:
        assert derivation.solve() == solve(text)
