"""The named situations in tests/cases, one a file; among them the paper's own examples."""

from __future__ import annotations

import tomllib
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from draw_dataset import (
    all_slot_maps,
    canonical_key,
    derivations_equivalent,
    find_difference,
    find_slot_map,
    templates_equivalent,
)

CASES = Path(__file__).resolve().parents[1] / "cases"


def load(prefix: str) -> list[Any]:
    return [
        pytest.param(tomllib.loads(path.read_text(encoding="utf-8")), id=path.stem.removeprefix(f"{prefix}_"))
        for path in sorted(CASES.glob(f"{prefix}_*.toml"))
    ]


@pytest.mark.parametrize("case", load("template"))
def test_template_case(case: dict[str, Any]) -> None:
    first, second = case["first"], case["second"]
    assert templates_equivalent(first, second) == case["equivalent"]
    assert templates_equivalent(second, first) == case["equivalent"]
    assert (canonical_key(first) == canonical_key(second)) == case["equivalent"]
    slot_map = find_slot_map(first, second)
    assert (slot_map is not None) == case["equivalent"]
    if "slot_maps" in case:
        maps = list(all_slot_maps(first, second))
        assert len(maps) == case["slot_maps"]
        assert slot_map is None or slot_map in maps
    else:
        assert len(list(islice(all_slot_maps(first, second), 50))) == 50
    difference = find_difference(first, second)
    assert (difference is None) == case["equivalent"]
    if difference is not None and "reason" in case:
        assert difference.code == case["reason"]


@pytest.mark.parametrize("case", load("derivation"))
def test_derivation_case(case: dict[str, Any]) -> None:
    classes = case.get("equiv_tnum", [])
    assert derivations_equivalent(case["predicted"], case["gold"], classes) == case["equivalent"]
    assert derivations_equivalent(case["gold"], case["predicted"], classes) == case["equivalent"]
    assert derivations_equivalent(case["gold"], case["gold"], classes)
