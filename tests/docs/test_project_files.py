"""The files that say what to cite, how to report and how to release agree with the package."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from pathlib import Path

import pytest
import yaml

from draw_dataset import version as citation
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


def test_the_changelog_starts_with_this_version_and_every_release_has_its_date() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    titles = [title.split(" - ") for title in re.findall(r"^## (?!Unreleased$)(.+)$", text, re.MULTILINE)]
    assert titles[0][0] == __version__
    dates = [date.fromisoformat(day) for _, day in titles]
    assert dates == sorted(dates, reverse=True)
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["date-released"] == dates[0]


def test_the_workflow_calls_the_targets_of_continuous_integration_on_every_python() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {found[1] for line in project["classifiers"] if (found := re.search(r":: (3\.\d+)$", line))}
    matrices = [job["strategy"]["matrix"] for job in workflow["jobs"].values()]
    assert {python for matrix in matrices for python in matrix.get("python", [])} == named
    called = {"test"} | {target.split()[0] for matrix in matrices for target in matrix.get("target", [])}
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert called == set(re.findall(r"^make ([\w-]+)", run, re.MULTILINE))
