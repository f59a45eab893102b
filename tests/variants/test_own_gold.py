"""Variants with a gold of their own: judged alone, no evidence for the original's derivation, and left open or not."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from experiments.simulating import memorised, right
from variants.test_consistency import row

from draw_dataset import Problem, make_variants, probe
from draw_dataset.derivation.problem import REFUSED
from draw_dataset.errors import RowError
from draw_dataset.reading.answer import number_origins_of, parse_answer
from draw_dataset.reading.result import is_left_open
from draw_dataset.variants import making
from draw_dataset.variants.probing import Probe, cases_of
from draw_dataset.variants.rebuilding import Rewritten
from draw_dataset.variants.report import compare_probes

BOXES = replace(
    row(
        "Kim packs 8 red boxes and 5 blue boxes . A red box holds 30 pens and a blue box 12 pens . How many pens ?",
        "m = a*b + c*d", (1, 3, 2, 4), ("pens in all",), ["m"],
    ),
    solutions=(300.0,),
)  # fmt: skip
NAMES = row(
    "Lea packs 8 red boxes and 5 blue boxes . A red box holds 30 pens and a blue box 12 pens . How many pens ?",
    "m = a*b + c*d", (1, 3, 2, 4), ("pens in all",), ["m"],
)  # fmt: skip
REVERSED = row(
    "Kim packs red boxes and 5 blue boxes . A red box holds 30 pens and a blue box 12 pens . There are 300 pens . "
    "How many red boxes are there ?",
    "a*m + b*c = d", (2, 1, 3, 4), ("red boxes",), ["m"],
)  # fmt: skip
MISSING = row(
    "Kim packs 8 red boxes and blue boxes . A red box holds 30 pens and a blue box 12 pens . How many pens are there ?",
    "m = a*b + c", (1, 2, 3), ("pens in all",), ["m"],
)  # fmt: skip

Row = dict[str, Any]


def no_variants(problem: Problem, random: Random) -> Iterator[Rewritten]:
    yield from ()


@pytest.fixture(autouse=True)
def kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kinds with a gold of their own that these rows are of."""
    for kind in ("names", "reversed", "missing"):
        monkeypatch.setitem(making.REWRITERS, kind, making.REWRITERS.get(kind, no_variants))


def made(problem: Problem, kind: str, number: int = 1, **about: Any) -> Row:
    """Return a variant of the boxes as a row."""
    change = {"index": 0, "start": 0, "before": "Kim", "after": "Lea", "value": 0.0}
    told = {"kind": kind, "number": number, "seed": 0, "changes": [change], **about}
    fields = replace(problem, id=f"{BOXES.id}-{kind}{number}").to_row()
    return {**fields, "source_id": BOXES.id, "variant": told}


def unsolvable(number: int = 1) -> Row:
    refused = replace(
        MISSING, template=(), alignment=(), equations=(), solutions=(), roles=(), asked=(), status=REFUSED
    )
    return made(refused, "missing", number)


OWN = [made(NAMES, "names"), made(REVERSED, "reversed"), unsolvable()]
IDS = [one["id"] for one in OWN]
RIGHT = dict(zip(IDS, (300, "There are 8 red boxes.", "It cannot be determined."), strict=True))


def rights(found: Probe) -> dict[str, bool]:
    return {item.kind: item.right for one in found.problems for item in one.items}


def test_a_problem_with_only_such_variants_has_no_verdict_on_its_derivation() -> None:
    found = probe(RIGHT, OWN)
    assert rights(found) == {"names": True, "reversed": True, "missing": True}
    (one,) = found.problems
    assert (one.id, one.verdict, one.explanations) == (BOXES.id, None, ())
    assert one.to_dict()["derivation"] is None
    assert found.derivation_accuracy is None
    assert sum(found.counts.values()) == 0
    assert "derivation from answers" in compare_probes({"a": found, "b": found}).to_text()


def test_each_is_judged_by_its_own_gold() -> None:
    given = dict(zip(IDS, (300, 300, [300]), strict=True))
    assert rights(probe(given, OWN)) == {"names": True, "reversed": False, "missing": False}


def test_they_are_no_evidence_for_the_derivation() -> None:
    rows = [*make_variants([BOXES], 3, 0, inventory=[BOXES]), *OWN]
    (case,) = cases_of(rows)
    wrong = dict.fromkeys(IDS, -1)
    good = {**right(case).answers(Random(0)), **wrong}
    (one,) = probe(good, rows).problems
    assert str(one.verdict) == "right"
    assert [item.right for item in one.items] == [True] * 4 + [False] * 3
    bad = {**memorised(case), **RIGHT}
    (one,) = probe(bad, rows).problems
    assert (str(one.verdict), one.explanations[0].kind) == ("wrong", "memorised")


def test_the_answer_to_the_original_is_judged_if_its_row_is_there() -> None:
    given = {**RIGHT, BOXES.id: 300}
    assert "original" not in rights(probe(given, OWN))
    found = probe(given, [BOXES.to_row(), *OWN])
    assert rights(found)["original"]
    assert (found.original_accuracy, found.problems[0].verdict, found.missing_originals) == (1.0, None, ())
    assert probe(RIGHT, [BOXES.to_row(), *OWN]).missing_originals == (BOXES.id,)


def test_a_row_that_is_neither_variant_nor_original_is_refused() -> None:
    with pytest.raises(RowError, match="expected a variant or the original of one"):
        probe(RIGHT, [replace(BOXES, id=99).to_row(), *OWN])


LEFT_OPEN = [
    None,
    [],
    [None],
    {"answer": None},
    "none",
    "unknown",
    "N/A",
    "Cannot be determined",
    "There is not enough information to find the number of pens.",
    "Insufficient information.",
    "Red boxes hold 8 * 30 = 240 pens. How many blue boxes there are isn't given, so the total can't be calculated.",
    "The number of blue boxes is missing.",
    "It depends on the number of blue boxes.",
    "If there are b blue boxes, it is 240 + 12b. Without b, it is impossible to say how many pens there are.",
    "We don't know how many of the 12 pens boxes there are.",
    r"The text does not state it. \boxed{\text{undetermined}}",
    "#### None",
    "**Final answer:** not enough information",
    '{"reasoning": "8 * 30 = 240, but the other boxes are not counted", "answer": null}',
    '{"answer": "cannot be determined"}',
    "The answer would be 300 with 5 of them. Final answer: unknown.",
]
ANSWERED = [
    300,
    [300],
    {"answer": 300},
    "300",
    "Answer: 240",
    "There are 240 pens.",
    "The number of blue boxes is not given. Assuming 5 of them, there are 240 + 60 = 300 pens.",
    "Strictly, it cannot be determined. With 5 blue boxes, it would be 300 pens.",
    "The answer is 252, although the number of blue boxes is not stated.",
    "Answer: 252. Note that the problem does not specify how many blue boxes there are, so I took 1.",
    r"There isn't enough information, but most likely \boxed{300}.",
    '{"reasoning": "the number of blue boxes is missing, so I take 5", "answer": 300}',
]
NEITHER = ["", "Let me think about it.", "Hello!", {"answer": ""}, [float("nan")]]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        *((one, (True, False)) for one in LEFT_OPEN),
        *((one, (False, True)) for one in ANSWERED),
        *((one, (False, False)) for one in NEITHER),
    ],
)
def test_only_who_leaves_it_open_is_right_where_a_statement_is_missing(answer: Any, said: tuple[bool, bool]) -> None:
    (one,) = probe({OWN[2]["id"]: answer}, OWN[2:]).problems
    (item,) = one.items
    assert (item.right, item.answered_anyway) == said


def test_no_answer_is_not_left_open() -> None:
    found = probe({IDS[0]: 300}, OWN, missing="abstain")
    assert not rights(found)["missing"]
    assert found.answered_anyway == 0


def test_answered_anyway_is_a_figure_of_its_own() -> None:
    rows = [unsolvable(number) for number in (1, 2, 3, 4)]
    said: Mapping[str, Any] = dict(zip([one["id"] for one in rows], ("none", 300, "About 250 pens.", ""), strict=True))
    found = probe(said, [*rows, OWN[0]], missing="skip")
    assert (found.answered_anyway, found.by_kind()["missing"].answered_anyway) == (0.5, 0.5)
    (error,) = found.errors()
    assert (error.kind, error.problems, error.example) == ("answered anyway", 1, rows[1]["id"])
    assert error.sentence == "gives 300, although the question cannot be decided"
    assert "answered anyway" in compare_probes({"a": found}).to_text()


@pytest.mark.parametrize(
    "text",
    [
        "Answer: " * 7_000,
        "cannot " + "really " * 8_000,
        "isn't " * 10_000,
        "\x02" * 50_000,
        "not a b " * 7_000,
        "?" * 60_000,
    ],
    ids=lambda text: text[:12],
)
def test_a_long_text_is_read_quickly(text: str) -> None:
    started = time.process_time()
    is_left_open(text, [], set())
    assert time.process_time() - started < 1


def test_a_number_of_the_problem_behind_the_conclusion_is_no_result() -> None:
    text = "It cannot be determined, as nobody says what one of the 5 blue boxes holds."
    work = parse_answer(text, number_origins_of("Kim has 5 boxes ."))
    assert is_left_open(text, work.finals, {5})
    assert not is_left_open(text, work.finals, set())
