"""What the pages answer: each message a recorded decision or a clear refusal, and nothing from data is markup."""

from __future__ import annotations

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
    assert "data-guess" in page.html  # the second 4 is still open
    page = ann.send("choose", literal=1, number=2)
    assert "data-guess" not in page.html


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
    ],
)
def test_whatever_is_sent_gets_a_page_and_records_nothing(store: Store, sent: object) -> None:
    for controller in (Person(store, "Ann").controller, AdjudicationController(store)):
        page = Page(controller.answer("Ann", sent)["html"])
        assert page.told.startswith("Not saved: ") or "Nothing to compare yet" in page.words
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
