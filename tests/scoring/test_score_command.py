"""The command draw score: what it prints, writes and refuses."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest
from report.pages import listed

from draw_dataset.cli import main
from draw_dataset.data.sample import load_sample

PREDICTIONS = files("draw_dataset.data.sample").joinpath("predictions")
LUCKY, CAREFUL, MIXED = (str(PREDICTIONS.joinpath(f"{name}.jsonl")) for name in ("lucky", "careful", "mixed"))
SAMPLE = ["--config", "sample", "--split", "test"]


def out_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["score", *arguments]) == 0
    captured = capsys.readouterr()
    told = [line for line in captured.err.splitlines() if not line.startswith("draw score: wrote ")]
    assert all(line.endswith((SOME_UNREAD, "refused rows, which have no gold")) for line in told)
    assert len(told) <= 1
    return captured.out


SOME_UNREAD = (
    ": 5 of 25 predictions could not be read. The first (problem 97): unreadable: "
    "equation 1, column 5: expected a number, a name or '(', but got '='. Besides these, 5 abstained."
)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["score", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def test_systems_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    text = out_of(capsys, CAREFUL, LUCKY, MIXED, *SAMPLE)
    lines = text.splitlines()
    assert lines[:3] == [
        "careful: 28 right answers: 26 for the right reason, 2 for a wrong one, 0 not known",
        "lucky: 25 right answers: 10 for the right reason, 15 for a wrong one, 0 not known",
        "mixed: 14 right answers: 11 for the right reason, 3 for a wrong one, 0 not known",
    ]
    assert lines[4].split() == ["careful", "lucky", "mixed"]
    assert text.count("deriv|data:sample/test@") == 1
    assert "| careful | lucky |" in out_of(capsys, CAREFUL, LUCKY, *SAMPLE, "--format", "markdown")


def test_options_are_in_the_signature(capsys: pytest.CaptureFixture[str]) -> None:
    options = [
        "--merge-equiv",
        "--tolerance",
        "1/1000",
        "--equation",
        "expected",
        "--format",
        "json",
        "--samples",
        "100",
    ]
    data = json.loads(out_of(capsys, LUCKY, *SAMPLE, *options))
    assert data["samples"] == 100
    assert "|sol:tol0.001|eq:expected|abstain:wrong|equiv:merged|" in data["systems"][0]["signature"]
    assert "|eq:random-seed7|" in out_of(capsys, LUCKY, *SAMPLE, "--seed", "7")


def test_a_file_of_rows_scores_like_the_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = tmp_path / "rows.jsonl"
    lines = [json.dumps(problem.to_row()) for problem in load_sample()["test"]]
    rows.write_text("\n".join(lines[::-1]), encoding="utf-8")
    filed = json.loads(out_of(capsys, LUCKY, "--references", str(rows), "--format", "json"))["systems"][0]
    split = json.loads(out_of(capsys, LUCKY, *SAMPLE, "--format", "json"))["systems"][0]
    assert filed.pop("signature").replace("rows.jsonl", "sample/test") == split.pop("signature")
    assert filed == split


def test_verdicts_are_written_whole_or_not_at_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "verdicts.jsonl"
    out_of(capsys, LUCKY, MIXED, *SAMPLE, "--verdicts", str(target))
    verdicts = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert len(verdicts) == 60
    assert {line["system"] for line in verdicts} == {"lucky", "mixed"}
    assert set(verdicts[0]) == {
        "id", "system", "derivation", "equation", "solution", "reason", "status", "message", "slot_map", "certain",
        "witness"
    }  # fmt: skip
    before = target.read_text(encoding="utf-8")
    refused(capsys, LUCKY, "--config", "sample", "--split", "all", "--verdicts", str(target))
    assert target.read_text(encoding="utf-8") == before
    assert [path.name for path in tmp_path.iterdir()] == ["verdicts.jsonl"]


def test_missing_ids(capsys: pytest.CaptureFixture[str]) -> None:
    everything = ["--config", "sample", "--split", "all"]
    assert "expected a prediction for each of the 120 rows, but 90 have none" in refused(capsys, LUCKY, *everything)
    data = json.loads(out_of(capsys, LUCKY, *everything, "--missing", "abstain", "--format", "json"))
    assert (data["systems"][0]["n"], data["systems"][0]["abstained"]) == (120, 90)
    data = json.loads(out_of(capsys, LUCKY, *everything, "--missing", "skip", "--format", "json"))
    assert (data["systems"][0]["n"], data["systems"][0]["abstained"]) == (30, 0)
    assert "|missing:skip|" in data["systems"][0]["signature"]


def test_errors_about_ids_name_the_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "part.jsonl"
    path.write_text('{"id": 91, "prediction": null}\n{"id": 7, "prediction": null}\n', encoding="utf-8")
    assert "--ignore-unknown leaves such lines out" in refused(capsys, str(path), *SAMPLE)
    assert main(["score", str(path), *SAMPLE, "--ignore-unknown"]) == 2
    told = capsys.readouterr().err
    assert "left out 1 prediction for an id that the rows do not have" in told
    assert "(--missing skip scores only rows with a prediction, --missing abstain counts them" in told
    assert main(["score", str(path), *SAMPLE, "--ignore-unknown", "--missing", "skip"]) == 0
    captured = capsys.readouterr()
    assert captured.err.count("left out 1 prediction") == 1
    assert "|n:1|" in captured.out


def test_files_of_one_name_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "lucky.jsonl"
    other.write_text(Path(MIXED).read_text(encoding="utf-8"), encoding="utf-8")
    data = json.loads(out_of(capsys, LUCKY, str(other), *SAMPLE, "--format", "json"))
    assert [system["name"] for system in data["systems"]] == [LUCKY, str(other)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([LUCKY], "For answers to the problems of a dataset name it: draw score"),
        ([LUCKY, "--config", "sample"], "expected a prediction for each of the 120 rows"),
        ([LUCKY, "--references", LUCKY, *SAMPLE], "but got --config with --references"),
        ([LUCKY, "--references", "no-such-file"], "Unknown data 'no-such-file'"),
        ([LUCKY, "--references", LUCKY, "--corrected"], "Corrections are for the release"),
        ([LUCKY, "--config", "draw2k", "--split", "test"], "Unknown configuration 'draw2k': did you mean draw1k?"),
        (
            [LUCKY, "--config", "sample", "--split", "dev"],
            "did you mean sample/validation?",
        ),
        (["no-such-file.jsonl", *SAMPLE], "file not found"),
        ([LUCKY, LUCKY, *SAMPLE], "expected different files"),
        ([LUCKY, *SAMPLE, "--tolerance", "2"], "tolerance: expected"),
        ([LUCKY, *SAMPLE, "--seed", "-1"], "seed: expected"),
        ([LUCKY, *SAMPLE, "--verdicts", "no-such-folder/v.jsonl"], "No such file or directory"),
    ],
)
def test_what_is_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in refused(capsys, *arguments)


@pytest.mark.parametrize(
    "option", [["--samples", "0"], ["--tolerance", "x"], ["--format", "html"], ["--missing", "no"]]
)
def test_bad_usage(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", LUCKY, *SAMPLE, *option]) == 2
    told = capsys.readouterr().err
    assert told.startswith("Usage: draw score")
    assert f"'{option[0]}'" in told


def test_the_page_has_every_prediction(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "page.html"
    out_of(capsys, LUCKY, CAREFUL, *SAMPLE, "--html", str(target))
    page = target.read_text(encoding="utf-8")
    verdicts = Counter(one.verdict for one in listed(page))
    assert (sum(verdicts.values()), verdicts["wrong"]) == (60, 24)
    assert "careful: 28 right answers: 26 for the right reason, 2 for a wrong one, 0 not known" in page


def test_a_progress_bar_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", LUCKY, *SAMPLE, "--progress"]) == 0
    assert "lucky.jsonl" in capsys.readouterr().err


@pytest.mark.release
@pytest.mark.parametrize(
    ("config", "split", "count"),
    [
        ("draw1k", "validation", 200),
        ("alg514_cv3", "test", 102),
        ("dolphin_l", "all", 831),
        ("dolphin_l", "development", 172),
    ],
)
def test_the_release_by_config_and_split(
    config: str, split: str, count: int, release_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = tmp_path / "nothing.jsonl"
    nothing.write_text("", encoding="utf-8")
    where = ["--config", config, "--split", split, "--data-dir", str(release_dir), "--missing", "abstain"]
    data = json.loads(out_of(capsys, str(nothing), *where, "--format", "json"))["systems"][0]
    assert data["counts"] == {"abstained": data["n"]}
    assert data["n"] == count
    assert data["signature"].startswith(f"deriv|data:{config}/{split}@")
    corrected = json.loads(out_of(capsys, str(nothing), *where, "--corrected", "--format", "json"))["systems"][0]
    assert corrected["signature"].startswith(f"deriv|data:{config}/{split}+corrected-v3@")
    assert data["corrected"]["signature"].split("|missing")[0] == corrected["signature"].split("|missing")[0]


def test_every_form_shows_the_same_intervals_and_tests(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    options = [LUCKY, MIXED, *SAMPLE, "--samples", "100", "--seed", "3"]
    data = json.loads(out_of(capsys, *options, "--format", "json", "--html", str(page)))
    forms = {form: out_of(capsys, *options, "--format", form) for form in ("text", "markdown")}
    html = page.read_text(encoding="utf-8")
    for system in data["systems"]:
        for low, high in system["intervals"].values():
            assert f"{100 * low:.1f} to {100 * high:.1f}" in html
            assert all(f"[{100 * low:.1f}, {100 * high:.1f}]" in text for text in forms.values())
        for found in system["against_first"].values():
            told = f"{100 * found['difference']:+.1f} p={found['p_value']:.4f}"
            assert all(told in text for text in (html, *forms.values()))
    assert "(100 samples)" in html


def test_predictions_by_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with Path(LUCKY).open(encoding="utf-8") as file:
        monkeypatch.setattr("sys.stdin", file)
        data = json.loads(out_of(capsys, "-", MIXED, *SAMPLE, "--format", "json"))
    assert [system["name"] for system in data["systems"]] == ["stdin", "mixed"]
    assert data["systems"][0]["counts"]["right"] == 10


def test_few_bootstrap_samples_are_refused_with_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("--samples", "--bootstrap"):
        assert main(["score", LUCKY, *SAMPLE, name, "3"]) == 2
        assert "several answers of a problem are found without an option" in capsys.readouterr().err
        assert json.loads(out_of(capsys, LUCKY, *SAMPLE, name, "100", "--format", "json"))["samples"] == 100
