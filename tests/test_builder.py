"""The builder: configurations, splits, rows, streaming, caching, workers, and what it says to bad input."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import datasets
import pytest
from interpreter import NO_NETWORK, OFFLINE, finish, run, start

from draw_dataset import draw1k
from draw_dataset.data import corrections
from draw_dataset.data.catalog import CONFIGS as CATALOG
from draw_dataset.data.catalog import JOINED
from draw_dataset.data.features import derived_features, row_features, rows_dataset
from draw_dataset.data.release import DATASETS, load_problems
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import Problem
from draw_dataset.draw1k import Draw1k, add_keys
from draw_dataset.errors import ChecksumError, ChoiceError, DrawError, FolderError, ReleaseFileMissing, RowError
from draw_dataset.fingerprint import row_fingerprint

Rows = list[dict[str, Any]]
Load = Callable[..., Any]

CONFIGS = [
    "draw1k",
    *("alg514", "alg514_cv0", "alg514_cv1", "alg514_cv2", "alg514_cv3", "alg514_cv4"),
    *("dolphin_l", "dolphin_l_cv0", "dolphin_l_cv1", "dolphin_l_cv2", "dolphin_l_cv3", "dolphin_l_cv4"),
    "sample",
    *("gsm8k_derivations", "svamp_derivations"),
]


@pytest.fixture(autouse=True)
def own_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the machine's settings out, and its caches untouched."""
    for name in ("DRAW_RELEASE_DIR", "DRAW_RELEASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DRAW_CACHE_DIR", str(tmp_path / "draw"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # read by our own fetch; datasets has read it already
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Return `load_dataset` with a cache of the test's own."""

    def load_here(*args: Any, **options: Any) -> Any:
        return datasets.load_dataset(*args, cache_dir=str(tmp_path / "hf"), **options)

    return load_here


@pytest.fixture(scope="module")
def shared_load(tmp_path_factory: pytest.TempPathFactory, release_dir: Path) -> Load:
    """Return `load_dataset` with the release and a cache that the tests of this file share."""
    cache = str(tmp_path_factory.mktemp("hf"))

    def load_there(*args: Any, **options: Any) -> Any:
        return datasets.load_dataset(*args, cache_dir=cache, data_dir=str(release_dir), **options)

    return load_there


def rows_of(problems: list[Problem]) -> Rows:
    return [problem.to_row() for problem in problems]


def sample_rows() -> dict[str, Rows]:
    return {split: rows_of(problems) for split, problems in load_sample().items()}


def sizes(loaded: Any) -> dict[str, int]:
    return {split: len(rows) for split, rows in loaded.items()}


def assert_typed(value: Any, feature: Any, where: str) -> None:
    """Assert that a value, as Python sees it, is of its declared type."""
    if value is None:
        assert where.endswith(".correction"), where
    elif isinstance(feature, dict):
        assert set(value) == set(feature), where
        for name, inner in feature.items():
            assert_typed(value[name], inner, f"{where}.{name}")
    elif isinstance(feature, datasets.List):
        assert type(value) is list, where
        for item in value:
            assert_typed(item, feature.feature, f"{where}[]")
    else:
        expected = {"int32": int, "int64": int, "float64": float, "string": str}[feature.dtype]
        assert type(value) is expected, f"{where}: {value!r} is no {feature.dtype}"


def test_the_configurations_are_those_of_the_design() -> None:
    assert [config.name for config in Draw1k.BUILDER_CONFIGS] == CONFIGS
    assert Draw1k.DEFAULT_CONFIG_NAME == "draw1k"


def test_the_splits_of_cross_validation_share_nothing_and_lack_nothing() -> None:
    for name, config in CATALOG.items():
        parts = [part for parts in config.splits.values() for part in parts]
        assert len(parts) == len(set(parts)), name
        assert set(parts) == set(CATALOG[config.dataset].splits), name
    assert CATALOG["dolphin_l_cv2"].splits == {
        "train": ("fold0", "fold1", "fold3", "fold4", "development"),
        "test": ("fold2",),
    }


def test_the_sample_has_its_problems_as_typed_rows(load: Load) -> None:
    loaded = load("draw1k", "sample")
    assert sizes(loaded) == {"train": 60, "validation": 30, "test": 30}
    assert {split: rows.to_list() for split, rows in loaded.items()} == sample_rows()
    assert loaded["train"].features == row_features()


def test_all_is_the_whole_and_slices_are_its_parts(load: Load) -> None:
    rows = sample_rows()
    everything = rows["train"] + rows["validation"] + rows["test"]
    assert load("draw_sample", split="all").to_list() == everything
    assert load("draw_sample", split="train+test").to_list() == rows["train"] + rows["test"]
    assert load("draw_sample", split="train[10:20]").to_list() == rows["train"][10:20]
    assert load("draw_sample", split="test[50%:]").to_list() == rows["test"][15:]
    assert list(load("draw_sample", split="all", streaming=True)) == everything


def test_streaming_gives_the_same_rows_in_the_declared_types(load: Load) -> None:
    streamed = load("draw_sample", streaming=True)
    assert {split: list(rows) for split, rows in streamed.items()} == sample_rows()
    for split, rows in streamed.items():
        for row in rows:
            assert_typed(row, row_features(), f"{split} {row['id']}")
    assert streamed["train"].num_shards == 8


def test_workers_build_the_same_rows_in_the_same_order(load: Load) -> None:
    loaded = load("draw_sample", num_proc=2)
    assert {split: rows.to_list() for split, rows in loaded.items()} == sample_rows()
    assert len(loaded["train"].cache_files) == 2


def test_a_second_load_builds_nothing(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    load("draw_sample")

    def unexpected(*args: Any, **options: Any) -> Any:
        raise AssertionError("built again")

    monkeypatch.setattr(Draw1k, "_split_generators", unexpected)
    assert sizes(load("draw1k", "sample")) == {"train": 60, "validation": 30, "test": 30}
    with pytest.raises(AssertionError, match="built again"):
        load("draw_sample", download_mode="force_redownload")


def test_rows_cached_by_other_code_are_not_reused(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    before = load("draw_sample", split="test").cache_files
    monkeypatch.setattr(draw1k, "row_fingerprint", lambda: "0123456789abcdef")
    after = load("draw_sample", split="test").cache_files
    assert row_fingerprint() in before[0]["filename"]
    assert "0123456789abcdef" in after[0]["filename"]


@pytest.fixture
def cached(load: Load) -> Path:
    """Return the folder of the cached sample."""
    return Path(load("draw_sample", split="test").cache_files[0]["filename"]).parent


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


DAMAGES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "rows cut short": ("*-test.arrow", _cut),
    "rows with a flipped bit": ("*-test.arrow", _flip),
    "rows that are gone": ("*-test.arrow", Path.unlink),
    "empty rows": ("*-test.arrow", lambda path: path.write_bytes(b"")),
    "a description cut short": ("dataset_info.json", _cut),
    "a description that is gone": ("dataset_info.json", Path.unlink),
    "checksums that are gone": ("SHA256SUMS", Path.unlink),
    "checksums cut short": ("SHA256SUMS", _cut),
    "checksums of nothing": ("SHA256SUMS", lambda path: path.write_bytes(b"")),
    "checksums of something else": ("SHA256SUMS", lambda path: path.write_bytes(b"\xff\x00 \n")),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_rows_are_built_again(damage: str, cached: Path, load: Load, caplog: pytest.LogCaptureFixture) -> None:
    pattern, hurt = DAMAGES[damage]
    hurt(next(cached.glob(pattern)))
    loaded = load("draw_sample")
    assert {split: rows.to_list() for split, rows in loaded.items()} == sample_rows()
    assert f"The cached rows in {cached} are damaged" in caplog.text
    caplog.clear()
    assert load("draw_sample", split="test").to_list() == sample_rows()["test"]
    assert caplog.text == ""


def test_damaged_rows_that_cannot_be_removed_are_refused(
    cached: Path, load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    _cut(next(cached.glob("*-test.arrow")))
    monkeypatch.setattr(shutil, "rmtree", refused)
    with pytest.raises(FolderError, match=r"cached rows in .* are damaged and cannot be removed: .*Permission denied"):
        load("draw_sample")


def test_what_others_cache_beside_the_rows_is_left_alone(cached: Path, load: Load) -> None:
    (cached / "cache-1234.arrow").write_bytes(b"theirs")
    load("draw_sample")
    assert (cached / "cache-1234.arrow").read_bytes() == b"theirs"


def test_rows_written_elsewhere_get_no_checksums(tmp_path: Path) -> None:
    Draw1k(str(tmp_path / "hf"), config_name="sample").download_and_prepare(str(tmp_path / "out"))
    assert (tmp_path / "out" / "dataset_info.json").is_file()
    assert not (tmp_path / "out" / "SHA256SUMS").exists()


def test_the_fingerprint_tells_code_and_data_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from draw_dataset import fingerprint

    package = tmp_path / "package"
    shutil.copytree(Path(fingerprint.__file__).parent, package)
    monkeypatch.setattr(fingerprint, "__file__", str(package / "fingerprint.py"))
    compute = fingerprint.row_fingerprint.__wrapped__
    seen = {compute()}
    assert seen == {row_fingerprint()}
    (package / "cli.py").write_text("# nothing to do with rows\n")
    assert compute() in seen
    for part in ("text/numbers.py", "data/annotations/findings.json", "data/sample/problems.jsonl", "data/features.py"):
        (package / part).write_text("changed\n")
        assert compute() not in seen
        seen.add(compute())


def test_the_builder_itself_shares_the_cache_of_the_bare_name(load: Load, tmp_path: Path) -> None:
    loaded = load("draw_sample", split="test")
    builder = Draw1k(str(tmp_path / "hf"), config_name="sample")
    assert builder.cache_dir == str(Path(loaded.cache_files[0]["filename"]).parent)
    assert builder.as_dataset(split="test").to_list() == sample_rows()["test"]


def test_info_says_what_it_is_whose_it_is_and_how_large(tmp_path: Path) -> None:
    for name in CONFIGS:
        info = Draw1k(str(tmp_path), config_name=name).info
        assert info.description
        assert "upadhyay-chang-2017-annotating" in info.citation
        assert info.homepage == "https://aclanthology.org/E17-1047/"
        assert info.license
        assert info.features == (derived_features() if name in JOINED else row_features())
        assert {split: of.num_examples for split, of in info.splits.items()} == CATALOG[name].sizes
    assert sum(CATALOG["alg514"].sizes.values()) == 514
    assert sum(CATALOG["dolphin_l"].sizes.values()) == 659 + 172


def test_ids_that_are_texts_make_a_column_of_texts() -> None:
    rows = sample_rows()["test"][:2]
    assert rows_dataset(rows).features == row_features()
    named = rows_dataset([rows[0], rows[1] | {"id": "mine-2"}])
    assert named.features == row_features("string")
    assert named["id"][:] == [str(rows[0]["id"]), "mine-2"]
    with pytest.raises(RowError, match="both as a number and as a string"):
        rows_dataset([rows[0], rows[1] | {"id": str(rows[0]["id"])}])


def test_problems_that_share_an_id_have_keys_of_their_own() -> None:
    first, second, third = load_sample()["train"][:3]
    twin = replace(second, id=first.id)
    keyed = add_keys({"train": [first, twin], "test": [third, twin]})
    keys = {split: [key for key, _ in items] for split, items in keyed.items()}
    assert keys == {
        "train": [str(first.id), f"{first.id}-2"],
        "test": [str(third.id), f"{first.id}-3"],
    }


def test_an_unknown_configuration_lists_the_known_ones(load: Load) -> None:
    with pytest.raises(ValueError, match="Unknown configuration 'alg515': did you mean alg514") as caught:
        load("draw1k", "alg515")
    assert f"There are {', '.join(CONFIGS)}" in str(caught.value)


def test_a_name_of_one_dataset_has_its_configurations_only(load: Load) -> None:
    assert datasets.get_dataset_config_names("alg514") == [name for name in CONFIGS if name.startswith("alg514")]
    assert datasets.get_dataset_config_names("draw_sample") == ["sample"]
    with pytest.raises(ValueError, match=r"Unknown configuration 'draw1k'.*alg514_cv4"):
        load("alg514", "draw1k")


@pytest.mark.parametrize("name", ["alg514/cv0", "alg514_cv0"])
def test_a_configuration_is_named_as_everywhere(name: str, tmp_path: Path) -> None:
    assert datasets.load_dataset_builder("draw1k", name, cache_dir=str(tmp_path)).config.name == "alg514_cv0"
    assert datasets.load_dataset_builder("alg514", name, cache_dir=str(tmp_path)).config.name == "alg514_cv0"


def test_a_configuration_in_folds_has_a_bare_name(tmp_path: Path) -> None:
    builder = datasets.load_dataset_builder("alg514_cv0", cache_dir=str(tmp_path))
    assert (builder.config.name, list(builder.info.splits)) == ("alg514_cv0", ["train", "test"])
    assert datasets.get_dataset_config_names("alg514_cv0") == [name for name in CONFIGS if name.startswith("alg514")]


def test_data_files_are_refused(load: Load) -> None:
    with pytest.raises(ChoiceError, match=r"draw1k has no data_files, but got 'x\.json'; data_dir"):
        load("draw1k", data_files="x.json")


@pytest.mark.parametrize("value", ["yes", 1])
def test_corrected_is_true_or_false(value: object, load: Load) -> None:
    with pytest.raises(ChoiceError, match=r"corrected must be True or False, or one of v1, .* but got"):
        load("draw_sample", corrected=value)


@pytest.mark.parametrize(
    ("name", "corrected", "told"),
    [
        ("draw1k", False, ""),
        ("draw1k", True, f"edition {corrections.VERSION} of the corrections (v{corrections.VERSION})."),
        ("alg514_cv0", "v1", "edition 1 of the corrections (v1)."),
        ("dolphin_l", "v2-derivations", "(v2-derivations), with equations and solutions as published."),
        ("draw_sample", True, ""),
    ],
)
def test_the_description_names_the_edition(name: str, corrected: bool | str, told: str, tmp_path: Path) -> None:
    builder = datasets.load_dataset_builder(name, cache_dir=str(tmp_path), corrected=corrected)
    assert builder.info.description.endswith(told)
    assert ("edition" in builder.info.description) is bool(told)


def test_stating_the_default_shares_the_cache(load: Load) -> None:
    assert load("draw_sample", corrected=False).cache_files == load("draw_sample").cache_files


def test_without_files_the_error_is_ours_and_names_the_ways(load: Load) -> None:
    for streaming in (False, True):
        with pytest.raises(ReleaseFileMissing) as caught:
            load("draw1k", streaming=streaming)
        for part in ("draw.json", "data_dir=", "DRAW_RELEASE_DIR", 'load_dataset("draw1k", "sample")'):
            assert part in str(caught.value)


def test_a_data_dir_without_the_files_says_which(load: Load, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"data_dir=.*: kushman\.json, kushman-fold-0\.txt"):
        load("alg514", data_dir=str(tmp_path))


def test_a_file_that_is_not_the_release_is_told_by_its_checksum(load: Load, tmp_path: Path) -> None:
    (tmp_path / "draw.json").write_text("[]")
    with pytest.raises(ChecksumError, match=r"draw\.json \(2 bytes instead of 707788\): expected sha256 2cd67121"):
        load("draw1k", data_dir=str(tmp_path))


def test_the_sample_needs_no_network_no_release_and_no_folder(tmp_path: Path) -> None:
    code = NO_NETWORK + (
        "import draw_dataset, datasets\n"
        "for options in ({}, {'streaming': True}):\n"
        "    d = datasets.load_dataset('draw1k', 'sample', **options)\n"
        "    print([sum(1 for _ in d[split]) for split in d])\n"
    )
    for variables in ({}, OFFLINE):
        assert run(code, tmp_path, **variables).splitlines() == ["[60, 30, 30]"] * 2


BUILD = "import draw_dataset, datasets; print(len(datasets.load_dataset('draw1k', {config!r}, split='all')))"

SLOW_BUILD = """
import time
import draw_dataset, datasets
from draw_dataset.draw1k import Draw1k
genuine = Draw1k._generate_examples
def slow(self, shards):
    for count, item in enumerate(genuine(self, shards)):
        if count == 10:
            print("building", flush=True)
            time.sleep(600)
        yield item
Draw1k._generate_examples = slow
datasets.load_dataset("draw1k", "sample")
"""


def test_two_processes_may_build_at_once(tmp_path: Path) -> None:
    both = [start(BUILD.format(config="sample"), tmp_path) for _ in range(2)]
    assert [finish(process) for process in both] == ["120", "120"]


def test_after_a_kill_in_mid_build_the_next_load_succeeds(tmp_path: Path) -> None:
    victim = start(SLOW_BUILD, tmp_path)
    assert victim.stdout is not None
    assert victim.stdout.readline() == "building\n"
    victim.kill()
    victim.communicate()
    left_over = list((tmp_path / "hf").rglob("*.incomplete"))
    assert left_over
    loaded = datasets.load_dataset("draw_sample", cache_dir=str(tmp_path / "hf" / "datasets"))
    assert {split: rows.to_list() for split, rows in loaded.items()} == sample_rows()
    assert not list((tmp_path / "hf").rglob("*.incomplete"))


@pytest.mark.release
def test_the_release_has_the_published_sizes(shared_load: Load) -> None:
    assert sizes(shared_load("draw1k")) == {"train": 600, "validation": 200, "test": 200}
    assert sum(sizes(shared_load("alg514")).values()) == 514
    dolphin = sizes(shared_load("dolphin_l"))
    assert dolphin.pop("development") == 172
    assert sum(dolphin.values()) == 659


@pytest.mark.release
@pytest.mark.parametrize("dataset", DATASETS)
def test_every_row_is_the_row_of_its_problem(dataset: str, shared_load: Load, release_dir: Path) -> None:
    expected = {split: rows_of(problems) for split, problems in load_problems(dataset, release_dir).items()}
    loaded = shared_load(dataset)
    assert {split: rows.to_list() for split, rows in loaded.items()} == expected
    everything = [row for rows in expected.values() for row in rows]
    assert shared_load("draw1k", dataset, split="all").to_list() == everything
    streamed = shared_load("draw1k", dataset, streaming=True)
    assert {split: list(rows) for split, rows in streamed.items()} == expected
    for row in everything:
        assert_typed(row, row_features(), str(row["id"]))


@pytest.mark.release
@pytest.mark.parametrize("dataset", ["alg514", "dolphin_l"])
def test_cross_validation_tests_on_each_fold_and_trains_on_the_rest(dataset: str, shared_load: Load) -> None:
    own = {split: rows.to_list() for split, rows in shared_load(dataset).items()}
    for number in range(5):
        loaded = shared_load("draw1k", f"{dataset}_cv{number}")
        assert list(loaded) == ["train", "test"]
        assert loaded["test"].to_list() == own[f"fold{number}"]
        rest = [row for split, rows in own.items() if split != f"fold{number}" for row in rows]
        assert loaded["train"].to_list() == rest


@pytest.mark.release
def test_the_problem_with_a_twin_is_kept_under_two_keys(release_dir: Path, tmp_path: Path) -> None:
    keys: dict[str, list[str]] = {}
    for dataset in DATASETS:
        builder = Draw1k(str(tmp_path), config_name=dataset, data_dir=str(release_dir))
        keys[dataset] = [
            key
            for split in builder._split_generators(None)
            for key, _ in builder._generate_examples(**split.gen_kwargs)
        ]
        assert len(keys[dataset]) == len(set(keys[dataset])) == sum(CATALOG[dataset].sizes.values())
    assert [key for of in keys.values() for key in of if "-" in key] == ["153934-2"]


@pytest.mark.release
def test_workers_build_the_release_as_one_does(load: Load, shared_load: Load, release_dir: Path) -> None:
    one = shared_load("draw1k")
    two = load("draw1k", data_dir=str(release_dir), num_proc=2)
    assert {split: rows.to_list() for split, rows in two.items()} == {
        split: rows.to_list() for split, rows in one.items()
    }


@pytest.mark.release
def test_where_the_files_are_is_no_part_of_the_cache(
    load: Load, release_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(release_dir, copy)
    first = load("alg514", data_dir=str(copy)).cache_files
    shutil.rmtree(copy)
    monkeypatch.setenv("DRAW_RELEASE_DIR", str(release_dir))
    assert load("alg514").cache_files == first
    with pytest.raises(ReleaseFileMissing, match="copy"):  # a folder that was named is looked at all the same
        load("alg514", data_dir=str(copy))


@pytest.mark.release
def test_one_wrong_byte_is_an_error_of_ours(load: Load, release_dir: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in release_dir.glob("kushman*"):
        (copy / path.name).write_bytes(path.read_bytes())
    body = bytearray((copy / "kushman.json").read_bytes())
    body[1000] ^= 1
    (copy / "kushman.json").write_bytes(bytes(body))
    with pytest.raises(DrawError, match=r"kushman\.json: expected sha256 2fab5697"):
        load("alg514", data_dir=str(copy))


@pytest.mark.release
def test_corrected_rows_are_cached_apart(
    load: Load, release_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def correct(dataset: str, problem: Problem, selection: corrections.Selection) -> Problem:
        asked.append(dataset)
        return replace(problem, findings=(f"mended by {selection.name}",))

    monkeypatch.setattr(corrections, "correct", correct)
    published = load("alg514", data_dir=str(release_dir), split="all")
    assert asked == []
    corrected = load("alg514", data_dir=str(release_dir), split="all", corrected=True)
    assert asked == ["alg514"] * 514
    assert corrected["findings"][:] == [[f"mended by v{corrections.VERSION}"]] * 514
    first = load("alg514", data_dir=str(release_dir), split="all", corrected="v1")
    assert first["findings"][:] == [["mended by v1"]] * 514
    assert load("alg514", data_dir=str(release_dir), split="all").to_list() == published.to_list()
    assert corrected["id"][:] == published["id"][:]


@pytest.mark.release
def test_two_processes_may_build_the_release_at_once(tmp_path: Path, release_dir: Path) -> None:
    code = BUILD.format(config="draw1k")
    both = [start(code, tmp_path, DRAW_RELEASE_DIR=str(release_dir), **OFFLINE) for _ in range(2)]
    assert [finish(process) for process in both] == ["1000", "1000"]
