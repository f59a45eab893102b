"""Numbers that only an annotation knows."""

from __future__ import annotations

from fractions import Fraction

from draw_dataset.text.numbers import locate_numbers


def test_a_number_ends_where_an_annotated_one_begins() -> None:
    numbers, missed = locate_numbers("Take 5 sixths of 100 .", {(0, 1): Fraction(5), (0, 2): Fraction(1, 6)})
    assert missed == ((0, 2),)
    assert [(n.index, n.place, n.value, n.text) for n in numbers] == [
        (1, (0, 1), 5, "5"),
        (2, (0, 2), Fraction(1, 6), "sixths"),
        (3, (0, 4), 100, "100"),
    ]


def test_without_an_annotation_it_is_one_number() -> None:
    numbers, _ = locate_numbers("Take 5 sixths of 100 .")
    assert [n.value for n in numbers] == [Fraction(5, 6), 100]
