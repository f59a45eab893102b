"""Explanations of wrong answers: which error is named, in which words, and when none is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from experiments.simulating import half, memorised, one_off, planted_number, planted_step, planted_wrong, right
from variants.test_consistency import row

from draw_dataset import Problem, make_variants
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.variants.explaining import ErrorKind
from draw_dataset.variants.making import inventory_of
from draw_dataset.variants.probing import Case, ProblemProbe, Samples, cases_of, probe, probe_case

SAMPLE = [problem for problems in load_sample().values() for problem in problems]
INVENTORY = inventory_of(SAMPLE)
CASES = [case for case in cases_of(make_variants(SAMPLE[30:60], 3, 1, inventory=INVENTORY)) if len(case.variants) == 3]

BOXES = row(
    "Kim packs 8 red boxes and 5 blue boxes . A red box holds 30 pens and a blue box 12 pens . There are 3 shelves .",
    "m = a*b + c*d", (1, 3, 2, 4), ("pens in all",), ["m"],
)  # fmt: skip


def told(wrong: str, problem: Problem = BOXES, count: int = 3) -> ProblemProbe:
    """Return the verdict on a system that has a derivation, in q-notation."""
    rows = make_variants([problem], count, 0, inventory=[problem])
    answers: dict[Any, Any] = {}
    for one in [problem, *map(Problem.from_row, rows)]:
        answers[one.id] = [float(value) for value in Derivation.read(wrong, one.numbers).solve().values.values()]
    return probe(answers, rows).problems[0]


@pytest.mark.parametrize(
    ("wrong", "kind", "sentence"),
    [
        ("m = q1*q3 + q2*q3", "number twice",
         "takes the 30 of '30 pens' (q3) instead of the 12 of '12 pens' (q4), so it is used twice"),
        ("m = q1*q3 + q5*q4", "distractor", "takes the 3 of '3 shelves' (q5) instead of the 5 of '5 blue' (q2)"),
        ("m = q1*q4 + q2*q3", "wrong number", "exchanges the 30 of '30 pens' (q3) and the 12 of '12 pens' (q4)"),
        ("m = q1*q3 - q2*q4", "operation", "subtracts 5 × 12 instead of adding it"),
        ("m = q1/q3 + q2*q4", "operation", "divides by the 30 of '30 pens' (q3) instead of multiplying by it"),
        ("m = q1*q3", "left out", "leaves out 5 × 12"),
    ],
)  # fmt: skip
def test_an_error_is_named_with_numbers_of_the_text(wrong: str, kind: str, sentence: str) -> None:
    found = told(wrong)
    assert str(found.verdict) == "wrong"
    first = found.explanations[0]
    assert (first.kind, first.sentence, first.explained) == (kind, sentence, 4)


def test_no_sentence_mentions_slots() -> None:
    for case in CASES:
        planted = planted_wrong(case, INVENTORY, Random(f"slots|{case.id}"))
        assert planted is not None
        for one in probe_case(case, planted.answers(Random(0)), INVENTORY).explanations:
            assert "slot" not in one.sentence
            assert one.sentence


Plant = Callable[[Case, Random], Any]


@pytest.mark.parametrize(
    ("kind", "plant"),
    [
        (ErrorKind.MEMORISED, lambda case, random: memorised(case)),
        (ErrorKind.ONE_OFF, one_off),
        (ErrorKind.TWICE, lambda case, random: planted_number(case, random, twice=True)),
        (None, lambda case, random: planted_number(case, random, twice=False)),
        (None, planted_step),
    ],
)
def test_errors_that_people_make_come_first(kind: ErrorKind | None, plant: Plant) -> None:
    tried = first = 0
    for case in CASES:
        planted = plant(case, Random(f"{case.id}"))
        if planted is None:
            continue
        answers = planted if isinstance(planted, dict) else planted.answers(Random(0))
        found = probe_case(case, answers, INVENTORY)
        assert str(found.verdict) == "wrong"
        tried += 1
        named = found.explanations[0] if found.explanations else None
        first += named is not None and (named.kind == kind if kind else named.derivation == planted.written)
    assert tried
    assert first >= 0.9 * tried


def test_nothing_is_named_that_explains_two_answers_only() -> None:
    for case in CASES[:20]:
        planted = planted_wrong(case, INVENTORY, Random(f"two|{case.id}"))
        assert planted is not None
        answers = planted.answers(Random(0))
        short = Case(case.variable, case.variants[:1])
        found = probe_case(short, {id_: answers[id_] for id_ in list(answers)[:2]}, INVENTORY)
        assert found.explanations == ()
        mixed = probe_case(case, half(case, planted, Random(1)), INVENTORY)
        assert all(one.explained >= 3 for one in mixed.explanations)


def test_two_errors_that_are_equally_simple_and_fit_equally_well_are_not_told_apart() -> None:
    text = "Leo has 4 caps , 9 hats and 9 pins . How many caps and hats has he ?"
    problem = row(text, "m = a + b", (1, 2), ("caps and hats",), ["m"])
    rows = make_variants([problem], 3, 0, inventory=[problem])
    values = {one.id: [number.value or Fraction(0) for number in one.numbers] for one in map(Problem.from_row, rows)}
    answers: dict[Any, Any] = {id_: [one[0] + one[2]] for id_, one in values.items()}
    assert probe(answers, rows).problems[0].explanations[0].kind == "distractor"
    # Twice the caps, as often as not, the hats twice: whichever it is, it explains too few answers.
    ids: Sequence[Any] = list(values)
    answers = {id_: [2 * values[id_][at % 2]] for at, id_ in enumerate(ids)}
    assert probe(answers, rows).problems[0].explanations == ()


def test_samples_of_one_answer_do_not_tell_explanations_apart() -> None:
    case = CASES[0]
    planted = planted_wrong(case, INVENTORY, Random(3))
    assert planted is not None
    answers = planted.answers(Random(0))
    ids = list(answers)
    samples = {id_: Samples((answers[id_],) * 5) for id_ in ids}
    assert probe_case(case, samples, INVENTORY).explanations
    few = Case(case.variable, case.variants[:1])
    assert not probe_case(few, {id_: samples[id_] for id_ in ids[:2]}, INVENTORY).explanations


def test_habits_change_no_verdict() -> None:
    for case in CASES[:20]:
        slipping = right(case).answers(Random(f"{case.id}"), 0.1)
        assert str(probe_case(case, slipping, INVENTORY).verdict) != "wrong"
