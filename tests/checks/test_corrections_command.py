"""Corrections on the command line: lists of changed rows, one row before and after, issue forms, draw show."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from draw_dataset.cli import main
from draw_dataset.commands import check
from draw_dataset.data.corrections import KINDS, VERSION, Selection, changes, correct, corrections
from draw_dataset.data.editions import Comparison, changed_rows, edition_date, is_clean, kinds_table
from draw_dataset.data.release import DATASETS, load_problems
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import Problem

TEMPLATE = Path(__file__).parents[2] / ".github" / "ISSUE_TEMPLATE" / "data.yml"

MISREAD = 17610  # of Draw-1k, corrected in edition 2
CONVENTION = 2000118  # of Dolphin-L
EXCLUDED = 153934  # of Draw-1k, where it stands twice
UNCHANGED = 7  # of Alg-514
GROUPS = 5160  # of Draw-1k


@pytest.fixture
def without_release(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DRAW_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("DRAW_RELEASE_DIR", raising=False)


def lines_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main(["check", *arguments, "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.usefixtures("without_release")
class TestList:
    def test_every_changed_row_is_listed_after_the_counts(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", "--corrections"]) == 0
        first, *lines = capsys.readouterr().out.splitlines()
        total = sum(map(len, changes().values()))
        assert first.startswith(f"Edition {VERSION} of the corrections ({edition_date()}) changes {total} rows; ")
        rows = [f"{dataset} {id_}: " for dataset, by_id in changes().items() for id_ in sorted(map(int, by_id))]
        listed = [line for line in lines if re.match(r"\w+ \d+: edition \d, ", line)]
        assert all(line.startswith(row) for line, row in zip(listed, rows, strict=True))
        table = lines[: lines.index(listed[0])]
        assert table == ["", *kinds_table(changed_rows()).to_text(), ""]
        assert table[-2].split() == ["all", *(str(len(changes()[name])) for name in DATASETS), str(total)]

    def test_a_line_of_json_has_the_reason(self, capsys: pytest.CaptureFixture[str]) -> None:
        listed = lines_of(capsys, "--corrections")
        for line in listed:
            change = changes()[line["dataset"]][line["id"]]
            told = {"edition": change.edition, "kind": change.kind, "why": change.why}
            assert line == {"dataset": change.dataset, "id": change.id, **told}
        assert len(listed) == sum(map(len, changes().values()))

    def test_datasets_and_kinds_choose_rows(self, capsys: pytest.CaptureFixture[str]) -> None:
        for arguments in (["alg514", "--corrections"], ["--corrections", "alg514"], ["alg514_cv0", "--corrections"]):
            listed = lines_of(capsys, *arguments)
            assert {line["id"] for line in listed} == set(changes()["alg514"])
        listed = lines_of(capsys, "--corrections", "--kind", "groups", "--kind", "excluded")
        counts = Counter(change.kind for by_id in changes().values() for change in by_id.values())
        assert Counter(line["kind"] for line in listed) == {kind: counts[kind] for kind in ("groups", "excluded")}

    def test_an_earlier_edition_has_its_own_rows(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert len(lines_of(capsys, "--corrections", "--edition", "1")) == 35
        listed = lines_of(capsys, "--corrections", "--edition", "2")
        assert len(listed) == sum(map(len, corrections().values()))
        assert {line["edition"] for line in listed} == {1, 2}

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            ("sample --corrections", "Corrections are for the release (draw1k, alg514, dolphin_l), but got sample"),
            ("--corrections v2 17", "--corrections: expected ids or one version, but got v2, 17"),
            ("--corrections v1 v2", "--corrections: expected ids or one version, but got v1, v2"),
            ("sample --corrections v9", "--corrections: expected one of v1, "),
            ("--corrections --corrected", "expected it without --corrected"),
            ("--corrections --code other-gold", "expected it without --corrections"),
            ("--corrections --suspicions", "expected --suspicions or --corrections, but got both"),
            ("--corrections --figures", "expected --answers FILE or --corrections ID with --figures"),
            ("--corrections 17 --kind groups", "--kind chooses among listed rows"),
            ("--kind groups", "expected --corrections with --kind, but got none"),
            ("--edition 2", "expected --corrections with --edition, but got none"),
            ("--corrections --edition 4", "expected a whole number from 1 to 3, but got '4'"),
            ("--reason because", "expected --dispute ID with --reason, but got none"),
            ("--dispute seven", "--dispute: expected the id of a row of the release, but got 'seven'"),
            ("--dispute 17 --json", "expected --dispute or --json, but got both"),
        ],
    )
    def test_a_refusal_says_what_was_expected(
        self, arguments: str, told: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["check", *shlex.split(arguments)]) == 2
        assert told in capsys.readouterr().err


def test_a_version_still_selects_the_checked_rows(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--corrections", "v2", "sample"], ["sample", "--corrections=v2-derivations"]):
        assert main(["check", *arguments]) == 0
        assert capsys.readouterr().out == "no findings in sample\n"


def test_a_row_without_correction_is_clean_unless_it_has_alternatives_or_repeats_in_a_tested_split() -> None:
    from dataclasses import replace

    problem = load_sample()["test"][0]
    assert is_clean(problem, tested=True)
    assert not is_clean(replace(problem, alternatives=("m = q1",)), tested=False)
    repeated = replace(problem, findings=("near-duplicate-split",))
    assert is_clean(repeated, tested=False)
    assert not is_clean(repeated, tested=True)


@pytest.fixture(scope="module")
def published(release_dir: Path) -> dict[str, list[Problem]]:
    return {name: [p for own in load_problems(name, release_dir).values() for p in own] for name in DATASETS}


@pytest.mark.release
class TestExplain:
    @pytest.fixture(autouse=True)
    def _release(self, release_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DRAW_RELEASE_DIR", str(release_dir))
        monkeypatch.setenv("COLUMNS", "110")

    def test_a_row_is_explained_by_its_line_of_the_edition(self, capsys: pytest.CaptureFixture[str]) -> None:
        (told,) = lines_of(capsys, "--corrections", str(CONVENTION))
        change = changes()["dolphin_l"][CONVENTION]
        assert (told["before"], told["after"], told["kind"]) == (change.before, change.after, "convention")
        assert told["meaning"] == KINDS["convention"]
        assert (told["why"], told["date"]) == (change.why, change.date)
        assert told["question"]
        for field in ("alternatives", "asked", "readers"):
            assert told[field] == list(getattr(change, field))
        assert told["roles"] == change.roles

    def test_the_terminal_has_everything_by_name(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", "--corrections", str(CONVENTION)]) == 0
        title, *lines = capsys.readouterr().out.splitlines()
        assert title == f"dolphin_l {CONVENTION}: changed by edition 3, convention ({KINDS['convention']})"
        named = "why question numbers before after alternatives asked roles readers"
        assert [line.split()[0] for line in lines if line[0] != " "] == named.split()

    def test_figures_draw_both_derivations(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", "--corrections", str(MISREAD), "--figures"]) == 0
        told = capsys.readouterr().out
        before, after = told.split("\nAs published:\n")[1].split(f"\nIn edition {VERSION}:\n")
        for drawn in (before, after):
            assert f"\nproblem {MISREAD}\n" in drawn
            assert "\ngold      " in drawn

    def test_rows_without_change_and_without_gold_say_so(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", "--corrections", str(UNCHANGED), str(EXCLUDED)]) == 0
        told = capsys.readouterr().out
        assert f"alg514 {UNCHANGED}: edition 3 leaves it as published\n" in told
        assert told.count(f"draw1k {EXCLUDED}: changed by edition 3, excluded (no derivation is right)\n") == 1
        assert "\nafter        no derivation is right\n" in told

    def test_groups_are_told_before_and_after(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", "draw1k", "--corrections", str(GROUPS)]) == 0
        assert re.search(r"^groups {7}\S.* before, q3 = q5 after$", capsys.readouterr().out, re.MULTILINE)

    def test_an_earlier_edition_explains_the_row_as_it_was_then(self, capsys: pytest.CaptureFixture[str]) -> None:
        (first,), (second,) = (
            lines_of(capsys, "--corrections", str(MISREAD), "--edition", edition) for edition in ("1", "2")
        )
        assert (first["kind"], first["after"]) == (None, first["before"])
        assert second["kind"] == "equations"
        assert second["after"] != second["before"]

    def test_a_split_has_its_own_changed_rows(
        self, capsys: pytest.CaptureFixture[str], published: dict[str, list[Problem]]
    ) -> None:
        listed = lines_of(capsys, "draw1k/test", "draw1k/train", "--corrections")
        other = lines_of(capsys, "draw1k/validation", "--corrections")
        assert len(listed) + len(other) == len(changes()["draw1k"])
        assert EXCLUDED in {line["id"] for line in other}

    def test_an_unknown_id_says_how_to_list_them(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", "alg514", "--corrections", str(MISREAD)]) == 2
        told = capsys.readouterr().err
        assert f"Unknown id {MISREAD} in alg514: draw check --corrections lists the corrected rows" in told
        assert "draw show --list --references alg514" in told

    def test_a_dispute_fills_in_the_fields_of_the_issue_form(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["check", "--dispute", str(MISREAD), "--reason", "q2 is no time ."]) == 0
        told = capsys.readouterr()
        form = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))
        fields = [field for field in form["body"] if field["type"] != "markdown"]
        headings = re.findall(r"^### (.+)$", told.out, re.MULTILINE)
        assert headings == [field["attributes"]["label"] for field in fields]
        required = [field["id"] for field in fields if field.get("validations", {}).get("required")]
        assert required == ["problem", "reason"]
        parts = [part.strip() for part in re.split(r"^### .+$", told.out, flags=re.MULTILINE)[1:]]
        change = changes()["draw1k"][MISREAD]
        assert parts[0] == f"draw1k {MISREAD}"
        assert parts[2] == "q2 is no time ."
        for text in (change.before, change.why, f"edition: {VERSION}, ", *change.asked, *change.roles.values()):
            assert text in parts[1]
        assert told.err == f"draw check: paste it into {check.new_issue_page()}\n"

    def test_a_dispute_has_no_text_of_the_problem(
        self, capsys: pytest.CaptureFixture[str], published: dict[str, list[Problem]]
    ) -> None:
        for id_ in (UNCHANGED, EXCLUDED, CONVENTION):
            assert main(["check", "--dispute", str(id_)]) == 0
            told = capsys.readouterr().out
            (question,) = {p.question for own in published.values() for p in own if p.id == id_}
            assert "(what is wrong, and what would be right?)" in told
            assert " ".join(question.split()[:6]) not in told

    def test_show_draws_both_golds_where_they_differ(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        svg = tmp_path / "corrected.svg"
        arguments = ["show", "--config", "draw1k", "--no-colour", str(MISREAD)]
        assert main([*arguments, "--corrected", "--svg", str(svg)]) == 0
        told = capsys.readouterr().out
        change = changes()["draw1k"][MISREAD]
        before, _, after = told.partition(f"\nCorrected by edition {change.edition}, equations (")
        assert before.startswith("As published:\n")
        assert change.before in before
        assert after.partition("\n")[0] == f"{KINDS['equations']}): {change.why}"
        assert change.after in after
        assert f"Problem {MISREAD}" in svg.read_text(encoding="utf-8")
        assert main(arguments) == 0
        assert "Corrected by" not in capsys.readouterr().out

    def test_show_draws_one_gold_where_only_alternatives_differ(self, capsys: pytest.CaptureFixture[str]) -> None:
        change = next(c for c in changes()["draw1k"].values() if c.kind == "alternative" and not c.after)
        assert main(["show", "--config", "draw1k", "--corrected", str(change.id)]) == 0
        told = capsys.readouterr().out
        assert told.count(f"problem {change.id}\n") == 1
        assert f"\nalternative {change.alternatives[0]}\n" in told
        assert told.endswith(f": {change.why}\n")

    def test_show_says_why_a_row_has_no_gold(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", "--config", "draw1k", "--corrected", str(EXCLUDED)]) == 0
        told = capsys.readouterr().out
        assert told.count(f"problem {EXCLUDED}\n") == 1
        assert told.endswith(f"excluded ({KINDS['excluded']}): {changes()['draw1k'][EXCLUDED].why}\n")


@pytest.mark.release
@pytest.mark.parametrize("name", ["v1", "v2-derivations", "v2", "v3"])
def test_comparisons_say_of_every_row_whether_and_how_it_differs(
    name: str, published: dict[str, list[Problem]]
) -> None:
    selection = Selection.of(name)
    assert selection is not None
    for dataset, problems in published.items():
        for problem in problems:
            one = Comparison.of(dataset, problem, selection)
            assert (one.row is None) is (correct(dataset, problem, selection) == problem)
            assert json.loads(json.dumps(one.to_dict()))["id"] == problem.id
            if one.row is None:
                assert one.before == one.after
                assert not one.changes_gold
            else:
                assert one.row.edition <= selection.version
                assert one.corrected.correction is not None
                assert one.row.kind == one.corrected.correction.kind


def test_the_address_of_the_issue_form_is_that_of_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.metadata
    import tomllib

    project = tomllib.loads((TEMPLATE.parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert check.new_issue_page() == f"{project['urls']['Issues']}/new?template={TEMPLATE.name}"

    def missing(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "metadata", missing)
    assert check.new_issue_page() == "a new issue of the project"
