"""Takes pictures of everything that people look at: in Chromium, narrow and wide, light and dark.

    make docs && python scripts/screenshots.py --out /tmp/pictures
    python scripts/screenshots.py --out /tmp/pictures --only report

There are the site (docs/_build/html), the report of `draw demo`, a report about variants, the annotation page with its
adjudication, login and guideline, and the app of the metric. Each is photographed at 360, 768 and 1280 pixels, and the
script says which of them are wider than the window: nothing should have to be scrolled sideways.

    python scripts/screenshots.py --out docs/images --only docs

takes the pictures of the annotation page that the documentation shows, with fewer colours, and nothing else.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from draw_dataset.annotate.decisions import StoredProblem
from draw_dataset.annotate.store import Store
from draw_dataset.data.sample import load_sample
from draw_dataset.io.atomic import atomic_file
from draw_dataset.variants.making import KINDS, make_variants
from draw_dataset.variants.page import write_probe_page
from draw_dataset.variants.probing import cases_of, probe
from draw_dataset.variants.report import compare_probes

ROOT = Path(__file__).resolve().parents[1]
WIDTHS = (360, 768, 1280)
SCHEMES = ("light", "dark")
WAIT = 120_000  # how long a page may take, in milliseconds: a busy machine needs some time
SHOWN = 79  # the problem on the picture of the annotation page: three values are open, two numbers are there twice
ROLE = "the hours on gravel"  # what its first unknown is

DISPUTED = 76
SLIP = "#reason=slip&id=95"  # the answer on the picture of the report
TALL = {"width": 1180, "height": 960}
COLOURS = 256
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
SITE = (
    "index",
    "tutorials/grade-answers",
    "howto/score",
    "paper",
    "reference/generated/names",
    "reference/generated/draw-score",
    "notebooks/from-data-to-report",
)

# The name of a picture, the address, and what is done on the page first
Shot = tuple[str, str, Callable[[Any], None] | None]


def site() -> list[Shot]:
    """Return the pages of the site; `make docs` must have built it."""
    built = ROOT / "docs" / "_build" / "html"
    if not (built / "index.html").is_file():
        raise SystemExit(f"expected the site in {built}; build it with: make docs")
    return [(f"site-{page.replace('/', '-')}", (built / f"{page}.html").as_uri(), None) for page in SITE]


def report(folder: Path) -> list[Shot]:
    """Return the report of the demo: as it opens, narrowed to one reason, and with the details of an answer."""
    url = write_demo(folder).as_uri()
    views = {
        "report": "",
        "report-slip": "#reason=slip",
        "report-answer": SLIP,
        "report-prediction": "#id=99&show=lucky",
    }
    return [(name, f"{url}{view}", wait_for_answers) for name, view in views.items()]


def variants(folder: Path) -> list[Shot]:
    """Return the report about variants: as it opens, and the details of a problem that was remembered."""
    url = write_variants(folder).as_uri()
    views = {"variants": "", "variants-problem": "#show=remembered&id=94"}
    return [(name, f"{url}{view}", wait_for_answers) for name, view in views.items()]


def write_variants(folder: Path) -> Path:
    """Write the report about two systems: one solves the variants, the other gives the originals' answers again."""
    problems = load_sample()["test"]
    rows = make_variants(problems, kinds=dict.fromkeys(KINDS, 1) | {"numbers": 3})
    originals = {problem.id: list(problem.solutions) for problem in problems}
    solved = {row["id"]: row["solutions"] or None for row in rows} | originals
    again = {row["id"]: originals[row["source_id"]] for row in rows} | originals
    made = {row["source_id"] for row in rows}
    listed = [*(problem.to_row() for problem in problems if problem.id in made), *rows]
    systems: dict[str, dict[Any, Any]] = {"solved": solved, "remembered": again}
    for answers in systems.values():
        for id_ in originals.keys() - made:
            del answers[id_]
    table = compare_probes({name: probe(answers, listed) for name, answers in systems.items()})
    path = folder / "variants.html"
    write_probe_page(path, table, cases_of(listed), "Variants of the sample", systems)
    return path


def write_demo(folder: Path) -> Path:
    """Write the report of the demo."""
    path = folder / "demo.html"
    command = [sys.executable, "-m", "draw_dataset.cli", "demo", "--html", str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return path


def wait_for_answers(page: Any) -> None:
    """Wait until the list of a report is there."""
    page.wait_for_selector("html[data-ready='1']", state="attached")


def fill(path: Path) -> None:
    """Make a store in which two annotators have worked and disagree about some problems."""
    problems = [problem for split in load_sample().values() for problem in split]
    with Store.open(path, create=True) as store:
        store.add_problems(StoredProblem(p.id, p.question, p.equations) for p in problems)
        for who, name in enumerate(("Ann", "Bo")):
            store.add_annotator(name)
            for id_ in [*[i for i in store.queue(name) if i not in (SHOWN, DISPUTED)][:13], DISPUTED]:
                for literal, place in choices(store, id_, name, last=who == 1 and id_ % 4 == 0):
                    store.decide(id_, name, "choose", {"literal": literal, "place": place}, seconds=14.0 + id_ % 9)
                store.decide(id_, name, "submit", seconds=3.0)


def choices(store: Store, id_: int, name: str, last: bool) -> list[tuple[int, list[int | None] | None]]:
    """Return an origin for every question of a problem: its first candidate, or its last."""
    work = store.work(id_, name)
    if work.proposal is None:
        return []
    origins = {q: work.proposal.literals[q].origins[-1 if last else 0] for q in work.left}
    return [(q, None if o.number is None else list(o.number.place)) for q, o in origins.items()]


@contextmanager
def serve_annotation(folder: Path) -> Iterator[str]:
    """Serve a store of the sample; yield the address."""
    store = folder / "work.db"
    fill(store)
    command = [sys.executable, "-m", "draw_dataset.cli", "annotate", "serve", "--port", "0", "--json", "--store"]
    server = subprocess.Popen([*command, str(store)], stdout=subprocess.PIPE, text=True)
    try:
        yield json.loads(server.stdout.readline())["url"] if server.stdout is not None else ""
    finally:
        server.terminate()
        server.wait()


def annotation(url: str) -> list[Shot]:
    """Return the pages of a served store."""

    def enter(page: Any) -> None:
        page.fill("#name", "Annemarie van der Berg")
        page.keyboard.press("Enter")

    def problem(page: Any) -> None:
        enter(page)
        page.wait_for_selector(".is-current")

    def number(page: Any) -> None:
        problem(page)
        page.keyboard.press("w")
        page.wait_for_selector("#dp-number[open]")

    def derivation(page: Any) -> None:
        problem(page)
        page.keyboard.press("D")
        page.wait_for_selector("#dp-derivation[open]")

    def keys(page: Any) -> None:
        problem(page)
        page.keyboard.press("?")
        page.wait_for_selector("#dp-help[open]")

    def guesses(page: Any) -> None:
        problem(page)
        page.keyboard.press("G")
        page.wait_for_selector("[data-guess]")

    def meaning(page: Any) -> None:
        problem(page)
        say(page)

    def data(page: Any) -> None:
        enter(page)
        page.wait_for_selector("#file")

    def dispute(page: Any) -> None:
        enter(page)
        page.wait_for_selector(".dp-sides")
        page.wait_for_timeout(600)

    return [
        ("annotate-login", url, None),
        ("annotate-problem", f"{url}?problem={SHOWN}", problem),
        ("annotate-guesses", f"{url}?problem={SHOWN}", guesses),
        ("annotate-meaning", f"{url}?problem={SHOWN}", meaning),
        ("annotate-data", f"{url}data", data),
        ("annotate-number", f"{url}?problem={SHOWN}", number),
        ("annotate-derivation", f"{url}?problem={SHOWN}", derivation),
        ("annotate-keys", f"{url}?problem={SHOWN}", keys),
        ("annotate-adjudicate", f"{url}adjudicate?problem={DISPUTED}", dispute),
        ("annotate-guideline", f"{url}guideline", None),
    ]


def say(page: Any) -> None:
    """Say what the first unknown is, and that the question asks for it, if that is not said yet."""
    field = page.locator("[data-role]").first
    if field.input_value() == ROLE:
        return
    before = int(page.get_attribute("#draw", "data-seen"))
    field.fill(ROLE)
    field.press("Enter")
    page.wait_for_selector(f"#draw[data-seen='{before + 1}']")
    page.keyboard.press("X")
    page.wait_for_selector(f"#draw[data-seen='{before + 2}']")


@contextmanager
def app() -> Iterator[list[Shot]]:
    """Serve the app of the metric; yield it."""
    code = (
        "import sys; sys.path.insert(0, 'metric/derivation_accuracy'); import app; "
        "demo = app.build(); _, url, _ = demo.launch(prevent_thread_lock=True, quiet=True, server_port=None); "
        "print(url, flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        url = process.stdout.readline().strip() if process.stdout is not None else ""

        def answer(page: Any) -> None:
            page.click("button[role=tab] >> nth=1")
            page.wait_for_selector("#reading svg.dd-figure:visible")

        shown = ("app", url, lambda page: page.wait_for_selector("mark"))
        yield [shown, ("app-answer", url, answer)]
    finally:
        process.terminate()
        process.wait()


def chromium_path() -> str:
    """Return the Chromium of this machine."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        raise SystemExit("expected chromium to be installed, as with: apt-get install chromium")
    return found


def photograph(shots: Sequence[Shot], out: Path) -> None:
    """Take each picture in every width and scheme."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        for name, url, prepare in shots:
            for width in WIDTHS:
                for scheme in SCHEMES:
                    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
                    page = context.new_page()
                    page.set_default_timeout(WAIT)
                    page.goto(url)
                    if prepare is not None:
                        prepare(page)
                    path = out / f"{name}-{width}-{scheme}.png"
                    page.screenshot(path=path)
                    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
                    print(f"{path}{f': {wide} pixels wider than the window' if wide > 0 else ''}")
                    context.close()
        browser.close()


def photograph_for_docs(url: str, out: Path) -> None:
    """Take the pictures of the annotation page that the documentation shows."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        page = browser.new_page(viewport=TALL)
        page.goto(url)
        page.set_viewport_size({"width": 560, "height": 420})
        shoot(page, out / "annotate-login.png")
        page.set_viewport_size(TALL)
        page.fill("#name", "Ann")
        page.keyboard.press("Enter")
        page.wait_for_selector("#dp-stage")
        page.goto(f"{url}?problem={SHOWN}")
        page.wait_for_selector(".is-current")
        page.keyboard.press("4")
        page.wait_for_selector("#draw[data-seen='1']")
        say(page)
        page.evaluate("document.activeElement.blur()")
        shoot(page, out / "annotate-page.png")
        page.goto(f"{url}data")
        page.set_viewport_size({"width": 900, "height": 470})
        shoot(page, out / "annotate-data.png")
        # Somebody who is no party to the dispute.
        page = browser.new_page(viewport={"width": 1180, "height": 800})
        page.goto(f"{url}adjudicate?problem={DISPUTED}")
        page.fill("#name", "Carol")
        page.keyboard.press("Enter")
        page.wait_for_selector(".dp-sides")
        page.wait_for_timeout(500)
        shoot(page, out / "annotate-adjudication.png")
        browser.close()


def photograph_report_for_docs(folder: Path, out: Path) -> None:
    """Take the picture of the report that the documentation shows."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1240, "height": 850})
        page.goto(f"{write_demo(folder).as_uri()}{SLIP}")
        wait_for_answers(page)
        page.evaluate("document.querySelector('.views').scrollIntoView()")
        shoot(page, out / "report-page.png")
        browser.close()


def shoot(page: Any, path: Path) -> None:
    """Write one picture, with as many colours as the page has use for, and say how large it is."""
    from PIL import Image  # which gradio brings

    with Image.open(BytesIO(page.screenshot())) as picture:
        small = picture.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=4)
    with atomic_file(path, binary=True) as file:
        small.save(file, "PNG", optimize=True)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


def main(argv: Sequence[str] | None = None) -> int:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where to write the pictures")
    parser.add_argument(
        "--only", choices=["site", "report", "variants", "annotation", "app", "docs"], help="only these"
    )
    arguments = parser.parse_args(argv)
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        if arguments.only in (None, "site"):
            photograph(site(), arguments.out)
        if arguments.only in (None, "report"):
            photograph(report(Path(name)), arguments.out)
        if arguments.only in (None, "variants"):
            photograph(variants(Path(name)), arguments.out)
        if arguments.only in (None, "annotation"):
            with serve_annotation(Path(name)) as url:
                photograph(annotation(url), arguments.out)
        if arguments.only == "docs":
            with serve_annotation(Path(name)) as url:
                photograph_for_docs(url, arguments.out)
            photograph_report_for_docs(Path(name), arguments.out)
        if arguments.only in (None, "app"):
            with app() as shots:
                photograph(shots, arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
