"""The files that say what to cite, how to report and how to release agree with the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from draw_dataset import citation
from draw_dataset.version import __version__

ROOT = Path(__file__).parents[2]


def test_the_citation_file_cites_what_the_command_prints() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == __version__
    printed = " ".join((citation.CITATION + citation.ALG514_CITATION + citation.DOLPHIN_CITATION).split())
    for entry in (cited["preferred-citation"], *cited["references"]):
        assert entry["title"] in printed
        assert str(entry["year"]) in printed
        for author in entry["authors"]:
            assert f"{author['family-names']}, {author['given-names']}" in printed


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda p: p.stem)
def test_an_issue_template_asks_for_something(path: Path) -> None:
    template = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert template["name"]
    assert template["description"]
    assert any(field.get("validations", {}).get("required") for field in template["body"])


def test_every_file_that_the_checklist_names_is_there() -> None:
    text = (ROOT / "RELEASING.md").read_text(encoding="utf-8")
    for name in re.findall(r"`(?:python |pytest )?([\w./]+\.(?:py|md|cff|run))\b", text):
        assert (ROOT / name).exists(), name
