"""Agreement: the published examples of alpha, and simulated annotators whose agreement is known in advance."""

from __future__ import annotations

import random
import re
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from statistics import median

import pytest
from annotation.simulated import TIES, TWO_QUESTIONS, Choices, annotate, as_stored, gold_choices, sample_problems
from hypothesis import given
from hypothesis import strategies as st

from draw_dataset.annotate.decisions import StoredProblem
from draw_dataset.annotate.outcome import compare, measure_agreement, nominal_alpha
from draw_dataset.annotate.store import Store
from draw_dataset.derivation.equivalence import derivations_equivalent
from draw_dataset.derivation.problem import Problem

# The examples of Krippendorff (2011), Computing Krippendorff's Alpha-Reliability; a dot is a missing value.
PUBLISHED = [
    ("A, binary, two observers", ["0100000010", "1110010000"], "0.095"),
    ("B, nominal, two observers", ["aabbdcccedda", "babbbcccedda"[:11] + "d"], "0.692"),
    (
        "C, nominal, four observers, missing data",
        ["123321412...", "1233224125.3", ".3332342251.", "12332441251."],
        "0.743",
    ),
]


def by_unit(observers: Sequence[str]) -> list[list[Hashable]]:
    return [[value for value in unit if value != "."] for unit in zip(*observers, strict=True)]


@pytest.mark.parametrize(("observers", "published"), [p[1:] for p in PUBLISHED], ids=[p[0] for p in PUBLISHED])
def test_alpha_of_the_published_examples(observers: list[str], published: str) -> None:
    alpha = nominal_alpha(by_unit(observers))
    assert alpha is not None
    assert f"{float(alpha):.3f}" == published


def test_alpha_by_hand() -> None:
    # Three units of two: aa, ab, bb. Unequal ordered pairs within: 2 of 6 values; among all values: 3*3*2 = 18 of 30.
    assert nominal_alpha(["aa", "ab", "bb"]) == 1 - Fraction(2, 6) / Fraction(18, 30) == Fraction(4, 9)


def test_alpha_is_one_for_full_agreement_and_undefined_without_variation() -> None:
    assert nominal_alpha(["aa", "bbb"]) == 1
    assert nominal_alpha(["aa", "aaa"]) is None
    assert nominal_alpha(["a", "b"]) is None
    assert nominal_alpha([]) is None


def literal_alpha(units: Sequence[Sequence[Hashable]]) -> Fraction | None:
    """Return alpha by its coincidence matrix, cell by cell as in the publication."""
    cells: dict[tuple[Hashable, Hashable], Fraction] = {}
    for unit in units:
        for pair in permutations(range(len(unit)), 2):
            key = unit[pair[0]], unit[pair[1]]
            cells[key] = cells.get(key, Fraction(0)) + Fraction(1, len(unit) - 1)
    values = {value for pair in cells for value in pair}
    totals = {v: sum((n for (a, _), n in cells.items() if a == v), Fraction(0)) for v in values}
    n = sum(totals.values(), Fraction(0))
    expected = sum((totals[a] * totals[b] for a, b in permutations(values, 2)), Fraction(0))
    observed = sum((count for (a, b), count in cells.items() if a != b), Fraction(0))
    return None if expected == 0 else 1 - (n - 1) * observed / expected


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=5), max_size=12))
def test_alpha_is_that_of_the_coincidence_matrix(units: list[list[str]]) -> None:
    assert nominal_alpha(units) == literal_alpha(units)


# Simulated annotators


@pytest.fixture(scope="module")
def golds() -> dict[int, tuple[Problem, Choices]]:
    """The sample's problems that need a person, each with what an annotator who knows gold chooses."""
    from draw_dataset.annotate.decisions import fresh_work

    found: dict[int, tuple[Problem, Choices]] = {}
    for problem, stored in zip(sample_problems(), as_stored(sample_problems()), strict=True):
        proposal = fresh_work(stored, "").proposal
        if proposal is not None and proposal.questions:
            choices = gold_choices(proposal, problem)
            assert choices is not None, problem.id
            found[problem.id] = problem, choices
    return found


@pytest.fixture
def sample_store(tmp_path: Path, golds: dict[int, tuple[Problem, Choices]]) -> Iterator[Store]:
    with Store.open(tmp_path / "sample.db", create=True) as store:
        store.add_problems(as_stored([problem for problem, _ in golds.values()]))
        for name in ("Ann", "Bob", "Carol"):
            store.add_annotator(name)
        yield store


def wrong_choices(store: Store, problem: Problem, right: Choices) -> Choices | None:
    """Return choices with one literal moved to a number of another meaning so that the derivation changes."""
    work = store.work(problem.id, "Ann")
    assert work.proposal is not None
    classes = problem.number_classes

    def meaning(place: list[int] | None) -> object:
        return None if place is None else classes.of_place((place[0], place[1]))

    for literal in work.proposal.questions:
        for origin in work.proposal.literals[literal].origins:
            place = None if origin.number is None else [origin.number.sentence or 0, origin.number.token]
            if meaning(place) == meaning(right[literal]):
                continue
            changed = {**right, literal: place}
            chosen = {
                i: work.proposal.origin(i, None if p is None else work.number_at((p[0], p[1])))
                for i, p in changed.items()
            }
            derivation = work.proposal.derive(chosen)
            if not derivations_equivalent(derivation, problem.derivation, problem.number_classes):
                return changed
    return None


def test_a_pair_with_eight_percent_wrong_alignments_has_the_agreement_that_was_put_in(
    sample_store: Store, golds: dict[int, tuple[Problem, Choices]]
) -> None:
    pool = list(golds)[:50]
    wrong = {id_: choices for id_ in pool if (choices := wrong_choices(sample_store, *golds[id_])) is not None}
    erring = set(random.Random(8).sample(sorted(wrong), 4))  # exactly 8 % of 50
    for id_ in pool:
        problem, right = golds[id_]
        annotate(sample_store, id_, "Ann", right, problem)
        annotate(sample_store, id_, "Bob", wrong[id_] if id_ in erring else right, problem)
    found = measure_agreement(sample_store.works())
    assert found.problems == 50
    for field in ("alignment", "derivation", "annotation"):
        assert (found.fields[field].agreeing, found.fields[field].compared) == (46, 50), field
        assert found.fields[field].percent == 92.0
    assert found.fields["equiv_tnum"].percent == 100.0
    assert {d.problem_id for d in found.disagreements} == erring
    for disagreement in found.disagreements:
        assert {"alignment", "derivation", "annotation"} <= set(disagreement.comparison.differing)
        assert len(disagreement.comparison.details) == 1  # the one literal that was moved
    # Alpha of the alignment by hand: each question is a unit, Bob differs from Ann in the moved literals only.
    assert found.fields["alignment"].alpha == alpha_by_hand(sample_store, pool)


def alpha_by_hand(store: Store, pool: Sequence[int]) -> Fraction:
    """Return alpha from the ranks of the chosen candidates, by the formula for two annotators without missing values.

    Candidates that both call equivalent are counted once, as one.
    """
    pairs = []
    for id_ in pool:
        ann, bob = store.work(id_, "Ann"), store.work(id_, "Bob")
        assert ann.proposal is not None
        leader = {number: group[0] for group in ann.groups for number in group}
        for literal in ann.proposal.questions:
            numbers = [origin.number for origin in ann.proposal.literals[literal].origins]
            candidates = list(dict.fromkeys(None if n is None else leader.get(n, n) for n in numbers))
            chosen = [n and leader.get(n, n) for n in (work.chosen[literal].number for work in (ann, bob))]
            if len(candidates) > 1:
                # A constant that was not proposed has no rank, but is a value of its own.
                pairs.append([candidates.index(n) if n in candidates else -1 for n in chosen])
    values = [rank for pair in pairs for rank in pair]
    observed = Fraction(sum(a != b for a, b in pairs), len(pairs))
    expected = Fraction(sum(a != b for a, b in permutations(values, 2)), len(values) * (len(values) - 1))
    return 1 - observed / expected


def test_wrong_groups_are_disagreements_in_equiv_tnum_only(
    sample_store: Store, golds: dict[int, tuple[Problem, Choices]]
) -> None:
    grouped = [id_ for id_, (problem, _) in golds.items() if problem.equiv_tnum][:10]
    for id_ in grouped:
        problem, right = golds[id_]
        annotate(sample_store, id_, "Ann", right, problem)
        annotate(sample_store, id_, "Bob", right, None if id_ in grouped[:3] else problem)
    found = measure_agreement(sample_store.works())
    assert len(grouped) == 10
    assert {name: field.percent for name, field in found.fields.items()} == {
        "alignment": 100.0, "equiv_tnum": 70.0, "template": 100.0, "derivation": 100.0, "annotation": 70.0,
        "asked": None, "roles": None,
    }  # fmt: skip
    assert {d.problem_id for d in found.disagreements} == set(grouped[:3])
    assert all(d.comparison.differing == ("equiv_tnum", "annotation") for d in found.disagreements)
    assert all(re.search("Ann.*Bob", d.comparison.details[0]) for d in found.disagreements)


def test_three_annotators_who_have_not_all_done_everything(
    sample_store: Store, golds: dict[int, tuple[Problem, Choices]]
) -> None:
    first, second, third = list(golds)[:3]
    for name, ids in {"Ann": [first, second, third], "Bob": [first, second], "Carol": [first]}.items():
        for id_ in ids:
            annotate(sample_store, id_, name, golds[id_][1], golds[id_][0])
    sample_store.decide(second, "Carol", "skip")
    found = measure_agreement(sample_store.works())
    assert (found.problems, found.fields["annotation"].compared) == (2, 3 + 1)
    assert found.fields["annotation"].percent == 100.0
    assert found.disagreements == ()


def test_seconds_are_the_median_of_what_was_submitted(store: Store) -> None:
    annotate(store, 7, "Ann", {0: [0, 0]}, seconds=10)
    annotate(store, 8, "Ann", {0: [0, 2], 1: [0, 5], 2: [1, 2]}, seconds=20)
    annotate(store, 7, "Bob", {0: [0, 0]}, seconds=30)
    store.decide(8, "Bob", "skip", seconds=1000)
    found = measure_agreement(store.works())
    assert found.seconds_by_annotator == {"Ann": median([10, 60]), "Bob": 30}
    assert found.median_seconds == 30
    assert measure_agreement([]).median_seconds is None


def test_choices_between_numbers_that_both_call_equivalent_agree(store: Store) -> None:
    for name, place in (("Ann", [0, 0]), ("Bob", [0, 2])):
        store.decide(7, name, "equivalent", {"places": [[0, 0], [0, 2]]})
        annotate(store, 7, name, {0: place})
    found = measure_agreement(store.works())
    assert all(field.percent == 100.0 for field in found.fields.values() if field.compared)
    assert found.fields["alignment"].units == 0  # one class of candidates is no question


def test_choices_between_numbers_that_one_calls_equivalent_do_not_agree(store: Store) -> None:
    store.decide(7, "Ann", "equivalent", {"places": [[0, 0], [0, 2]]})
    annotate(store, 7, "Ann", {0: [0, 0]})
    annotate(store, 7, "Bob", {0: [0, 2]})
    found = compare(*store.works(7))
    assert found.differing == ("alignment", "equiv_tnum", "derivation", "annotation")


def test_literals_that_may_change_places_are_no_disagreement(store: Store) -> None:
    store.add_problems([StoredProblem(1, "Add 3 pears and 3 plums .", ("x = 3 + 3",))])
    annotate(store, 1, "Ann", {0: [0, 1], 1: [0, 4]})
    annotate(store, 1, "Bob", {0: [0, 4], 1: [0, 1]})
    assert compare(*store.works(1)).differing == ()
    assert measure_agreement(store.works()).fields["alignment"].alpha == 1


def test_one_number_or_two_that_mean_the_same_make_different_templates_of_one_alignment(store: Store) -> None:
    store.add_problems([StoredProblem(1, "Ann has 3 pears . Those 3 pears weigh 9 .", ("x = 3", "y = 3*9"))])
    for name, place in (("Ann", [0, 2]), ("Bob", [1, 1])):
        store.decide(1, name, "equivalent", {"places": [[0, 2], [1, 1]]})
        annotate(store, 1, name, {0: [0, 2], 1: place})
    found = compare(*store.works(1))
    assert found.differing == ("template", "derivation", "annotation")
    (detail,) = found.details
    assert re.search(r"m = q1; n = q1\*q3 .*Ann.* m = q1; n = q2\*q3 .*Bob", detail)


def test_a_constant_in_place_of_a_number_changes_the_template(store: Store) -> None:
    annotate(store, 7, "Ann", {0: [0, 0]})
    annotate(store, 7, "Bob", {0: None})
    found = compare(*store.works(7))
    assert found.differing == ("alignment", "template", "derivation", "annotation")
    (detail,) = found.details
    assert re.search(r'^2 .*"Two" \(q1\).*Ann.*Bob', detail)


def test_works_on_differently_edited_texts_are_compared_number_by_number(store: Store) -> None:
    store.decide(8, "Ann", "edit", {"question": "Listen : " + TWO_QUESTIONS.question})
    annotate(store, 8, "Ann", {0: [0, 4], 1: [0, 7], 2: [1, 2]})
    annotate(store, 8, "Bob", {0: [0, 2], 1: [0, 5], 2: [1, 2]})
    found = compare(*store.works(8))
    assert found.differing == ("text",)
    (detail,) = found.details
    assert re.search("Ann.*Bob", detail)
    store.decide(8, "Bob", "reopen")
    annotate(store, 8, "Bob", {0: [0, 8]})
    assert compare(*store.works(8)).differing == ("alignment", "derivation", "annotation", "text")
    assert compare(*reversed(store.works(8))).differing == ("alignment", "derivation", "annotation", "text")


def test_alpha_of_someone_who_always_takes_the_first_is_at_the_level_of_chance(tmp_path: Path) -> None:
    with Store.open(tmp_path / "work.db", create=True) as store:
        store.add_problems([StoredProblem(i, TIES.question, TIES.equations) for i in range(40)])
        for name in ("Ann", "Bob"):
            store.add_annotator(name)
        for i in range(40):
            annotate(store, i, "Ann", {0: [0, 0]})
            annotate(store, i, "Bob", {0: [0, 0] if i % 2 else [0, 2]})
        found = measure_agreement(store.works()).fields["alignment"]
    assert found.percent == 50.0
    assert found.alpha is not None
    assert found.alpha < 0
