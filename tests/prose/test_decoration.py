"""Labels, arrows, units and currency around an equation never change what it says."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from draw_dataset.reading.extraction import extract_equations
from draw_dataset.reading.statements import Linear, read_equation, statements_of

numbers = st.one_of(
    st.integers(2, 999).map(str),
    st.integers(1, 99).map(lambda n: f".{n:02}"),
    st.integers(1, 9999).map(lambda n: f"{n / 100:.2f}"),
    st.integers(1000, 9_999_999).map(lambda n: f"{n:,}"),
)
shapes = st.sampled_from(
    (
        "{a}x + {b}(10 - x) = {c}(10)",
        "{a}*x - {b} = {c}",
        "{a}x + {b}y = {c}",
        "x + {a} = {b}*{c}",
        "{a}(x + {b}) = {c}x",
        "x/{a} + x/{b} = {c}",
        "{a}x={b}({c})",
        "{c}={a}x-{b}",
        "({a} + {b})x = {c}",
        "{a}x + {b} = {c}y",
        "x = {a}y + {b}({c})",
    )
)
before = st.sampled_from(
    (
        "",
        "(1) ",
        "(2)  ",
        "1) ",
        "[3] ",
        "eq.1: ",
        "Eq 2  ",
        "equation (1): ",
        "==> ",
        "--> ",
        "~> ",
        "=> ",
        "so ",
        "Then we have ",
        "EQUATION: ",
        "* ",
        "Solve: ",
        "....",
        "therefore, ",
        "| ",
    )
)
after = st.sampled_from(
    (
        "",
        " ....(1)",
        "....(2)",
        " ------(1)",
        "     (2)",
        "  eq.1",
        " ==> ",
        " --> so",
        ".",
        ";",
        ", where x is the number",
        " Simplify and solve for x.",
        " (the total cost)",
        " dollars",
        " lbs",
        " hrs.",
        " |",
        " [1]",
        " so we solve it",
    )
)


def same(first: Linear, second: Linear) -> bool:
    if first.coefficients.keys() != second.coefficients.keys():
        return False
    name = min(first.coefficients)
    ratio = first.coefficients[name] / second.coefficients[name]
    return first.constant == ratio * second.constant and all(
        value == ratio * second.coefficients[other] for other, value in first.coefficients.items()
    )


@settings(deadline=None)
@given(shapes, numbers, numbers, numbers, before, after)
def test_decoration_never_changes_an_equation(shape: str, a: str, b: str, c: str, left: str, right: str) -> None:
    equation = shape.format(a=a, b=b, c=c)
    _, meant = read_equation(equation)
    if not meant.coefficients:
        return  # the unknown cancels
    found = [s for s in statements_of(left + equation + right) if s.linear is not None and s.linear.coefficients]
    assert any(s.linear and same(s.linear, meant) for s in found), [s.equation for s in found]
    assert all(s.doubt or (s.linear and same(s.linear, meant)) for s in found), [s.equation for s in found]


@settings(deadline=None)
@given(st.integers(2, 99), st.integers(2, 99), st.integers(2, 999), st.sampled_from("$£€"))
def test_currency_is_dropped_and_nothing_else(a: int, b: int, c: int, sign: str) -> None:
    found = statements_of(f"{sign}{a}.50x + {sign}.{b:02}y = {sign}{c}.00")
    assert [s.equation for s in found] == [f"{a}.50*x + .{b:02}*y = {c}.00"]


@settings(deadline=None)
@given(
    st.integers(2, 99),
    st.integers(2, 999),
    st.sampled_from(("ml", "lbs", "hours", "miles", " gallons", " mph", " cents", "L", " L")),
)
def test_units_behind_numbers_are_dropped(a: int, b: int, unit: str) -> None:
    found = statements_of(f"{a}{unit} + x = {b}{unit}")
    assert [s.equation for s in found] == [f"{a} + x = {b}"]


@settings(deadline=None)
@given(st.integers(2, 60), st.integers(2, 60), st.integers(1, 99), st.integers(1, 99))
def test_an_extracted_system_has_the_solution_it_was_made_with(x: int, y: int, a: int, b: int) -> None:
    question = (
        f"{x + y} things weigh {a * x + b * y} pounds, some of them {a} pounds each and some {b}. How many of each?"
    )
    explanation = f"x + y = {x + y} ....(1)\n{a}x + {b}y = {a * x + b * y} ....(2)\nx = {x}\ny = {y}"
    found = extract_equations(question, [explanation])
    # With equal weights the equations do not determine anything, and nothing may be made up.
    assert found.solution == ({"x": Fraction(x), "y": Fraction(y)} if a != b else {})


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error(text: str) -> None:
    extract_equations(text, [text, f"{text} = {text}", f"x = {text}"])
