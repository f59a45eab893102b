"""The viewer in a real Chromium: filters and their address, keys, order, copies, files, widths, and hostile data."""

from __future__ import annotations

import csv
import json
import re
import urllib.parse
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from metric.browser import CHROMIUM, FLAGS
from report.pages import Listed, listed
from report.problems import EVIL, MIXTURE, QUOTES, hostile, scored

from draw_dataset.cli import main
from draw_dataset.data.sample import ANSWERS, PREDICTIONS, load_sample, load_sample_answers, load_sample_predictions
from draw_dataset.report.page import page_html, write_page

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'draw-dataset[test]'")
pytestmark = [
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]

TEST = load_sample()["test"]
GIVEN: dict[str, list[Any]] = {n: [load_sample_predictions(n)[p.id] for p in TEST] for n in PREDICTIONS}
GIVEN |= {f"{n} answers": [{"answer": load_sample_answers(n)[p.id]} for p in TEST] for n in ANSWERS}
WAIT = 60_000

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_page(path, *scored(TEST, GIVEN), title="The sample")
    return path


@pytest.fixture(scope="module")
def entries(report: Path) -> list[Listed]:
    return listed(report.read_text(encoding="utf-8"))


@pytest.fixture
def visit(chromium: Any) -> Iterator[Open]:
    """Open a page at a view; any error of the page and any request beyond the file fails the test."""
    contexts: list[Any] = []
    broken: list[str] = []
    asked: set[str] = set()

    def go(path: Path, view: str = "", *, width: int = 1280, script: bool = True, **settings: Any) -> Any:
        size = {"width": width, "height": 900}
        context = chromium.new_context(viewport=size, java_script_enabled=script, **settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(WAIT)
        page.on("pageerror", lambda error: broken.append(str(error)))
        page.on("dialog", lambda dialog: broken.append(dialog.message))
        page.on("console", lambda message: broken.append(message.text) if message.type == "error" else None)
        page.on("request", lambda request: asked.add(request.url.partition(":")[0]))
        page.goto(f"{path.as_uri()}{view}")
        if script:
            ready(page)
        return page

    yield go
    for context in contexts:
        context.close()
    assert broken == []
    assert asked <= {"file", "blob"}


def ready(page: Any) -> None:
    page.wait_for_selector("html[data-ready='1']", state="attached")


def until(page: Any, condition: str) -> None:
    """Wait until a function is true; the page forbids strings that are evaluated inside of it."""
    page.wait_for_function(f"() => {condition}")


def count(page: Any) -> int:
    return int(page.inner_text("#count").partition(" ")[0].replace(",", ""))


DRAWN = """async (top) => {
  document.getElementById('grid').scrollTop = top;
  for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
  const of = (row) => [Number(row.id.slice(4)), row.querySelector('[role=rowheader]').textContent];
  return [...document.querySelectorAll('.space .row')].map(of);
}"""


def ids(page: Any) -> list[str]:
    """The ids of all rows, from the first to the last: rows that are not in sight are not drawn."""
    found: dict[int, str] = {}
    for top in range(0, 2_000, 400):
        found |= dict(page.evaluate(DRAWN, top))
    return [found[number] for number in sorted(found)]


def fitting(entries: list[Listed], **view: Any) -> list[str]:
    """The ids of problems with an entry that has these values, in the order of ids."""
    found = {one.id for one in entries if all(getattr(one, name) == value for name, value in view.items())}
    return sorted(found, key=int)


def view_of(page: Any) -> dict[str, str]:
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page.url).fragment))


def test_filters_combine_and_the_address_reopens_the_view(report: Path, entries: list[Listed], visit: Open) -> None:
    page = visit(report)
    assert count(page) == 30 == len(ids(page))
    page.select_option("select[name=system]", "lucky")
    page.select_option("select[name=verdict]", "wrong")
    page.select_option("select[name=solution]", "right")
    wanted = fitting(entries, system="lucky", verdict="wrong", solution=True)
    until(page, f"document.getElementById('count').textContent.startsWith('{len(wanted)} of')")
    assert ids(page) == wanted
    assert view_of(page) == {"system": "lucky", "verdict": "wrong", "solution": "right"}
    page.fill("input[name=q]", "sandwiches")
    until(page, f"!document.getElementById('count').textContent.startsWith('{len(wanted)} of')")
    narrowed = [
        id_ for id_ in wanted
        if "sandwiches" in next(p.question for p in TEST if str(p.id) == id_).lower()
    ]  # fmt: skip
    assert ids(page) == narrowed
    assert narrowed
    page.reload()
    ready(page)
    assert page.input_value("input[name=q]") == "sandwiches"
    assert page.input_value("select[name=verdict]") == "wrong"
    assert ids(page) == narrowed
    page.click("button[type=reset]")
    until(page, "document.getElementById('count').textContent.startsWith('30 of')")
    assert view_of(page) == {}


@pytest.mark.parametrize("reason", ["slip", "lucky", "shortcut", "no-derivation", "slot count"])
def test_an_address_with_a_reason_shows_its_problems(
    report: Path, entries: list[Listed], visit: Open, reason: str
) -> None:
    page = visit(report, f"#{urllib.parse.urlencode({'reason': reason})}")
    assert ids(page) == fitting(entries, reason=reason)
    assert count(page) > 0


def test_a_bar_leads_to_its_predictions(report: Path, entries: list[Listed], visit: Open) -> None:
    page = visit(report)
    page.click("#reasons a[href='#reason=alignment&system=mixed']")
    until(page, "document.querySelector('select[name=reason]').value === 'alignment'")
    wanted = fitting(entries, system="mixed", reason="alignment")
    until(page, f"document.getElementById('count').textContent.startsWith('{len(wanted)} of')")
    assert ids(page) == wanted
    until(page, "Math.abs(document.getElementById('answers').getBoundingClientRect().top) < 5")
    page.click("#steps a >> nth=0")
    kind = page.inner_text("#steps a >> nth=0")
    until(page, f"document.querySelector('select[name=error]').value === '{kind}'")
    wanted = fitting(entries, first_error=kind)
    until(page, f"document.getElementById('count').textContent.startsWith('{len(wanted)} of')")
    page.go_back()
    until(page, "document.querySelector('select[name=reason]').value === 'alignment'")


def test_a_word_of_an_answer_is_found(report: Path, entries: list[Listed], visit: Open) -> None:
    word = "gives"
    page = visit(report, f"#q={word}")
    by_id = {str(p.id): p.question for p in TEST}
    wanted = {
        one.id
        for one in entries
        for text in [f"{by_id[one.id]} {one.details['message']} {one.details.get('given', '')}".lower()]
        if word in text or (one.details.get("isAnswer") and word in one.answer.lower())
    }
    assert set(ids(page)) == wanted
    assert 0 < len(wanted) < 30


def test_systems_that_differ(report: Path, entries: list[Listed], visit: Open) -> None:
    page = visit(report, "#differ=1")
    verdicts: dict[str, set[str]] = {}
    for one in entries:
        verdicts.setdefault(one.id, set()).add(one.verdict)
    assert ids(page) == sorted((id_ for id_, all_ in verdicts.items() if len(all_) > 1), key=int)


def test_rows_can_be_sorted_by_everything(report: Path, entries: list[Listed], visit: Open) -> None:
    page = visit(report, "#sort=length&system=hasty+answers")
    own = {one.id: one for one in entries if one.system == "hasty answers"}
    assert [own[id_].length for id_ in ids(page)] == sorted(one.length for one in own.values())
    page.check("input[name=desc]")
    until(page, "location.hash.includes('desc=1')")
    assert [own[id_].length for id_ in ids(page)] == sorted((one.length for one in own.values()), reverse=True)
    page.uncheck("input[name=desc]")
    page.click(".head button >> text=hasty answers")
    until(page, "location.hash.includes('sort=verdict')")
    order = [(own[id_].verdict, own[id_].solution) for id_ in ids(page)]
    ranks = [("wrong", "undecided", "right").index(verdict) for verdict, _ in order]
    assert ranks == sorted(ranks)
    assert page.get_attribute(".head [aria-sort=ascending]", "aria-sort") == "ascending"
    page.click(".head button >> text=hasty answers")
    until(page, "location.hash.includes('desc=1')")
    assert ids(page)[0] == max(own, key=lambda id_: (own[id_].verdict == "right", own[id_].solution, int(id_)))
    page.select_option("select[name=sort]", "difference")
    page.uncheck("input[name=desc]")
    until(page, "location.hash.includes('sort=difference') && !location.hash.includes('desc')")
    first = ids(page)[0]
    others = [one.verdict for one in entries if one.id == first and one.system != "hasty answers"]
    assert own[first].verdict == "right"
    assert others.count("right") < len(others)
    page.click(".head button >> text=Id")
    until(page, "!location.hash.includes('sort')")
    assert ids(page) == sorted(own, key=int)


def test_everything_is_reached_by_keys(report: Path, visit: Open) -> None:
    page = visit(report)
    press = page.keyboard.press
    press("j")
    until(page, "document.querySelector('#detail h3')?.textContent === 'Problem 91'")
    press("j")
    until(page, "document.querySelector('#detail h3').textContent === 'Problem 92'")
    press("k")
    until(page, "document.querySelector('#detail h3').textContent === 'Problem 91'")
    assert view_of(page) == {"id": "91"}
    press("s")
    until(page, "document.querySelector('.systems [aria-pressed=true] strong').textContent === 'lucky'")
    assert view_of(page) == {"id": "91", "show": "lucky"}
    press("/")
    page.keyboard.type("herons")
    until(page, "document.getElementById('count').textContent.startsWith('1 of')")
    press("Escape")
    press("j")
    until(page, "document.querySelector('#detail h3').textContent === 'Problem 99'")
    press("Escape")
    until(page, "document.getElementById('detail').hidden")
    assert view_of(page) == {"q": "herons"}
    page.fill("input[name=q]", "")
    until(page, "document.getElementById('count').textContent.startsWith('30 of')")
    page.focus("#grid")
    press("End")
    until(page, "document.querySelector('#detail h3')?.textContent === 'Problem 120'")
    press("ArrowUp")
    until(page, "document.querySelector('#detail h3').textContent === 'Problem 119'")
    active = page.get_attribute("#grid", "aria-activedescendant")
    assert page.get_attribute(f"#{active}", "aria-selected") == "true"
    press("Home")
    until(page, "document.querySelector('#detail h3').textContent === 'Problem 91'")
    assert page.evaluate("document.activeElement.id") == "grid"


def test_buttons_keep_the_focus_when_the_problem_changes(report: Path, visit: Open) -> None:
    page = visit(report, "#id=91")
    page.focus("button[title^='Next problem']")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#detail h3').textContent === 'Problem 92'")
    until(page, "document.activeElement.title.startsWith('Next problem')")


def test_the_details_show_marks_steps_gold_and_all_verdicts(report: Path, entries: list[Listed], visit: Open) -> None:
    slip = next(one for one in entries if one.reason == "slip")
    page = visit(report, f"#id={slip.id}&{urllib.parse.urlencode({'show': slip.system})}")
    detail = page.inner_text("#detail")
    assert slip.details["message"] in detail
    assert page.locator("#detail .systems button").count() == 5
    assert page.locator("#detail mark.dd-slip .dd-tag").inner_text() == "slip"
    assert page.locator("#detail .steps .is-first").count() == 1
    assert "Read: the same derivation, then a slip" in detail
    assert slip.problem["gold"]["notation"] in detail
    for name, role in slip.problem.get("roles", []):
        assert f"{name}: {role}" in detail
    shown = page.locator("#detail .dd-text").evaluate(
        """(box) => {
          const copy = box.cloneNode(true);
          for (const node of copy.querySelectorAll('.dd-tag, .dd-spoken')) node.remove();
          return copy.textContent;
        }"""
    )
    assert "".join(shown.split()) == "".join(slip.answer.split())


def test_curves_join_every_slot_with_its_number(visit: Open, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_page(path, *scored([MIXTURE], {"a": ["q1*m + q2*n = q7*q5; m + n = q5"]}))
    page = visit(path, "#id=7")
    assert page.locator(".figure path.dd-arc:not(.dd-same)").count() == 8
    # Gold may take the repeated numbers instead, and so may the prediction.
    assert page.locator(".figure path.dd-same").count() == 4
    assert page.locator(".figure path.dd-differs").count() == 2
    ends = page.evaluate(
        """() => {
          const frame = document.querySelector('.figure').getBoundingClientRect();
          const near = (point, node, edge) => {
            const box = node.getBoundingClientRect();
            return Math.abs(point[0] - (box.left + box.right) / 2 + frame.left) < 12
              && Math.abs(point[1] - box[edge] + frame.top) < 2;
          };
          return [...document.querySelectorAll('.figure path')].map((path) => {
            const numbers = path.getAttribute('d').match(/-?[\\d.]+(?:e-?\\d+)?/g).map(Number);
            const start = numbers.slice(0, 2), end = numbers.slice(-2);
            const chips = [...document.querySelectorAll('.figure .number')];
            const slots = [...document.querySelectorAll('.figure .slot')];
            return chips.some((chip) => near(start, chip, 'top') || near(start, chip, 'bottom'))
              && slots.some((slot) => near(end, slot, 'top') || near(end, slot, 'bottom'));
          });
        }"""
    )
    assert ends == [True] * 12


def test_a_problem_and_a_link_can_be_copied(report: Path, visit: Open) -> None:
    page = visit(report, "#id=99&show=hasty+answers", permissions=["clipboard-read", "clipboard-write"])
    page.click("#detail button >> text=Copy link")
    until(page, "document.querySelector('#detail').textContent.includes('Copied')")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.click("#detail button >> text=Copy Markdown")
    page.wait_for_timeout(200)
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("### Problem 99 (The sample)\n\n> ")
    assert "**hasty answers**: right (right), answer right." in text
    assert load_sample_answers("hasty")[99] in text
    assert "- Derivation: " in text


def test_what_is_shown_can_be_saved(entries: list[Listed], report: Path, visit: Open, tmp_path: Path) -> None:
    page = visit(report, "#system=hasty+answers&verdict=wrong", accept_downloads=True)
    wanted = [one for one in entries if one.system == "hasty answers" and one.verdict == "wrong"]
    for name in ("csv", "json"):
        with page.expect_download() as waiting:
            page.click(f"#{name}")
        waiting.value.save_as(tmp_path / f"answers.{name}")
    with open(tmp_path / "answers.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    items = json.loads((tmp_path / "answers.json").read_text(encoding="utf-8"))
    assert {row["id"] for row in rows} == {one.id for one in wanted} == {item["id"] for item in items}
    answers = {one.id: one.answer for one in wanted}
    assert {item["id"]: item["given"] for item in items} == answers
    for row in rows:
        assert (row["system"], row["verdict"]) == ("hasty answers", "wrong")
        assert row["given"].removeprefix("'") == answers[row["id"]]


def test_a_cell_of_the_csv_is_no_formula(visit: Open, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_page(path, *scored([MIXTURE], {"a": ['=HYPERLINK("x")']}))
    page = visit(path, accept_downloads=True)
    with page.expect_download() as waiting:
        page.click("#csv")
    waiting.value.save_as(tmp_path / "answers.csv")
    with open(tmp_path / "answers.csv", encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["given"] == '\'=HYPERLINK("x")'


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_is_wider_than_the_window(
    report: Path, entries: list[Listed], visit: Open, width: int, scheme: str
) -> None:
    for one in ("", "slip", "lucky", "unreadable"):
        found = next((entry for entry in entries if entry.reason == one), entries[0])
        view = f"#id={found.id}&{urllib.parse.urlencode({'show': found.system})}" if one else ""
        page = visit(report, view, width=width, color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # The accuracies are read without scrolling them sideways, and nothing of them is cut off.
        wide = page.evaluate(
            "[...document.querySelectorAll('#accuracies .wide, #accuracies .wide *')]"
            ".filter((one) => one.getBoundingClientRect().right > innerWidth || one.scrollWidth > one.clientWidth + 1"
            " && getComputedStyle(one).display !== 'inline' && one.tagName !== 'svg').map((one) => one.outerHTML)"
        )
        assert wide == []
        if one:
            edges = "#detail :is(.dd-text, .figure, .facts, pre, header, .systems button)"
            right = page.eval_on_selector_all(
                edges, "all => Math.max(...all.map(e => e.getBoundingClientRect().right))"
            )
            assert right <= width
            # The details stand beside the list, or below it in a narrow window.
            beside = page.evaluate(
                "document.getElementById('detail').getBoundingClientRect().left"
                " > document.getElementById('board').getBoundingClientRect().right"
            )
            assert beside == (width == 1280)


def test_samples_are_rows_that_lead_to_each_other(visit: Open, tmp_path: Path) -> None:
    rows = TEST[:3]
    path, report = tmp_path / "answers.jsonl", tmp_path / "page.html"
    gold = [row.to_row()["derivation"] for row in rows]
    samples = [(row.id, n, text if n != 1 else None) for row, text in zip(rows, gold, strict=True) for n in range(3)]
    path.write_text("".join(json.dumps({"id": i, "sample": n, "prediction": text}) + "\n" for i, n, text in samples))
    assert main(["score", str(path), "--references", "sample/test", "--missing", "skip", "--html", str(report)]) == 0
    page = visit(report, "#" + urllib.parse.urlencode({"id": f"{rows[0].id} #0"}), width=360)
    until(page, "document.querySelector('.samples') !== null")
    assert page.inner_text(".samples .note") == "2 of 3 derivations right"
    assert page.inner_text("#count") == "9 of 9 samples"
    assert "pass@3 100.0 %" in page.inner_text("#accuracies")
    page.click(".samples button >> nth=1")
    until(page, f"location.hash.includes('id={rows[0].id}+%231')")
    until(page, "document.querySelector('.samples [aria-pressed=true]')?.textContent.startsWith('#1')")
    assert "abstained" in page.inner_text(".systems")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("width", [360, 1280])
def test_ids_with_a_sample_and_labels_of_cards_are_not_cut_off(visit: Open, tmp_path: Path, width: int) -> None:
    row = TEST[0].to_row() | {"id": 1396640}
    rows, path, report = tmp_path / "rows.jsonl", tmp_path / "mine.jsonl", tmp_path / "page.html"
    rows.write_text(json.dumps(row), encoding="utf-8")
    lines = [{"id": 1396640, "sample": n, "prediction": row["derivation"]} for n in range(12)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert main(["score", str(path), "--references", str(rows), "--html", str(report)]) == 0
    page = visit(report, width=width)
    until(page, "document.querySelectorAll('.space [role=rowheader]').length > 3")
    clipped = page.evaluate(
        "[...document.querySelectorAll('.space [role=rowheader]')]"
        ".filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)"
    )
    assert clipped == []
    if width == 360:  # the label of a card stands on a line of its own
        shown = "getComputedStyle(document.querySelector('#accuracies td'), '::before').display"
        assert page.evaluate(shown) == "block"
    assert page.title() == "rows.jsonl"


def test_a_long_answer_can_be_read_on_a_telephone(visit: Open, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    word = "9" * 3_000
    long = replace(MIXTURE, id="x" * 200, question=MIXTURE.question + " " + word)
    write_page(path, *scored([long], {"m" * 150: [{"answer": f"x = {word}\n" + "We go on.\n" * 400}], "b": [word]}))
    page = visit(path, f"#id={'x' * 200}", width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.click(".systems button >> nth=1")
    until(page, "document.querySelector('#detail pre') !== null")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_only_rows_in_sight_are_drawn(visit: Open, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    rows = [replace(MIXTURE, id=1000 + i) for i in range(400)]
    write_page(path, *scored(rows, {"a": ["m = q1"] * 400}))
    page = visit(path)
    drawn = "document.querySelectorAll('.space .row').length"
    assert 5 < page.evaluate(drawn) < 60
    page.focus("#grid")
    page.keyboard.press("End")
    until(page, "document.querySelector('#detail h3')?.textContent === 'Problem 1399'")
    until(page, "document.querySelector('.space .row[aria-selected=true]') !== null")
    assert page.evaluate(drawn) < 60
    box = page.locator(".space .row[aria-selected=true]").bounding_box()
    assert box is not None
    frame = page.locator("#grid").bounding_box()
    assert frame["y"] <= box["y"] <= frame["y"] + frame["height"] - box["height"] + 1


def test_data_is_never_markup(visit: Open, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    nasty = f"{EVIL}{QUOTES}</script><img src=x onerror=window.hacked=1>\x00\u202e\ud800"
    rows = [MIXTURE, hostile(), replace(hostile(), id='a"><img src=x>', roles=(("m", nasty),), alternatives=(nasty,))]
    given: list[Any] = [{"answer": f"x = 3 {nasty}"}, nasty, {"template": [nasty]}]
    table, found = scored(rows, {f"{EVIL}{QUOTES}": given, "b": given[::-1]})
    write_page(path, table, found, title=EVIL)
    page = visit(path, f"#system={urllib.parse.quote(EVIL + QUOTES)}&q=tom")
    until(page, "document.getElementById('count').textContent.startsWith('2 of')")
    for _ in range(3):
        page.keyboard.press("j")
        page.wait_for_timeout(60)
        page.keyboard.press("s")
        page.wait_for_timeout(60)
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, #detail script, #board script").count() == 0
    assert EVIL in page.inner_text("#detail")


def test_even_our_own_script_could_not_make_markup_of_text(report: Path, chromium: Any) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(report.as_uri())
    ready(page)
    tried = "() => { try { document.body.innerHTML = '<b>x</b>'; return 'made' } catch (error) { return error.name } }"
    assert page.evaluate(tried) == "TypeError"
    context.close()


def test_without_scripts_the_page_says_what_is_missing(report: Path, visit: Open) -> None:
    page = visit(report, script=False)
    assert "The list of answers needs JavaScript" in page.inner_text("#answers")
    assert not page.is_visible("#filter")
    assert page.is_visible("#accuracies")


def test_a_damaged_file_and_an_old_browser_are_reported(tmp_path: Path, chromium: Any) -> None:
    path = tmp_path / "page.html"
    text = page_html(*scored([MIXTURE], {"a": ["m = q1"]}))
    path.write_text(re.sub(r'id="index">[^<]{40}', 'id="index">', text), encoding="utf-8")
    context = chromium.new_context()
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("#trouble:not([hidden])")
    assert "could not be shown" in page.inner_text("#trouble")
    context.add_init_script("delete window.DecompressionStream")
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("#trouble:not([hidden])")
    assert "too old" in page.inner_text("#trouble")
    context.close()


def printed(page: Any) -> str:
    """What a printer would get, once it is complete."""
    until(page, "document.querySelectorAll('#printed section').length > 0")
    page.emulate_media(media="print")
    text = str(page.inner_text("#printed"))
    assert not page.is_visible("#board")
    page.emulate_media(media="screen")
    assert not page.is_visible("#printed")
    return text


def test_print_has_the_answers_of_the_list_with_their_marks(visit: Open, report: Path, entries: list[Listed]) -> None:
    page = visit(report, f"#q={TEST[0].id}")
    own = [one for one in entries if one.id == str(TEST[0].id)]
    text = printed(page)
    assert all(one.system in text and one.verdict in text for one in own)
    assert page.locator("#printed section").count() == count(page)
    assert page.locator("#printed .dd-mark").count() > 0
    page.fill("input[name=q]", "nothing has these words")
    until(page, "document.querySelectorAll('#printed section').length === 0")


def test_print_of_a_long_list_has_verdicts_and_says_how_to_get_the_answers(visit: Open, tmp_path: Path) -> None:
    many = [replace(TEST[at % len(TEST)], id=at) for at in range(120)]
    path = tmp_path / "many.html"
    write_page(path, *scored(many, {"none": [None] * 120}))
    page = visit(path)
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#printed section").count() == 120
    assert "Answers are printed if the list has at most 100 problems" in printed(page)


def test_other_columns_stand_in_the_details_and_in_print(visit: Open, tmp_path: Path) -> None:
    table, path = tmp_path / "own.csv", tmp_path / "own.html"
    long = "x" * 90
    table.write_text(
        "pupil,note,question,solution,answer\n"
        f'Mia <b>,{long},Bo has 3 pens and buys 4 . How many has he ?,3 + 4,"3 + 4 = 7, so 7"\n',
        encoding="utf-8",
    )
    assert main(["score", str(table), "--html", str(path)]) == 0
    page = visit(path, "#id=1")
    page.wait_for_selector("#detail h5")
    assert "Mia <b>" in page.inner_text("#detail")
    assert long not in page.inner_text("#detail")
    assert "pupil: Mia <b>" in printed(page)
