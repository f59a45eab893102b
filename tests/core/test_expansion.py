"""Expanded equations mean what the written ones mean, and have no brackets."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from draw_dataset import Template, templates_equivalent
from draw_dataset.derivation.normal_form import expand
from draw_dataset.errors import LimitError


@pytest.mark.parametrize(
    ("written", "expanded"),
    [
        ("m = a*(n - b) + b; m + n = c", ("m - a*n = b - a*b", "m + n = c")),
        ("m - 2 + m + 2 = a", ("2*m = a",)),
        ("0.01*a*m = b", ("0.01*a*m = b",)),
        ("a = 1/b*m + 1/c*m", ("m/b + m/c = a",)),
        ("(m + a)/3 = b", ("m/3 = b - a/3",)),
        ("12/(15 + m) = a/(15 - m)", ("a*m + 12*m = 180 - 15*a",)),
        ("-m = -a", ("m = a",)),
        ("m^1 = a^2*b", ("m = a*a*b",)),
        ("0.5*(m - n) = .125; m + n = a", ("0.5*m - 0.5*n = 0.125", "m + n = a")),
        ("2*m/3 = -a*2/3", ("2*m/3 = -2*a/3",)),
    ],
)
def test_the_expanded_form_is_one_normal_form(written: str, expanded: tuple[str, ...]) -> None:
    assert expand(Template(written).source) == expanded
    again = Template(list(expanded))
    assert expand(again.source) == expanded
    assert templates_equivalent(again, written) or again.slots != Template(written).slots


@st.composite
def slot_expressions(draw: st.DrawFn, depth: int = 2) -> str:
    """Sums and products in brackets, of slots and constants."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(["a", "b", "c", "2", "0.5", "3"]))
    left, right = draw(slot_expressions(depth - 1)), draw(slot_expressions(depth - 1))
    return f"({left} {draw(st.sampled_from('+-*'))} {right})"


@st.composite
def bracketed(draw: st.DrawFn) -> str:
    inside = f"({draw(slot_expressions())}*m - ({draw(slot_expressions())} - n))"
    return f"{draw(slot_expressions())}*{inside} + n = {draw(slot_expressions())} - {draw(slot_expressions())}*m"


@given(bracketed())
def test_expanding_brackets_changes_no_equation(text: str) -> None:
    template = Template(text, unknowns="mn", slots="abc")
    (expanded,) = expand(template.source)
    assert "(" not in expanded
    assume("m" in expanded)
    again = Template(expanded, unknowns="mn", slots="abc")
    # The same polynomial once names have the same numbers, up to the sign that makes the first term positive.
    rows = [_by_name(t) for t in (template, again)]
    assert rows[0] in (rows[1], {term: -c for term, c in rows[1].items()})


def _by_name(template: Template) -> dict[tuple[str, ...], int]:
    (terms,) = template.system.terms
    columns = [*template.unknowns, ""]
    return {(columns[column], *sorted(template.slots[i] for i in slots)): c for column, c, slots in terms}


def test_too_many_terms_are_refused() -> None:
    sums = "*".join(f"({'+'.join(f'a{i}{j}' for j in 'pqrs')})" for i in range(5))
    with pytest.raises(LimitError, match="500 terms"):
        expand(Template(f"m = {sums}").source)
