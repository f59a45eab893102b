"""What the pages answer: each message a recorded decision or a clear refusal, and nothing from data is markup."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from draw_dataset.annotate.decisions import StoredProblem
from draw_dataset.annotate.page.controllers import AdjudicationController, AnnotationController
from draw_dataset.annotate.page.messages import LONGEST_STEP, read_message
from draw_dataset.annotate.store import Store
from draw_dataset.errors import AnnotationError

EVIL = '<img src=x onerror="alert(1)"><script>alert(2)</script>'

ROPE = StoredProblem(7, "A rope of 7 m is cut in 2 pieces , the first 2 m longer .", ("x + y = 7", "x = y + 2"))
DUCKS = StoredProblem(8, "4 ducks and 4 geese cost $ 64 , 5 ducks $ 30 .", ("4*d + 4*g = 64", "5*d = 30"))
SURE = StoredProblem(9, "Ann has 3 and 5 shells .", ("x = 3 + 5",))
CLEANED = StoredProblem(
    10,
    "Add 10 ml of 10 acids to 5 jars .",
    ("x = 10 + 5",),
    {
        "source": {
            "posted": f" Please help! Add 10ml of 10 acids to 5 jars . {EVIL}",
            "changes": [
                {"start": 1, "before": "Please help! ", "after": "", "kind": "help"},
                {"start": 18, "before": "10ml", "after": "10 ml", "kind": "unit"},
                {"start": 47, "before": EVIL, "after": "", "kind": EVIL},
            ],
        }
    },
)
NO_NUMBER = StoredProblem(11, f"Some ducks . {EVIL}", (f"x = {EVIL}",))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "work.db", create=True) as opened:
        opened.add_problems([ROPE, DUCKS, SURE, CLEANED, NO_NUMBER])
        yield opened


class Page(HTMLParser):
    """What is in a page: its elements with their attributes, and its words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words = ""
        self.html = html
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.words += data

    @property
    def root(self) -> dict[str, str]:
        return next(attributes for _, attributes in self.elements if attributes.get("id") == "draw")

    def with_attribute(self, name: str) -> list[dict[str, str]]:
        return [attributes for _, attributes in self.elements if name in attributes]

    @property
    def told(self) -> str:
        found = re.search(r'id="dp-status"[^>]*>([^<]*)<', self.html)
        assert found is not None
        return found[1]


class Person:
    """Somebody who sends what the page would send."""

    def __init__(self, store: Store, name: str, controller: Any = None) -> None:
        adjudication = AdjudicationController(store)
        self.name = name
        self.controller = controller or AnnotationController(store, adjudication.count_unsettled)
        self.page = self.send("open")

    def send(self, do: str, **more: Any) -> Page:
        sent = {"do": do, **more}
        if do != "open" or "problem" not in more:
            page = getattr(self, "page", None)
            if page is not None and page.root["data-problem"]:
                sent = {"problem": page.root["data-problem"], "seen": int(page.root["data-seen"]), **sent}
        self.page = Page(self.controller.answer(self.name, sent)["html"])
        return self.page


def test_a_choice_is_recorded_with_its_time_and_shown(store: Store) -> None:
    ann = Person(store, "Ann")
    ann.send("open", problem=8)
    page = ann.send("choose", literal=0, number=1, seconds=12.5)
    assert page.told == "Saved: 4 is q1."
    [decision] = store.history(8, "Ann")
    assert (decision.kind, dict(decision.payload), decision.seconds) == (
        "choose",
        {"literal": 0, "place": [0, 0]},
        12.5,
    )
    assert page.with_attribute("data-literal")[0]["data-chosen"] == "1"
    assert (page.root["data-seen"], float(page.root["data-spent"])) == ("1", 12.5)


def figure_of(page: Page) -> str:
    found = re.search(r"<svg.*?</svg>", page.html, re.DOTALL)
    assert found is not None
    return found[0]


def test_a_guess_is_shown_only_to_those_who_ask_for_it(store: Store) -> None:
    ann = Person(store, "Ann")
    page = ann.send("open", problem=8)  # both 4 are open
    plain, guessed = figure_of(page), figure_of(ann.send("open", problem=8, guesses=True))
    assert "data-guess" not in plain
    assert "data-guess" in guessed
    # Neither a curve, nor a colour, nor the notation tells which number is guessed for an open value.
    slots = re.compile(r'data-slot="')
    assert len(slots.findall(plain)) < len(slots.findall(guessed))
    assert 'class="dd-number dd-unused"><title>q1' in plain
    assert 'class="dd-number dd-unused"><title>q1' not in guessed
    assert "q1*m" not in plain
    assert "q1*m" in guessed
    numbers = [element for element in Page(page.html).with_attribute("data-number") if element["data-number"] in "12"]
    assert [("is-used" in number["class"]) for number in numbers] == [False, False]
    page = ann.send("choose", literal=0, number=1)
    assert 'class="dd-number dd-used dd-0"><title>q1' in figure_of(page)
    assert 'class="dd-number dd-unused"><title>q2' in figure_of(page)
    assert [button["aria-pressed"] for button in page.with_attribute("data-do") if button["data-do"] == "guesses"] == [
        "false"
    ]
    page = ann.send("choose", literal=1, number=2)
    assert "q1*m + q2*n" in figure_of(page)
    assert "data-guess" not in ann.send("open", guesses=True).html


def test_who_has_nothing_to_do_sees_no_progress_and_no_time(tmp_path: Path) -> None:
    with Store.open(tmp_path / "sure.db", create=True) as sure:
        sure.add_problems([SURE])
        page = Person(sure, "Ann").page
        assert [e for _, e in page.elements if e.get("role") == "progressbar"] == []
        assert "No problem waits for you." in page.words
        assert "0 of 0" not in page.words
        assert "0:00" not in page.words
        assert "You may still open any problem of the list." in page.words
        adjudication = Person(sure, "Ann", AdjudicationController(sure)).page
        assert [e for _, e in adjudication.elements if e.get("role") == "progressbar"] == []
        assert "Nothing to settle." in adjudication.words


def test_an_empty_store_offers_no_problem(tmp_path: Path) -> None:
    with Store.open(tmp_path / "empty.db", create=True) as empty:
        page = Person(empty, "Ann").page
        assert "No problem waits for you." in page.words
        assert "any problem of the list" not in page.words


def test_a_time_is_shown_only_if_one_was_taken(store: Store) -> None:
    ann = Person(store, "Ann")
    ann.send("open", problem=7)
    page = ann.send("flag", text="imported", seconds=0.0)
    assert "in all" not in page.words
    page = ann.send("skip", problem="8", seen=0, seconds=61.0)
    assert "1:01 in all" in page.words
    assert "median" not in page.words


def test_only_ambiguous_literals_are_asked_about(store: Store) -> None:
    ann = Person(store, "Ann")
    page = ann.send("open", problem=8)
    literals = page.with_attribute("data-literal")
    assert ["is-open" in literal["class"] for literal in literals] == [True, True, False, False, False]
    assert literals[0]["data-origins"] == "1 2"
    assert literals[2]["data-fits"] == "0 3"  # a person may still call 64 a constant
    page = ann.send("open", problem=9)
    assert "Everything is decided." in page.words


def test_submitting_needs_all_answers_and_goes_on(store: Store) -> None:
    ann = Person(store, "Ann")
    ann.send("open", problem=8)
    page = ann.send("submit")
    assert page.told.startswith("Not saved: problem 8: ")
    assert page.root["data-problem"] == "8"
    ann.send("choose", literal=0, number=1)
    ann.send("choose", literal=1, number=2)
    page = ann.send("submit")
    assert page.told.startswith("Saved: problem 8 ")
    assert page.root["data-problem"] in ("7", "10")
    page = ann.send("previous", problem=page.root["data-problem"])
    assert page.root["data-problem"] == "8"
    assert page.root["data-fixed"] == "true"
    assert ann.send("reopen").root["data-fixed"] == "false"


def test_what_is_put_off_comes_last_and_then_nothing_is_left(store: Store) -> None:
    ann = Person(store, "Ann")
    first = ann.page.root["data-problem"]
    seen = [first, ann.send("skip").root["data-problem"]]
    while ann.page.root["data-problem"] != first:
        seen.append(ann.send("flag", text=f"unfit {EVIL}").root["data-problem"])
    assert set(seen) == {"7", "8", "10"}
    assert seen[-1] == first
    page = ann.send("flag", text="")
    assert "Nothing is left to do" in page.words
    assert page.root["data-problem"] == ""
    assert ann.send("previous").root["data-problem"] == first


def test_somebody_who_comes_back_is_where_they_left(store: Store) -> None:
    ann = Person(store, "Ann")
    last = store.queue("Ann")[-1]
    ann.send("open", problem=last)
    literal = ann.page.with_attribute("data-literal")
    asked = next(entry for entry in literal if "is-open" in entry["class"])
    ann.send("choose", literal=int(asked["data-literal"]), number=int(asked["data-origins"].split()[0]))
    assert Person(store, "Ann").page.root["data-problem"] == str(last)
    assert Person(store, "Bo").page.root["data-problem"] == str(store.queue("Bo")[0])


def test_a_message_whose_answer_was_lost_is_recorded_once(store: Store) -> None:
    ann = Person(store, "Ann")
    message = {"do": "choose", "problem": "8", "seen": 0, "literal": 0, "number": 2, "seconds": 3}
    for _ in range(2):
        page = Page(ann.controller.answer("Ann", message)["html"])
        assert page.told.startswith("Saved")
        assert page.root["data-seen"] == "1"
    assert len(store.history(8, "Ann")) == 1
    other = {**message, "number": 1}
    page = Page(ann.controller.answer("Ann", other)["html"])
    assert page.told.startswith("Not saved: problem 8 ")
    assert page.with_attribute("data-literal")[0]["data-chosen"] == "2"
    assert len(store.history(8, "Ann")) == 1


def test_equivalents_are_marked_and_taken_out(store: Store) -> None:
    ann = Person(store, "Ann")
    ann.send("open", problem=8)
    page = ann.send("same", numbers=[1, 2])
    assert re.search("^Saved: .*q1.*q2", page.told)
    assert [n["data-same"] for n in page.with_attribute("data-number")[:3]] == ["2", "1", ""]
    assert ann.send("same", numbers=[1, 3]).told.startswith("Not saved: ")
    assert ann.send("apart", numbers=[2]).told.startswith("Saved: q2 ")
    assert store.work(8, "Ann").groups == ()
    assert ann.send("undo").told.startswith("Saved: ")
    assert len(store.work(8, "Ann").groups) == 1
    ann.send("redo")
    assert store.work(8, "Ann").groups == ()


def test_a_text_can_be_edited_and_what_is_lost_is_said(store: Store) -> None:
    ann = Person(store, "Ann")
    ann.send("open", problem=8)
    ann.send("choose", literal=0, number=1)
    page = ann.send("edit", text="Some ducks and 4 geese cost $ 64 , 5 ducks $ 30 . ")
    assert re.search(r"^Saved: .*\b8\b.*\b4\b", page.told)
    assert not [literal for literal in page.with_attribute("data-literal") if "is-open" in literal["class"]]
    assert ann.send("edit", text=" ").told.startswith("Not saved:")


def test_a_problem_that_cannot_be_annotated_says_so_and_can_be_mended(store: Store) -> None:
    ann = Person(store, "Ann")
    page = ann.send("open", problem=11)
    assert (store.work(11, "Ann").refusal or "absent") in page.words
    assert page.with_attribute("data-literal") == []


def test_changes_of_cleaning_can_be_taken_back_and_made_again(store: Store) -> None:
    ann = Person(store, "Ann")
    page = ann.send("open", problem=10)
    buttons = [element for element in page.with_attribute("data-which") if element["data-do"] == "restore"]
    assert ["disabled" in element for element in buttons] == [False, False, False]
    ann.send("restore", which="1")
    assert store.work(10, "Ann").question == "Add 10ml of 10 acids to 5 jars ."
    ann.send("restore", which="0")
    assert store.work(10, "Ann").question == "Please help! Add 10ml of 10 acids to 5 jars ."
    page = ann.send("restore", which="1")
    assert store.work(10, "Ann").question == "Please help! Add 10 ml of 10 acids to 5 jars ."
    assert "Redo" in page.words
    ann.send("edit", text="Now add 10 ml of 10 acids to 5 jars .")
    assert ann.send("restore", which="0").told.startswith("Not saved: ")
    assert ann.send("restore", which="9").told.startswith("Not saved:")
    ann.send("restore", which="1")
    assert store.work(10, "Ann").question == "Now add 10ml of 10 acids to 5 jars ."


def test_roles_are_kept_and_shown_in_the_names_of_the_equations(store: Store) -> None:
    ann = Person(store, "Ann")
    page = ann.send("open", problem=8)
    fields = page.with_attribute("data-role")
    assert [(field["data-role"], field["data-key"], field["value"]) for field in fields] == [
        ("m", "M", ""), ("n", "N", ""),
    ]  # fmt: skip
    page = ann.send("role", unknown="n", text=f' price of a "goose" {EVIL} ')
    assert page.told.startswith("Saved: g is price of a &quot;goose&quot;")
    assert store.work(8, "Ann").roles == (("n", f'price of a "goose" {EVIL}'),)
    assert page.with_attribute("data-role")[1]["value"] == f'price of a "goose" {EVIL}'
    assert ann.send("role", unknown="n", text=" ").told.startswith("Saved: what g is")
    assert store.work(8, "Ann").roles == ()
    assert ann.send("role", unknown="o", text="a duck").told.startswith("Not saved: role: ")


def test_what_is_asked_is_chosen_with_buttons_and_written_in_the_names_of_the_equations(store: Store) -> None:
    def buttons(page: Page) -> dict[str, tuple[str, Any]]:
        found = page.with_attribute("data-texts")
        return {one["id"]: (one["aria-pressed"], json.loads(one["data-texts"])) for one in found}

    ann = Person(store, "Ann")
    page = ann.send("open", problem=8)
    assert buttons(page) == {
        "dp-asked-m": ("false", ["d"]), "dp-asked-n": ("false", ["g"]), "dp-nothing": ("false", []),
    }  # fmt: skip
    page = ann.send("asked", texts=["g"])
    assert (page.told, store.work(8, "Ann").asked) == ("Saved: the question asks for g.", ("n",))
    page = ann.send("asked", texts=["g", "4d + q2*g"])
    assert store.work(8, "Ann").asked == ("n", "4*m + q2*n")
    assert buttons(page) == {
        "dp-asked-m": ("false", ["g", "4*d + q2*g", "d"]), "dp-asked-n": ("true", ["4*d + q2*g"]),
        "dp-other-1": ("true", ["g"]), "dp-nothing": ("false", []),
    }  # fmt: skip
    page = ann.send("asked", texts=[])
    assert (store.work(8, "Ann").asked, buttons(page)["dp-nothing"]) == ((), ("true", None))
    ann.send("asked", texts=None)
    assert store.work(8, "Ann").asked is None
    for wrong in ("d*g", "h", "d +", f"d {EVIL}"):
        page = ann.send("asked", texts=[wrong])
        assert page.told.startswith("Not saved: asked: ")
        assert "dp-other-1" not in buttons(page)
    assert ann.send("undo").told.startswith("Saved: ")
    assert store.work(8, "Ann").asked == ()


def test_names_that_the_derivation_uses_otherwise_are_those_of_the_equations(store: Store) -> None:
    store.add_problems([StoredProblem(12, "Ann has 3 and Bo 5 shells .", ("n = 3", "m = 5"))])
    ann = Person(store, "Ann")
    ann.send("open", problem=12)
    page = ann.send("asked", texts=["n", "10*n + m"])
    assert store.work(12, "Ann").asked == ("m", "10*m + n")
    assert page.told == "Saved: the question asks for n and 10*n + m."
    assert "n in the figure" in page.words


def test_a_role_whose_answer_was_lost_is_recorded_once(store: Store) -> None:
    ann = Person(store, "Ann")
    for seen, message in enumerate(
        ({"do": "role", "unknown": "m", "text": " a  duck "}, {"do": "asked", "texts": ["d "]})
    ):
        for _ in range(2):
            page = Page(ann.controller.answer("Ann", {**message, "problem": "8", "seen": seen})["html"])
            assert page.told.startswith("Saved")
    assert len(store.history(8, "Ann")) == 2


def test_an_own_derivation_is_shown_and_can_be_withdrawn(store: Store) -> None:
    ann = Person(store, "Ann")
    ann.send("open", problem=8)
    page = ann.send("derivation", text="q1*m + q2*n = q3; q4*m = q5")
    assert page.told == "Saved: the derivation is q1*m + q2*n = q3; q4*m = q5."
    assert page.with_attribute("data-literal") == []
    assert "data-guess" not in page.html
    assert "<svg" in page.html
    assert "The derivation is your own." in page.words
    assert ann.send("derivation", text="m + n = q3").told.startswith("Not saved: derivation ")
    assert ann.send("derivation", text=" ").told == "Saved: the equations are the imported ones."
    assert len(ann.page.with_attribute("data-literal")) == 5
    # Also where nothing can be proposed.
    page = ann.send("open", problem=11)
    assert page.with_attribute("data-role") == []
    assert ann.send("derivation", text="m = 4").told.startswith("Saved: ")
    assert "<svg" in ann.page.html
    assert ann.send("submit").told.startswith("Saved: problem 11 ")


def test_a_page_that_asks_for_roles_says_what_is_left_and_brings_every_problem(store: Store) -> None:
    store.configure(ask_roles=True)
    ann = Person(store, "Ann")
    page = ann.send("open", problem=9)
    assert "Say what x is, what the question asks for; then submit it." in page.words
    (button,) = [one for one in page.with_attribute("data-do") if one["data-do"] == "submit"]
    assert button["aria-disabled"] == "true"
    assert ann.send("submit").told.startswith("Not saved: problem 9: ")
    ann.send("role", unknown="m", text="shells")
    page = ann.send("asked", texts=["x"])
    assert "Everything is decided." in page.words
    assert ann.send("submit").told.startswith("Saved: problem 9 ")
    store.add_annotator("Bo")
    assert set(store.queue("Bo")) == {7, 8, 9, 10}


def test_what_is_submitted_shows_its_roles_without_fields_to_change(store: Store) -> None:
    ann = Person(store, "Ann")
    ann.send("open", problem=9)
    ann.send("role", unknown="m", text="shells")
    ann.send("submit")
    page = ann.send("open", problem=9)
    assert ["disabled" in field for field in page.with_attribute("data-role")] == [True]
    assert all("disabled" in button for button in page.with_attribute("data-texts"))


def test_adjudicators_see_what_is_asked_and_roles_side_by_side(store: Store) -> None:
    for name, asked, role in (("Ann", ["d"], "one duck"), ("Bo", ["g"], f"poultry {EVIL}")):
        person = Person(store, name)
        person.send("open", problem=8)
        person.send("choose", literal=0, number=1)
        person.send("choose", literal=1, number=2)
        person.send("asked", texts=asked)
        person.send("role", unknown="m", text=role)
        person.send("submit")
    cy = Person(store, "Cy", AdjudicationController(store))
    page = cy.page
    assert page.root["data-problem"] == "8"
    assert "the question asks for m for Ann, but for n for Bo" in page.words
    rows = re.findall(r'<li( class="is-different")?><span>([^<]*)</span> <b>([^<]*)</b>', page.html)
    assert [(bool(marked), label, said[:8]) for marked, label, said in rows] == [
        (True, "asks for", "d"), (True, "d (m)", "one duck"), (True, "asks for", "g"), (True, "d (m)", "poultry "),
    ]  # fmt: skip
    assert {tag for tag, _ in page.elements} & {"img", "script"} == set()
    cy.send("take", which="1")
    assert store.adjudications()[8].asked == ("n",)


def test_other_words_for_roles_bring_nothing_to_adjudicators(store: Store) -> None:
    for name, role in (("Ann", "shells"), ("Bo", "mussels")):
        person = Person(store, name)
        person.send("open", problem=9)
        person.send("role", unknown="m", text=role)
        person.send("submit")
    assert "Nothing to settle" in Person(store, "Cy", AdjudicationController(store)).page.words


def test_a_stated_derivation_stands_beside_the_other(store: Store) -> None:
    ann, bo = Person(store, "Ann"), Person(store, "Bo")
    for person in (ann, bo):
        person.send("open", problem=9)
    ann.send("derivation", text="m = q1*q2")
    for person in (ann, bo):
        person.send("submit")
    page = Person(store, "Cy", AdjudicationController(store)).page
    rows = re.findall(r'<li class="is-different"><span>derivation</span> <b>([^<]*)</b>', page.html)
    assert rows == ["m = q1*q2", "m = q1 + q2"]
    assert page.html.count("<svg") == 2


def adjudicated(store: Store) -> Person:
    """Two annotators who disagree about the ducks, and an adjudicator."""
    for name, (one, other) in {f"Ann {EVIL}": (1, 2), "Bo": (2, 1)}.items():
        person = Person(store, name)
        person.send("open", problem=8)
        person.send("choose", literal=0, number=one)
        person.send("choose", literal=1, number=other)
        person.send("submit")
    return Person(store, "Cy", AdjudicationController(store))


def test_a_disagreement_is_shown_and_settled_by_taking_a_side(store: Store) -> None:
    cy = adjudicated(store)
    assert cy.page.root["data-problem"] == "8"
    sides = [element for element in cy.page.with_attribute("data-which") if element["data-do"] == "take"]
    assert [element["data-key"] for element in sides] == ["1", "2"]
    assert cy.page.html.count('<li class="is-different">') == 4
    assert "&quot;4&quot; (q1)" in cy.page.html
    page = cy.send("take", which="1", seconds=4)
    assert re.search(r"^Saved: problem 8 .*\bBo\b", page.told)
    assert store.adjudications()[8].taken == "Bo"
    page = cy.send("open", problem=8)
    assert "Cy took Bo’s work." in page.words
    # The same message again, as after an answer that was lost.
    controller = AdjudicationController(store)
    before = len(store.history(8, "Cy", "adjudicator"))
    again = Page(controller.answer("Cy", {"do": "take", "problem": "8", "seen": 0, "which": "1"})["html"])
    assert again.told.startswith("Saved")
    other = Page(controller.answer("Cy", {"do": "take", "problem": "8", "seen": 0, "which": "0"})["html"])
    assert "changed in another window" in other.told
    assert len(store.history(8, "Cy", "adjudicator")) == before


def test_an_adjudicator_may_decide_otherwise(store: Store) -> None:
    cy = adjudicated(store)
    page = cy.send("own")
    assert page.root["data-address"] == "?problem=8&own"
    cy.send("choose", literal=0, number=1)
    cy.send("choose", literal=1, number=1)
    page = cy.send("submit")
    assert page.told.startswith("Saved: problem 8 ")
    assert store.adjudications()[8].problem().derivation.q_notation().count("q1") == 2
    # To look at it again, as a reload does, opens nothing.
    assert cy.send("open", problem=8, own=True).root["data-fixed"] == "true"
    assert 8 in store.adjudications()
    assert cy.send("own").told.startswith("Saved: ")
    assert 8 not in store.adjudications()


def test_an_adjudicator_may_flag_and_sees_flags(store: Store) -> None:
    cy = adjudicated(store)
    page = cy.send("flag", text=f"wrong equations {EVIL}")
    assert re.search("^Saved: problem 8 .*flagged", page.told)
    assert store.adjudications()[8].flagged == f"wrong equations {EVIL}"
    dee = Person(store, "Dee")
    dee.send("open", problem=8)
    dee.send("flag", text="unclear")
    page = cy.send("open", problem=8)
    assert "Dee flagged it:" in page.words
    assert "Dee flagged it: unclear" in page.words


def test_agreement_leaves_nothing_to_settle(store: Store) -> None:
    cy = Person(store, "Cy", AdjudicationController(store))
    assert "Nothing to compare yet" in cy.page.words
    for name in ("Ann", "Bo"):
        person = Person(store, name)
        person.send("open", problem=7)
        literal = next(e for e in person.page.with_attribute("data-literal") if "is-open" in e["class"])
        person.send("choose", literal=int(literal["data-literal"]), number=3)
        person.send("submit")
    assert "Nothing to settle" in cy.send("open").words


def test_nothing_from_data_is_markup(store: Store) -> None:
    name = f"Ann {EVIL}"
    pages = [adjudicated(store).page]
    ann = Person(store, name)
    pages += [ann.send("open", problem=problem) for problem in (8, 10, 11)]
    ann.send("open", problem=7)
    pages.append(ann.send("edit", text=f"{ROPE.question} {EVIL} 2 {EVIL}"))
    pages.append(ann.send("flag", text=EVIL))
    pages.append(ann.send("open", problem=7))
    cy = Person(store, "Cy", AdjudicationController(store))
    cy.send("flag", text=EVIL)
    pages.append(cy.send("open", problem=8))
    for page in pages:
        tags = {tag for tag, _ in page.elements}
        assert not tags & {"img", "script"}
        assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert any(EVIL in page.words for page in pages)


@pytest.mark.parametrize(
    "sent",
    [
        None,
        [],
        "open",
        {"do": "drop tables"},
        {"do": "choose", "problem": -1},
        {"do": "choose", "problem": "8", "numbers": "all"},
        {"do": "choose", "problem": "8", "number": "q1"},
        {"do": "choose", "problem": "8", "literal": 0},
        {"do": "choose", "problem": "8", "literal": 99, "number": 1},
        {"do": "choose", "problem": "8", "literal": 0, "number": 99},
        {"do": "choose", "problem": "8", "literal": 0, "number": 3},
        {"do": "same", "problem": "8", "numbers": [1]},
        {"do": "edit", "problem": "8", "text": 5},
        {"do": "edit", "problem": "8", "text": "x" * 30_000},
        {"do": "edit", "problem": "8", "text": "a\x00b"},
        {"do": "flag", "problem": "8", "text": "w" * 2_000},
        {"do": "submit"},
        {"do": "submit", "problem": 12345},
        {"do": "undo", "problem": "8"},
        {"do": "skip", "problem": "8", "seconds": "long"},
        {"do": "skip", "problem": "8", "seconds": float("nan")},
        {"do": "skip", "problem": "8", "seconds": -1},
        {"do": "open", "problem": 12345},
        {"do": "take", "problem": "8", "which": 7},
        {"do": "own", "problem": 10**30},
        {"do": "role", "problem": "8", "unknown": 5, "text": "a duck"},
        {"do": "role", "problem": "8", "text": "a duck"},
        {"do": "role", "problem": "8", "unknown": "m", "text": "x" * 300},
        {"do": "asked", "problem": "8", "texts": "d"},
        {"do": "asked", "problem": "8", "texts": [5]},
        {"do": "asked", "problem": "8", "texts": ["d"] * 300},
        {"do": "asked", "problem": "8", "texts": ["d" * 30_000]},
        {"do": "asked", "problem": "8", "texts": [" "]},
        {"do": "derivation", "problem": "8", "text": ""},
    ],
)
def test_whatever_is_sent_gets_a_page_and_records_nothing(store: Store, sent: object) -> None:
    for controller in (Person(store, "Ann").controller, AdjudicationController(store)):
        page = Page(controller.answer("Ann", sent)["html"])
        refused = page.told.startswith(("Not saved: ", "Unknown problem "))
        assert refused or "Nothing to compare yet" in page.words
        assert len(page.told) < 400
    assert store.works() == []
    assert store.works(role="adjudicator") == []


def test_a_message_is_kept_within_bounds() -> None:
    message = read_message({"do": "skip", "problem": "8", "seconds": 1e9, "width": 9})
    assert (message.seconds, message.width) == (LONGEST_STEP, 280)
    with pytest.raises(AnnotationError, match="expected an object"):
        read_message(7)


def test_a_store_that_fails_is_said_and_nothing_is_confirmed(store: Store) -> None:
    controller = Person(store, "Ann").controller
    adjudication = AdjudicationController(store)
    store.close()
    for answering in (controller, adjudication):
        page = Page(answering.answer("Ann", {"do": "skip", "problem": "8", "seen": 0})["html"])
        assert "The page cannot be shown" in page.words
        assert page.told.startswith("Not saved: ")


def dispute(store: Store) -> None:
    """Let Ann and Bob disagree about problem 7, so that a third person is needed."""
    for name, number in (("Ann", 2), ("Bob", 3)):
        person = Person(store, name)
        person.send("open", problem=7)
        person.send("choose", literal=1, number=number)
        person.send("submit")


def test_a_party_to_a_dispute_is_not_invited_to_settle_it(store: Store) -> None:
    dispute(store)
    controller = AdjudicationController(store)
    assert [controller.count_unsettled(name) for name in ("Ann", "Bob", "Carol")] == [0, 0, 1]
    ann = Person(store, "Ann", AdjudicationController(store))
    assert ann.page.root["data-problem"] == ""
    assert "waits for somebody who has not annotated it" in ann.page.words
    assert "1 difference, yours" in ann.page.words
    # Where nobody else is there, they can still open it.
    assert "leave it to somebody else" in ann.send("open", problem=7).words
    carol = Person(store, "Carol", AdjudicationController(store))
    assert carol.page.root["data-problem"] == "7"
    assert "leave it to somebody else" not in carol.page.words


def test_an_unknown_problem_is_no_failure_to_save(store: Store) -> None:
    ann = Person(store, "Ann")
    assert ann.send("open", problem="nope").told.startswith("Unknown problem ")
    assert ann.send("skip", problem="nope").told.startswith("Not saved: Unknown problem ")


def test_roles_are_called_optional_unless_they_are_asked_for(store: Store) -> None:
    assert "(optional)" in Person(store, "Ann").page.words
    store.configure(ask_roles=True)
    assert "(optional)" not in Person(store, "Ann").page.words


def test_own_equations_may_use_the_names_of_the_problem(store: Store) -> None:
    ann = Person(store, "Ann")
    ann.send("open", problem=8)
    page = ann.send("derivation", text="4*g + 4*d = q3; d = q5/q4")
    assert page.told.startswith("Saved: the derivation is 4*n + 4*m = q3; m = q5/q4.")


def test_a_constant_that_the_text_does_not_give_is_asked_for_in_words(store: Store) -> None:
    store.add_problems([StoredProblem(12, "A bus drives 300 km from 9:15 to 11:45 .", ("v = 300/2.5",))])
    page = Person(store, "Ann").send("open", problem=12)
    assert "The text does not give it." in page.words
    assert page.with_attribute("data-literal")[1]["data-chosen"] == ""


def test_a_refused_problem_names_own_equations_as_a_remedy(store: Store) -> None:
    store.add_problems([StoredProblem(13, "Add 3 and 4 .", ("a = 3", "b = 4", "c = a + b", "d = c"))])
    page = Person(store, "Ann").send("open", problem=13)
    assert "Write the derivation yourself" in page.words
