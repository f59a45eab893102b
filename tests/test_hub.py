"""The repository for the Hub: rows as they went in, whole or not at all, the same bytes each time, and the upload."""

from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from datasets import get_dataset_config_names, load_dataset
from hub_stand_in import TOKEN, StandIn
from huggingface_hub import HfApi

from draw_dataset.checks.findings import ProblemPlace, near_duplicates
from draw_dataset.data import hub as repository
from draw_dataset.data.catalog import CONFIGS, configs_of
from draw_dataset.data.corrections import KINDS, VERSION, changes, correct
from draw_dataset.data.editions import changed_rows, edition_date
from draw_dataset.data.features import row_features
from draw_dataset.data.hub import build
from draw_dataset.data.release import DATASETS, load_problems
from draw_dataset.data.sample import load_sample
from draw_dataset.data.upload import Upload, plan, push
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ChoiceError, FolderError, PushError


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def same_types(one: Any, other: Any) -> bool:
    """Say whether two values are made of the same types; == takes 1 for 1.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same_types(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same_types, one, other))
    return True


def assert_loads_as(folder: Path, problems: dict[str, dict[str, list[Problem]]], cache: Path) -> int:
    """Compare every configuration, split by split and row by row; return how many splits there were."""
    assert get_dataset_config_names(str(folder)) == [config.name for config in configs_of(problems)]
    compared = 0
    for config in configs_of(problems):
        loaded = load_dataset(str(folder), config.name, cache_dir=str(cache))
        assert list(loaded) == list(config.splits)
        for split, parts in config.splits.items():
            expected = [p.to_row() for part in parts for p in problems[config.dataset][part]]
            rows = loaded[split].to_list()
            assert rows == expected, (config.name, split)
            assert same_types(rows, expected), (config.name, split)
            assert loaded[split].features == row_features()
            compared += 1
    return compared


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("hub") / "sample"
    build(out, ["sample"], quiet=True)
    return out


def test_the_sample_loads_as_it_went_in(built: Path, tmp_path: Path) -> None:
    assert assert_loads_as(built, {"sample": load_sample()}, tmp_path) == 3
    default = load_dataset(str(built), cache_dir=str(tmp_path))
    assert {split: len(rows) for split, rows in default.items()} == {"train": 60, "validation": 30, "test": 30}


def test_the_checksums_hold(built: Path) -> None:
    files = contents(built)
    lines = files.pop("SHA256SUMS").decode().splitlines()
    assert lines == [f"{hashlib.sha256(files[name]).hexdigest()}  {name}" for name in sorted(files)]


def test_two_builds_have_the_same_bytes(built: Path, tmp_path: Path) -> None:
    build(tmp_path / "again", ["sample"], quiet=True)
    assert contents(tmp_path / "again") == contents(built)


def test_the_card(built: Path) -> None:
    text = (built / "README.md").read_text(encoding="utf-8")
    metadata = yaml.safe_load(text.split("---\n")[1])
    assert metadata["license"] == "mit"
    assert metadata["size_categories"] == ["n<1K"]
    assert "Published, corrected" not in text
    assert metadata["dataset_info"]["splits"][0]["num_examples"] == 60
    assert [c["config_name"] for c in metadata["configs"]] == ["sample"]
    for heading in ("Loading", "Provenance", "Licence", "A row", "Statistics", "Known defects", "Citation"):
        assert f"\n## {heading}\n" in text
    example = json.loads(text.split("```json\n")[1].split("```")[0])
    assert example == load_sample()["train"][0].to_row()
    assert Problem.from_row(example) == load_sample()["train"][0]


def test_cross_validation_trains_on_everything_else() -> None:
    assert len(CONFIGS) == 16
    for dataset, splits in (("alg514", 5), ("dolphin_l", 6)):
        tests = [CONFIGS[f"{dataset}_cv{i}"].splits["test"] for i in range(5)]
        assert len(set(tests)) == 5
        for i in range(5):
            config = CONFIGS[f"{dataset}_cv{i}"]
            assert len(config.splits["train"]) == splits - 1
            assert not set(config.splits["train"]) & set(config.splits["test"])


def test_defects_are_counted_in_the_card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sample = load_sample()
    sample["test"][0] = replace(sample["test"][0], findings=("slot_cancels",))
    monkeypatch.setattr(repository, "load_dataset_splits", lambda dataset, data_dir: sample)
    build(tmp_path / "out", ["sample"], quiet=True)
    assert "| `slot_cancels` | 1 |" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    result = build(tmp_path, ["sample"], quiet=True)
    assert (result.folder, result.rows) == (tmp_path, 120)
    assert result.files.keys() == contents(tmp_path).keys()


def test_a_full_folder_is_replaced_only_when_asked(built: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(FolderError, match="is not empty: name another folder, or replace it with --force"):
        build(out, ["sample"], quiet=True)
    assert contents(out) == {"mine.txt": b"mine"}
    build(out, ["sample"], force=True, quiet=True)
    assert contents(out) == contents(built)
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("holds", [True, False], ids=["its parent", "itself"])
def test_the_working_directory_is_never_replaced(holds: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "mine.txt").write_text("mine", encoding="utf-8")
    monkeypatch.chdir(work)
    with pytest.raises(FolderError, match="the working directory, which is never replaced"):
        build(tmp_path if holds else ".", ["sample"], force=True, quiet=True)
    assert (work / "mine.txt").is_file()


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(FolderError, match="is a file"):
        build(tmp_path / "file", ["sample"], force=True, quiet=True)


def test_a_folder_that_cannot_be_made_is_an_error_of_ours(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(FolderError, match="cannot write"):
        build(tmp_path / "file" / "out", ["sample"], quiet=True)


@pytest.mark.parametrize("only", [["nothing"], []])
def test_unknown_datasets_are_refused(only: list[str], tmp_path: Path) -> None:
    with pytest.raises(ChoiceError, match="draw1k, alg514, dolphin_l, sample"):
        build(tmp_path / "out", only)


def test_a_build_that_fails_leaves_everything_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    build(out, ["sample"], quiet=True)
    before = contents(out)

    def full(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(repository.pq, "write_table", full)
    with pytest.raises(FolderError, match="No space left"):
        build(out, ["sample"], force=True, quiet=True)
    assert contents(out) == before
    assert list(tmp_path.iterdir()) == [out]


def test_a_failing_last_step_brings_the_old_folder_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine", encoding="utf-8")
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self.name.endswith(".building"):
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(FolderError, match="Input/output error"):
        build(out, ["sample"], force=True, quiet=True)
    assert contents(out) == {"mine.txt": b"mine"}
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_build_leaves_the_old_folder_and_the_next_one_succeeds(built: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine", encoding="utf-8")
    script = (
        "import os, signal, sys\n"
        "from draw_dataset.data.hub import build; from draw_dataset.data import hub as repository\n"
        "repository.write_checksums = lambda folder: os.kill(os.getpid(), signal.SIGKILL)\n"
        "build(sys.argv[1], ['sample'], force=True, quiet=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(out)], check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL
    assert contents(out) == {"mine.txt": b"mine"}
    build(out, ["sample"], force=True, quiet=True)
    assert contents(out) == contents(built)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    server = StandIn()
    # Before 1.0 huggingface_hub reads addresses in answers by this one, whatever HfApi was given.
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", server.url)
    server.start()
    yield server
    server.stop()


def api(hub: StandIn, token: str = TOKEN) -> HfApi:
    return HfApi(endpoint=hub.url, token=token)


def test_a_push_sends_every_file_in_one_commit(built: Path, hub: StandIn) -> None:
    upload = plan(built, "someone/draw")
    assert push(upload, api(hub)) == f"{hub.url}/datasets/someone/draw"
    repo = hub.repos["someone/draw"]
    assert repo["files"] == contents(built)
    assert len(repo["messages"]) == 1
    assert not repo["private"]


def test_a_bare_name_goes_under_the_own_namespace(built: Path, hub: StandIn) -> None:
    upload = plan(built, "draw", private=True)
    assert "namespace of whoever is logged in" in upload.describe()
    push(upload, api(hub))
    push(upload, api(hub))  # the repository is there already
    assert set(hub.repos) == {"someone/draw"}
    assert hub.repos["someone/draw"]["private"]


def test_a_public_repository_gets_nothing_that_should_be_private(built: Path, hub: StandIn) -> None:
    hub.add("someone/draw", private=False)
    with pytest.raises(PushError, match="exists and is public, but --private was asked for"):
        push(plan(built, "someone/draw", private=True), api(hub))
    assert hub.repos["someone/draw"]["files"] == {}


@pytest.mark.parametrize(
    ("call", "status", "advice"),
    [
        ("create", 401, "run `hf auth login`, or set HF_TOKEN"),
        ("create", 403, "make one with write access"),
        ("create", 404, "there is no such owner"),
        ("create", 429, "wait a while"),
        ("create", 501, "the same call may work later"),
        ("commit", 400, "see its message"),
    ],
)
def test_what_the_hub_refuses_says_what_to_do(built: Path, hub: StandIn, call: str, status: int, advice: str) -> None:
    hub.fail[call] = status
    if status in (401, 403):
        hub.fail["info"] = status  # else huggingface_hub takes the repository to be there
    with pytest.raises(PushError, match=f"with status {status}: .*{advice}"):
        push(plan(built, "someone/draw"), api(hub))


def test_a_wrong_token(built: Path, hub: StandIn) -> None:
    with pytest.raises(PushError, match=r"with status 401: .*hf auth login"):
        push(plan(built, "someone/draw"), api(hub, "hf_wrong"))


def test_a_hub_that_is_not_there(built: Path, hub: StandIn) -> None:
    gone = StandIn()
    gone.server_close()
    with pytest.raises(PushError, match="cannot be reached: "):
        push(plan(built, "someone/draw"), HfApi(endpoint=gone.url, token=TOKEN))


def test_only_what_was_built_is_pushed(built: Path, tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="holds no repository that draw build wrote"):
        plan(tmp_path, "someone/draw")
    with pytest.raises(ChoiceError, match="expected a repository as in owner/name, but got 'a/b/c'"):
        plan(built, "a/b/c")
    assert isinstance(plan(built, "someone/draw"), Upload)


@pytest.fixture(scope="module")
def everything(release_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("hub") / "everything"
    assert build(out, data_dir=release_dir, quiet=True).rows > 2 * 2345 + 120
    return out


Splits = dict[str, list[Problem]]
SPLITS = 3 + 5 + 6  # of Draw-1k, Alg-514 and Dolphin-L


@pytest.fixture(scope="module")
def published(release_dir: Path) -> dict[str, Splits]:
    return {name: load_problems(name, release_dir) for name in DATASETS}


@pytest.fixture(scope="module")
def sets(published: dict[str, Splits]) -> dict[str, Splits]:
    """The sets of rows as the card describes them."""
    corrected = {
        name: {split: [correct(name, problem) for problem in own] for split, own in splits.items()}
        for name, splits in published.items()
    }
    clean = {
        name: {split: [p for p in own if is_described_as_clean(name, split, p)] for split, own in splits.items()}
        for name, splits in corrected.items()
    }
    return {
        **published,
        "sample": load_sample(),
        **{f"{name}_corrected": splits for name, splits in corrected.items()},
        **{f"{name}_clean": splits for name, splits in clean.items()},
    }


def is_described_as_clean(dataset: str, split: str, problem: Problem) -> bool:
    change = changes()[dataset].get(problem.id)
    if change is not None and change.kind in ("excluded", "alternative"):
        return False
    if "reviewed-arguable" in problem.findings:
        return False
    if problem.alternatives and not (change and change.kind == "convention" and len(problem.alternatives) == 1):
        return False
    repeated = {"duplicate-id", "duplicate-text", "near-duplicate-split", "near-duplicate-dataset"}
    return split in ("train", "validation", "development") or not repeated & set(problem.findings)


@pytest.mark.release
class TestRelease:
    def test_every_configuration_loads_as_it_went_in(
        self, everything: Path, sets: dict[str, Splits], tmp_path: Path
    ) -> None:
        assert assert_loads_as(everything, sets, tmp_path) == 3 * (SPLITS + 2 * 2 * 5) + 3

    def test_a_clean_test_row_is_nearly_no_row_of_another_split(
        self, published: dict[str, Splits], sets: dict[str, Splits]
    ) -> None:
        places = [
            ProblemPlace(name, split, problem)
            for name, splits in published.items()
            for split, own in splits.items()
            for problem in own
        ]
        near = {(places[at].dataset, places[at].problem.id) for own in near_duplicates(places).values() for at in own}
        for name in DATASETS:
            clean = sets[f"{name}_clean"]
            tested = [split for split in clean if split == "test" or split.startswith("fold")]
            assert tested
            assert not near & {(name, problem.id) for split in tested for problem in clean[split]}

    def test_clean_rows_have_one_right_derivation(self, sets: dict[str, Splits]) -> None:
        for name in DATASETS:
            rows = {problem.id: problem for own in sets[f"{name}_clean"].values() for problem in own}
            assert len(rows) > 0.8 * sum(map(len, sets[name].values()))
            for id_, problem in rows.items():
                assert problem.derivation.q_notation()
                if problem.alternatives:
                    assert len(problem.alternatives) == 1
                    assert changes()[name][id_].kind == "convention"

    def test_one_set_alone_loads(self, release_dir: Path, sets: dict[str, Splits], tmp_path: Path) -> None:
        out = tmp_path / "hub"
        built = build(out, ["draw1k_clean"], release_dir, quiet=True)
        assert built.rows == sum(map(len, sets["draw1k_clean"].values()))
        assert sorted(path.name for path in out.iterdir()) == ["LICENSE.md", "README.md", "SHA256SUMS", "draw1k_clean"]
        assert_loads_as(out, {"draw1k_clean": sets["draw1k_clean"]}, tmp_path / "cache")

    def test_the_card_names_the_edition_its_date_and_its_kinds(self, everything: Path) -> None:
        text = (everything / "README.md").read_text(encoding="utf-8")
        assert f"edition {VERSION} of our corrections ({edition_date()})" in text
        rows = changed_rows()
        for kind in KINDS:
            counts = [sum(row.kind == kind and row.dataset == name for row in rows) for name in DATASETS]
            assert f"| {kind} | {' | '.join(map(str, counts))} | {sum(counts)} |" in text

    def test_two_builds_have_the_same_bytes(self, everything: Path, release_dir: Path, tmp_path: Path) -> None:
        build(tmp_path / "again", data_dir=release_dir, quiet=True)
        assert contents(tmp_path / "again") == contents(everything)

    def test_no_row_is_stored_twice(self, everything: Path) -> None:
        assert len(list(everything.rglob("*.parquet"))) == 3 * SPLITS + 3

    def test_the_card_shows_no_word_problem_of_the_release(self, everything: Path, release_dir: Path) -> None:
        text = (everything / "README.md").read_text(encoding="utf-8")
        for name in DATASETS:
            for problems in load_problems(name, release_dir).values():
                assert not any(problem.question in text for problem in problems)

    def test_the_card_has_all_rights_and_sizes(self, everything: Path) -> None:
        metadata = yaml.safe_load((everything / "README.md").read_text(encoding="utf-8").split("---\n")[1])
        assert (metadata["license"], metadata["license_link"]) == ("other", "LICENSE.md")
        assert metadata["size_categories"] == ["1K<n<10K"]
        sizes = {info["config_name"]: info for info in metadata["dataset_info"]}
        assert [s["num_examples"] for s in sizes["draw1k"]["splits"]] == [600, 200, 200]
        assert sum(s["num_examples"] for s in sizes["alg514"]["splits"]) == 514
        assert [s["num_examples"] for s in sizes["dolphin_l_cv0"]["splits"]] == [831 - 134, 134]
        train = (everything / "draw1k" / "train-00000-of-00001.parquet").stat().st_size
        assert 0 < train < sizes["draw1k"]["download_size"]
