"""Reading equations: what is accepted, what it means, and what is refused with which words."""

from __future__ import annotations

from fractions import Fraction

import pytest

from draw_dataset import Template, solve
from draw_dataset.algebra.limits import MAX_CHARACTERS
from draw_dataset.errors import DrawError, LimitError, NotLinearError, ReadError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x = 5", 5),
        ("x = .01", Fraction(1, 100)),
        ("x = 5.", 5),
        ("x = 1,000", 1000),
        ("x = 12,345,678.5", Fraction(24691357, 2)),
        ("x = 2e3", 2000),
        ("x = 2.5E-1", Fraction(1, 4)),
        ("2x = 3", Fraction(3, 2)),
        ("2 x = 3", Fraction(3, 2)),
        ("3(x+1) = 6", 1),
        ("(2+3)(x) = 10", 2),
        ("x(2+3) = 10", 2),
        ("[x + (1)] * 2 = 6", 2),
        ("1/2x = 3", 6),
        ("6/2/3 = x", 1),
        ("2*-3 = x", -6),
        ("x - -3 = 0", -3),
        ("--x = 4", 4),
        ("-x^2 + x^2 + x = 2^3", 8),
        ("x = -2^2", -4),
        ("x = 2^-2", Fraction(1, 4)),
        ("x = 2^(-1)", Fraction(1, 2)),
        ("x = 2^3^2 / 64", 8),
        ("x = 2**3", 8),
        ("x = 0^0", 1),
        ("3 − x = 2 × 2 · 1 ÷ 4", 2),
        ("d/50 + d/75 = 10", 300),
        ("12/(15+c) = 9/(15-c)", Fraction(15, 7)),
        ("x*(x+1) = x^2 + 3", 3),
        ("x^2/x = 3", 3),
        ("(x^2 - 1)/(x - 1) = 5", 4),
        ("1/(1/x) = 3", 3),
        ("print + max - max = 7 + 0*max; max = 1", None),
    ],
)
def test_reads_and_solves_exactly(text: str, value: int | Fraction | None) -> None:
    solution = solve(text)
    assert str(solution.kind) == "unique"
    if value is not None:
        assert list(solution.values.values()) == [value]


@pytest.mark.parametrize("text", ["x+y=3; x-y=1", "x+y=3\nx-y=1", "\n x+y=3 ;\n\n x-y=1;", ["x+y=3", "x-y=1"]])
def test_systems_are_lists_or_separated(text: str | list[str]) -> None:
    assert solve(text).values == {"x": 2, "y": 1}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x = x", "infinite"),
        ("x = x + 1", "none"),
        ("x + y = 1; 2x + 2y = 2", "infinite"),
        ("x + y = 1; x + y = 2", "none"),
        ("x + y = 1; x - y = 0; x = 3", "none"),
        ("x + y = 1; x - y = 0; x = 0.5", "unique"),
        ("x*y = 2", "not linear"),
        ("1/x = 0", "none"),
        ("x/x = 1", "infinite"),
        ("(x-2)/(x-2) = x - 1", "none"),  # x = 2 is where the text divides by zero
        ("1/(1/x) = 0", "none"),
        ("3/(x-2) = 6/(2*x-4)", "infinite"),
        ("3 = 3", "unique"),
        ("3 = 4", "none"),
    ],
)
def test_says_how_many_solutions_there_are(text: str, kind: str) -> None:
    assert str(solve(text).kind) == kind


def test_determined_unknowns_of_an_underdetermined_system_are_given() -> None:
    assert solve("x + y = z; y - z = 4").values == {"x": -4}


@pytest.mark.parametrize(
    ("text", "where", "got"),
    [
        ("", "equation 1, column 1", "the end"),
        ("  ;\n", "equation 1, column 1", "the end"),
        ("m + a", "equation 1, column 6", "the end"),
        ("m = a = b", "equation 1, column 7", "'='"),
        ("a * m + = c", "equation 1, column 9", "'='"),
        ("m = a; m + (n = b", "equation 2, column 9", "'='"),
        ("m = (a + b]", "equation 1, column 11", "']'"),
        ("m) = a", "equation 1, column 2", "')'"),
        ("m = a\0", "equation 1, column 6", r"'\x00'"),
        ("m = 🙂", "equation 1, column 5", "'🙂'"),
        ("m = a²", "equation 1, column 5", "'a²'"),
        ("m = 1,00", "equation 1, column 6", "','"),
        ("m = 2 1/2", "equation 1, column 7", "'1'"),
        ("m = a^b", "equation 1, column 7", "'b'"),
        ("m = a^2.5", "equation 1, column 7", "'2.5'"),
        ("m = a / 0", "equation 1, column 9", "division by zero"),
        ("m = a / (b - b)", "equation 1, column 15", "division by zero"),
        ("__import__('os') = m", "equation 1, column 11", "'('"),
        ("sqrt(a) = m", "equation 1, column 5", "'('"),
        ("the answer = m", "equation 1, column 5", "'answer'"),
        ("m = .o1", "equation 1, column 5", "'.'"),
    ],
)
def test_refuses_with_place_expected_and_got(text: str, where: str, got: str) -> None:
    with pytest.raises(ReadError) as caught:
        Template(text)
    assert caught.value.where == where
    assert caught.value.got == got
    assert all(part in str(caught.value) for part in (where, caught.value.expected, got))


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("m * n = a", "equation 1"),
        ("m = a; a/(m^2 + 1) = n", "equation"),
        ("a = m^2", "equation 1"),
        ("m=a\n\nm*m=n", "equation 2"),
    ],
)
def test_refuses_what_is_not_linear(text: str, where: str) -> None:
    with pytest.raises(NotLinearError, match=where):
        Template(text)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000 + "m" + ")" * 100_000 + " = a",
        "(" * 1000 + "m" + ")" * 1000 + " = a",
        "-" * 5000 + "m = " + "(" * 41 + "a" + ")" * 41,
        "m = 9**9**9",
        "m = 9^64^64",
        "m = ((9^64)^64)^64",
        "m = a^99999999999999999999999999999999999999",
        "m = " + "9" * 1_000_000,
        "m = " + "9" * 101,
        "m = 1e999999999",
        "m = 1e-500",
        "m = (a + b + c + d + e + f)^30",
        "m = " + " + ".join(["(a + b + c + d)^9"] * 400),
        "m = " + "*".join(["(a + b)"] * 64) + "*a" * 70,
        "m = " + "*".join(["9^64"] * 500),
        "m = " + " + ".join(f"s{i}" for i in range(100)),
        " + ".join(f"x{i}" for i in range(100)) + " = 1",
        "m = " + "2^" * 3000 + "2",
        "m = a;" * 41,
    ],
    ids=lambda text: text[:24],
)
def test_refuses_what_is_too_large(text: str) -> None:
    with pytest.raises(LimitError, match="expected"):
        Template(text, slots=[*"abcdef", *(f"s{i}" for i in range(100))])


@pytest.mark.parametrize("equations", [["m = a", ""], ["m = a", None], ["m = a", 3], 7, None, {"m": "a"}, []])
def test_refuses_what_is_no_list_of_texts(equations: object) -> None:
    with pytest.raises(ReadError, match="expected"):
        Template(equations)  # type: ignore[arg-type]


def test_names_outside_both_sets_are_refused_by_name() -> None:
    with pytest.raises(ReadError) as refused:
        Template("x = a + b", unknowns=["x"], slots=["a"])
    assert "9" in refused.value.where
    assert refused.value.got == "'b'"


def test_explicit_sets_decide_what_is_a_slot() -> None:
    assert Template("x + y = m", unknowns="xy").slots == ("m",)
    assert Template("x + y = m", slots="m").unknowns == ("x", "y")
    assert Template("x = m", slots=[]).unknowns == ("x", "m")


def test_reading_never_runs_the_text(tmp_path_factory: pytest.TempPathFactory) -> None:
    target = tmp_path_factory.mktemp("run") / "touched"
    for text in (f"__import__('os').system('touch {target}') = m", f"exec(open('{target}','w')) = m", "m = a.b.c"):
        with pytest.raises(DrawError):
            Template(text)
    assert not target.exists()


def test_errors_survive_pickling() -> None:
    import pickle

    with pytest.raises(ReadError) as caught:
        Template("m = ")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.where, str(again)) == (caught.value.where, str(caught.value))


def test_the_longest_admissible_text_is_read() -> None:
    text = "m = " + " + ".join(["a"] * ((MAX_CHARACTERS - 5) // 4))
    assert Template(text).solve({"a": 1}).values["m"] > 1000
