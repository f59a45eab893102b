"""Template, Alignment, NumberClasses and Derivation: what they hold, print, refuse and survive."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from strategies import templates

from draw_dataset import (
    Alignment,
    Derivation,
    NumberClasses,
    Template,
    TextNumber,
    derivations_equivalent,
    templates_equivalent,
)
from draw_dataset.derivation.equivalence import canonical_slots
from draw_dataset.errors import AlignmentError, DrawError, NumberClassesError, ReadError


def test_a_template_prints_in_one_plain_form() -> None:
    template = Template("2m+3(n-.5)= 1,000 - -2e3 ;a/[b+c]m = n")
    assert str(template) == "2*m + 3*(n - .5) = 1,000 - -2e3; a/[b + c]*m = n"
    assert template.equations == ("2*m + 3*(n - .5) = 1,000 - -2e3", "a/[b + c]*m = n")


def test_blank_equations_are_not_printed() -> None:
    assert str(Template(";; m = a ;\n; n = b;;")) == "m = a; n = b"
    assert Template(";; m = a ;\n; n = b;;").equations == ("m = a", "n = b")


@given(templates())
def test_printing_and_reading_again_is_exact(equations: list[str]) -> None:
    template = Template(equations)
    again = Template(str(template))
    assert again == template
    assert str(again) == str(template)
    assert Template(list(template.equations)) == template


@given(templates())
def test_q_notation_round_trip_is_exact(equations: list[str]) -> None:
    template = Template(equations)
    alignment = {slot: 2 * i + 1 for i, slot in enumerate(template.slots)}
    derivation = Derivation(template, alignment)
    again = Derivation.read(derivation.q_notation())
    assert again.q_notation() == derivation.q_notation()
    assert again.places == derivation.places
    assert derivations_equivalent(again, derivation)
    assert again.template.system is derivation.template.system


def test_q_notation_with_the_numbers_of_the_text() -> None:
    numbers = [TextNumber(0, 3, Fraction(7), 1, "seven"), TextNumber(0, 9, Fraction(2), 2, "twice")]
    derivation = Derivation.read("x = q2*q1", numbers)
    assert derivation.places == ((0, 9), (0, 3))
    assert derivation.solve().values == {"x": 14}
    assert derivation.q_notation() == "x = q2*q1"
    with pytest.raises(AlignmentError, match=r"\bq1\b.*\bq2\b.*\bq3\b"):
        Derivation.read("x = q3", numbers)


def test_slots_of_q_notation_avoid_the_unknowns() -> None:
    derivation = Derivation.read("a + m = q1*q2; a - b = q3; b = m")
    assert derivation.template.unknowns == ("a", "m", "b")
    assert not set(derivation.template.slots) & {"a", "b", "m", "n", "o"}


def test_q0_and_q_are_unknowns() -> None:
    assert Derivation.read("q + q0 = q10; q = q1").template.unknowns == ("q", "q0")


@pytest.mark.parametrize(
    ("alignment", "message"),
    [
        ({"a": (0, 1)}, r"\['a', 'b'\].*\['b'\]"),
        ({"a": (0, 1), "b": (0, 2), "c": (0, 3)}, r"\['c'\]"),
        ([{"slot": "a", "sentence": 0, "token": 1}] * 2, "'a'"),
        ({"a": (0, 1), "b": (0, 1)}, "slot 'b'"),
        ({"a": (0, 1.0), "b": (0, 2)}, r"token.*1\.0"),
        ({"a": (0, True), "b": (0, 2)}, r"token.*True"),
        ({"a": (-1, 1), "b": (0, 2)}, r"sentence.*-1"),
        ({"a": ("0", 1), "b": (0, 2)}, "sentence"),
        ({"a": 0, "b": 1}, r"1.*0"),
        ({"a": "q1", "b": 1}, "slot 'a': "),
        ({"a": {"sentence": 0}, "b": 1}, r"token.*None"),
        ({"a": (0, 1), "b": 2}, "place.*rank"),
        ({1: (0, 1)}, r"\b1\b"),
        ([{"sentence": 0, "token": 1}], r"slot.*'sentence', 'token'"),
        (["a"], "'a'"),
        ("ab", "'ab'"),
        (None, "None"),
        ({"a": (0, 1, float("nan")), "b": (0, 2)}, "nan"),
    ],
)
def test_a_bad_alignment_is_refused_saying_where(alignment: object, message: str) -> None:
    with pytest.raises(DrawError, match=message):
        Derivation("m = a + b", alignment)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([[(0, 1), (0, 2)], [(0, 2), (0, 3)]], "group 2: "),
        ([[(0, 1), (0, 2)], [(0, 1), (0, 3)]], "group 2: "),
        (["ab"], "group 1: "),
        ([3], "group 1: "),
        ([[("x", 1)]], r"group 1: .*sentence"),
    ],
)
def test_bad_groups_are_refused_saying_where(groups: list[object], message: str) -> None:
    with pytest.raises((NumberClassesError, AlignmentError), match=message):
        NumberClasses(groups)  # type: ignore[arg-type]


def test_groups_as_the_release_and_as_rows_write_them() -> None:
    raw = NumberClasses([[[0, 17, 10], [1, 5, 10.0]]])
    rows = NumberClasses([[{"sentence": 0, "token": 17, "value": 10.0}, {"sentence": 1, "token": 5}]])
    assert raw.of_place((1, 5)) == rows.of_place((1, 5)) == (0, 17)
    assert raw.of_place((2, 2)) == (2, 2)
    assert NumberClasses([]).of_place((0, 0)) == (0, 0)
    assert NumberClasses([[(0, 1), (0, 1)]]).of_place((0, 1)) == (0, 1)


def test_a_number_is_its_place_not_its_value() -> None:
    assert TextNumber(0, 1, Fraction(2)) == TextNumber(0, 1, Fraction(3))
    assert TextNumber(0, 1, Fraction(2)) != TextNumber(0, 2, Fraction(2))


def test_places_and_ranks_are_not_compared_silently() -> None:
    with pytest.raises(AlignmentError, match="by place, or both by rank"):
        derivations_equivalent(Derivation("m = a", {"a": (0, 1)}), "m = q1")


def test_groups_by_place_are_not_applied_to_ranks_silently() -> None:
    with pytest.raises(AlignmentError, match="equiv_tnum"):
        derivations_equivalent("m = q1", "m = q2", [[(0, 1), (0, 2)]])
    with pytest.raises(NumberClassesError, match="by place, or all by rank"):
        NumberClasses([[1, 2], [(0, 1), (0, 2)]])


def test_derivations_without_numbers_can_be_compared_with_either_kind() -> None:
    assert derivations_equivalent(Derivation("m = 3", {}), "n = 3")
    assert not derivations_equivalent(Derivation("m = a", {"a": (0, 1)}), "n = 3")


def test_values_must_fit_the_slots() -> None:
    with pytest.raises(AlignmentError, match=r"\['a', 'b'\].*\['a'\]"):
        Template("m = a + b").solve({"a": 1})
    with pytest.raises(ReadError, match="finite"):
        Template("m = a").solve({"a": float("inf")})


def test_grounded_division_by_zero_has_no_solution() -> None:
    assert str(Template("m = a/b").solve({"a": 0, "b": 0}).kind) == "none"
    assert str(Template("m = a/b").solve({"a": 0, "b": 2}).kind) == "unique"


def test_a_derivation_without_values_cannot_be_solved() -> None:
    with pytest.raises(AlignmentError):
        Derivation("m = a", {"a": (0, 1)}).solve()


def test_objects_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="cannot be changed"):
        Template("m = a").slots = ("b",)  # type: ignore[misc]
    with pytest.raises(AttributeError, match="cannot be changed"):
        Derivation("m = a", {"a": 1}).places = ()  # type: ignore[misc]


def test_objects_survive_pickling_and_copying() -> None:
    derivation = Derivation(Template("x + y = p; x - y = r", unknowns="xy"), {"p": (0, 1), "r": (2, 3)})
    for again in (pickle.loads(pickle.dumps(derivation)), copy.deepcopy(derivation)):
        assert again == derivation
        assert hash(again) == hash(derivation)
        assert again.template.slots == ("p", "r")
    template = Template("x = 3*m", unknowns=["x"])
    assert pickle.loads(pickle.dumps(template)) == template


def test_latex() -> None:
    system = Template("x1 - (2 - cost) = a/(b + 1); 2*3*cost = -(x1 + a)^2*0", unknowns=["x1", "cost"])
    assert system.to_latex() == (
        r"\begin{cases} x_{1} - \left(2 - \mathit{cost}\right) = \frac{a}{b + 1} \\ "
        r"2 \cdot 3 \, \mathit{cost} = -\left(x_{1} + a\right)^{2} \cdot 0 \end{cases}"
    )
    assert Template("m = a")._repr_latex_() == "$m = a$"


def test_sympy_system() -> None:
    import sympy

    m, a = sympy.symbols("m a")
    (equation,) = Template("0.1*m = a^2/4").to_sympy()
    assert equation == sympy.Eq(m / 10, a**2 / 4, evaluate=False)


def test_alignment_is_a_mapping() -> None:
    alignment = Alignment([{"slot": "a", "sentence": 0, "token": 1, "value": 4.0}])
    assert dict(alignment) == {"a": TextNumber(0, 1)}
    assert alignment["a"].value == 4
    assert repr(alignment) == "Alignment({'a': (0, 1)})"


def test_canonical_slots_correspond() -> None:
    first, second = Template("m = a - b*c"), Template("m = c - a*b")
    assert templates_equivalent(first, second)
    assert canonical_slots(first)["a"] == canonical_slots(second)["c"]
