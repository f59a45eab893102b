"""The stand-in site itself: what it claims to know is true, and two sites of one seed are the same."""

from __future__ import annotations

import collections
import re

import pytest
from crawl.stand_in_site.pages import page_of
from crawl.stand_in_site.plan import MANNERS, Site
from crawl.stand_in_site.questions import WEIGHTS, Question, make_questions

from draw_dataset import derivations_equivalent, solve
from draw_dataset.derivation.problem import Problem

QUESTIONS = make_questions(600, seed=5)


def test_every_row_is_a_problem_whose_derivation_gives_its_solutions() -> None:
    for question in QUESTIONS:
        if question.row is None:
            continue
        problem = Problem.from_row(question.row)
        assert sorted(map(float, problem.derivation.solve().numbers)) == sorted(problem.solutions), problem.question
        assert derivations_equivalent(question.row["derivation"], problem.derivation.q_notation())


def test_the_equations_of_an_explanation_have_the_solution_of_the_problem() -> None:
    seen = 0
    for question in QUESTIONS:
        for explanation in question.explanations:
            if question.row is None or not explanation.of_this_problem or question.trap == "no-x":
                continue
            values = solve(list(explanation.equations)).values if explanation.equations else {}
            for name, value in values.items():
                assert question.known.solutions[name] == value, (question.known.equations, explanation.source)
                seen += 1
            for step in explanation.steps:
                left, right = step.split(" = ")[0], step.split(" = ")[-1]
                assert solve([*explanation.equations, f"{left} = {right}"]).kind == "unique", step
    assert seen > 400


def test_duplicates_repeat_a_text_and_variants_have_other_numbers() -> None:
    by_id = {question.id: question for question in QUESTIONS}
    for question in QUESTIONS:
        original = by_id.get(question.repeats or 0)
        if question.trap == "duplicate":
            assert original is not None
            assert question.known.question == original.known.question
        elif question.trap == "variant":
            assert original is not None
            assert question.known.question != original.known.question
            assert _words(question) == _words(original)
    texts = collections.Counter(q.known.question for q in QUESTIONS if q.known.row and q.trap != "duplicate")
    assert max(texts.values()) == 1


def _words(question: Question) -> list[str]:
    numbers = {number["text"] for number in (question.row or {})["numbers"]} | {"times"}  # twice, three times
    return [re.sub(r"[\d.,$%?]", "", word) for word in question.known.question.split() if word not in numbers]


def test_there_are_at_least_twelve_kinds_and_every_trap() -> None:
    kinds = collections.Counter(question.known.kind for question in QUESTIONS if question.usable)
    assert len(kinds) >= 12
    traps = {question.trap for question in QUESTIONS}
    assert traps == set(WEIGHTS)


def test_one_seed_gives_one_site() -> None:
    one, two, other = Site(120, seed=3), Site(120, seed=3), Site(120, seed=4)
    assert [one.body(number) for number in one.questions] == [two.body(number) for number in two.questions]
    assert one.expected == two.expected
    assert one.expected != other.expected


@pytest.mark.parametrize("size", [150, 600])
def test_a_site_of_any_size_has_every_manner(size: int) -> None:
    assert set(Site(size).manner_of.values()) == set(MANNERS)


def test_a_page_has_the_words_that_a_parser_anchors_on_in_their_order() -> None:
    for question in QUESTIONS[:100]:
        text = re.sub(r"<[^>]*>", "", page_of(question).decode())
        anchors = ["SOLUTION: ", f"Question {question.id}", "Answer by ", "(Show Source):"]
        places = [text.index(anchor) for anchor in anchors]
        assert places == sorted(places)
        assert (f"Found {len(question.explanations)} solutions by" in text) == (len(question.explanations) > 1)
