"""The arithmetic of quantities: whole numbers stay ints, and every result is that of fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draw_dataset.algebra.nonlinear import ONE, Algebra, EquationSolver, constant_ratio

values = st.builds(Fraction, st.integers(-20, 20), st.integers(1, 6))


@given(values, values, st.sampled_from("+-*/"))
def test_numbers_are_combined_exactly_and_whole_ones_are_ints(a: Fraction, b: Fraction, sign: str) -> None:
    algebra = Algebra()
    if sign == "/" and not b:
        with pytest.raises(ZeroDivisionError):
            algebra.combine(sign, algebra.number(a), algebra.number(b))
        return
    expected = {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else 0}[sign]
    found = constant_ratio(algebra, *algebra.combine(sign, algebra.number(a), algebra.number(b)))
    assert found == expected
    assert type(found) is (int if expected.denominator == 1 else Fraction)


@given(values, values, values, values)
def test_an_unknown_is_replaced_by_what_it_is(a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> None:
    # x = a + b*y, y = c; then (d*x*y + x*x + 1) / (y*y + 1) has one value, whichever way it is put in.
    algebra = Algebra()
    solving = EquationSolver(algebra)
    x, y = (0,), (1,)
    solving.add(
        algebra.add({x: 1}, algebra.add(algebra.constant(a), algebra.multiply(algebra.constant(b), {y: 1})), -1)
    )
    solving.add(algebra.add({y: 1}, algebra.constant(c), -1))
    above = algebra.add({(0, 0): 1, (): 1}, algebra.multiply(algebra.constant(d), {(0, 1): 1}))
    below = {(1, 1): 1, (): 1}
    value = a + b * c
    assert solving.value((above, below)) == (d * value * c + value**2 + 1) / (c**2 + 1)
    assert solving.value((above, ONE)) == d * value * c + value**2 + 1


def test_the_polynomial_one_is_never_changed() -> None:
    algebra = Algebra()
    algebra.add(ONE, ONE)
    algebra.multiply(ONE, {(): 3})
    algebra.substitute({(0, 0): 1, (): 2}, 0, ({(): 5}, ONE))
    assert ONE == {(): 1}
