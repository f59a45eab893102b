"""Intervals and tests: seeded, right where the answer is known, and refused where there is nothing to compare."""

from __future__ import annotations

import math

import pytest

from draw_dataset.errors import ScoreError
from draw_dataset.scoring.significance import bootstrap_interval, randomisation_test


def test_the_interval_of_a_share_is_the_binomial_one() -> None:
    values = [1.0] * 120 + [0.0] * 80
    interval = bootstrap_interval(values)
    half = 1.96 * math.sqrt(0.6 * 0.4 / 200)
    assert interval.low == pytest.approx(0.6 - half, abs=0.01)
    assert interval.high == pytest.approx(0.6 + half, abs=0.01)
    assert bootstrap_interval(values) == interval
    assert bootstrap_interval(list(reversed(values))) == interval
    assert bootstrap_interval(values, level=0.5).high < interval.high


def test_a_constant_has_no_spread() -> None:
    interval = bootstrap_interval([0.25] * 7)
    assert (interval.low, interval.high) == (0.25, 0.25)


def test_the_p_value_is_that_of_the_sign_test() -> None:
    """Ten items differ, all in one direction: two of 2^10 ways to flip the signs are as large."""
    result = randomisation_test([1.0] * 10 + [1.0] * 20, [0.0] * 10 + [1.0] * 20, samples=200_000)
    assert result.difference == pytest.approx(10 / 30)
    assert result.p_value == pytest.approx(2 / 1024, abs=5e-4)


def test_the_order_of_the_systems_only_turns_the_sign() -> None:
    first, second = [1.0, 0.0, 0.5, 1.0] * 20, [0.0, 0.0, 1.0, 1.0] * 20
    there, back = randomisation_test(first, second), randomisation_test(second, first)
    assert there.difference == -back.difference
    assert there.p_value == pytest.approx(back.p_value, abs=0.02)


def test_a_million_items_are_no_burden() -> None:
    values = [1.0, 0.0] * 500_000
    assert bootstrap_interval(values).low == pytest.approx(0.499, abs=0.001)


@pytest.mark.parametrize(("first", "second"), [([], []), ([1.0], [1.0, 0.0])])
def test_nothing_to_compare_is_refused(first: list[float], second: list[float]) -> None:
    with pytest.raises(ScoreError, match="expected"):
        randomisation_test(first, second)
    with pytest.raises(ScoreError, match="at least one"):
        bootstrap_interval([])
