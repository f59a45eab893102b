"""The site: the front page, the pages that are made by the build, and what its search finds."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

import draw_dataset
from draw_dataset.cli import COMMANDS

DOCS = Path(__file__).parents[2] / "docs"


def load(name: str) -> Any:
    spec = spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    made = load("reference_pages")
    return dict([*made.name_pages(), *made.command_pages(), *made.module_pages()])


def test_every_public_name_is_listed_once_with_a_line(pages: dict[str, str]) -> None:
    rows = [line for line in pages["names"].splitlines() if "{py:obj}" in line]
    assert sorted(line.split("~draw_dataset.")[1].split("`")[0] for line in rows) == sorted(draw_dataset.__all__)
    for line in rows:
        assert len(line.split("|")[2].strip()) > 10, line


def test_every_command_has_a_page_with_its_options(pages: dict[str, str]) -> None:
    assert {f"draw-{name}" for name in COMMANDS} <= set(pages)
    assert "`--timeout S`" in pages["draw-evaluate-model"]
    assert "draw annotate serve --store work.db" in pages["draw-annotate-serve"]
    assert "```console\n$ draw solve train [OPTIONS] SOURCE..." in pages["draw-solve-train"]
    listed = pages["commands"]
    assert all(f"[draw {name}](draw-{name}.md)" in listed for name in COMMANDS)


def test_the_pages_that_the_reference_links_to_are_made(pages: dict[str, str]) -> None:
    linked = re.findall(r"\(generated/(\S+)\.md\)", (DOCS / "reference" / "index.md").read_text(encoding="utf-8"))
    assert linked == ["names", "commands"]
    assert set(linked) <= set(pages)


def test_a_name_or_command_without_a_topic_stops_the_build() -> None:
    made = load("reference_pages")
    with pytest.raises(LookupError, match="expected a topic"):
        made.topic_of("elsewhere.module")
    made.COMMANDS = made.COMMANDS[1:]
    with pytest.raises(LookupError, match="demo, equiv, read, show"):
        list(made.command_pages())


def test_plain_text_of_a_help_stays_as_it_is() -> None:
    made = load("reference_pages")
    assert made._escape('use --out FILE_1 or <b> {"id": 7} [x]') == (r'use `--out` FILE\_1 or \<b\> \{"id": 7\} \[x\]')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--quiet", "--builder", "html", str(DOCS), str(folder)]
    subprocess.run([*command, "--doctree-dir", str(folder / "doctrees")], check=True, timeout=600)
    return folder


@pytest.mark.slow
def test_the_front_page_leads_to_a_report_and_three_tasks(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    assert text.count('<div class="card docutils container">') == 3
    assert "derivation.svg" in text
    assert 'href="example-report.html"' in text
    assert "copy.js" in text
    assert "https://draw-dataset.example/draw-dataset" in text
    report = (site / "example-report.html").read_text(encoding="utf-8")
    assert "sample" in report


@pytest.mark.slow
def test_the_search_finds_timeouts_where_they_are_explained(site: Path) -> None:
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    found = {index["docnames"][at] for at in index["terms"]["timeout"]}
    assert {"harnesses", "reference/generated/draw-evaluate-model"} <= found


@pytest.mark.slow
def test_plots_on_white_are_marked_for_dark_pages_and_figures_of_ours_are_not(site: Path) -> None:
    assert 'class="figure-own"' in (site / "index.html").read_text(encoding="utf-8")
    assert 'class="figure-plot"' in (site / "confidence.html").read_text(encoding="utf-8")
