"""The normal form of a template sees through names, brackets and orders of equations, and not through equivalence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import templates

from draw_dataset import Template, canonical_key
from draw_dataset.data.release import load_problems
from draw_dataset.derivation.normal_form import normal_form


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("m + n = a; m = b*n", "n = c*m; d - n = m"),
        ("a*(m + b) = c", "p = q*m + r*q"),
        ("m + n + o = a; m = n; n = o", "o = m; a - m - o = n; m - n = 0"),
    ],
)
def test_names_brackets_and_orders_do_not_count(one: str, other: str) -> None:
    assert normal_form(Template(one))[0] == normal_form(Template(other))[0]


def test_what_only_follows_keeps_its_own_form() -> None:
    one, other = Template("m = a*n; m + n = b"), Template("m = a*n; a*n + n = b")
    assert canonical_key(one) == canonical_key(other)
    assert normal_form(one)[0] != normal_form(other)[0]


def test_slots_correspond_in_their_order() -> None:
    first, second = Template("m = a*n + b; m + n = c"), Template("p - n = m; m = q*n + r")
    one, other = normal_form(first), normal_form(second)
    assert dict(zip(one[1], other[1], strict=True)) == {"a": "q", "b": "r", "c": "p"}


def test_a_slot_that_cancels_still_counts() -> None:
    assert normal_form(Template("m - a + a = b")) == ("u0 = s0; s1 cancels", ("b", "a"))


@settings(deadline=None)
@given(templates(), st.permutations("mno"))
def test_names_do_not_change_the_form(text: list[str], unknowns: list[str]) -> None:
    template = Template(text)
    written, slots = normal_form(template)
    assert sorted(slots) == sorted(template.slots)
    renamed = str(template).translate(str.maketrans("mno", "".join(unknowns)))
    assert normal_form(Template(renamed))[0] == written


@pytest.mark.release
def test_the_gold_templates_of_the_release_have_few_more_forms_than_classes(release_dir: Path) -> None:
    counts = {}
    for name in ("draw1k", "alg514", "dolphin_l"):
        problems = [problem for split in load_problems(name, release_dir).values() for problem in split]
        counts[name] = len({normal_form(problem.derivation.template)[0] for problem in problems})
    assert counts == {"draw1k": 228, "alg514": 24, "dolphin_l": 210}
