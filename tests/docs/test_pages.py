"""The documentation says what happens: its commands run and exist, and its links lead somewhere.

The Python examples are doctests of the pages themselves, which pytest collects.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest
from follow_docs import ROOT, TUTORIALS, Step, draw_commands, follow, steps_of

from draw_dataset.cli import main
from draw_dataset.commands.options import Command

PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
PAGES = [page for page in PAGES if not {"_build", "generated"} & set(page.parts)]


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
def test_every_command_of_a_page_exists_with_its_options(
    page: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Command, "invoke", lambda *_: 0)  # the words are read, nothing is run
    for arguments in draw_commands(page):
        assert main(arguments) == 0, f"draw {' '.join(arguments)}: {capsys.readouterr().err}"


def links_of(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return [*re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text), *re.findall(r"^\[[^\]]+\]: (\S+)$", text, re.MULTILINE)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for target in links_of(page):
        if not re.match(r"https?:|mailto:|generated/", target):  # tests/docs/test_site.py follows the generated pages
            assert (page.parent / target).exists(), f"{page}: {target}"


def test_the_links_of_the_first_page_work_on_a_package_index() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    within = re.compile(re.escape(urls["Repository"]) + "/(?:blob|raw)/main/(.+)")
    for target in [*links_of(ROOT / "README.md"), *urls.values()]:
        assert target.startswith("https://"), target
        own = within.match(target)
        assert own is None or (ROOT / own[1]).exists(), target
    defined = set(re.findall(r"^\[([^\]]+)\]: ", text, re.MULTILINE))
    assert set(re.findall(r"\]\[([^\]]+)\]", text)) <= defined


def test_the_first_page_is_short_and_starts_with_the_picture_and_a_first_verdict() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 150
    screen = "\n".join(lines[:45])
    parts = ("[images/derivation]", "pip install", "draw score mine.jsonl", ">>> ", "You get:")
    order = [screen.index(part) for part in parts]
    assert order == sorted(order)
    assert order[2] < len("\n".join(lines[:25]))
    assert screen.count(">>> ") + screen.count("\n(") >= 6
