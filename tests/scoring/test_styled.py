"""Answers to prompts of ours: what counts of them, how it is graded, and that the signature says so."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from metric.metric_inputs import metric

from draw_dataset import grade, score
from draw_dataset.data.catalog import load
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.prompted import json_block, last_block
from draw_dataset.scoring.verdict import Reason

PROBLEMS = load("sample/test")
BY_ID = {problem.id: PreparedProblem(problem) for problem in PROBLEMS}


def marked(equations: str, answer: str = "", before: str = "") -> dict[str, str]:
    text = "```\n" + equations.replace("; ", "\n") + "\n```" + (f"\nAnswer: {answer}" if answer else "")
    return {"answer": before + text, "prompt_style": "marked/1"}


GOLD99 = BY_ID[99].problem.derivation.q_notation()  # two equations, for 36 and 84


def wrong_form(derivation: str) -> str:
    return derivation.replace("q1", "q@").replace("q2", "q1").replace("q@", "q2")


@pytest.mark.parametrize(
    ("equations", "answer", "reason", "solution"),
    [
        (GOLD99, "36, 84", Reason.RIGHT, True),
        (GOLD99, "m = 36, n = 84", Reason.RIGHT, True),
        (GOLD99, "36 white and 84 red tiles", Reason.RIGHT, True),
        (GOLD99, "", Reason.RIGHT, True),
        (GOLD99, "m = 36, n = 85", Reason.SLIP, False),
        (GOLD99, "1/0", Reason.SLIP, False),
        ("m = q1 + q2", "1, 2", Reason.OTHER, False),
        ("m = q1 + q2", "36, 84", Reason.LUCKY, True),
    ],
)
def test_derivation_and_result_are_judged_each(equations: str, answer: str, reason: Reason, solution: bool) -> None:
    verdict = grade(marked(equations, answer), BY_ID[99])
    assert (verdict.reason, verdict.solution) == (reason, solution), verdict.message
    assert verdict.derivation == (reason in (Reason.RIGHT, Reason.SLIP))
    assert verdict.equation == verdict.derivation
    assert verdict.message


@pytest.mark.parametrize(
    "rewritten",
    [
        "1. {0}\n2. {1}",
        "{0},\n{1},",
        "Equation 1: {0}\nEquation 2: {1}",
        "{0}\n{1}\nm = 36",
        "{0}\n{1}\nq4 = 120",
    ],
)
def test_what_could_be_misread_in_a_block_is_left_to_the_reader_of_prose(rewritten: str) -> None:
    first, second = GOLD99.split("; ")
    verdict = grade(marked(rewritten.format(first, second), "36, 84"), BY_ID[99])
    assert verdict.derivation, verdict.message
    other = [part.replace("q4", "Q4").replace("q3", "q_3") for part in (first, second)]
    assert grade(marked("; ".join(other), "36, 84"), BY_ID[99]).derivation


def test_only_the_last_block_counts() -> None:
    before = f"First I thought of\n```\n{wrong_form(GOLD99)}\n```\nwhich is 3x + 7x = 120, but no.\n"
    assert grade(marked(GOLD99, "36, 84", before), BY_ID[99]).derivation
    assert not grade(marked("m = q1 + q2", "36, 84", marked(GOLD99)["answer"] + "\n"), BY_ID[99]).derivation


def test_a_block_that_was_cut_off_and_an_answer_without_any() -> None:
    cut = {"answer": "```\n" + GOLD99.replace("; ", "\n"), "prompt_style": "marked"}
    assert grade(cut, BY_ID[99]).derivation
    none = {"answer": f"So {GOLD99.replace('; ', ' and ')}. Answer: 36, 84", "prompt_style": "marked"}
    assert grade(none, BY_ID[99]).derivation


@pytest.mark.parametrize(
    "answer", ["", "lorem ipsum", "```\n```", "```\n=\n```", "{", '{"equations": [[]]}', "\0" * 99]
)
@pytest.mark.parametrize("style", ["marked", "plain", "json"])
def test_what_makes_no_sense_gets_a_reason(answer: str, style: str) -> None:
    verdict = grade({"answer": answer, "prompt_style": style}, BY_ID[99])
    assert not verdict.derivation
    assert verdict.reason in (Reason.ABSTAINED, Reason.UNREAD)
    assert verdict.message


def test_the_result_is_right_by_the_rule_of_prose() -> None:
    """Whatever the answer line says, the quick decision is the one that the reader of prose makes of block and line."""
    kinds: Counter[bool] = Counter()
    for problem in PROBLEMS:
        gold = problem.derivation.q_notation()
        values = [f"{value:g}" for value in problem.solutions]
        for answer in (", ".join(values), values[0], values[-1], f"7{values[0]}", "0.5"):
            for equations in (gold, wrong_form(gold)):
                given = marked(equations, answer)
                styled = grade(given, BY_ID[problem.id])
                prose = grade({"answer": given["answer"]}, BY_ID[problem.id])
                assert styled.solution == prose.solution, (problem.id, given["answer"], styled.reason, prose.reason)
                kinds[styled.solution] += 1
    assert min(kinds.values()) > 50


def test_json_with_answers_of_any_kind() -> None:
    equations = GOLD99.split("; ")
    for answers in ([36, 84], ["36", "84.0"], "36, 84", {"m": 36, "n": 84}, None):
        text = json.dumps({"reasoning": "as m = q1", "equations": equations, "answers": answers})
        verdict = grade({"answer": f"```json\n{text}\n```", "prompt_style": "json"}, BY_ID[99])
        assert verdict.derivation, answers
        assert verdict.solution, answers
    slip = json.dumps({"equations": equations, "answers": {"m": 36, "n": 85}})
    assert grade({"answer": slip, "prompt_style": "json"}, BY_ID[99]).reason == Reason.SLIP


def test_algorithm_1_judges_the_block_when_it_is_asked_for() -> None:
    auxiliary = marked(f"{GOLD99}; o = m", "36, 84")
    assert grade(auxiliary, BY_ID[99]).derivation
    assert not grade(auxiliary, BY_ID[99], match="algorithm1").derivation
    assert grade(marked(GOLD99), BY_ID[99], match="algorithm1").slot_map


def test_the_reading_is_that_of_the_block() -> None:
    reading = grade(marked(GOLD99, "36, 84", "Let x = 5.\n"), BY_ID[99]).reading
    assert reading is not None
    assert len(reading.setup) == 2
    assert [final.value for final in reading.finals] == [36, 84]


def test_the_signature_names_the_prompts() -> None:
    rows = [BY_ID[99], BY_ID[95]]
    answers = [marked(GOLD99), marked(BY_ID[95].problem.derivation.q_notation())]
    assert "|match:quantities|prompt:marked/1|sol:" in str(score(answers, rows).signature)
    mixed = [answers[0], {"answer": "x = 5"}]
    assert "|prompt:marked/1,other|" in str(score(mixed, rows).signature)
    assert "|prompt:" not in str(score([{"answer": "x = 5"}] * 2, rows).signature)


def test_blocks_that_are_none() -> None:
    assert last_block("m = q1") is None
    assert last_block("```\nnothing\n```") is None
    assert json_block("[]") is None
    assert json_block('{"equations": []}') is None


def test_the_metric_knows_the_style_of_a_prompt_as_score_does() -> None:
    rows = [problem.to_row() for problem in PROBLEMS]
    # In prose the numbers of the second block would be the result; the answer to this prompt is its last block.
    predictions = [marked(row["derivation"], "1, 2", "m = 3\n") for row in rows]
    expected = score(predictions, rows).to_dict()
    assert metric().compute(predictions=predictions, references=rows) == expected
    assert "prompt" in expected["signature"]
