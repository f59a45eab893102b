"""Roles of unknowns in variants: kept, with the numbers of the new text, and said in explanations."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from datasets import load_from_disk
from report.problems import problem

from draw_dataset import Problem, make_variants, probe
from draw_dataset.cli import main
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.derivation.problem import AppliedCorrection, read_rows, write_rows
from draw_dataset.variants.making import Variant, inventory_of
from draw_dataset.variants.rebuilding import Edit, rebuild

SAMPLE = [one for problems in load_sample().values() for one in problems]
INVENTORY = inventory_of(SAMPLE)


def named(id_: int) -> Problem:
    return next(one for one in SAMPLE if one.id == id_)


def roles_of(row: dict[str, Any]) -> list[str]:
    return [one["role"] for one in row["roles"]]


@pytest.mark.parametrize("kind", ["numbers", "traps", "twins"])
def test_variants_keep_roles_and_their_originals_have_them_again(kind: str) -> None:
    rows = make_variants(SAMPLE, 1, 0, kinds=[kind], inventory=INVENTORY)
    assert len(rows) > 100
    for row in rows:
        source = named(row["source_id"])
        assert [one["unknown"] for one in row["roles"]] == [name for name, _ in source.roles]
        assert row["asked"] == list(source.asked)
        assert Variant.of(row).original().roles == source.roles


def test_numbers_in_roles_are_those_of_the_variant() -> None:
    for row in make_variants([named(24)], 3, 0, inventory=INVENTORY):
        first, second = (f"{number['text']} % saline" for number in row["numbers"][:2])
        assert first != "15 % saline"
        assert roles_of(row) == [f"the millilitres of the {first}", f"the millilitres of the {second}"]


FRUIT = problem(
    "There are 7 apples and 7 pears in each of five odd boxes , beside 4 nuts . How many is that ?",
    ["m = 7 + 7*5"],
    ["m = a + b*c"],
    {"a": (0, 2, 7.0), "b": (0, 5, 7.0), "c": (0, 10, 5.0)},
    solutions=(42.0,),
)


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("the 7 apples", "the 9 apples"),
        ("7 pears", "11 pears"),
        ("fruit besides 7 pears and 7 apples", "fruit besides 11 pears and 9 apples"),
        ("fruit in five boxes", "fruit in six boxes"),
        ("fruit in 5 boxes", "fruit in 6 boxes"),
        ("fruit with 4 nuts", "fruit with 4 nuts"),
        ("fruit of odd boxes", "fruit of odd boxes"),
        ("fruit for 12 people", "fruit for 12 people"),
        ("fruit", "fruit"),
    ],
)
def test_a_number_in_a_role_is_the_one_beside_the_same_word(role: str, expected: str) -> None:
    assert changed(role).role_of == {"m": expected}


def test_a_role_is_left_out_if_its_number_may_be_one_of_two() -> None:
    assert not changed("the 7").roles
    assert not changed("7 of them").roles


def changed(role: str) -> Problem:
    """Return the problem with 9 apples and 11 pears in six boxes."""
    starts = [number.start or 0 for number in FRUIT.numbers]
    edits = [Edit(starts[0], "7", "9"), Edit(starts[1], "7", "11"), Edit(starts[2], "five", "six")]
    values = [*map(Fraction, (9, 11, 6)), *(number.value or Fraction(0) for number in FRUIT.numbers[3:])]
    made = rebuild(replace(FRUIT, roles=(("m", role),)), "release", edits, values, 8)
    assert made is not None
    return made


def test_rows_with_roles_and_corrections_are_saved_and_probed(tmp_path: Path) -> None:
    corrected = replace(named(24), correction=AppliedCorrection(3, "groups"))
    write_rows(tmp_path / "rows.jsonl", [corrected, named(1)])
    out, folder = tmp_path / "variants.jsonl", tmp_path / "folder"
    made = ["variants", "make", str(tmp_path / "rows.jsonl"), "--inventory", "sample"]
    assert main([*made, "--out", str(out), "--out-dataset", str(folder)]) == 0
    variants = read_rows(out)
    assert [variant.correction for variant in variants] == [corrected.correction] * 3 + [None] * 3
    stored = load_from_disk(str(folder))["all"]
    assert [Problem.from_row(row) for row in stored] == variants
    answers = tmp_path / "answers.jsonl"
    lines = [json.dumps({"id": variant.id, "answer": list(variant.solutions)}) for variant in variants]
    answers.write_text("\n".join(lines), encoding="utf-8")
    page = tmp_path / "page.html"
    assert main(["variants", "score", str(answers), "--variants", str(out), "--html", str(page)]) == 0


def test_a_row_that_a_correction_excludes_is_refused_with_the_reason() -> None:
    excluded = replace(named(1), correction=AppliedCorrection(3, "excluded"))
    assert make_variants([excluded], 1).refused == {1: "it has no derivation: a correction excludes it"}


def test_an_explanation_says_what_the_unknowns_are() -> None:
    assert explained(named(29)) == "subtracts 4 × the number of cars instead of adding it"
    assert explained(replace(named(29), roles=())) == "subtracts 4 × n instead of adding it"


def explained(given: Problem) -> str:
    """Return the explanation of answers with the cars subtracted, which is another template."""
    rows = make_variants([given], 4, 0, inventory=INVENTORY)
    answers = {}
    for row in rows:
        variant = Problem.from_row(row)
        values = Derivation.read("2*m - 4*n = q1; m + n = q2", variant.numbers).solve().values
        answers[row["id"]] = [values["m"], values["n"]]
    return probe(answers, rows, inventory=INVENTORY).problems[0].explanations[0].sentence
