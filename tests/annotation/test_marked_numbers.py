"""A person can mark a token as a number that the rules do not see; it then counts like any other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from draw_dataset import Problem, grade
from draw_dataset.annotate.decisions import StoredProblem
from draw_dataset.annotate.outcome import compare, export_rows, settle
from draw_dataset.annotate.page.controllers import AdjudicationController, AnnotationController
from draw_dataset.annotate.page.render import guideline_html
from draw_dataset.annotate.page.server import _url
from draw_dataset.annotate.store import Store
from draw_dataset.errors import AnnotationError

SCORES = StoredProblem(1, "A bakery sells 3 grosses of rolls . A gross costs 8 dollars less than 96 .", ("x = 3*144",))
NO_NUMBER = StoredProblem(2, "A gross of rolls is sold .", ("x = 144",))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "work.db", create=True) as opened:
        opened.add_problems([SCORES, NO_NUMBER])
        for name in ("Ann", "Bo", "Carol"):
            opened.add_annotator(name)
        yield opened


def mark(
    store: Store, name: str = "Ann", problem: int = 1, place: tuple[int, int] = (0, 4), value: str = "144"
) -> None:
    store.decide(problem, name, "number", {"place": list(place), "value": value})


def test_a_marked_token_is_a_number_of_the_text_in_its_order(store: Store) -> None:
    before = store.work(1, "Ann")
    assert [number.text for number in before.numbers] == ["3", "8", "96"]
    assert before.left == (1,)  # the text gives no 144
    mark(store)
    work = store.work(1, "Ann")
    assert [(number.index, number.text, number.value) for number in work.numbers][:2] == [
        (1, "3", 3),
        (2, "grosses", 144),
    ]
    assert work.derivation is not None
    assert work.derivation.q_notation() == "m = q1*q2"
    store.decide(1, "Ann", "undo")
    assert store.work(1, "Ann").numbers == before.numbers


def test_a_problem_without_numbers_can_be_annotated_by_marking_one(store: Store) -> None:
    assert store.work(2, "Ann").proposal is None
    mark(store, problem=2, place=(0, 1))
    store.decide(2, "Ann", "submit")
    assert store.work(2, "Ann").problem().derivation.q_notation() == "m = q1"


def test_choices_and_groups_stay_with_their_numbers(store: Store) -> None:
    store.add_problems([StoredProblem(3, "Two and 2 make 4 . A dozen .", ("x = 2 + 12",))])
    store.decide(3, "Ann", "choose", {"literal": 0, "place": [0, 2]})
    store.decide(3, "Ann", "equivalent", {"places": [[0, 0], [0, 2]]})
    if not any(number.text == "dozen" for number in store.work(3, "Ann").numbers):
        mark(store, problem=3, place=(1, 1), value="12")
    work = store.work(3, "Ann")
    assert work.chosen[0].number is not None
    assert work.chosen[0].number.place == (0, 2)
    assert len(work.groups) == 1


def test_a_mark_survives_an_edit_that_keeps_its_word_and_is_dropped_with_it(store: Store) -> None:
    mark(store)
    store.decide(1, "Ann", "edit", {"question": "Today a bakery sells 3 grosses of rolls ."})
    assert [number.text for number in store.work(1, "Ann").numbers] == ["3", "grosses"]
    work = store.decide(1, "Ann", "edit", {"question": "A bakery sells 3 boxes of rolls ."})
    assert [number.text for number in work.numbers] == ["3"]
    assert any("grosses" in notice for notice in work.notices)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ((0, 3), "3", "'3'"),
        ((9, 9), "3", r"\[9, 9\]|\(9, 9\)"),
        ((0, 4), "many", "'many'"),
        ((0, 4), "1/0", "'1/0'"),
        ((0, 4), "9" * 40, "999"),
        ((0, 4), "-3", "'-3'"),
    ],
)
def test_what_cannot_be_marked_is_refused(store: Store, place: tuple[int, int], value: str, message: str) -> None:
    with pytest.raises(AnnotationError, match=message):
        mark(store, place=place, value=value)


def test_marks_are_compared_taken_and_exported(store: Store) -> None:
    mark(store)
    store.decide(1, "Bo", "choose", {"literal": 1, "place": None})
    for name in ("Ann", "Bo"):
        store.decide(1, name, "submit")
    found = compare(store.work(1, "Ann"), store.work(1, "Bo"))
    assert "derivation" in found.differing
    store.adjudicate(1, "Carol", "Ann", [])
    (row,) = [row for row in export_rows(settle(store)).rows if row["id"] == 1]
    assert row["derivation"] == "m = q1*q2"
    assert [number["text"] for number in row["numbers"]][:2] == ["3", "grosses"]
    assert grade("m = q1*q2", row).derivation
    assert Problem.from_row(row).derivation.q_notation() == "m = q1*q2"


def test_the_page_offers_the_words_that_are_no_numbers_and_marks_one(store: Store) -> None:
    controller = AnnotationController(store, lambda: 0)
    html = controller.answer("Ann", {"do": "open", "problem": "1"})["html"]
    assert '<option value="4">grosses   (sells 3 grosses of rolls)</option>' in html
    assert '<option value="3">' not in html  # the 3 is a number already
    html = controller.answer("Ann", {"do": "number", "problem": "1", "seen": 0, "which": 4, "text": "144"})["html"]
    assert re.search("Saved: .*grosses.*q2.*144", html)
    html = controller.answer("Ann", {"do": "number", "problem": "1", "seen": 1, "which": 4000, "text": "144"})["html"]
    assert "Not saved: " in html


def test_a_slot_has_the_same_colour_in_both_figures(tmp_path: Path) -> None:
    with Store.open(tmp_path / "slots.db", create=True) as store:
        question = "A rope is cut in 2 pieces , 7 m in all , the first 2 m longer ."
        store.add_problems([StoredProblem(7, question, ("x + y = 7", "x = y + 2"))])
        # For Ann the number of the last slot comes before the 7 of the text, for Bo after it.
        for name, token in (("Ann", 5), ("Bo", 15)):
            store.add_annotator(name)
            store.decide(7, name, "choose", {"literal": 1, "place": [0, token]})
            store.decide(7, name, "submit")
        html = AdjudicationController(store).answer("Ann", {"do": "open", "problem": "7"})["html"]
    figures = html.split("<svg")[1:]
    slots = [dict(re.findall(r'class="dd-slot (dd-\d)" data-slot="(\w)"', figure)) for figure in figures]
    assert slots == [{"dd-0": "a", "dd-1": "b"}] * 2


def test_what_is_left_agrees_with_what_the_list_counts(tmp_path: Path) -> None:
    with Store.open(tmp_path / "many.db", create=True) as store:
        asked = [StoredProblem(i, "Two and 2 make 4 . Add 5 .", ("x = 2 + 5",)) for i in range(20)]
        decided = [StoredProblem(i, "Add 5 to 7 .", ("x = 5 + 7",)) for i in range(20, 50)]
        store.add_problems([*asked, *decided])
        html = AnnotationController(store, lambda: 0).answer("Ann", {"do": "open"})["html"]
    assert "20 left" in html
    shown = html.count('class="is-untouched"')
    assert re.search(rf"\b{20 - shown} more\b.*\b30\b", html)


def test_the_guideline_is_one_page_of_our_own_examples() -> None:
    html = guideline_html()
    assert "@media print" in html
    assert "<script" not in html


def test_an_address_that_can_be_sent_is_printed_for_all_addresses() -> None:
    assert _url("127.0.0.1", 80) == "http://127.0.0.1:80/"
    for host in ("0.0.0.0", "::", "[::]"):
        address = _url(host, 7860)
        assert "0.0.0.0" not in address
        assert "::" not in address
        assert address.endswith(":7860/")
