"""On the templates of the release: verdicts and slot maps of the literal algorithm, and the numbers of classes."""

from __future__ import annotations

import json
from pathlib import Path

import oracle
import pytest

from draw_dataset import (
    Derivation,
    Template,
    all_slot_maps,
    canonical_key,
    derivations_equivalent,
    find_slot_map,
    reconcile,
    solve,
    templates_equivalent,
)
from draw_dataset.errors import NumberClassesError

pytestmark = pytest.mark.release

FILES = {"draw1k": "draw.json", "alg514": "kushman.json", "dolphin_l": "dolphin_t2_final.json"}


@pytest.fixture(scope="module")
def problems(release_dir: Path) -> dict[str, list[dict]]:
    return {name: json.loads((release_dir / file).read_text(encoding="utf-8")) for name, file in FILES.items()}


@pytest.fixture(scope="module")
def templates(problems: dict[str, list[dict]]) -> list[tuple[str, ...]]:
    return sorted({tuple(p["Template"]) for rows in problems.values() for p in rows})


def test_every_pair_has_the_verdict_and_the_maps_of_the_literal_algorithm(templates: list[tuple[str, ...]]) -> None:
    read = [Template(list(t)) for t in templates]
    pairs = equivalent = 0
    for i, j, maps in oracle.all_pairs([oracle.read_template(t) for t in templates]):
        expected = {tuple(sorted(m.items())) for m in maps}
        got = [tuple(sorted(m.items())) for m in all_slot_maps(read[i], read[j])]
        assert len(got) == len(set(got)), (templates[i], templates[j])
        assert set(got) == expected, (templates[i], templates[j])
        assert templates_equivalent(read[i], read[j]) == bool(expected), (templates[i], templates[j])
        found = find_slot_map(read[i], read[j])
        assert (tuple(sorted(found.items())) in expected) if found is not None else not expected
        pairs += 1
        equivalent += bool(expected)
    assert pairs == 22_430  # 392 templates with themselves among them
    assert equivalent == 403


def test_numbers_of_classes(problems: dict[str, list[dict]], templates: list[tuple[str, ...]]) -> None:
    classes = {name: len({canonical_key(p["Template"]) for p in rows}) for name, rows in problems.items()}
    assert classes == {"draw1k": 226, "alg514": 24, "dolphin_l": 209}
    assert len(templates) == 392
    assert len(reconcile(templates).groups) == 382


def test_sizes_of_the_mapping_sets(problems: dict[str, list[dict]]) -> None:
    sizes: dict[int, int] = {}
    for rows in problems.values():
        for p in rows:
            size = sum(1 for _ in all_slot_maps(p["Template"], p["Template"]))
            sizes[size] = sizes.get(size, 0) + 1
    assert sizes == {1: 1625, 2: 672, 4: 43, 6: 5}


def test_every_equation_system_gives_its_solutions(problems: dict[str, list[dict]]) -> None:
    for rows in problems.values():
        for p in rows:
            solution = solve(p["lEquations"])
            assert str(solution.kind) == "unique", p["iIndex"]
            # Gold is rounded, once to four digits.
            gold = sorted(p["lSolutions"])
            assert [float(v) for v in solution.numbers] == pytest.approx(gold, rel=1e-3), p["iIndex"]


def test_gold_is_equivalent_to_itself(problems: dict[str, list[dict]]) -> None:
    for rows in problems.values():
        for p in rows:
            alignment = {a["coeff"]: (a["SentenceId"], a["TokenId"]) for a in p["Alignment"]}
            gold = Derivation(p["Template"], alignment)
            try:
                assert derivations_equivalent(gold, gold, p["Equiv"]), p["iIndex"]
            except NumberClassesError:
                pytest.fail(f"groups of {p['iIndex']} are no partition")
