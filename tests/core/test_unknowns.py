"""Which names are unknowns: m, n, o; without these x, y, z; or given names; a template without any is refused."""

from __future__ import annotations

import pickle
import re

import pytest

from draw_dataset import (
    Derivation,
    Template,
    all_slot_maps,
    canonical_key,
    derivations_equivalent,
    find_difference,
    find_slot_map,
    grade,
    templates_equivalent,
)
from draw_dataset.cli import main
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.consistent import read_equations
from draw_dataset.derivation.normal_form import normal_form
from draw_dataset.errors import AlignmentError, ReadError


def test_x_is_no_slot_where_there_is_no_other_unknown() -> None:
    assert not templates_equivalent("x = a + b", "x = a - b")
    assert templates_equivalent("x = a + b", "y = b + a")
    assert templates_equivalent("x + y = a; x - y = b", "m + n = a; m - n = b")
    assert canonical_key("x = a*y; x + y = b") == canonical_key("m = a*n; m + n = b")


@pytest.mark.parametrize(
    ("text", "unknowns", "slots"),
    [
        ("m = x + y", ("m",), ("x", "y")),
        ("x + n = a", ("n",), ("x", "a")),
        ("x + y = z", ("x", "y", "z"), ()),
        ("z = a*b", ("z",), ("a", "b")),
        ("x1 + x = a", ("x",), ("x1", "a")),
    ],
)
def test_m_n_and_o_come_before_x_y_and_z(text: str, unknowns: tuple[str, ...], slots: tuple[str, ...]) -> None:
    template = Template(text)
    assert template.unknowns == unknowns
    assert template.slots == slots
    assert pickle.loads(pickle.dumps(template)) == template


@pytest.mark.parametrize(
    ("text", "names", "message"),
    [
        ("a = b", {}, r"template: .*unknowns=.*\ba, b\b"),
        ("2 = a", {}, r"\ba$"),
        ("2 = 3", {}, "unknowns="),
        ("p = a + b", {}, "unknowns="),
        ("m = a", {"unknowns": ["x", "y"]}, r"\bm, a\b"),
        ("m = a", {"unknowns": []}, "unknowns="),
        ("a = b", {"slots": "ab"}, r"\ba, b\b"),
    ],
)
def test_a_template_without_unknowns_is_refused(text: str, names: dict[str, list[str]], message: str) -> None:
    with pytest.raises(ReadError, match=message):
        Template(text, **names)


def test_a_text_that_is_no_system_is_refused_for_that() -> None:
    with pytest.raises(ReadError) as refused:
        Template("a + b")
    assert re.findall(r"\d+", refused.value.where) == ["1", "6"]
    assert "'='" in refused.value.expected


def test_the_triad_and_its_relatives_take_the_unknowns() -> None:
    names = iter("uv")
    assert templates_equivalent("u = a + v; v = b", "v = b + u; u = a", unknowns=names)
    assert not templates_equivalent("u = a + b", "u = a - b", unknowns=["u"])
    assert find_slot_map("u = a/b", "v = c/d", unknowns="uv") == {"a": "c", "b": "d"}
    assert len(list(all_slot_maps("u = a + b", "u = a + b", unknowns="u"))) == 2
    assert canonical_key("u = a", unknowns="u") == canonical_key("m = a") != canonical_key("m = a*u")
    assert canonical_key("m = a*u", unknowns="u") == canonical_key("m = a*n", unknowns="n")
    difference = find_difference("u = a", "u = 2*a", unknowns="u")
    assert difference is not None
    assert re.findall(r"\w+ = \d+", difference.message) == ["a = 2", "u = 2", "u = 4"]
    with pytest.raises(ReadError, match=r"\bm, a\b"):
        templates_equivalent("u = a", "m = a", unknowns="u")


def test_a_template_keeps_its_own_unknowns() -> None:
    assert templates_equivalent(Template("u = a", unknowns="u"), "w = a", unknowns="w")


def test_q_notation_without_an_unknown_is_refused() -> None:
    with pytest.raises(ReadError, match=r"\bq1, q2\b"):
        Derivation.read("q1 = q2")
    with pytest.raises(ReadError, match=r"\bq1, q2\b"):
        derivations_equivalent("q1 = q2", "q1 = 2*q2")


def test_unknowns_that_cancel_are_unknowns() -> None:
    assert Template("m - m = a").unknowns == ("m",)
    assert normal_form(Template("m - m = a"))[0] == "0 = s0"


def test_equations_without_unknowns_can_be_read_for_their_numbers() -> None:
    source, template = read_equations("5 = 2 + 3")
    assert source.unknowns == template.unknowns == ()
    assert pickle.loads(pickle.dumps(template)) == template


def test_a_prediction_may_write_x_and_y() -> None:
    row = next(problem.to_row() for problem in load_sample()["test"] if len(problem.template) == 2)
    other = [equation.translate(str.maketrans("mno", "xyz")) for equation in row["template"]]
    assert grade({"template": other, "alignment": row["alignment"]}, row).derivation
    nothing = {"template": "a = b", "alignment": row["alignment"]}
    verdict = grade(nothing, row)
    assert (verdict.derivation, verdict.solution, str(verdict.reason)) == (False, False, "unreadable")
    assert "unknowns=" in verdict.message


def test_the_command_takes_the_unknowns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equiv", "x = a + b", "x = a - b"]) == 1
    assert main(["equiv", "--unknowns", "u,v", "u + v = a", "u = a - v"]) == 0
    capsys.readouterr()
    assert main(["equiv", "a = b", "a = 2*b"]) == 2
    assert "--unknowns" in capsys.readouterr().err


def test_a_rank_of_thousands_of_digits_is_refused() -> None:
    with pytest.raises(AlignmentError, match="'q999"):
        Derivation.read("m = q" + "9" * 5000)
