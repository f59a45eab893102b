"""Systems that a search over renamings could not finish: many slots, much symmetry, and their near misses."""

from __future__ import annotations

import random
from itertools import islice, pairwise

import pytest

from draw_dataset import Derivation, Template, all_slot_maps, canonical_key, derivations_equivalent, find_slot_map
from draw_dataset import templates_equivalent as equivalent
from draw_dataset.errors import LimitError

LETTERS = "abcdefghijkl"


def rename(template: str, seed: int) -> str:
    shuffled = random.Random(seed).sample(LETTERS, len(LETTERS))
    return template.translate(str.maketrans(LETTERS, "".join(shuffled)))


DENSE_2X2 = "(a+b)*m + (c-d)*n = e*f; (g*h)*m + (i+2*j)*n = k - l"
DENSE_3X3 = "a*m + b*n + c*o = d; e*m + f*n + g*o = h; i*m + j*n + k*o = l"
PAIRS_OF_PAIRS = "m = a*b + c*d + e*f + g*h + i*j + k*l"
CUBE = "m = a*b+b*c+c*d+d*a + e*f+f*g+g*h+h*e + a*e+b*f+c*g+d*h + i*j*k*l"
CANCELLED = "m = a - " + " - ".join(f"{s} + {s}" for s in LETTERS[1:])


@pytest.mark.parametrize(
    ("template", "near_miss"),
    [
        ("m = " + "+".join(LETTERS), "m = " + "+".join(LETTERS[:-1]) + "-l"),
        ("m = " + "*".join(LETTERS), "m = " + "*".join(LETTERS[:-1]) + "/l"),
        (DENSE_2X2, DENSE_2X2.replace("2*j", "3*j")),
        (DENSE_3X3, DENSE_3X3.replace("= l", "= l*a - l*a - l + 2*l*d/d - 1 + c/c + a - b")),
        (DENSE_3X3, DENSE_3X3.replace("k*o = l", "l*o = k").replace("a*m", "2*a*m")),
        (PAIRS_OF_PAIRS, PAIRS_OF_PAIRS.replace("k*l", "k*l*l/k")),
        (CUBE, CUBE.replace("a*e+b*f+c*g+d*h", "a*e+b*f+c*h+d*g")),
        (CANCELLED, CANCELLED.replace("l + l", "l + 2*l")),
    ],
    ids=["sum", "product", "2x2", "3x3", "3x3 scaled", "pairs", "cube", "cancelled"],
)
def test_twelve_slots(template: str, near_miss: str) -> None:
    for seed in range(3):
        other = rename(template, seed)
        assert equivalent(template, other)
        slot_map = find_slot_map(template, other)
        assert slot_map is not None
        alignment = {slot: (0, i) for i, slot in enumerate(sorted(slot_map))}
        moved = {slot_map[slot]: place for slot, place in alignment.items()}
        assert derivations_equivalent(Derivation(template, alignment), Derivation(other, moved))
        assert not equivalent(template, rename(near_miss, seed))
        assert canonical_key(template) == canonical_key(other)


def test_slot_maps_come_lazily_and_once() -> None:
    template = "m = " + "+".join(LETTERS)
    maps = [tuple(m.values()) for m in islice(all_slot_maps(template, rename(template, 5)), 500)]
    assert len(set(maps)) == 500


def test_slot_maps_of_pairs_of_pairs() -> None:
    assert sum(1 for _ in all_slot_maps("m = a*b + c*d + e*f", "m = a*b + c*d + e*f")) == 2**3 * 6


def test_twelve_numbers_of_one_class() -> None:
    """One class fills all slots, so every alignment is the same: found without 12! tries."""
    places = [(0, i) for i in range(12)]
    gold = Derivation(DENSE_3X3, dict(zip(LETTERS, places, strict=True)))
    swapped = Derivation(DENSE_3X3, dict(zip(LETTERS, reversed(places), strict=True)))
    assert derivations_equivalent(swapped, gold, [places])
    assert not derivations_equivalent(swapped, gold)


def test_underdetermined_systems_with_many_unknowns_are_refused_not_tried() -> None:
    names = [f"x{i}" for i in range(8)]
    text = " + ".join(names) + " = 1"
    with pytest.raises(LimitError, match="at most 5 unknowns"):
        canonical_key(Template(text, slots=[]))


def test_many_unknowns_with_a_unique_solution() -> None:
    names = [f"x{i}" for i in range(8)]
    chain = "; ".join([f"{names[0]} = a"] + [f"{y} = {x} + b" for x, y in pairwise(names)])
    back = "; ".join([f"{y} - {x} = p" for x, y in pairwise(names)] + [f"{names[0]} = q"])
    assert equivalent(Template(chain, unknowns=names), Template(back, unknowns=names))


def test_large_determinants_are_refused_within_bounds() -> None:
    row = "(" + "+".join(f"{s}^2*{t}" for s in LETTERS for t in LETTERS if s != t) + ")"
    text = "; ".join(f"{row}*{u} + {row}*{v} = {row}" for u, v in ("mn", "no", "om"))
    with pytest.raises(LimitError, match="expected"):
        canonical_key(text)
