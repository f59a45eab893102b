"""The fast search against the literal one: every candidate, every feature by name, every solution exactly."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest

from draw_dataset import Problem, SolutionKind, Template, find_slot_map
from draw_dataset.data.sample import load_sample
from draw_dataset.solver.arrays import (
    PARTS,
    SINGULAR,
    SystemSolver,
    all_ways,
    is_enumerable,
    is_repeated,
    least_row,
    unpack,
)
from draw_dataset.solver.model import Model
from draw_dataset.solver.search import Searcher, attributes_of, encode_text
from draw_dataset.solver.templates import Inventory, TemplateClass, structure_of, symmetries
from draw_dataset.solver.text import TaggedText


def test_a_score_is_the_sum_of_its_named_features(model: Model, problems: list[Problem]) -> None:
    text = TaggedText.of_problem(problems[30])
    seen = attributes_of(text, model.features)
    encoded = encode_text(text, seen, model.attributes)
    searcher = Searcher(model.layout, model.weights)
    chosen = model.chosen(encoded)
    tried = 0
    for candidates, scores in searcher.score_all(encoded, chosen, searcher.candidates(encoded, chosen)):
        group = model.layout.groups[candidates.group]
        for t, c in np.argwhere(np.isfinite(scores)):
            structure = model.inventory.classes[group.members[candidates.which[t]]].structure
            row = candidates.ways.rows[c].tolist()
            parts = unpack(int(candidates.codes[t, c]))
            expected = literal_score(model, seen, structure, row, parts)
            assert scores[t, c] == expected
            tried += 1
    assert tried >= 4


def literal_score(model: Model, seen: dict, structure, row: list[int], parts: tuple[int, ...]) -> float:  # type: ignore[no-untyped-def, type-arg]
    features, n = model.features, len(seen["number"])
    total = weigh(model, "text", seen["text"][0], features.text_columns(structure))
    total += weigh(model, "solution", features.solution_attributes(parts), features.solution_columns(structure))
    for slot, number in enumerate(row):
        total += weigh(model, "number", seen["number"][number], features.slot_columns(structure, slot))
    for i, j in permutations(range(len(row)), 2):
        total += weigh(model, "pair", seen["pair"][row[i] * n + row[j]], features.pair_columns(structure, i, j))
    return total


def weigh(model: Model, kind: str, attributes: list[str], columns: list[str]) -> float:
    rows = model.attributes[kind].known(attributes)
    return sum(float(model.weights[kind][r, c]) for r in rows for c in model.layout.columns[kind].known(columns))


def test_codes_say_what_exact_solutions_are() -> None:
    templates = {p.derivation.template for split in load_sample().values() for p in split}
    inventory = Inventory.of(sorted(templates, key=str), reconciled=True)
    numbers = [Fraction(3), Fraction(5, 2), Fraction(20), Fraction(1, 4), Fraction(3)]
    values = np.array([float(v) for v in numbers])
    rng = np.random.default_rng(5)
    checked = singular = 0
    for c in inventory.classes:
        if not is_enumerable(len(numbers), len(c.slots)) or len(c.slots) > len(numbers):
            continue
        ways = all_ways(len(numbers), len(c.slots))
        codes = SystemSolver([c]).codes(ways.rows, values)[0]
        for at in rng.permutation(len(ways.rows))[:12]:
            exact = c.template.solve(dict(zip(c.slots, [numbers[i] for i in ways.rows[at]], strict=True)))
            if exact.kind is not SolutionKind.UNIQUE:
                assert codes[at] == SINGULAR, (c.template, ways.rows[at])
                singular += 1
                continue
            found = list(exact.values.values())
            parts = [PARTS[i][part] for i, part in enumerate(unpack(int(codes[at])))]
            sign = "negative" if any(v < 0 for v in found) else "zero" if 0 in found else "positive"
            whole = all(v.denominator == 1 for v in found)
            hundredths = all((100 * v).denominator == 1 for v in found)
            largest = max(abs(v) for v in found)
            size = "far above" if largest > 200 else "above" if largest > 20 else "below"
            assert parts == [
                ("one", "two", "three")[len(found) - 1],
                sign,
                "whole" if whole else "hundredths" if hundredths else "fractional",
                size,
                "repeats a number" if set(found) & set(numbers) else "new",
                "equal" if len(set(found)) < len(found) else "different",
                "between 0 and 1" if any(0 < v < 1 for v in found) else "outside 0 to 1",
            ], (c.template, found)
            checked += 1
    assert checked > 300
    assert singular > 5


@pytest.mark.parametrize(
    ("text", "order"),
    [("m + n = a; m - n = b", 1), ("m = a*b", 2), ("a*m + b*n = c; d*m + e*n = f", 4), ("m = a + b + c", 6)],
)
def test_each_derivation_is_tried_once(text: str, order: int) -> None:
    template = Template(text)
    automorphisms = symmetries(template, template.slots)
    assert len(automorphisms) == order
    slots = len(template.slots)
    ways = all_ways(6, slots)
    kept = ways.rows[~is_repeated(6, slots, automorphisms)]
    assert len(kept) * order == len(ways.rows)
    assert {least_row(row, automorphisms) for row in ways.rows.tolist()} == {tuple(row) for row in kept.tolist()}


def test_equivalent_templates_number_their_slots_alike() -> None:
    one, other = Template("a*m + b*n = c; m + n = d"), Template("n = p - m; q*n = r - s*m", unknowns="mn")
    renaming = find_slot_map(one, other)
    assert renaming is not None
    first, second = TemplateClass.of(one, 3, reconciled=True), TemplateClass.of(other, 3, reconciled=True)
    assert first.structure.key == second.structure.key
    automorphisms = second.structure.automorphisms
    mapped = [second.slots.index(renaming[slot]) for slot in first.slots]
    assert tuple(mapped) in automorphisms


def test_names_of_slots_and_pairs_respect_symmetry() -> None:
    template = Template("a*m + b*n = c; d*m + e*n = f")
    structure = structure_of(template, "key", template.slots)
    assert structure.orbits == (0, 0, 2, 0, 0, 2)
    for g in structure.automorphisms:
        for i, j in combinations(range(6), 2):
            assert structure.pair_name(i, j) == structure.pair_name(g[i], g[j])
    assert structure.relation(0, 1) == "e--"  # a and b: one equation, two unknowns
    assert structure.relation(0, 3) == "-u-"  # a and d: one unknown, two equations
    assert structure.relation(0, 4) == "---"


def test_only_coefficients_make_a_system_singular() -> None:
    template = Template("0.01*a*m + 0.01*b*n = c; m + n = d")
    solver = SystemSolver([TemplateClass.of(template, 3, reconciled=False)])
    rows = np.array([[0, 1, 2, 3], [0, 0, 2, 3]])
    values = np.array([5.0, 5.25, 60_000_000.0, 1_150_000_000.0])
    _, unique = solver.solve(rows, values)
    assert unique.tolist() == [[True, False]]
