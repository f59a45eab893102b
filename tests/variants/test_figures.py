"""Figures of robustness: drop, sets of instances, difficulty, common errors; and the sentences that name errors."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import stdev
from typing import Any

import pytest
from variants.test_consistency import row
from variants.test_explanations import BOXES

from draw_dataset import Problem, make_variants, probe
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.errors import RowError
from draw_dataset.variants.explaining import Describer, Explanation
from draw_dataset.variants.fields import analyse
from draw_dataset.variants.probing import Probe, Samples
from draw_dataset.variants.report import COMMON, compare_probes
from draw_dataset.variants.rivals import rival_of

PROBLEMS = load_sample()["test"][:4]
ROWS = list(make_variants(PROBLEMS, 3, 0))
IDS = [[row["id"] for row in ROWS if row["source_id"] == problem.id] for problem in PROBLEMS]
GOLD: dict[Any, Any] = {one["id"]: one["solutions"] for one in ROWS} | {p.id: list(p.solutions) for p in PROBLEMS}


def probed(wrong: Sequence[Any], rows: Sequence[dict[str, Any]] = ROWS) -> Probe:
    """Return the figures of a system that is right but for some rows."""
    return probe({id_: [-1.5] if id_ in wrong else solved for id_, solved in GOLD.items()}, rows)


def test_there_are_three_variants_of_each_of_four_problems() -> None:
    assert [len(ids) for ids in IDS] == [3] * 4


def test_the_drop_is_relative_to_the_originals() -> None:
    found = probed([PROBLEMS[0].id, IDS[0][0], IDS[0][1], IDS[1][0], IDS[2][2], IDS[3][0], IDS[3][1]]).by_kind()[
        "numbers"
    ]
    assert found.accuracy == pytest.approx(6 / 12)
    assert found.original_accuracy == pytest.approx(3 / 4)
    assert found.drop == pytest.approx(1 - (6 / 12) / (3 / 4))
    assert probed(IDS[0][:1]).by_kind()["original"].drop is None


def test_sets_of_instances_have_the_first_second_and_third_variants() -> None:
    found = probed([IDS[0][0], IDS[1][0], IDS[2][0], IDS[3][1]]).by_kind()["numbers"]
    assert found.instances == (0.25, 0.75, 1.0)
    assert found.deviation == pytest.approx(stdev([0.25, 0.75, 1.0]))
    assert found.mean == pytest.approx(2 / 3)
    assert found.to_dict()["instances"]["accuracies"] == [0.25, 0.75, 1.0]


def test_problems_with_fewer_variants_are_in_no_set_of_instances() -> None:
    rows = [one for one in ROWS if one["id"] not in IDS[3][1:]]
    answers = {id_: GOLD[id_] for id_ in GOLD if id_ not in IDS[3][1:]} | {IDS[3][0]: [-1.5]}
    found = probe(answers, rows).by_kind()["numbers"]
    assert found.instances == (1.0, 1.0, 1.0)
    assert found.accuracy == pytest.approx(9 / 10)


def test_samples_count_by_row() -> None:
    answers = dict(GOLD) | {IDS[0][0]: Samples((GOLD[IDS[0][0]], [-1.5], [-1.5], [-1.5]))}
    found = probe(answers, ROWS).by_kind()["numbers"]
    assert found.count == 15
    assert found.accuracy == pytest.approx((11 + 1 / 4) / 12)


def test_without_answers_to_originals_there_is_no_drop() -> None:
    answers = {one["id"]: one["solutions"] for one in ROWS}
    found = probe(answers, ROWS)
    assert (found.by_kind()["numbers"].drop, found.gap) == (None, None)
    assert found.missing_originals == tuple(problem.id for problem in PROBLEMS)


def test_accuracy_by_difficulty_is_that_of_the_rows_that_have_one() -> None:
    older = [{**one, "variant": {k: v for k, v in one["variant"].items() if k != "difficulty"}} for one in ROWS]
    rows = [{**one, "variant": {**one["variant"], "difficulty": {"steps": 2, "digits": 3}}} for one in older[:6]]
    rows[0]["variant"]["difficulty"] = {"steps": 10, "digits": 3}
    found = probed(IDS[0][:1], [*rows, *older[6:]])
    assert found.by_difficulty() == {
        "steps": {"2": {"n": 5, "accuracy": 1.0}, "10": {"n": 1, "accuracy": 0.0}},
        "digits": {"3": {"n": 6, "accuracy": pytest.approx(5 / 6)}},
    }
    text = compare_probes({"a": found}).to_text()
    assert text.index("accuracy by steps") < text.index("  2 (n=5)") < text.index("  10 (n=1)")
    assert probed([], older).by_difficulty() == {}


@pytest.mark.parametrize("difficulty", [5, {"steps": -1}, {"steps": 1.5}, {"steps": "2"}])
def test_a_difficulty_that_is_none_is_refused(difficulty: Any) -> None:
    rows = [{**ROWS[0], "variant": {**ROWS[0]["variant"], "difficulty": difficulty}}]
    with pytest.raises(RowError, match="difficulty"):
        probe(GOLD, rows)


def test_the_three_most_common_errors_are_named_with_an_example() -> None:
    answers: dict[Any, Any] = {}
    for problem, ids in zip(PROBLEMS, IDS, strict=True):
        again = problem.id in (PROBLEMS[1].id, PROBLEMS[2].id)
        answers |= {id_: list(problem.solutions) if again else [v + 1 for v in GOLD[id_]] for id_ in [problem.id, *ids]}
    answers |= {id_: [-99.25 - at] for at, id_ in enumerate([PROBLEMS[3].id, *IDS[3]])}
    found = probe(answers, ROWS)
    errors = found.errors()
    assert [(one.kind, one.problems, one.example) for one in errors] == [
        ("memorised", 2, PROBLEMS[1].id), ("one off", 1, PROBLEMS[0].id), ("unexplained", 1, PROBLEMS[3].id),
    ]  # fmt: skip
    table = compare_probes({"a": found, "b": probed([])})
    assert table.to_dict()["systems"][0]["errors"][0]["sentence"] == "gives the original's answer to every variant"
    assert "Most common errors of b:" not in table.to_text()
    assert f"memorised: 2 problems, such as {PROBLEMS[1].id}: gives" in table.to_text()
    assert len(table.errors()[0][1]) == COMMON


def test_markup_of_the_text_is_escaped_in_markdown() -> None:
    text = "Kim has 8 *boxes* and 5 |bags| . A box holds 30 pens and a bag 12 pens . How many pens ?"
    problem = row(text, "m = a*b + c*d", (1, 3, 2, 4), ("pens",), ["m"])
    rows = make_variants([problem], 3, 0, inventory=[problem])
    taken = {
        one["id"]: [a * c + b * a]
        for one in [problem.to_row(), *rows]
        for a, b, c, _ in [[number["value"] for number in one["numbers"]]]
    }
    written = compare_probes({"a": probe(taken, rows)}).to_markdown()
    assert "'8 *boxes" not in written
    assert "|bags|" not in written


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("m = q3", "calculates m = 30, where m = 8 × 30 + 5 × 12 is right (m is pens in all); does not use the 8 of "
         "'8 red' (q1) and the 5 of '5 blue' (q2) and 1 more"),
        ("m + q1 = q3*q2 + q5*m",
         "sets up m + 8 = 30 × 5 + 3 × m, where m = 8 × 30 + 5 × 12 is right (m is pens in all); uses the 3 of "
         "'3 shelves' (q5), which gold does not; does not use the 12 of '12 pens' (q4)"),
    ],
)  # fmt: skip
def test_another_derivation_is_told_by_its_equations_and_numbers(wrong: str, sentence: str) -> None:
    assert described(BOXES, wrong) == sentence


def described(problem: Problem, wrong: str) -> str:
    variable = analyse(problem)
    rival = rival_of(variable, Derivation.read(wrong, problem.numbers))
    return Describer(variable).sentence(Explanation(rival, None, (True,)))


def test_percentages_are_written_as_such() -> None:
    text = "Kim has 40 coins , 30 % of them are old . She finds 6 new ones . How many new coins has she ?"
    problem = row(text, "m = a - 0.01*b*a + c", (1, 2, 3), ("new coins",), ["m"])
    assert described(problem, "m = 0.01*q2*q1 + q3 + q3") == (
        "calculates m = 30 % × 40 + 6 + 6, where m = 40 - 30 % × 40 + 6 is right (m is new coins)"
    )
