"""What holds of every variant, whatever the problem and the seed."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_dataset import Problem, canonical_key, grade, make_variants, probe
from draw_dataset.checks.findings import check_problem
from draw_dataset.data.sample import load_sample
from draw_dataset.variants.making import KINDS, Variant, inventory_of

SAMPLE = [problem for problems in load_sample().values() for problem in problems]
INVENTORY = inventory_of(SAMPLE)

problems = st.sampled_from(SAMPLE)
seeds = st.integers(0, 10**6)
kinds = st.sampled_from(["numbers", "digits", "decimals", "traps", "twins", "distractor"])
all_kinds = st.sampled_from(KINDS)
kinds_with_gold = st.sampled_from([kind for kind in KINDS if kind != "missing"])


@settings(max_examples=30)
@given(problems, seeds)
def test_other_numbers_keep_everything_else(problem: Problem, seed: int) -> None:
    for row in make_variants([problem], 2, seed, inventory=INVENTORY):
        variant = Problem.from_row(row)
        assert variant.template == problem.template
        assert canonical_key(variant.derivation.template) == canonical_key(problem.derivation.template)
        assert row["derivation"] == problem.derivation.q_notation()
        assert [a.slot for a in variant.alignment] == [a.slot for a in problem.alignment]
        assert len(variant.numbers) == len(problem.numbers)
        assert row["source_id"] == problem.id


@settings(max_examples=30)
@given(problems, seeds)
def test_the_text_differs_only_at_the_changed_numbers(problem: Problem, seed: int) -> None:
    spans = [(n.start or 0, n.end or 0) for n in problem.numbers]
    for row in make_variants([problem], 2, seed, inventory=INVENTORY):
        text, last = "", 0
        for change in row["variant"]["changes"]:
            start, end = change["start"], change["start"] + len(change["before"])
            assert problem.question[start:end] == change["before"]
            assert (start, end) in spans or change["before"].lower() in ("a", "an")
            text += problem.question[last:start] + change["after"]
            last = end
        assert text + problem.question[last:] == row["question"]


@settings(max_examples=40)
@given(problems, seeds, kinds_with_gold)
def test_gold_solves_exactly_is_graded_right_and_nothing_is_found_wrong(problem: Problem, seed: int, kind: str) -> None:
    for row in make_variants([problem], 1, seed, kinds=[kind], inventory=INVENTORY):
        variant = Problem.from_row(row)
        solution = variant.derivation.solve()
        assert str(solution.kind) == "unique"
        assert sorted(map(float, solution.numbers)) == sorted(row["solutions"])
        verdict = grade({"template": row["template"], "alignment": row["alignment"]}, row)
        assert verdict.derivation
        assert verdict.solution
        new = {finding.code for finding in check_problem(variant)} - {f.code for f in check_problem(problem)}
        assert not new


@settings(max_examples=40)
@given(problems, seeds, all_kinds)
def test_the_same_seed_gives_the_same_bytes(problem: Problem, seed: int, kind: str) -> None:
    written = [json.dumps(list(make_variants([problem], 2, seed, kinds=[kind], inventory=INVENTORY))) for _ in range(2)]
    assert written[0] == written[1]


@settings(max_examples=40)
@given(problems, seeds, kinds)
def test_changes_lead_back_to_the_original(problem: Problem, seed: int, kind: str) -> None:
    for row in make_variants([problem], 1, seed, kinds=[kind], inventory=INVENTORY):
        original = Variant.of(row).original()
        assert original.question == problem.question
        assert [(a.slot, a.sentence, a.token) for a in original.alignment] == [
            (a.slot, a.sentence, a.token) for a in problem.alignment
        ]
        assert [n.value for n in original.numbers] == [n.value for n in problem.numbers]


@settings(max_examples=25)
@given(problems, seeds)
def test_a_number_that_moves_is_equal_to_no_other(problem: Problem, seed: int) -> None:
    for row in make_variants([problem], 2, seed, inventory=INVENTORY):
        variant = Problem.from_row(row)
        classes = variant.number_classes
        changed = {change["index"] for change in row["variant"]["changes"]}
        for number in variant.numbers:
            if number.index in changed and number.value != problem.numbers[(number.index or 1) - 1].value:
                equal = [n for n in variant.numbers if n.value == number.value]
                assert len({classes.of_place(n.place) for n in equal}) == 1


@settings(max_examples=30)
@given(problems, seeds)
def test_who_is_right_everywhere_is_called_right(problem: Problem, seed: int) -> None:
    variants = make_variants([problem], 3, seed, inventory=INVENTORY)
    if len(variants) == 3:
        answers = {row["id"]: row["solutions"] for row in variants} | {problem.id: list(problem.solutions)}
        found = probe(answers, variants, inventory=INVENTORY)
        assert found.macro_accuracy == 1
        assert found.counts["wrong"] == 0


@settings(max_examples=25)
@given(problems, seeds)
def test_a_trap_that_is_taken_shows_in_the_twin_and_not_in_the_equal_one(problem: Problem, seed: int) -> None:
    rows = {row["variant"]["kind"]: row for row in make_variants([problem], 1, seed, kinds=["twins"])}
    if not rows:
        return
    values = {kind: Fraction(row["variant"]["changes"][0]["value"]) for kind, row in rows.items()}
    gold = problem.derivation
    equal = Problem.from_row(rows["equal"])
    twin = Problem.from_row(rows["twin"])
    assert values["equal"] in [number.value for number in gold.alignment.values()]
    assert values["twin"] not in [number.value for number in problem.numbers]
    slot = next(s for s, number in gold.alignment.items() if number.value == values["equal"])
    for variant, may_differ in ((equal, False), (twin, True)):
        taken = dict(variant.derivation.alignment.items())
        taken[slot] = variant.numbers[0]
        prediction = {
            "template": list(variant.template),
            "alignment": [{"slot": s, "sentence": n.sentence, "token": n.token} for s, n in taken.items()],
        }
        verdict = grade(prediction, variant.to_row())
        if not may_differ:
            assert verdict.solution
        if "slot-cancels" not in {f.code for f in check_problem(problem)}:
            assert not verdict.derivation


def test_there_is_a_variant_for_nearly_every_problem_of_the_sample() -> None:
    made = make_variants(SAMPLE, 5, 0)
    counts = [one.count for one in made.made]
    assert sum(count == 5 for count in counts) >= 0.93 * len(SAMPLE)
    assert all(made.refused.values()), "a row that gives none says why"


@pytest.mark.parametrize("kind", KINDS)
def test_ids_are_their_own_and_name_the_source(kind: str) -> None:
    made = make_variants(SAMPLE[:30], 2, 0, kinds=[kind])
    ids = [row["id"] for row in made]
    assert len(set(ids)) == len(ids)
    assert all(str(row["id"]).startswith(f"{row['source_id']}-") for row in made)
