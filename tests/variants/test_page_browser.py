"""The page about variants in a real Chromium: both texts, marks, answers, filters by kind, files, and hostile data."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from metric.browser import CHROMIUM, FLAGS
from report.problems import hostile
from variants.test_own_gold import BOXES, OWN, Row, kinds, unsolvable

from draw_dataset import make_variants, probe
from draw_dataset.variants.page import write_probe_page
from draw_dataset.variants.probing import Samples, cases_of
from draw_dataset.variants.report import compare_probes

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'draw-dataset[test]'")
pytestmark = [
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]
KINDS = kinds  # the fixture applies here, too

EVIL = "<img src=x onerror=alert(1)>"
NUMBERS = make_variants([BOXES], 3, 0, inventory=[BOXES])
ALONE = {**unsolvable(), "id": "77-missing1", "source_id": 77}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A page: one system is right, the other gives the original's answer again, in texts and several samples."""
    evil = hostile(13)
    rows: list[Row] = [BOXES.to_row(), *NUMBERS, *OWN, ALONE, *make_variants([evil], 1, 0, inventory=[evil])]
    made = [row for row in rows if "variant" in row]
    solved: dict[Any, Any] = {row["id"]: row["solutions"] or "unknown" for row in made}
    solved |= {BOXES.id: [300], OWN[0]["id"]: 300, OWN[1]["id"]: 8}
    again: dict[Any, Any] = dict.fromkeys(solved, "<script>alert()</script> So there are 300 pens.")
    again[NUMBERS[0]["id"]] = Samples((300, "Answer: 300", "no idea"))
    systems = {"solved": solved, f"again {EVIL}": again}
    table = compare_probes({name: probe(answers, rows) for name, answers in systems.items()})
    path = tmp_path / "probe.html"
    write_probe_page(path, table, cases_of(rows), f"Page {EVIL}", systems)
    return path


@pytest.fixture
def visit(chromium: Any, written: Path) -> Iterator[Any]:
    contexts: list[Any] = []
    broken: list[str] = []

    def go(view: str = "", width: int = 1280, scheme: str = "light") -> Any:
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: broken.append(str(error)))
        page.on("dialog", lambda dialog: broken.append(dialog.message))
        page.on("console", lambda message: broken.append(message.text) if message.type == "error" else None)
        page.goto(f"{written.as_uri()}{view}")
        page.wait_for_selector("html[data-ready='1']", state="attached")
        return page

    yield go
    for context in contexts:
        context.close()
    assert broken == []


def listed(page: Any) -> list[str]:
    return [one.text_content() for one in page.query_selector_all(".space [role=rowheader]")]


def test_original_and_variant_stand_side_by_side_with_the_changes_marked(visit: Any) -> None:
    page = visit("#id=1")
    sections = {one.get_attribute("aria-label"): one for one in page.query_selector_all(".variant")}
    assert list(sections) == ["1", *(row["id"] for row in NUMBERS), *(row["id"] for row in OWN)]
    for row in NUMBERS:
        before, after = sections[row["id"]].query_selector_all(".text")
        assert before.is_visible()
        assert (before.inner_text(), after.inner_text()) == (BOXES.question, row["question"])
        for text, name in ((before, "before"), (after, "after")):
            marks = [mark.inner_text() for mark in text.query_selector_all("mark")]
            assert marks == [change[name] for change in row["variant"]["changes"]]
    assert sections["1"].query_selector_all("mark") == []


def test_each_system_has_its_answers_beside(visit: Any) -> None:
    page = visit("#id=1")
    sections = {one.get_attribute("aria-label"): one for one in page.query_selector_all(".variant")}
    first = sections[NUMBERS[0]["id"]]
    assert f"Gold: {NUMBERS[0]['solutions'][0]:g}" in first.inner_text()
    texts = [one.inner_text() for one in first.query_selector_all("dd summary, dd > .answer")]
    said = [text.replace("\n", " ").split(":")[-1].strip() for text in texts]
    assert said == [f"{NUMBERS[0]['solutions'][0]:g}", "300", "300", "no number"]
    missing = sections[OWN[2]["id"]].inner_text()
    assert "cannot be decided" in missing
    assert "left open" in missing
    assert "answered anyway" in sections[OWN[2]["id"]].text_content()


def test_explanation_and_figure_follow(visit: Any) -> None:
    page = visit("#id=1&show=" + f"again {EVIL}")
    assert "gives the original's answer to every variant" in page.inner_text(".explanations")
    assert "m = q1*q3 + q2*q4" in page.inner_text(".compared")
    assert page.query_selector(".compared .figure svg path") is not None


def test_the_list_is_filtered_by_kind_verdict_and_system(visit: Any) -> None:
    page = visit()
    assert listed(page) == ["1", "13", "77"]
    assert listed(visit("#kind=missing")) == ["1", "77"]
    assert listed(visit("#kind=missing&solution=wrong&system=solved")) == []
    assert listed(visit("#kind=reversed")) == ["1"]
    assert listed(visit("#verdict=wrong")) == ["1"]
    assert listed(visit("#verdict=unjudged")) == ["77"]
    assert listed(visit("#reason=answered anyway")) == ["77"]
    assert "1/1 right" in visit("#kind=missing").inner_text(".space .row")
    order = listed(visit("#sort=answers&system=again " + EVIL))
    assert sorted(order) == ["1", "13", "77"]
    assert order[-1] == "1"


def test_a_search_finds_words_of_variants(visit: Any) -> None:
    page = visit("#q=Lea")
    assert listed(page) == ["1"]


def test_files_have_a_line_for_each_answer(visit: Any) -> None:
    page = visit("#id=1")
    with page.expect_download() as waiting:
        page.click("#json")
    records = json.loads(Path(waiting.value.path()).read_text(encoding="utf-8"))
    again = [one for one in records if one["system"] != "solved" and one["id"] == NUMBERS[0]["id"]]
    assert [(one["sample"], one["answer"], one["numbers"]) for one in again] == [
        (1, "wrong", "300"), (2, "wrong", "300"), (3, "no number", ""),
    ]  # fmt: skip
    assert {one["answer"] for one in records if one["id"] == ALONE["id"]} == {"right", "answered anyway"}
    with page.expect_download() as waiting:
        page.click("#csv")
    lines = list(csv.DictReader(Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()))
    assert len(lines) == len(records)


def test_markdown_has_every_variant(visit: Any) -> None:
    page = visit("#id=1")
    page.evaluate("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }")
    page.click("text=Copy Markdown")
    page.wait_for_function("() => window.copied")
    text = page.evaluate("() => window.copied")
    assert text.count("gold:") == 1 + len(NUMBERS) + len(OWN)
    assert EVIL not in text


@pytest.mark.parametrize("width", [360, 768, 1280])
@pytest.mark.parametrize("view", ["", "#id=1", "#id=77"])
def test_nothing_is_wider_than_the_window(visit: Any, width: int, view: str) -> None:
    page = visit(view, width=width)
    assert page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth") <= 0
    assert page.evaluate("() => document.querySelectorAll('img').length") == 0
    assert "undefined" not in page.inner_text("main")
    assert "[object" not in page.inner_text("main")


def test_a_variant_whose_changes_are_not_those_of_its_text_is_shown_whole(written: Path) -> None:
    from draw_dataset.variants.making import Variant
    from draw_dataset.variants.page import changed_pieces

    variant = Variant.of(NUMBERS[0])
    assert [piece for piece in changed_pieces(variant) if isinstance(piece, list)]
    other = replace(variant, changes=({**variant.changes[0], "start": 1},))
    assert changed_pieces(other) == [variant.problem.question]
