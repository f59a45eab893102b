"""What a prompt shows, and that what it asks for is what the grader reads."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from draw_dataset import find_numbers, grade, prompt_for
from draw_dataset.data.catalog import load
from draw_dataset.errors import ChoiceError, RowError
from draw_dataset.prompting import JSON_SCHEMA, answer_for, mark_numbers
from draw_dataset.scoring.gold import PreparedProblem, shown_problem
from draw_dataset.scoring.prompted import STYLES

SAMPLE = load("sample")
STYLE_NAMES = list(STYLES)


@pytest.mark.parametrize("style", STYLE_NAMES)
def test_gold_in_the_form_that_a_style_asks_for_is_right(style: str) -> None:
    for problem in SAMPLE:
        verdict = grade({"answer": answer_for(problem, style), "prompt_style": style}, PreparedProblem(problem))
        assert verdict.derivation, (problem.id, verdict.message)
        assert verdict.solution, (problem.id, verdict.message)
        if STYLES[style].marked:
            assert verdict.certain, (problem.id, verdict.message)


@pytest.mark.release
@pytest.mark.parametrize("name", ["draw1k", "alg514", "dolphin_l"])
def test_marked_gold_of_the_release_is_right_in_every_row(name: str, release_dir: Path) -> None:
    for problem in load(name, release_dir):
        verdict = grade({"answer": answer_for(problem, "marked"), "prompt_style": "marked"}, PreparedProblem(problem))
        assert verdict.derivation, (problem.id, verdict.message)


@pytest.mark.parametrize("style", STYLE_NAMES)
def test_thoughts_before_it_change_nothing(style: str) -> None:
    problem = SAMPLE[0]
    thoughts = "<think>Perhaps\n```\nm = q1\n```\nAnswer: 7</think>\n"
    assert grade(
        {"answer": thoughts + answer_for(problem, style), "prompt_style": style}, PreparedProblem(problem)
    ).derivation


def test_every_number_is_marked_where_it_is_found() -> None:
    for problem in SAMPLE:
        marked = mark_numbers(problem.question)
        for number in find_numbers(problem.question):
            assert f"[q{number.index}: {number.text}]" in marked
        assert marked.count("[q") == len(problem.numbers)


ARTICLE = {
    "id": 1,
    "question": "Ann has a dozen eggs and buys 3 more . How many eggs does she have ?",
    "equations": ["x = 1*12 + 3"],
    "solutions": [15.0],
    "template": ["m = a * b + c"],
    "alignment": [
        {"slot": "a", "sentence": 0, "token": 2, "value": 1.0},
        {"slot": "b", "sentence": 0, "token": 3, "value": 12.0},
        {"slot": "c", "sentence": 0, "token": 7, "value": 3.0},
    ],
    "equiv_tnum": [],
}
"""Its gold takes the article "a", which is a number only because the annotation says so."""


def test_a_word_that_only_gold_takes_for_a_number_is_not_shown_and_counts_as_a_literal() -> None:
    row = ARTICLE
    reference = PreparedProblem.of(row)
    assert [number.text for number in reference.problem.numbers] == ["a", "dozen", "3"]
    assert prompt_for(
        row, "marked"
    ).question == "Problem: Ann has a [q1: dozen] eggs and buys [q2: 3] more . How many " + ("eggs does she have ?")
    # In the numbering of the prompt, q1 is the dozen; in that of the row it is the article.
    assert [number.text for number in shown_problem(reference.problem).numbers] == ["dozen", "3", "a"]
    assert answer_for(row, "marked").splitlines()[1] == "m = 1*q1 + q2"
    for equation in ("m = 1*q1 + q2", "m = q1 + q2"):
        verdict = grade({"answer": f"```\n{equation}\n```\nAnswer: 15", "prompt_style": "marked"}, reference)
        assert verdict.derivation, verdict.message
    wrong = grade({"answer": "```\nm = q2*q1 + q2\n```", "prompt_style": "marked"}, reference)
    assert not wrong.derivation


def test_the_prompt_as_a_chat_and_as_one_text() -> None:
    row = SAMPLE[70].to_row()
    prompt = prompt_for(row, "marked", shots=2)
    assert [message["role"] for message in prompt.messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert prompt.label == "marked/1+2shots"
    assert prompt.text.endswith(f"{prompt.question}\nSolution:\n")
    assert prompt.text.count("Problem: ") == 3
    assert "\n\n" not in prompt.examples[0][1]  # or a stop sequence would cut it
    assert prompt.schema is None


ROLES = (("m", "the  pens."), ("n", "the cups"), ("o", "the jars"))


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (1, "Let m be the pens."),
        (2, "Let m be the pens and n the cups."),
        (3, "Let m be the pens, n the cups and o the jars."),
    ],
)
def test_a_plain_example_says_what_the_unknowns_are(count: int, sentence: str) -> None:
    problem = replace(next(p for p in SAMPLE if len(p.derivation.template.unknowns) == 3), roles=ROLES[:count])
    first, *rest = answer_for(problem, "plain").splitlines()
    assert first == sentence
    assert "\n".join(rest) == answer_for(replace(problem, roles=()), "plain")


def test_an_example_gives_what_is_asked_for() -> None:
    digits = replace(next(p for p in SAMPLE if p.id == 54), asked=("10*m + n", "1/3*m"))
    assert answer_for(digits, "plain").endswith("Answer: 57, 5/3")
    assert grade({"answer": answer_for(digits, "plain"), "prompt_style": "plain"}, PreparedProblem(digits)).solution
    assert answer_for(digits, "marked").endswith("Answer: 57, 5/3")
    assert answer_for(replace(digits, asked=()), "plain").endswith("Answer: 5, 7")


def test_roles_of_other_letters_are_left_out() -> None:
    problem = replace(SAMPLE[0], roles=(("x", "nothing"), ("m", " ")))
    assert answer_for(problem, "plain").startswith("m = n + 5\n")


@pytest.mark.parametrize("style", ["marked", "json"])
def test_roles_change_no_other_style(style: str) -> None:
    assert answer_for(SAMPLE[0], style) == answer_for(replace(SAMPLE[0], roles=()), style)
    assert "Mona's age" not in answer_for(SAMPLE[0], style)


def test_the_example_of_json_fits_its_schema() -> None:
    prompt = prompt_for(SAMPLE[70], "json", shots=1)
    assert prompt.schema is JSON_SCHEMA
    answer = json.loads(prompt.examples[0][1])
    assert list(answer) == JSON_SCHEMA["required"]
    assert all(isinstance(value, (int, float)) for value in answer["answers"])


def test_the_problem_that_is_asked_is_never_an_example() -> None:
    first = SAMPLE[0]
    prompt = prompt_for(first, "plain", shots=3)
    assert first.question not in prompt.text.replace(prompt.question, "")
    assert len(prompt.examples) == 3
    with pytest.raises(ChoiceError, match="other problems than the one that is asked, but got 1"):
        prompt_for(first, "plain", shots=[first.to_row()])


def test_what_is_no_style_and_what_is_no_row() -> None:
    with pytest.raises(ChoiceError, match="there are marked/1, plain/2, json/1"):
        prompt_for(SAMPLE[0], "cot")
    with pytest.raises(ChoiceError, match="there are marked/1, plain/2, json/1"):
        grade({"answer": "m = q1", "prompt_style": "marked/99"}, SAMPLE[0].to_row())
    with pytest.raises(RowError, match="a problem with a question"):
        prompt_for({"text": "?"})
    with pytest.raises(ChoiceError, match="from 0 to 59"):
        prompt_for(SAMPLE[0], shots=60)
