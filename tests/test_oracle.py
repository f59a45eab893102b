"""The referee itself, on templates whose answer can be seen by hand."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction
from pathlib import Path

import pytest
from oracle import (
    Position,
    SlotMap,
    Template,
    align_equiv,
    all_pairs,
    classes,
    derivation_equiv,
    read_template,
    solve_exact,
    template_equiv,
    template_equiv_floats,
)

PAPER_1 = read_template(["m = A + B * n", "m = C - n"])
PAPER_2 = read_template(["m + n = A", "m - C * n = B"])

ONE, THREE, FOUR, OTHER_FOUR = (
    (0, 1),
    (0, 3),
    (1, 0),
    (2, 5),
)  # where the numbers of the paper's example may stand


class Scripted(random.Random):
    """Draws the given numbers first, to put bad luck where a test wants it."""

    def __init__(self, first: list[int]) -> None:
        super().__init__(0)
        self.first = first

    def randint(self, a: int, b: int) -> int:
        return self.first.pop(0) if self.first else super().randint(a, b)


def both(t1: Template, t2: Template) -> list[SlotMap]:
    """The mappings, on which exact numbers and floats must agree."""

    def in_order(gammas: list[SlotMap]) -> list[SlotMap]:
        return sorted(gammas, key=lambda gamma: sorted(gamma.items()))

    exact = in_order(template_equiv(t1, t2))
    assert in_order(template_equiv_floats(t1, t2)) == exact
    return exact


# --- Reading and solving ---


@pytest.mark.parametrize(
    ("equation", "solution"),
    [
        ("m = a / b * c", Fraction(2 * 5, 3)),
        ("m = a / b / c", Fraction(2, 15)),
        ("m = c * 1 / 60", Fraction(5, 60)),
        ("m - -3 * a = 0.01", Fraction(1, 100) - 6),
        ("m=  - - 3 *a -.5", Fraction(11, 2)),
        ("a - a + 2 * m = b", Fraction(3, 2)),
        ("a * m = b * m + c", Fraction(-5)),
    ],
)
def test_reads_the_grammar_of_the_release(equation: str, solution: Fraction) -> None:
    template = read_template([equation])
    values = {slot: value for slot, value in {"a": 2, "b": 3, "c": 5}.items() if slot in template.slots}
    assert solve_exact(template, values).unique == (solution,)
    assert [row[1] / row[0] for row in template.float_rows(*values.values())] == pytest.approx([float(solution)])


@pytest.mark.parametrize(
    ("equation", "complaint"),
    [
        ("m + n", "one '='"),
        ("m = a = b", "one '='"),
        ("m = 2 a", "expected + - * or /, but got 'a'"),
        ("m = ( a )", "but got '('"),
        ("m = a *", "but got 'the end'"),
        ("m = ", "but got 'the end'"),
        ("m = 1.2.3", "but got '.3'"),
        ("m * n = a", "not linear"),
        ("a / m = b", "not linear"),
        ("m = a / 0", "division by zero"),
    ],
)
def test_refuses_what_is_not_of_the_grammar(equation: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        read_template([equation])


def test_solutions_are_unordered() -> None:
    assert solve_exact(PAPER_1, {"A": 1, "B": 3, "C": 4}).unique == (Fraction(3, 4), Fraction(13, 4))
    swapped = read_template(["n = A + B * m", "n = C - m"])
    assert solve_exact(swapped, {"A": 1, "B": 3, "C": 4}) == solve_exact(PAPER_1, {"A": 1, "B": 3, "C": 4})


def test_solution_sets_without_a_unique_member_are_told_apart() -> None:
    line = solve_exact(read_template(["m - 2 * n = 1"]), {})
    assert (line.kind, line.unique) == ("many", None)
    assert line == solve_exact(read_template(["3 * n - 6 * m = 3", "4 * m = 2 * n - 2"]), {})  # m and n renamed
    assert line != solve_exact(read_template(["m - 3 * n = 1"]), {})
    assert line != solve_exact(read_template(["m - 2 * n = 1", "o = o"]), {})
    nothing = solve_exact(read_template(["m + n = 1", "m + n = 2"]), {})
    assert nothing.kind == "none"
    assert nothing == solve_exact(read_template(["0 * m = 1", "n = 3"]), {})
    assert nothing != solve_exact(read_template(["0 * m = 1"]), {})


# --- TemplEquiv ---


def test_templates_of_the_paper_are_equivalent_under_its_renaming() -> None:
    assert both(PAPER_1, PAPER_2) == [{"A": "B", "B": "C", "C": "A"}]
    assert both(PAPER_2, PAPER_1) == [{"A": "C", "B": "A", "C": "B"}]


def test_symmetric_slots_give_every_mapping() -> None:
    total = read_template(["m = a + b + c"])
    assert len(both(total, read_template(["c = m - b - a"]))) == 6
    assert both(total, read_template(["m = a + b - c"])) == []


def test_different_numbers_of_slots_have_no_mapping() -> None:
    assert both(read_template(["m = a"]), read_template(["m = a + b"])) == []


def test_zero_slots_have_the_empty_mapping() -> None:
    assert both(read_template(["2 * m = 1"]), read_template(["m = .5"])) == [{}]
    assert both(read_template(["2 * m = 1"]), read_template(["m = 2"])) == []


def test_cancelling_slots_still_count() -> None:
    cancelled = read_template(["a * m = a * b"])
    assert both(cancelled, read_template(["m = b"])) == []
    assert both(cancelled, read_template(["m + b - b = a"])) == [{"a": "b", "b": "a"}]
    both_cancel = read_template(["m + a + b = 3 + b + a"])
    assert len(both(both_cancel, both_cancel)) == 2


def test_number_of_unknowns_must_agree() -> None:
    assert both(read_template(["m = a"]), read_template(["m = a", "n = a"])) == []


def test_under_determined_templates_are_compared_by_solution_set() -> None:
    line = read_template(["a * m - b * n = c"])
    # Renaming the unknowns exchanges a and b and turns the sign of c: no slot mapping mends that.
    assert both(line, line) == [{"a": "a", "b": "b", "c": "c"}]
    assert both(read_template(["a * m + b * n = c"]), read_template(["c * m = a - b * n", "m = m"])) == [
        {"a": "b", "b": "c", "c": "a"},
        {"a": "c", "b": "b", "c": "a"},
    ]
    assert both(line, read_template(["a * m - b * n = c", "m + n = 1"])) == []


def test_inconsistent_templates_are_not_those_that_hold_always() -> None:
    never, always = read_template(["0 * m = a"]), read_template(["m + a = a + m"])
    assert both(never, always) == []
    assert both(never, never) == both(always, always) == [{"a": "a"}]


def test_a_singular_draw_is_drawn_again() -> None:
    roundabout = read_template(["a * m - b * m = a * c - b * c"])
    plain = read_template(["m + a - a = c + b - b"])
    bad_luck = [5, 5, 7]  # a = b: every m would do for the one, only 7 for the other
    assert template_equiv(roundabout, plain, rng=Scripted(bad_luck * 3)) == [
        {"a": "a", "b": "b", "c": "c"},
        {"a": "b", "b": "a", "c": "c"},
    ]
    pairs = {(i, j): gammas for i, j, gammas in all_pairs([roundabout, plain], rng=Scripted(bad_luck * 3))}
    assert len(pairs[0, 1]) == 2


# --- AlignEquiv and Algorithm 1 ---


@pytest.mark.parametrize("floats", [False, True], ids=["exact", "floats"])
@pytest.mark.parametrize(
    ("gold", "equiv", "verdict"),
    [
        pytest.param({"B": ONE, "C": THREE, "A": FOUR}, [], True, id="respects the renaming"),
        pytest.param({"A": ONE, "B": THREE, "C": FOUR}, [], False, id="same letters, other meaning"),
        pytest.param({"B": ONE, "C": THREE, "A": OTHER_FOUR}, [], False, id="equal value elsewhere"),
        pytest.param({"B": ONE, "C": THREE, "A": OTHER_FOUR}, [[OTHER_FOUR, FOUR]], True, id="equivalent number"),
        pytest.param({"B": ONE, "C": THREE, "A": OTHER_FOUR}, [[OTHER_FOUR], [FOUR]], False, id="two groups"),
    ],
)
def test_alignments_of_the_paper(
    gold: dict[str, Position], equiv: list[list[Position]], verdict: bool, floats: bool
) -> None:
    predicted = {"A": ONE, "B": THREE, "C": FOUR}
    assert derivation_equiv(PAPER_1, predicted, PAPER_2, gold, equiv, floats=floats) is verdict
    assert derivation_equiv(PAPER_2, gold, PAPER_1, predicted, equiv, floats=floats) is verdict


def test_any_one_of_the_mappings_will_do() -> None:
    total = read_template(["m = a + b"])
    assert derivation_equiv(total, {"a": ONE, "b": THREE}, total, {"a": THREE, "b": ONE})
    assert not derivation_equiv(total, {"a": ONE, "b": THREE}, total, {"a": ONE, "b": FOUR})


def test_zero_slot_derivations_need_no_alignment() -> None:
    assert derivation_equiv(read_template(["2 * m = 1"]), {}, read_template(["m = .5"]), {})
    assert not derivation_equiv(read_template(["2 * m = 1"]), {}, read_template(["m = a"]), {"a": ONE})


def test_align_equiv_holds_in_both_directions() -> None:
    gamma = {"a": "x", "b": "y"}
    assert align_equiv([gamma], {"a": ONE, "b": FOUR}, {"x": ONE, "y": FOUR}, [])
    assert not align_equiv([gamma], {"a": ONE}, {"x": ONE, "y": FOUR}, [])
    assert not align_equiv([gamma], {"a": ONE, "b": FOUR}, {"x": ONE}, [])
    assert not align_equiv([], {}, {}, [])


def test_a_derivation_aligns_every_slot() -> None:
    with pytest.raises(ValueError, match="must align"):
        derivation_equiv(PAPER_1, {"A": ONE}, PAPER_2, {"A": ONE, "B": THREE, "C": FOUR})


# --- Many templates ---


def test_all_pairs_agrees_with_one_pair_at_a_time() -> None:
    templates = [
        PAPER_1,
        PAPER_2,
        read_template(["m = a + b + c"]),
        read_template(["a * m = b"]),
        read_template(["a * m - b * n = c"]),
        read_template(["b = m * a"]),
        read_template(["m = 1"]),
    ]
    pairs = list(all_pairs(templates))
    assert len(pairs) == 4 * 5 // 2 + 2 * 3 // 2 + 1
    for i, j, gammas in pairs:
        assert gammas == template_equiv(templates[i], templates[j])
    assert classes(len(templates), pairs) == [[0, 1], [2], [3, 5], [4], [6]]


@pytest.mark.release
def test_classes_of_the_released_templates(release_dir: Path) -> None:
    released = {
        name: {tuple(problem["Template"]) for problem in json.loads((release_dir / f"{name}.json").read_text())}
        for name in ("draw", "kushman", "dolphin_t2_final")
    }
    texts = sorted(set().union(*released.values()))
    pairs = list(all_pairs([read_template(text) for text in texts]))
    groups = classes(len(texts), pairs)
    assert (len(texts), len(pairs), len(groups)) == (392, 22_430, 382)
    counts = {name: sum(any(texts[i] in own for i in group) for group in groups) for name, own in released.items()}
    assert counts == {"draw": 226, "kushman": 24, "dolphin_t2_final": 209}
    equivalent = {(i, j) for i, j, gammas in pairs if gammas}
    assert equivalent == {(i, j) for group in groups for i in group for j in group if i <= j}  # transitive
