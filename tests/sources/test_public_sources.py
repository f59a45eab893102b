"""What is derived of the public sources at hand; nothing of their text stands here."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import OUTSIDE

pytestmark = pytest.mark.sources


@pytest.fixture(scope="module")
def rows() -> dict[str, list[dict[str, Any]]]:
    from experiments.data import FILES

    from draw_dataset import derive
    from draw_dataset.deriving.files import read_records

    folder = OUTSIDE["sources"].folder
    # Not all of them, as that takes a minute on a busy machine; scripts/lab.py sources has them all.
    every = {"gsm8k": 8, "asdiv": 3, "svamp": 2, "mawps": 400}
    return {
        preset: derive(list(read_records(folder / name))[:: every[preset]], preset=preset)
        for preset, name in FILES.items()
    }


def share(rows: list[dict[str, Any]], *statuses: str) -> float:
    return sum(row["status"] in statuses for row in rows) / len(rows)


def test_svamp_is_decided(rows: dict[str, list[dict[str, Any]]]) -> None:
    assert share(rows["svamp"], "decided") >= 0.99


def test_the_formulas_of_asdiv_are_derivations_or_refused_by_name(rows: dict[str, list[dict[str, Any]]]) -> None:
    from experiments.data import statuses

    derived, asked, _ = statuses({"asdiv": rows["asdiv"]})["asdiv"]["arithmetic or linear"]
    assert derived / asked >= 0.95


def test_the_solutions_of_gsm8k_come_to_functions(rows: dict[str, list[dict[str, Any]]]) -> None:
    assert share(rows["gsm8k"], "decided", "ambiguous") >= 0.93


def test_mawps_has_the_numbers_of_its_placeholders() -> None:
    from experiments.data import placeholders

    counts = placeholders(OUTSIDE["sources"].folder, "all")
    assert counts["preset: decided"] / counts["preset: problems"] >= 0.98
    assert counts["preset: decided, numbers of the placeholders"] / counts["preset: decided"] >= 0.995
    # Without their help, where values tell numbers apart.
    same = counts["blind: all values different, numbers of the placeholders"]
    assert same / counts["blind: decided, all values different"] >= 0.99


def test_no_problem_of_gsm8k_ends_a_run() -> None:
    from draw_dataset import derive
    from draw_dataset.deriving.files import read_records

    path = OUTSIDE["sources"].folder / "gsm8k_train.jsonl"
    if not path.is_file():
        pytest.skip(f"{path.name} is not there")
    records = list(read_records(path))[::8]  # among them 72 and 4400, which did
    assert [row["id"] for row in derive(records, preset="gsm8k")] == [record["id"] for record in records]
