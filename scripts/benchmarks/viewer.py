"""How fast the HTML report of many answers is written, opened and scrolled, in a real Chromium."""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from metric.browser import CHROMIUM, FLAGS

from benchmarks import Row
from draw_dataset.data.sample import ANSWERS, load_sample, load_sample_answers
from draw_dataset.report.entries import Entries
from draw_dataset.report.page import write_page
from draw_dataset.scoring.files import Judged
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.score import score
from draw_dataset.scoring.table import compare_scores
from draw_dataset.scoring.verdict import Verdict

# Scrolls the list a screen a frame, and returns the milliseconds between frames and the rows in the document.
_SCROLL = """async (frames) => {
  const grid = document.getElementById("grid"), times = [], rows = [];
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  let last = await frame();
  for (let at = 0; at < frames; at++) {
    grid.scrollTop += grid.clientHeight;
    const now = await frame();
    times.push(now - last);
    rows.push(document.querySelectorAll(".space .row").length);
    last = now;
  }
  return { times, rows: Math.max(...rows) };
}"""

_SEARCH = """async () => {
  const box = document.querySelector("#filter [name=q]"), start = performance.now();
  box.value = "months";
  box.dispatchEvent(new Event("input", { bubbles: true }));
  box.dispatchEvent(new Event("change", { bubbles: true }));
  const told = document.getElementById("count"), before = told.textContent;
  while (told.textContent === before || told.textContent.startsWith("Search"))
    await new Promise((resolve) => setTimeout(resolve, 5));
  return performance.now() - start;
}"""


def section_u(rows: list[Row], quick: bool) -> dict[str, Any]:  # noqa: ARG001 - every section is given the rows
    """Write, open, scroll and search a report of 20,000 answers of two systems."""
    count = 1_000 if quick else 10_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        started = time.process_time()
        _write_report(path, count)
        found: dict[str, Any] = {
            "answers": 2 * count,
            "written, seconds of processor time": round(time.process_time() - started, 1),
            "megabytes": round(path.stat().st_size / 1e6, 1),
        }
        if CHROMIUM is None:
            return {**found, "browser": "needs Chromium"}
        return {**found, **_open_report(path, frames=60 if quick else 200)}


def _write_report(path: Path, count: int) -> None:
    """Write the report of answers to problems of the sample, which are graded once and shown under many ids."""
    test = load_sample()["test"]
    entries, scores = Entries(), {}
    for name in ANSWERS:
        texts = load_sample_answers(name)
        answers = [{"answer": texts[problem.id]} for problem in test]
        verdicts: list[Verdict] = []
        scores[name] = score(answers, test, verdicts=verdicts)
        for at in range(count):
            place = at % len(test)
            reference = PreparedProblem(replace(test[place], id=at))
            entries.add(name, Judged(reference, answers[place], verdicts[place]))
    write_page(path, compare_scores(scores, samples=100), entries)


def _open_report(path: Path, frames: int) -> dict[str, Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        opened = []
        for _ in range(3):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(path.as_uri(), wait_until="commit")
            page.wait_for_selector("#viewer:not([hidden]) .space .row")  # a function to wait for would be evaluated
            opened.append(page.evaluate("performance.now()") / 1000)
        scrolled = page.evaluate(_SCROLL, frames)
        searched = page.evaluate(_SEARCH)
        browser.close()
    times = sorted(scrolled["times"])
    return {
        "opened, seconds": round(min(opened), 2),
        "opened, aim": "two seconds",
        "rows in the document": scrolled["rows"],
        "milliseconds a frame, median": round(times[len(times) // 2], 1),
        "milliseconds a frame, 95 of 100": round(times[len(times) * 95 // 100], 1),
        "frame, aim": "33 milliseconds",
        "first search, seconds": round(searched / 1000, 2),
    }
