"""Takes the pictures of the annotation page that the documentation shows, in a real Chromium.

    python scripts/annotation_screenshots.py --out docs/images

A store is made of the embedded sample, two annotators work on a part of it, and each page is photographed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from draw_dataset.annotation.store import Store, StoredProblem
from draw_dataset.files import atomic_file
from draw_dataset.sample import load_sample

SHOWN = 79
"""The problem on the picture of the annotation page: three values are open, two numbers are there twice."""

DISPUTED = 76
WIDTH, HEIGHT = 1180, 800
COLOURS = 256
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


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


def chromium_path() -> str:
    """Return the Chromium of this machine."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        raise SystemExit("expected chromium to be installed, as with: apt-get install chromium")
    return found


def photograph(url: str, out: Path) -> None:
    """Take the pictures."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(url)
        page.set_viewport_size({"width": 560, "height": 420})
        shoot(page, out / "annotate-login.png")
        page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        page.fill("#name", "Ann")
        page.keyboard.press("Enter")
        page.wait_for_selector("#dp-stage")
        page.goto(f"{url}?problem={SHOWN}")
        page.wait_for_selector(".is-current")
        page.keyboard.press("4")
        page.wait_for_selector("#draw[data-seen='1']")
        shoot(page, out / "annotate-page.png")
        page.goto(f"{url}adjudicate?problem={DISPUTED}")
        page.wait_for_selector(".dp-sides")
        page.wait_for_timeout(500)
        shoot(page, out / "annotate-adjudication.png")
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
    """Serve a store of the sample and photograph its pages."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument(
        "--out", type=Path, default=Path("docs/images"), help="where to write the pictures (default docs/images)"
    )
    out = parser.parse_args(argv).out
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "work.db")
        fill(store)
        command = [sys.executable, "-m", "draw_dataset.cli", "annotate", "serve", "--port", "0", "--json", "--store"]
        server = subprocess.Popen([*command, str(store)], stdout=subprocess.PIPE, text=True)
        try:
            line = server.stdout.readline() if server.stdout is not None else ""
            photograph(json.loads(line)["url"], out)
        finally:
            server.terminate()
            server.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
