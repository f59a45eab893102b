"""The documentation says what happens: its commands run, its commands exist, and its first page is short.

The Python examples are doctests of the pages themselves, which pytest collects.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from follow_docs import ROOT, TUTORIALS, Step, draw_commands, follow, steps_of

from draw_dataset.cli import build_parser

PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
PAGES = [page for page in PAGES if not {"_build", "generated"} & set(page.parts)]


def test_the_first_page_is_read_in_two_minutes() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    assert text.count("![") == 1


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_prints_what_it_says(page: Path, tmp_path: Path) -> None:
    assert follow(page, tmp_path, Path(sys.executable)) == []


def test_what_a_page_does_not_say_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```sh\necho one\n```\n\n```text\ntwo\n```\n\n```sh\nfalse\n```\n", encoding="utf-8")
    assert [one.partition(":")[0] for one in follow(page, tmp_path, Path(sys.executable))] == [
        "page.md, line 1",
        "page.md, line 9",
    ]
    assert list(steps_of(page)) == [Step(1, "echo one\n", "two\n"), Step(9, "false\n", None)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_a_page_exists_with_its_options(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parser = build_parser()
    for arguments in draw_commands(page):
        if arguments not in (["--version"], ["--citation"]) and "--help" not in arguments:
            try:
                parser.parse_args(arguments)
            except SystemExit:
                pytest.fail(f"draw {' '.join(arguments)}: {capsys.readouterr().err}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if not re.match(r"https?:|mailto:", target):
            assert (page.parent / target).exists(), f"{page}: {target}"
