"""The page in a real Chromium: two people annotate at once, a server is killed, and an adjudicator settles disputes."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from annotation.page_gold import TEN, Answers, gold_answers, gold_problems, write_problems
from annotation.page_server import Server
from metric.browser import CHROMIUM, FLAGS

from draw_dataset import score
from draw_dataset.annotate.page.render import guideline_html
from draw_dataset.annotate.store import Store
from draw_dataset.cli import main

pytest.importorskip("gradio", reason="needs gradio: pip install 'draw-dataset[annotate]'")
playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'draw-dataset[test]'")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
pytestmark = pytest.mark.xdist_group("browser")

EVIL = "<img src=x onerror=window.hacked=1>"
MARKUP = {
    "id": 900,
    "question": f"Ann has 3 shells {EVIL} and Bo has 5 <script>window.hacked=2</script> .",
    "equations": ["x = 3 + 5"],
}
BROKEN = {"id": 901, "question": f"There are 3 shells {EVIL} .", "equations": [f"x = {EVIL}"]}

# Who is wrong about which problem, and in which of its questions, counted from 0.
WRONG = {"Ann": {4: (0,), 76: (0,)}, "Bo": {22: (0, 1), 63: (0,), 76: (1,)}}
WAIT = 180_000


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


def begun(folder: Path, *more: str) -> Server:
    """A server on a store with the problems, that is still starting."""
    write_problems(folder / "problems.jsonl", MARKUP, BROKEN)
    store = folder / "work.db"
    assert main(["annotate", "import", str(folder / "problems.jsonl"), "--store", str(store)]) == 1  # one is refused
    server = Server(folder, store, *more)
    server.begin()
    return server


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server beyond loopback; it starts while others are tested, as importing Gradio takes long."""
    server = begun(tmp_path_factory.mktemp("public"), "--host", "0.0.0.0")
    yield server
    server.end()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, public: Server) -> Iterator[Server]:
    server = begun(tmp_path_factory.mktemp("page"))
    server.wait()
    yield server
    server.end()


class Person:
    """Somebody before a browser of their own."""

    def __init__(
        self, chromium: Any, server: Server, name: str, path: str = "/", *, clock: bool = False, **settings: Any
    ) -> None:
        self.name = name
        self.server = server
        self.asked: set[str] = set()
        self.broken: list[str] = []
        settings = {"viewport": {"width": 1280, "height": 860}, **settings}
        self.context = chromium.new_context(**settings)
        self.page = self.context.new_page()
        self.page.set_default_timeout(WAIT)
        if clock:
            self.page.clock.install()
        self.page.on("request", lambda request: self.asked.add(request.url))
        self.page.on("pageerror", lambda error: self.broken.append(str(error)))
        self.page.on("dialog", lambda dialog: self.broken.append(dialog.message))
        self.enter(path)

    def enter(self, path: str = "/") -> None:
        self.page.goto(f"{self.server.url}{path}")
        self.page.fill("#name", self.name)
        self.page.press("#name", "Enter")
        self.page.wait_for_selector("#dp-stage")

    def state(self, name: str) -> str:
        found: str = self.page.get_attribute("#draw", f"data-{name}") or ""
        return found

    @property
    def told(self) -> str:
        found: str = self.page.inner_text("#dp-status")
        return found

    def until(self, before: dict[str, str]) -> None:
        """Wait for a page that shows another state than before."""
        self.page.wait_for_function(
            "([problem, seen]) => (({dataset}) => dataset.problem !== problem || dataset.seen !== seen)"
            "(document.querySelector('#draw'))",
            arg=[before["problem"], before["seen"]],
        )

    def now(self) -> dict[str, str]:
        return {"problem": self.state("problem"), "seen": self.state("seen")}

    def press_at_once(self, *keys: str) -> None:
        """Press keys before anything can be answered."""
        self.page.evaluate(
            "keys => keys.forEach(key => document.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true})))",
            list(keys),
        )

    def close(self) -> None:
        assert self.broken == []
        assert {url for url in self.asked if not url.startswith(f"{self.server.url}/")} == set()
        self.context.close()


def answers_of(name: str, problem: int, gold: dict[int, Answers]) -> dict[int, int]:
    right = dict(gold[problem].chosen)
    for which in WRONG[name].get(problem, ()):
        literal = sorted(right)[which]
        right[literal] = gold[problem].wrong[literal]
    return right


def by_mouse(person: Person, gold: dict[int, Answers]) -> Iterator[str]:
    """Annotate everything, click by click; yields after each confirmed decision."""
    page = person.page
    while person.state("problem"):
        problem = int(person.state("problem"))
        for literal, number in answers_of(person.name, problem, gold).items():
            before = person.now()
            page.click(f"[data-literal='{literal}']")
            page.click(f"[data-number='{number}']")
            person.until(before)
            yield "chosen"
        for group in gold[problem].groups:
            held = {literal: int(page.get_attribute(f"[data-literal='{literal}']", "data-chosen"))
                    for literal in gold[problem].chosen}  # fmt: skip
            literal = next(literal for literal, number in held.items() if number in group)
            page.click(f"[data-literal='{literal}']")
            page.click("[data-do='mark']")
            for number in set(group) - {held[literal]}:
                before = person.now()
                page.click(f"[data-number='{number}']")
                person.until(before)
                yield "marked"
        before = person.now()
        page.click("[data-do='submit']")
        person.until(before)
        yield "submitted"


def by_keys(person: Person, gold: dict[int, Answers]) -> Iterator[str]:
    """Annotate everything without touching the mouse; yields after each confirmed decision."""
    press = person.page.keyboard.press
    while person.state("problem"):
        problem = int(person.state("problem"))
        for literal, number in answers_of(person.name, problem, gold).items():
            if person.page.get_attribute(f"[data-literal='{literal}']", "data-chosen"):
                continue  # answered before the browser was closed
            before = person.now()
            assert person.page.get_attribute(".is-current", "data-literal") == str(literal)
            press(str(number))
            person.until(before)
            yield "chosen"
        for group in gold[problem].groups:
            while int(person.page.get_attribute(".is-current", "data-chosen") or -1) not in group:
                press("ArrowRight")
            held = int(person.page.get_attribute(".is-current", "data-chosen"))
            press("e")
            for number in set(group) - {held}:
                before = person.now()
                press(str(number))
                person.until(before)
                yield "marked"
            press("e")
        before = person.now()
        press("Enter")
        person.until(before)
        yield "submitted"


def open_page_is_served_again(server: Server, ann: Person) -> None:
    """Kill the server while a page is open, click, and start it again: the click arrives once."""
    problem = int(ann.state("problem"))
    with Store.open(server.folder / "work.db") as store:
        before = len(store.history(problem, "Ann"))
    server.kill()
    shown = ann.now()
    ann.page.click(".dp-literal.is-open")
    ann.page.click(".dp-number.is-candidate")
    ann.page.wait_for_selector("#dp-connection:not([hidden])")
    assert ann.page.inner_text("#dp-connection").strip()
    assert ann.now() == shown  # nothing is confirmed that is not saved
    server.begin()
    server.wait()
    ann.until(shown)
    assert ann.told.startswith("Saved: ")
    ann.page.wait_for_selector("#dp-connection", state="hidden")
    with Store.open(server.folder / "work.db") as store:
        assert len(store.history(problem, "Ann")) == before + 1
    shown = ann.now()
    ann.page.click("[data-do='undo']")
    ann.until(shown)


@needs_chromium
def test_two_annotators_at_once_lose_nothing_and_the_settled_export_is_gold(chromium: Any, server: Server) -> None:
    problems = gold_problems()
    gold = {id_: gold_answers(problem) for id_, problem in problems.items()}
    ann, bo = Person(chromium, server, "Ann"), Person(chromium, server, "Bo")
    mouse, keys = by_mouse(ann, gold), by_keys(bo, gold)
    # Each in turn, until the one with the keys is in the midst of a problem.
    while True:
        next(mouse)
        did = next(keys)
        begun = int(bo.state("problem"))
        if did == "chosen" and len(gold[begun].chosen) > 1 and bo.page.locator(".dp-literal.is-open").count():
            break
    # The one with the mouse finishes a problem, so that a fresh one is open when the server dies.
    while next(mouse) != "submitted":
        pass
    shown = bo.now()
    held = bo.page.eval_on_selector_all(".dp-literal", "all => all.map(one => one.dataset.chosen)")
    bo.close()
    open_page_is_served_again(server, ann)
    bo = Person(chromium, server, "Bo")
    assert bo.now() == shown
    assert bo.page.eval_on_selector_all(".dp-literal", "all => all.map(one => one.dataset.chosen)") == held
    mouse, keys = by_mouse(ann, gold), by_keys(bo, gold)
    left = [mouse, keys]
    while left:
        left = [one for one in left if next(one, None) is not None]
    for person in (ann, bo):
        assert "Nothing is left to do" in person.page.inner_text("#dp-stage")
        assert person.page.get_attribute("[role=progressbar]", "aria-valuenow") == "10"
    ann.close()
    bo.close()
    with Store.open(server.folder / "work.db") as store:
        assert all(0 < work.seconds < 3600 for work in store.works())
    settle(chromium, server, gold)
    rows_out = server.folder / "rows.jsonl"
    assert main(["annotate", "export", "--store", str(server.folder / "work.db"), "--out", str(rows_out)]) == 0
    rows = [json.loads(line) for line in rows_out.read_text(encoding="utf-8").splitlines()]
    exported = {row["id"]: row for row in rows if row["id"] in TEN}
    assert sorted(exported) == sorted(TEN)
    how = {id_: row["annotated"] for id_, row in exported.items()}
    assert [id_ for id_ in sorted(how) if how[id_] == "adjudicated"] == [4, 22, 63, 76]
    right = score([exported[id_] for id_ in TEN], [problems[id_].to_row() for id_ in TEN], data="sample")
    assert right.derivation_accuracy == 1.0
    alone = server.folder / "bo.jsonl"
    main(["annotate", "export", "--store", str(server.folder / "work.db"), "--out", str(alone), "--annotator", "Bo"])
    bos = {row["id"]: row for row in map(json.loads, alone.read_text(encoding="utf-8").splitlines())}
    assert (
        score([bos[id_] for id_ in TEN], [problems[id_].to_row() for id_ in TEN], data="s").derivation_accuracy == 0.7
    )
    assert "OUTGOING" not in server.log


def settle(chromium: Any, server: Server, gold: dict[int, Answers]) -> None:
    """Adjudicate by keys: take the one who is right, or decide where both are wrong."""
    cy = Person(chromium, server, "Cy", "/adjudicate")
    press = cy.page.keyboard.press
    assert cy.page.inner_text(".dp-parts") == "0 of 4 done · 4 left"
    while cy.state("problem"):
        problem = int(cy.state("problem"))
        before = cy.now()
        assert cy.page.locator(".dp-figure svg").count() == 2
        assert cy.page.locator(".is-different").count() >= 2
        wrong = [name for name in ("Ann", "Bo") if problem in WRONG[name]]
        if len(wrong) == 1:
            press("2" if wrong == ["Ann"] else "1")
        else:
            press("o")
            cy.page.wait_for_selector(".dp-literal.is-current")
            for number in gold[problem].chosen.values():
                step = cy.now()
                press(str(number))
                cy.until(step)
            before = cy.now()
            press("Enter")
        cy.until(before)
    assert "Everything is settled" in cy.page.inner_text("#dp-stage")
    cy.close()


@needs_chromium
def test_markup_from_data_never_runs(chromium: Any, server: Server) -> None:
    eve = Person(chromium, server, EVIL, "/?problem=900")
    assert EVIL in eve.page.inner_text(".dp-question").replace("\u00a0", " ")
    assert eve.page.get_attribute(".dp-name", "title") == EVIL
    eve.page.keyboard.press("f")
    eve.page.keyboard.type(f"flagged {EVIL}")
    before = eve.now()
    eve.page.keyboard.press("Enter")
    eve.until(before)
    eve.page.goto(f"{server.url}/?problem=900")
    eve.page.wait_for_selector("#dp-stage")
    assert f"flagged: flagged {EVIL}" in eve.page.inner_text(".dp-guides")
    eve.page.goto(f"{server.url}/?problem=901")
    eve.page.wait_for_selector(".dp-trouble")
    assert EVIL in eve.page.inner_text(".dp-equations")
    assert eve.page.evaluate("window.hacked") is None
    assert eve.page.locator("#draw img, #draw script").count() == 0
    eve.close()


@needs_chromium
def test_help_dialogs_and_focus_work_by_keys(chromium: Any, server: Server) -> None:
    dee = Person(chromium, server, "Dee", "/?problem=22")
    page, press = dee.page, dee.page.keyboard.press
    press("?")
    page.wait_for_selector("#dp-help[open]")
    said = page.inner_text("#dp-help")
    assert "Enter" in said
    press("Escape")
    page.wait_for_selector("#dp-help", state="hidden")
    first = page.get_attribute(".is-current", "data-literal")
    press("ArrowRight")
    assert page.get_attribute(".is-current", "data-literal") != first
    press("ArrowLeft")
    assert page.get_attribute(".is-current", "data-literal") == first
    press("9")  # there is no such number
    page.wait_for_function("document.querySelector('#dp-status').textContent.includes('The key 9 does nothing here')")
    press("Enter")
    page.wait_for_function("document.querySelector('#dp-status').textContent.includes('still open')")
    assert dee.state("seen") == "0"
    # With Tab to a number, and Enter there.
    while page.evaluate("document.activeElement.dataset.number") != "2":
        press("Tab")
    before = dee.now()
    press("Enter")
    dee.until(before)
    assert dee.told == "Saved: 4 is q2."
    before = dee.now()
    press("t")
    page.wait_for_selector("#dp-edit[open]")
    page.keyboard.type("Well : ")
    press("Enter")
    dee.until(before)
    assert re.search(r"\b22\b", dee.told)
    # Faster than the server answers: keys wait, and what is typed for a dialog waits with them.
    dee.press_at_once(*"uu2f", *"not clear")
    page.wait_for_selector("#dp-flag[open]")
    page.wait_for_function("document.querySelector('#dp-why').value === 'not clear'")
    press("Escape")
    assert dee.now() == {"problem": "22", "seen": "5"}
    assert page.locator(".dp-literal.is-open").count() == 1
    page.reload()
    page.wait_for_selector("#dp-stage")
    assert dee.now() == {"problem": "22", "seen": "5"}
    # What comes too fast after the last key for a problem does not fall on the next one.
    dee.press_at_once("3", "Enter", "1", "1", "Enter", "s")
    page.wait_for_function("document.querySelector('#draw').dataset.problem !== '22'")
    page.wait_for_function("document.querySelector('#dp-page [aria-busy]') === null")
    assert dee.state("seen") == "0"
    dee.close()


@needs_chromium
def test_a_phone_shows_all_of_it_in_light_and_dark_and_idleness_does_not_count(chromium: Any, server: Server) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}
    fay = Person(chromium, server, "Fay", "/?problem=79", clock=True, **phone)
    fay.page.wait_for_selector(".dp-figure svg")
    assert fay.page.evaluate("document.scrollingElement.scrollWidth") <= 360
    widths = "all => all.map(one => one.getBoundingClientRect().width)"
    found = fay.page.eval_on_selector_all(".dp-meaning input", widths)
    assert len(found) == 3
    assert min(found) > 150
    ground = "getComputedStyle(document.querySelector('.dp')).backgroundColor"
    assert fay.page.evaluate(ground) == "rgb(18, 20, 25)"
    fay.page.emulate_media(color_scheme="light")
    assert fay.page.evaluate(ground) == "rgb(244, 245, 247)"
    # Who goes away for an hour has not worked for an hour.
    fay.page.clock.fast_forward(3_600_000)
    before = fay.now()
    fay.page.click("[data-do='skip']")
    fay.until(before)
    with Store.open(server.folder / "work.db") as store:
        [decision] = store.history(79, "Fay")
    assert 60 <= decision.seconds < 90
    named = "one => (one.getAttribute('aria-label') || one.textContent).trim() !== ''"
    assert fay.page.eval_on_selector_all("#draw button, #draw a", f"all => all.every({named})")
    fay.close()


def test_beyond_loopback_nobody_enters_without_the_token_and_a_stop_is_quiet(public: Server) -> None:
    public.wait()
    token = public.said["token"]
    assert token is not None
    assert public.said["lead_token"] not in (None, token)
    assert str(public.said["data"]).endswith("/data")

    def status(path: str, **fields: str) -> tuple[int, str]:
        data = urllib.parse.urlencode(fields).encode() if fields else None
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        try:
            with opener.open(f"{public.url}{path}", data, timeout=300) as answer:
                return answer.status, answer.url
        except urllib.error.HTTPError as error:
            return error.code, error.url

    assert status("/") == (200, f"{public.url}/enter?next=%2F")
    assert status("/gradio_api/component_server/", component_id="1")[0] == 401
    assert status("/theme.css")[0] == 401
    assert status("/enter", name="Ann", token=token) == (200, f"{public.url}/")
    assert status("/enter", name="Ann", token="guess")[0] == 403
    assert public.interrupt() == 0
    assert public.log == ""


@needs_chromium
def test_a_word_is_marked_as_a_number_by_keys(chromium: Any, server: Server) -> None:
    fay = Person(chromium, server, "Fay", "/?problem=22")
    page, press = fay.page, fay.page.keyboard.press
    before = page.locator(".dp-question [data-number]").count()
    press("w")
    page.wait_for_selector("#dp-number[open]")
    press("Tab")
    page.keyboard.type("12")
    press("Enter")
    page.wait_for_function("document.querySelector('#dp-status').textContent.startsWith('Saved:')")
    assert page.locator(".dp-question [data-number]").count() == before + 1
    press("u")
    page.wait_for_function(f"document.querySelectorAll('.dp-question [data-number]').length === {before}")
    press("f")
    page.wait_for_selector("#dp-flag[open]")
    assert (
        page.evaluate("document.querySelector('#dp-why').value + document.querySelector('#dp-why').placeholder") == ""
    )
    fay.close()


@needs_chromium
def test_roles_and_what_is_asked_are_said_by_keys_and_by_touch(chromium: Any, server: Server) -> None:
    gus = Person(chromium, server, "Gus", "/?problem=22")
    page, press = gus.page, gus.page.keyboard.press

    def said(text: str) -> None:
        page.wait_for_function("text => document.querySelector('#dp-status').textContent.startsWith(text)", arg=text)

    shown = page.eval_on_selector_all(".dp-role i", "all => all.map(one => one.textContent)")
    press("M")
    page.keyboard.type("first amount")
    press("Enter")
    said(f"Saved: {shown[0]} is first amount.")
    assert page.evaluate("document.activeElement.id") == "dp-stage"
    # Tab leaves the first field, and what is typed into the next one stays there when the answer comes.
    press("M")
    page.keyboard.type("the first one")
    press("Tab")
    page.keyboard.type("the sec")
    said(f"Saved: {shown[0]} is the first one.")
    page.keyboard.type("ond one")
    assert page.evaluate("document.activeElement.id") == "dp-role-n"
    press("Enter")
    said(f"Saved: {shown[1]} is the second one.")
    press("N")
    page.keyboard.type("nothing")
    press("Escape")
    assert page.input_value("#dp-role-n") == "the second one"
    press("Y")
    said(f"Saved: the question asks for {shown[1]}.")
    press("A")
    page.keyboard.type(f"10{shown[0]} + q1")
    press("Enter")
    said(f"Saved: the question asks for {shown[1]} and 10*{shown[0]} + q1.")
    press("Escape")
    press("Q")
    said("Saved: the question asks for nothing")
    press("u")
    said("Saved: the last decision is undone.")
    # Keys that come before the server answers are typed into the field when its turn comes.
    gus.press_at_once("X", "M", *"uneasy")
    page.wait_for_function("document.querySelector('#dp-role-m').value === 'uneasy'")
    assert page.evaluate("document.activeElement.id") == "dp-role-m"
    press("Escape")
    # A click on a button leaves the field: both count, in this order.
    page.fill("#dp-role-m", "the least one")
    before = gus.now()
    page.click("#dp-asked-n", delay=300)
    page.wait_for_function(
        "seen => document.querySelector('#draw').dataset.seen === seen", arg=str(int(before["seen"]) + 2)
    )
    with Store.open(server.folder / "work.db") as store:
        work, history = store.work(22, "Gus"), store.history(22, "Gus")
    assert [decision.kind for decision in history][-2:] == ["role", "asked"]
    assert work.roles == (("m", "the least one"), ("n", "the second one"))
    assert work.asked == ("10*m + q1", "m")
    press("D")
    page.wait_for_selector("#dp-derivation[open]")
    page.fill("#dp-equations", "m = q1")
    press("Enter")
    said("Saved: the derivation is m = q1.")
    assert page.locator(".dp-role").count() == 1
    gus.close()


@needs_chromium
def test_a_lead_imports_a_file_and_downloads_rows(chromium: Any, server: Server, tmp_path: Path) -> None:
    lead = Person(chromium, server, "Lead")
    lead.page.goto(f"{server.url}/adjudicate")
    lead.page.click("text=Data")
    path = tmp_path / "more.jsonl"
    path.write_text(json.dumps({"id": 902, "question": "Ann has 4 and 6 shells .", "equations": ["x = 4 + 6"]}))
    lead.page.set_input_files("#file", path)
    lead.page.click("text=Import >> nth=-1")
    lead.page.wait_for_selector("[role=status]")
    assert "1 added" in lead.page.inner_text("[role=status]")
    with lead.page.expect_download() as started:
        lead.page.click("button:has-text('Download')")
    rows = [json.loads(line) for line in Path(started.value.path()).read_text(encoding="utf-8").splitlines()]
    assert started.value.suggested_filename == "rows-adjudicated.jsonl"
    assert 902 in [row["id"] for row in rows]
    lead.close()


@needs_chromium
def test_guesses_are_shown_and_hidden_by_a_key(chromium: Any, server: Server) -> None:
    ann = Person(chromium, server, "Guessing", "/?problem=76")
    ann.page.wait_for_selector(".is-open")
    assert ann.page.query_selector("[data-guess]") is None
    before = ann.now()
    ann.page.keyboard.press("G")
    ann.page.wait_for_selector("[data-guess]")
    ann.page.keyboard.press("G")
    ann.page.wait_for_selector("[data-guess]", state="detached")
    assert ann.now() == before
    ann.close()


@needs_chromium
@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_the_guideline_prints_on_one_page(chromium: Any, paper: str) -> None:
    page = chromium.new_page()
    page.set_content(guideline_html())
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))) == 1
    page.close()


@needs_chromium
@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, {"width": 360, "height": 740}])
def test_the_help_opens_at_its_beginning(chromium: Any, server: Server, viewport: dict[str, int]) -> None:
    eve = Person(chromium, server, "Eve", viewport=viewport)
    eve.page.click(".dp-help")
    eve.page.wait_for_selector("#dp-help[open]")
    assert eve.page.evaluate("document.querySelector('#dp-help').scrollTop") == 0
    assert eve.page.evaluate("document.activeElement.matches('#dp-help .dp-close')")
    eve.close()


@needs_chromium
@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 800}, {"width": 360, "height": 740}])
def test_a_dialog_that_is_refused_opens_again_beside_the_text(
    chromium: Any, server: Server, viewport: dict[str, int]
) -> None:
    ivy = Person(chromium, server, "Ivy", "/?problem=79", viewport=viewport)  # a long text
    page = ivy.page
    page.click("[data-do='derivation']")
    page.wait_for_selector("#dp-derivation[open]")
    assert page.inner_text("#dp-derivation .dp-given").startswith("q1 ")
    # The numbers of the text are not under the dialog.
    covered = """() => {
      const box = document.querySelector("dialog[open]").getBoundingClientRect();
      return Array.from(document.querySelectorAll(".dp-question [data-number]"), (one) => one.getBoundingClientRect())
        .filter((one) => one.right > box.left && one.left < box.right && one.bottom > box.top && one.top < box.bottom)
        .length;
    }"""
    assert page.evaluate(covered) == 0
    wrong = "a + b + c + d = q1"
    page.fill("#dp-equations", wrong)
    page.press("#dp-equations", "Enter")
    page.wait_for_selector("#dp-derivation[open] .dp-trouble")
    assert "expected 1 to 3 unknowns, but got 4: a, b, c, d" in page.inner_text("#dp-derivation .dp-trouble")
    assert page.input_value("#dp-equations") == wrong
    assert page.evaluate("document.activeElement.id") == "dp-equations"
    # Names of one's own are fine.
    page.fill("#dp-equations", "cost = q1 + 1")
    page.press("#dp-equations", "Enter")
    page.wait_for_function(
        "document.querySelector('#dp-status').textContent.startsWith('Saved: the derivation is m =')"
    )
    assert page.locator("dialog[open]").count() == 0
    page.click("[data-do='undo']")
    page.wait_for_function("document.querySelector('#dp-status').textContent.startsWith('Saved: the last')")
    page.click("[data-do='number']")
    page.select_option("#dp-word", index=2)
    word = page.input_value("#dp-word")
    page.fill("#dp-value", "a few")
    page.press("#dp-value", "Enter")
    page.wait_for_selector("#dp-number[open] .dp-trouble")
    assert (page.input_value("#dp-word"), page.input_value("#dp-value")) == (word, "a few")
    ivy.close()
