"""What answers to variants say about derivations: right, wrong with its explanation, slips, traps, and bad input."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from experiments.simulating import ask_often, guesses, half, planted_outside, planted_wrong, right

from draw_dataset import Problem, make_variants, probe
from draw_dataset.checks.findings import UNTRUSTED
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import asked_values
from draw_dataset.errors import ChoiceError, RowError, ScoreError
from draw_dataset.variants.explaining import DerivationVerdict, decide
from draw_dataset.variants.making import Variant, inventory_of
from draw_dataset.variants.probing import Samples, cases_of, probe_case
from draw_dataset.variants.report import compare_probes
from draw_dataset.variants.rivals import Rival, one_step_rivals

SAMPLE = [problem for problems in load_sample().values() for problem in problems]
INVENTORY = inventory_of(SAMPLE)
VARIANTS = make_variants(SAMPLE[:30], 3, 0, inventory=INVENTORY)
CASES = [case for case in cases_of(VARIANTS) if len(case.variants) == 3]


def named(id_: int) -> Problem:
    return next(problem for problem in SAMPLE if problem.id == id_)


def test_planted_wrong_derivations_are_called_wrong_and_named() -> None:
    said, first = [], 0
    for case in CASES:
        planted = planted_wrong(case, INVENTORY, Random(f"{case.id}"))
        assert planted is not None
        found = probe_case(case, planted.answers(Random(0)), INVENTORY)
        said.append(str(found.verdict))
        first += planted.written in [told.derivation for told in found.explanations]
    assert said.count("wrong") >= 0.97 * len(said)
    assert first >= 0.9 * len(said)


def test_right_derivations_with_slips_are_called_right() -> None:
    said = []
    for case in CASES:
        for turn in range(2):
            answers = right(case).answers(Random(f"{case.id}|{turn}"), 0.05)
            said.append(str(probe_case(case, answers, INVENTORY).verdict))
    assert said.count("right") >= 0.95 * len(said)


def test_derivations_that_nobody_thought_of_are_wrong_without_an_explanation_of_all() -> None:
    outside = [planted for case in CASES if (planted := planted_outside(case, INVENTORY, Random(1))) is not None]
    found = [probe_case(one.case, one.answers(Random(0)), INVENTORY) for one in outside]
    assert sum(str(one.verdict) == "wrong" for one in found) >= 0.95 * len(found)


def test_guessing_is_never_called_right() -> None:
    found = [probe_case(case, guesses(case, Random(f"{case.id}")), INVENTORY) for case in CASES]
    assert not any(str(one.verdict) == "right" for one in found)


def test_a_text_is_read_for_its_result_and_its_derivation_is_a_rival() -> None:
    case = CASES[0]
    planted = planted_wrong(case, INVENTORY, Random(5))
    assert planted is not None
    texts = planted.texts(planted.answers(Random(0)))
    assert str(probe_case(case, texts, INVENTORY).verdict) == "wrong"
    gold = right(case)
    texts = gold.texts(gold.answers(Random(0)))
    assert str(probe_case(case, texts, INVENTORY).verdict) == "right"


def test_a_slip_is_told_from_another_derivation() -> None:
    case = CASES[0]
    answers: dict[Any, Any] = dict(right(case).answers(Random(0)))
    first = case.variants[0].problem.id
    answers[first] = [value + 1 for value in answers[first]]
    found = probe_case(case, answers, INVENTORY)
    assert str(found.verdict) == "right"
    assert found.slips == (first,)
    assert not found.all_right
    assert found.share_right == 0.75


def test_the_number_of_a_trap_is_named() -> None:
    problem = named(1)
    rows = make_variants([problem], 2, 0, kinds=["twins"])
    variants = cases_of(rows)[0].variants
    equal = variants[0].trap
    answers: dict[Any, Any] = {}
    for variant in variants:
        values = {n.value: n.value for n in problem.numbers}
        taken = {
            s: variant.trap if n.value == equal else values[n.value] for s, n in problem.derivation.alignment.items()
        }
        solved = problem.derivation.template.solve({slot: value or 0 for slot, value in taken.items()})
        answers[variant.problem.id] = [float(value) for value in solved.values.values()]
    found = probe(answers, rows[:2], missing="abstain").problems[0] if len(variants) < 2 else None
    found = probe({row["id"]: answers[row["id"]] for row in rows}, rows).problems[0]
    assert str(found.verdict) in ("wrong", "undecided")
    if found.explanations:
        assert "trap" in found.explanations[0].derivation


def test_the_sentence_names_numbers_with_the_words_next_to_them() -> None:
    problem = named(1)
    rows = make_variants([problem], 3, 0, inventory=INVENTORY)
    case = cases_of(rows)[0]
    gold = right(case).rival
    other = next(c for c in range(len(case.variable.problem.numbers)) if c not in gold.columns)
    swapped = Rival(gold.template, (other, gold.columns[1]))
    answers = {}
    for row, values in zip(
        [case.variable.problem, *(v.problem for v in case.variants)],
        [case.variable.values, *(tuple(v.problem.numbers[1:][i].value for i in range(2)) for v in case.variants)],
        strict=True,
    ):
        numbers = [n.value for n in row.numbers if n.value is not None]
        answers[row.id] = list(swapped.solve([*values, numbers[0]]) or ())
    found = probe(answers, rows, inventory=INVENTORY).problems[0]
    assert str(found.verdict) == "wrong"
    said = found.explanations[0].sentence
    assert re.search(r"'3 brothers' \(q1\).*'five years' \(q2\)", said), said


@pytest.mark.parametrize(
    ("gold", "rival", "said"),
    [
        ("1111", "1110", "right"),
        ("1110", "1110", "undecided"),
        ("1100", "0111", "undecided"),
        ("1000", "1111", "wrong"),
        ("1000", "0000", "undecided"),
        ("0000", "0000", "wrong"),
        ("0", "1", "undecided"),
        ("1", "0", "right"),
        ("10", "00", "undecided"),
        ("00", "11", "wrong"),
        ("00", "00", "undecided"),
        ("111100", "100000", "right"),
        ("1010101010", "0101010101", "undecided"),
        ("10101010101010101010", "00000000000000000000", "undecided"),
        ("11111000000000000000", "00000000000000000000", "undecided"),
        ("11110000000000000000", "00000000000000000000", "wrong"),
        ("11110000000000000000", "00001111111111111111", "wrong"),
        ("11111000000000000000", "00000111111111111111", "undecided"),
    ],
)
def test_the_rule(gold: str, rival: str, said: str) -> None:
    assert str(decide([one == "1" for one in gold], [one == "1" for one in rival])) == said


def test_slips_are_forgiven_by_the_number_of_rows() -> None:
    def forgiven(rows: int) -> int:
        nothing = [False] * rows
        verdicts = [decide([at >= missed for at in range(rows)], nothing) for missed in range(rows + 1)]
        return max(missed for missed, verdict in enumerate(verdicts) if verdict is DerivationVerdict.RIGHT)

    assert [forgiven(rows) for rows in (1, 2, 3, 4, 6, 10, 20, 50, 100)] == [0, 0, 1, 1, 2, 4, 7, 15, 27]


def test_samples_of_a_row_are_outvoted_and_bounded_together() -> None:
    right, wrong = [True] * 4, [False] * 4
    assert str(decide(right, wrong, [True] * 15 + [False] * 5)) == "right"
    assert str(decide(right, wrong, [True] * 11 + [False] * 9)) == "undecided"
    assert str(decide(wrong, right)) == "wrong"
    assert str(decide(wrong, right, (), 1)) == "wrong"
    assert str(decide(wrong, right, (), 2)) == "undecided"


def test_half_and_half_of_an_odd_number_of_rows_is_not_right() -> None:
    made = cases_of(make_variants(SAMPLE[:25], 4, 2, inventory=INVENTORY))
    planted = [planted_wrong(case, INVENTORY, Random(f"odd|{case.id}")) for case in made if len(case.variants) == 4]
    answered = [(one.case, half(one.case, one, Random(1))) for one in planted if one is not None]
    assert len(answered) > 15
    assert {str(probe_case(case, answers, INVENTORY).verdict) for case, answers in answered} == {"undecided"}


@pytest.mark.parametrize("samples", [1, 4])
def test_half_and_half_is_neither_right_nor_wrong(samples: int) -> None:
    for case in CASES[:20]:
        planted = planted_wrong(case, INVENTORY, Random(f"half|{case.id}"))
        assert planted is not None
        answers = ask_often(lambda case=case, planted=planted: half(case, planted, Random(1)), samples)
        assert str(probe_case(case, answers, INVENTORY).verdict) == "undecided"


def test_gold_in_every_sample_but_a_few_slips_is_right() -> None:
    said = []
    for case in CASES:
        random = Random(f"samples|{case.id}")
        answers = ask_often(lambda case=case, random=random: right(case).answers(random, 0.1), 5)
        said.append(str(probe_case(case, answers, INVENTORY).verdict))
    assert said.count("right") == len(said)


def test_slips_with_one_explanation_are_no_slips() -> None:
    case = CASES[0]
    planted = planted_wrong(case, INVENTORY, Random("one explanation"))
    assert planted is not None
    own, wrong = right(case).answers(Random(0)), planted.answers(Random(0))
    answers = {id_: Samples((own[id_],) * 4 + (wrong[id_],)) for id_ in own}
    assert str(probe_case(case, answers, INVENTORY).verdict) == "undecided"
    strange = {id_: Samples((own[id_],) * 4 + ([-value - at for value in own[id_]],)) for at, id_ in enumerate(own)}
    assert str(probe_case(case, strange, INVENTORY).verdict) == "right"


def test_one_step_is_one_operation_or_one_number() -> None:
    from draw_dataset import Template

    texts = {str(rival.template) for rival in one_step_rivals(Rival(Template("m + n = a; m = b*n"), (0, 1)))}
    assert {"m - n = a; m = b*n", "m + n = a; m = b/n", "m + n = a; m = n"} & texts
    assert "m + n = a; m = b*n" not in texts


def test_the_table_has_figures_and_the_signature() -> None:
    answers = {row["id"]: row["solutions"] for row in VARIANTS}
    nothing = {row["id"]: None for row in VARIANTS}
    table = compare_probes({"all": probe(answers, VARIANTS), "none": probe(nothing, VARIANTS)})
    text = table.to_text()
    assert "derivation from answers" in text
    assert "Signature: probe|data:variants@" in text
    assert table.to_markdown().startswith("| | all | none |")
    data = table.to_dict()["systems"]
    assert data[0]["accuracy"] == 1
    assert data[1]["accuracy"] == 0
    assert data[0]["gap"] is None


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ({}, ScoreError),
        ({"strange": 5}, ScoreError),
        ([{"answer": 5}], ScoreError),
        ([{"id": "1-n1", "answer": 5}, {"id": "1-n1", "answer": 6}], ScoreError),
    ],
)
def test_what_is_missing_strange_or_twice_is_refused(answers: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        probe(answers, VARIANTS)


def test_a_row_that_is_no_variant_is_refused() -> None:
    with pytest.raises(RowError, match="expected a variant"):
        probe({}, [SAMPLE[0].to_row()])
    with pytest.raises(ChoiceError, match="kinds"):
        make_variants(SAMPLE[:1], kinds=["jokes"])
    with pytest.raises(ChoiceError, match="count"):
        make_variants(SAMPLE[:1], 0)


@pytest.mark.parametrize(
    "answer", ["", "x" * 20_000, [float("nan")], [10**400], {}, {"answer": {"answer": "5"}}, "1e999", [None]]
)
def test_hostile_answers_are_wrong_and_break_nothing(answer: Any) -> None:
    rows = VARIANTS[:3]
    found = probe({row["id"]: answer for row in rows}, rows, missing="abstain")
    assert found.accuracy == 0


ASKED = ("m", "n", "m + n", "10*m + n", "q3 - m", "q1*n", "0.01*q3*m", "1/q2*m", "m - q1 + 4")


@pytest.mark.parametrize("kind", ["numbers", "traps", "twins"])
@pytest.mark.parametrize("asked", [[], ["m", "n"], ["n", "m"], ["q3 - m", "n"], *([text] for text in ASKED)], ids=str)
def test_who_gives_all_unknowns_or_what_is_asked_is_right(asked: list[str], kind: str) -> None:
    row = named(1).to_row() | {"asked": asked}
    rows = make_variants([row], 3, 0, kinds=[kind], inventory=INVENTORY)
    every = {one["id"]: one["solutions"] for one in rows}
    assert probe(every, rows, inventory=INVENTORY).accuracy == 1
    if asked:
        names = Problem.from_row(row).derivation.template.unknowns
        wanted = {}
        for one in rows:
            values = Problem.from_row(one).derivation.solve().values
            m, n = (values[name] for name in names)
            q1, q2, q3 = (number.value for number in Problem.from_row(one).numbers[-3:])  # a trap stands before them
            assert q1 is not None
            assert q2 is not None
            assert q3 is not None
            ways = (m, n, m + n, 10 * m + n, q3 - m, q1 * n, q3 * m / 100, m / q2, m - q1 + 4)
            wanted[one["id"]] = [dict(zip(ASKED, ways, strict=True))[text] for text in asked]
            assert list(asked_values(Problem.from_row(one))) == wanted[one["id"]]
        found = probe(wanted, rows, inventory=INVENTORY)
        assert found.accuracy == 1
        assert kind != "numbers" or str(found.problems[0].verdict) == "right"


@pytest.mark.parametrize("asked", ["q3 - 2*m", "q1*n", "m + q2"])
def test_who_gives_an_unknown_where_a_function_of_it_is_asked_is_wrong(asked: str) -> None:
    rows = make_variants([named(1).to_row() | {"asked": [asked]}], 3, 0, inventory=INVENTORY)
    for at in (0, 1):
        answers = {one["id"]: [one["solutions"][at]] for one in rows}
        assert probe(answers, rows, inventory=INVENTORY).accuracy == 0


@pytest.mark.parametrize("kind", ["numbers", "traps", "twins"])
def test_the_original_of_a_variant_has_its_q_numbers_again(kind: str) -> None:
    row = named(1).to_row() | {"asked": ["q3 - m", "q1*n"], "alternatives": ["m - n = q2; m + n = q3"]}
    rows = make_variants([row], 2, 0, kinds=[kind])
    assert len(rows) >= 2
    for one in rows:
        back = Variant.of(one).original()
        assert (list(back.asked), list(back.alternatives)) == (row["asked"], row["alternatives"])


@pytest.mark.parametrize("asked", ["x", "m*n", "q9 - m", "m +"])
def test_what_cannot_be_read_is_not_dropped(asked: str) -> None:
    row = named(1).to_row() | {"asked": [asked]}
    assert "asked: " in make_variants([row], 1).refused[1]
    rows = [one | {"asked": [asked]} for one in make_variants([named(1)], 1)]
    with pytest.raises(RowError, match="asked: "):
        probe({one["id"]: one["solutions"] for one in rows}, rows)


@pytest.mark.parametrize("code", sorted(UNTRUSTED))
def test_nothing_is_made_of_a_gold_that_is_not_to_be_trusted(code: str) -> None:
    row = named(1).to_row() | {"findings": ["number-missed", code]}
    made = make_variants([row], 1, kinds=["numbers", "traps", "twins"])
    assert not made.rows
    assert code in made.refused[1]
