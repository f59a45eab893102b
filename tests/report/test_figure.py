"""The drawing: well-formed, complete, and harmless whatever the text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from report.problems import EVIL, MIXTURE, QUOTES, hostile

from draw_dataset import show
from draw_dataset.data.sample import PREDICTIONS, load_sample, load_sample_predictions
from draw_dataset.derivation.problem import Problem
from draw_dataset.report.svg import Row, derivation_html, derivation_svg, text_width

SVG = "{http://www.w3.org/2000/svg}"
PROBLEMS = [problem for problems in load_sample().values() for problem in problems]


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def arcs(svg: ET.Element, side: str, same: bool = False) -> list[str]:
    found = [path for path in svg.iter(f"{SVG}path") if path.get("data-side") == side]
    return sorted(p.get("data-slot", "") for p in found if ("dd-same" in p.get("class", "")) == same)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: str(p.id))
def test_every_number_is_marked_and_every_slot_has_its_arc(problem: Problem) -> None:
    svg = parsed(derivation_svg(problem, width=430))
    assert arcs(svg, "gold") == sorted(problem.derivation.template.slots)
    labels = [text.text for text in svg.iter(f"{SVG}text") if text.get("class") == "dd-label"]
    assert labels == [f"q{n.index}" for n in problem.numbers]


@pytest.mark.parametrize("name", PREDICTIONS)
def test_predictions_of_every_kind_are_drawn(name: str) -> None:
    predictions = load_sample_predictions(name)
    for problem in load_sample()["test"]:
        svg = parsed(derivation_svg(problem, predictions[problem.id]))
        assert arcs(svg, "gold") == sorted(problem.derivation.template.slots)


def test_nothing_leaves_the_figure_and_no_two_items_of_a_row_overlap() -> None:
    for problem in PROBLEMS:
        svg = parsed(derivation_svg(problem, problem.derivation.q_notation(), width=430))
        rows: dict[str, list[tuple[float, float]]] = {}
        for text in svg.iter(f"{SVG}text"):
            if text.get("class") is None:
                x, length = float(text.get("x", 0)), float(text.get("textLength", 4))
                assert x >= 0
                assert x + length <= 430
                rows.setdefault(text.get("y", ""), []).append((x, x + length))
        for spans in rows.values():
            ordered = sorted(spans)
            assert all(left[1] <= right[0] + 0.15 for left, right in pairwise(ordered)), problem.id
        for numbers in re.findall(r"[ MCV]([\d.]+) ", " ".join(p.get("d", "") for p in svg.iter(f"{SVG}path"))):
            assert 0 <= float(numbers) <= 1200


def test_equivalent_numbers_have_dashed_arcs_and_unused_ones_none() -> None:
    svg = parsed(derivation_svg(MIXTURE))
    assert arcs(svg, "gold", same=True) == ["a", "b"]
    kinds = [g.get("class", "").split()[1] for g in svg.iter(f"{SVG}g") if "dd-number" in g.get("class", "")]
    assert kinds == ["dd-used", "dd-used", "dd-equivalent", "dd-equivalent", "dd-used", "dd-used", "dd-unused"]


def test_a_prediction_is_drawn_beside_gold_and_the_slot_that_differs_is_marked() -> None:
    text = derivation_svg(MIXTURE, "q1*m + q2*n = q7*q5; m + n = q5")
    svg = parsed(text)
    assert arcs(svg, "predicted") == ["a", "b", "c", "d"]
    differing = [g for g in svg.iter(f"{SVG}g") if any("dd-ring" in r.get("class", "") for r in g)]
    assert [g.get("data-slot") for g in differing] == ["c", "c"]  # the predicted slot and gold's
    assert "Predicted: slot c takes q7, not q6" in text
    assert "wrong number: slot c takes &quot;2&quot; (q7) where gold takes &quot;15&quot; (q6)" in text


@pytest.mark.parametrize(
    ("prediction", "note"),
    [
        ("q3*x + q2*y = q6*q5; x + y = q5", "the same derivation"),
        ("m = q1", "another template"),
        ("m = q99", "bad alignment"),
        ("m + = 2", "unreadable"),
        ("", "abstained"),
        ("m*m = q1", "not linear"),
        ({"template": 3}, "unreadable"),
        ([float("nan"), {1}], "unreadable"),
        ("m = q1 + " * 50_000, "too large"),
        ("q1*" + "x" * 3_000 + " = q2", "another template"),
    ],
)
def test_the_first_difference_is_said_in_a_few_words(prediction: Any, note: str) -> None:
    text = derivation_svg(MIXTURE, prediction)
    parsed(text)
    assert f"Predicted: {note}" in text
    assert len(text) < 40_000


@pytest.mark.parametrize("prediction", [None, EVIL, QUOTES, {"template": [EVIL], "alignment": QUOTES}, "m = q1 - q2"])
def test_no_markup_of_the_data_survives(prediction: Any) -> None:
    problem = replace(hostile(), roles=(("m", f"{EVIL} \x1b[31m {QUOTES}"),), asked=(EVIL, QUOTES))
    for text in (derivation_svg(problem, prediction), derivation_html(problem, prediction)):
        root = parsed(text)
        names = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert names <= {
            "svg", "title", "desc", "style", "rect", "path", "circle", "g", "text", "figure", "figcaption",
        }  # fmt: skip
        attributes = {name for element in root.iter() for name in element.attrib}
        assert not any(name.startswith("on") or name in ("href", "src") for name in attributes)
        assert "\x1b" not in text
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


def labels(svg: ET.Element, *classes: str) -> list[str]:
    return [text.text or "" for text in svg.iter(f"{SVG}text") if text.get("class") in classes]


def test_the_unknowns_and_what_is_asked_stand_below_gold() -> None:
    roles = (("m", "grams of the strong paste"), ("n", "grams of the weak paste"), ("z", "nothing in gold"))
    problem = replace(MIXTURE, roles=roles, asked=("m", "2*m - n"))
    svg = parsed(derivation_svg(problem, "m = q1"))
    assert labels(svg, "dd-name") == ["m:", "n:"]
    shown = " ".join(labels(svg, "dd-name", "dd-role"))
    assert shown == "m: grams of the strong paste n: grams of the weak paste m, 2·m − n"
    assert "asked for" in labels(svg, "dd-small")
    said = svg.findtext(f"{SVG}desc") or ""
    assert "m: grams of the strong paste; n: grams of the weak paste; asked for m, 2*m - n; slot a" in said


@pytest.mark.parametrize("width", [300, 430, 640])
def test_long_roles_are_clipped_and_stay_in_the_figure(width: int) -> None:
    roles = (("m", "grams " * 40), ("n", "W" * 300))
    svg = parsed(derivation_svg(replace(MIXTURE, roles=roles, asked=("m + n",) * 30), width=width))
    clipped = [role for role in labels(svg, "dd-role") if role.endswith("…")]
    assert len(clipped) == 2
    for text in svg.iter(f"{SVG}text"):
        if text.get("class") in ("dd-role", "dd-name"):
            assert float(text.get("x", 0)) + float(text.get("textLength", 4)) <= width
            assert float(text.get("y", 0)) < float(svg.get("height", 0))


def test_a_row_without_roles_is_drawn_as_before() -> None:
    svg = parsed(derivation_svg(MIXTURE))
    assert not labels(svg, "dd-name", "dd-role")
    assert ET.tostring(parsed(derivation_svg(replace(MIXTURE, asked=("m", "n"))))) == ET.tostring(svg)


def test_the_drawing_is_named_for_those_who_do_not_see_it() -> None:
    svg = parsed(derivation_svg(MIXTURE))
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == "Problem 7: q1*m + q2*n = q6*q5; m + n = q5"
    assert "slot c = 15 (q6)" in (svg.findtext(f"{SVG}desc") or "")


def test_a_notebook_gets_html_and_a_terminal_text() -> None:
    shown = show(MIXTURE.to_row(), "m = q1")
    assert shown._repr_html_().startswith('<figure class="dd-derivation"><svg ')
    assert str(shown).startswith("problem 7\n")
    assert repr(shown) == "<derivation of problem 7>"
    parsed(shown.svg)


def test_a_row_needs_no_numbers() -> None:
    row = MIXTURE.to_row()
    del row["numbers"], row["id"]
    assert arcs(parsed(derivation_svg(row)), "gold") == ["a", "b", "c", "d"]


def test_curves_take_different_gaps() -> None:
    row = Row(gaps=[10.0, 20.0, 30.0])
    assert [row.pass_near(19) for _ in range(4)] == [20.0, 10.0, 30.0, 20.0]


def test_wide_characters_are_wide() -> None:
    assert text_width("数", 10) > text_width("x", 10)
