"""Other names, other things, another order, and distractors: which texts are changed, how, and which are left alone."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from importlib.resources import files
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_dataset import Problem, canonical_key, make_variants
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.errors import RowError
from draw_dataset.text.lexicon import split_words
from draw_dataset.text.numbers import find_numbers, locate_numbers
from draw_dataset.variants.fields import CannotVary
from draw_dataset.variants.making import REWRITERS, Variant
from draw_dataset.variants.people import Cast
from draw_dataset.variants.rebuilding import Edit, rebuild
from draw_dataset.variants.things import SETS, Inventory
from draw_dataset.variants.traps import MIDDLE, TrapMaker

SAMPLE = [problem for problems in load_sample().values() for problem in problems]
problems = st.sampled_from(SAMPLE)
seeds = st.integers(0, 10**6)
own = st.sampled_from(["names", "objects", "order"])


def problem_of(text: str, template: str, *ranks: int, roles: dict[str, str] | None = None, **more: Any) -> Problem:
    """Return a solved problem whose slots a, b, c … hold the numbers of given ranks."""
    numbers, _ = locate_numbers(text)
    by_slot = dict(zip("abcdef", [numbers[rank - 1] for rank in ranks], strict=False))
    solution = Derivation(template.split("; "), by_slot).solve()
    return Problem.from_row(
        {
            "id": 1,
            "question": text,
            "equations": [],
            "solutions": [float(value) for value in solution.numbers],
            "template": template.split("; "),
            "alignment": [
                {"slot": slot, "sentence": n.sentence, "token": n.token, "value": float(n.value or 0)}
                for slot, n in by_slot.items()
            ],
            "equiv_tnum": [],
            "roles": roles or {},
            "numbers": [
                {"index": n.index, "sentence": n.sentence, "token": n.token, "start": n.start, "end": n.end}
                | {"text": n.text, "value": float(n.value or 0)}
                for n in numbers
            ],
            **more,
        }
    )


def texts(problem: Problem, kind: str, count: int = 10) -> list[str]:
    return [row["question"] for row in make_variants([problem], count, 0, kinds=[kind])]


SHARED = "Mona has 3 pears and James has 5 plums . Mona 's aunt gives her 4 more pears . How many pears has Mona ?"


# What holds of every variant.


@settings(max_examples=60)
@given(problems, seeds, own)
def test_other_words_keep_the_numbers_the_template_and_the_answer(problem: Problem, seed: int, kind: str) -> None:
    for row in make_variants([problem], 2, seed, kinds=[kind]):
        variant = Problem.from_row(row)
        assert sorted(n.value or 0 for n in variant.numbers) == sorted(n.value or 0 for n in problem.numbers)
        assert sorted(variant.solutions) == sorted(problem.solutions)
        assert canonical_key(variant.derivation.template) == canonical_key(problem.derivation.template)
        values = {slot: number.value for slot, number in problem.derivation.alignment.items()}
        assert {slot: number.value for slot, number in variant.derivation.alignment.items()} == values
        assert variant.question != problem.question


@settings(max_examples=30)
@given(problems, seeds, own)
def test_the_changes_of_a_variant_lead_from_the_old_text_to_the_new_one(problem: Problem, seed: int, kind: str) -> None:
    for row in make_variants([problem], 2, seed, kinds=[kind]):
        text = problem.question
        for change in sorted(row["variant"]["changes"], key=lambda change: -change["start"]):
            start, before = change["start"], change["before"]
            assert text[start : start + len(before)] == before
            text = text[:start] + change["after"] + text[start + len(before) :]
        assert text == row["question"]


@settings(max_examples=30)
@given(problems, seeds)
def test_names_and_things_move_in_the_roles_as_in_the_text(problem: Problem, seed: int) -> None:
    for kind in ("names", "objects"):
        for row in make_variants([problem], 1, seed, kinds=[kind]):
            changed = {change["before"].lower() for change in row["variant"]["changes"]} - {"a", "an"}
            roles = " ".join(one["role"] for one in row["roles"]).lower()
            assert changed.isdisjoint(re.findall(r"\w+", roles))


@settings(max_examples=40)
@given(problems, seeds)
def test_an_order_has_the_words_of_the_original(problem: Problem, seed: int) -> None:
    for row in make_variants([problem], 2, seed, kinds=["order"]):
        assert sorted(row["question"].lower().split()) == sorted(problem.question.lower().split())
        assert row["question"].split()[-6:] == problem.question.split()[-6:]


@settings(max_examples=60)
@given(problems, seeds)
def test_a_distractor_stands_between_sentences_and_is_used_by_nothing(problem: Problem, seed: int) -> None:
    for row in make_variants([problem], 2, seed, kinds=["distractor"]):
        variant = Variant.of(row)
        (change,) = row["variant"]["changes"]
        assert row["question"] == (
            problem.question[: change["start"]] + change["after"] + problem.question[change["start"] :]
        )
        assert problem.question[: change["start"]].rstrip()[-1] == "."
        assert "?" not in problem.question[: change["start"]]
        assert variant.extra_rank is not None
        extra = variant.problem.numbers[variant.extra_rank]
        assert extra.value == variant.trap == Fraction(change["value"])
        assert extra.place not in variant.problem.derivation.places
        assert [n.value for n in variant.kept_numbers] == [n.value for n in problem.numbers]
        assert variant.trap not in [n.value for n in problem.numbers]


def test_a_variant_with_a_gold_of_its_own_does_not_say_what_its_original_was() -> None:
    for kind in REWRITERS.keys() & {"names", "objects", "order"}:
        row = make_variants(SAMPLE, 1, 0, kinds=[kind])[0]
        assert Variant.of(row).has_own_gold
        assert Variant.of(row).extra_rank is None
        with pytest.raises(RowError, match=f"got {kind}"):
            Variant.of(row).original()


def test_the_rank_of_a_trap_in_front_is_0() -> None:
    for row in make_variants(SAMPLE[:20], 1, 0, kinds=["traps", "twins"]):
        assert Variant.of(row).extra_rank == 0


@pytest.mark.parametrize("kind", ["names", "objects", "order", "distractor"])
def test_rows_without_a_variant_say_why(kind: str) -> None:
    made = make_variants(SAMPLE, 1, 0, kinds=[kind])
    assert len(made)
    assert all(made.refused.values())


# Names.


def test_all_mentions_of_a_person_move_together_with_possessives_and_roles() -> None:
    problem = problem_of(
        "James' age is 3 . JAMES is 4 years older than Mona . How old is Mona ?",
        "m = a - b",
        1,
        2,
        roles={"m": "Mona's age"},
    )
    (row,) = make_variants([problem], 1, 0, kinds=["names"])
    match = re.fullmatch(
        r"(\w+)'s age is 3 \. ([A-Z]+) is 4 years older than (\w+) \. How old is (\w+) \?", row["question"]
    )
    assert match is not None
    assert match[1].upper() == match[2] != "JAMES"
    assert match[3] == match[4] != "Mona"
    assert row["roles"][0]["role"] == f"{match[3]}'s age"
    assert match[1][0] != match[3][0]


def test_people_keep_their_gender() -> None:
    names = json.loads(files("draw_dataset.variants").joinpath("names.json").read_text(encoding="utf-8"))
    women, men = (frozenset(split_words(" ".join(names[one]))) for one in ("female", "male"))
    for text in texts(problem_of(SHARED, "m = a + b", 1, 3), "names"):
        first, second = text.split()[0].lower(), text.split()[5].lower()
        assert first in women
        assert second in men


def test_no_new_name_is_a_word_or_a_place_and_each_has_a_gender() -> None:
    names = json.loads(files("draw_dataset.variants").joinpath("names.json").read_text(encoding="utf-8"))
    lists = {name: frozenset(split_words(" ".join(lines).lower())) for name, lines in names.items()}
    assert not lists["female"] & lists["male"]
    for gender in ("female", "male", "either"):
        new = lists[f"new_{gender}"]
        assert new <= lists[gender]
        assert not new & lists["words"]
        assert not any(name.endswith("s") for name in new)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Mona and Omar have 3 pens .", ["mona", "omar"]),
        ("lizzie buys 3 pens .", ["lizzie"]),
        ("Grace has 3 pens .", ["grace"]),
        ("By the grace of Grace we have 3 pens .", []),
        ("Bill pays the bill of 3 dollars .", []),
        ("Mr. Hall has 3 pens and Mrs. Hall has 4 .", ["hall"]),
        ("San Diego is 3 miles from Santa Monica .", []),
        ("There are 850 Douglas firs .", []),
        ("Amanda Brown has 3 pens .", []),
        ("Sam and Samantha have 3 pens .", []),
        ("William has 3 pens . Bill has 4 .", []),
        ("Jennifer has 3 pens . How many has Jenifer ?", []),
        ("Let M be the age of Mona . Then M is 3 .", []),
        ("Buds age is 3 . How old is Bud ?", []),
        ("In Charlotte there are 3 lakes .", []),
        ("Stuart and Elm are 3 miles apart . A train leaves Stuart .", []),
        ("At Mona's house there are 3 pens .", ["mona"]),
        ("Mona's Diner sells 3 soups .", []),
    ],
)
def test_only_names_of_people_are_found(text: str, people: list[str]) -> None:
    assert [one.name for one in Cast(text).people] == people


def test_an_unknown_name_has_the_gender_of_the_only_pronouns() -> None:
    assert [one.gender for one in Cast("Tolvira bought 3 pens . She sold 2 .").people] == ["female"]
    assert Cast("Tolvira bought 3 pens . How many are left ?").people == ()


def test_a_text_whose_pronouns_fit_no_name_is_refused() -> None:
    with pytest.raises(CannotVary, match="pronouns"):
        next(
            REWRITERS["names"](
                problem_of("Mona has 3 pens . He buys 4 . How many has he ?", "m = a + b", 1, 2), Random(0)
            )
        )


def test_steps_have_the_new_names_and_numbers() -> None:
    problem = problem_of(
        "Omar has 5 cups. Mona has 3 pens. How many things are there?", "m = a + b", 1, 2, status="decided",
        steps=["mona = q2", "m = q1 + mona"],
    )  # fmt: skip
    (named,) = make_variants([problem], 1, 0, kinds=["names"])
    new = named["question"].split(". ")[1].split()[0].lower()
    assert named["steps"] == [f"{new} = q2", f"m = q1 + {new}"]
    (ordered,) = make_variants([problem], 1, 0, kinds=["order"])
    assert ordered["question"] == "Mona has 3 pens. Omar has 5 cups. How many things are there?"
    assert ordered["steps"] == ["mona = q1", "m = q2 + mona"]
    assert ordered["derivation"] == "m = q2 + q1"


# Things.


def test_there_are_many_sets_and_each_thing_is_in_one() -> None:
    assert len(SETS) >= 40
    forms = [form for one in SETS for thing in one.things for form in {thing.singular, thing.plural}]
    assert len(forms) == len(set(forms))
    assert all(len(one.things) >= 2 for one in SETS)


def test_no_word_of_a_set_is_a_number() -> None:
    for one in SETS:
        for thing in one.things:
            assert not find_numbers(f"{thing.singular} and {thing.plural}", "ordinary")


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("Mona has 3 apples and 2 oranges .", ["apple", "orange"]),
        ("Mona has an orange in a bag .", []),
        ("Mona bakes 3 apple pies .", []),
        ("Mona has 3 red apples .", []),
        ("Mona has 3 red pencils .", ["pencil"]),
        ("Mona stores 3 pens .", ["pen"]),
        ("Mona sharpens 3 pencils with a sharpener .", []),
        ("The Apple shop is 3 miles away .", []),
        ("Rose has 3 brothers .", []),
        ("A car drives 60 miles .", ["car"]),
        ("A bus leaves the station at 95 miles per hour .", []),
        ("A bus leaves the station at 55 miles per hour .", ["bus"]),
        ("The chemist learned chemistry for 3 hours .", []),
        ("Omar fills sweets with caramel for 3 dollars .", []),
        ("He paints a house in 3 days .", ["house"]),
        ("He lives in a house for 3 days .", []),
        ("A 20 % acid solution and 3 liters of pure acid", ["acid"]),
        ("A 20 % hydrochloric acid solution", []),
    ],
)
def test_only_things_that_any_sentence_allows_are_found(text: str, things: list[str]) -> None:
    assert [thing.singular for _, thing in Inventory(text).things] == things


def test_articles_and_plurals_follow_the_new_thing() -> None:
    problem = problem_of("An orange costs 3 dollars . How much do 4 oranges cost ?", "m = a * b", 1, 2)
    for text in texts(problem, "objects"):
        match = re.fullmatch(r"(An?) (\w+) costs 3 dollars \. How much do 4 (\w+) cost \?", text)
        assert match is not None
        assert match[3] == f"{match[2]}s"
        assert (match[1] == "An") == (match[2][0] in "aeiou")


def test_two_things_never_become_one() -> None:
    problem = problem_of("Mona has 3 apples and 4 plums . How many fruits are there ?", "m = a + b", 1, 2)
    for text in texts(problem, "objects"):
        words = text.split()
        assert len({words[3], words[6], "apples", "plums"}) == 4


# Order.


@pytest.mark.parametrize(
    "text",
    [
        "Mona has 3 pens . She buys 5 cups . How many things are there ?",
        "Mona bought 3 pens . Mona lost 5 pens . How many are left ?",
        "A box holds 3 pens . The pens cost 5 dollars . How much is it ?",
        "Mona has 3 pens . Omar has 5 more . How many are there ?",
        "Mona has 3 pens . Omar has twice as many as Mona . How many are 5 pens ?",
        "First Mona has 3 pens . Then Omar has 5 pens . How many are there ?",
        "Mona has 3 pens . Omar has 5 cups . They weigh 4 pounds . How many are there ?",
        "Mona has 3 pens . Omar has 5 cups . How many has he ?",
        "Mona and Omar have 3 pens and 5 cups , respectively . How many are there ?",
        "Mona paid 3 dollars for 4 pens and 5 cups of tea . How many are there ?",
    ],
)
def test_what_refers_to_something_stays_in_its_place(text: str) -> None:
    made = make_variants([problem_of(text, "m = a + b", 1, 2)], 1, 0, kinds=["order"])
    assert made.refused == {1: "no two sentences or phrases can change places"}


def test_phrases_of_one_form_change_places_with_their_numbers() -> None:
    problem = problem_of(
        "Adult tickets cost $ 5 and student tickets cost $ 3 . How much do 4 student tickets cost ?",
        "m = a * b", 2, 3, asked=["q2*q3 + 0*m"], alternatives=["m = q3*q2"],
    )  # fmt: skip
    (row,) = make_variants([problem], 1, 0, kinds=["order"])
    assert row["question"].startswith("Student tickets cost $ 3 and adult tickets cost $ 5 .")
    assert row["derivation"] == "m = q1*q3"
    assert row["asked"] == ["q1*q3 + 0*m"]
    assert row["alternatives"] == ["m = q3*q1"]
    assert row["solutions"] == [12.0]


def test_pieces_that_do_not_lead_to_the_new_text_are_no_proof() -> None:
    text = "Mona has 3 pens . Omar has 5 cups . How many things are there ?"
    problem = problem_of(text, "m = a + b", 1, 2)
    first, second = text[:17], text[18:35]
    edit = Edit(0, text[:35], f"{second} {first}")
    values = [Fraction(3), Fraction(5)]
    right, wrong = [(18, 35, 0), (0, 17, 18)], [(0, 17, 0), (18, 35, 18)]
    assert rebuild(problem, "release", [edit], values, 2, pieces=right) is not None
    assert rebuild(problem, "release", [edit], values, 2, pieces=wrong) is None


# Distractors.


def test_there_are_many_sentences_for_the_middle_and_each_has_one_number() -> None:
    found = [one for by_role in MIDDLE.values() for those in by_role.values() for one in those]
    assert len({one.text for one in found}) == len(found) >= 300
    units = {"money": "$", "speed": "miles per hour", "age": "years old", "percent": "%", "count": "pears"}
    for kind, by_role in MIDDLE.items():
        for role, those in by_role.items():
            for one in those:
                assert 2 <= one.least < one.most
                assert one.text.endswith(" .")
                assert ("{name}" in one.text) == (role == "person")
                text = one.text.replace("{name}", "Mona").replace("{n}", "58")
                text = text.replace("{unit}", units.get(kind, kind)).replace("{things}", "pears")
                assert "{" not in text
                for setting in ("standard", "ordinary"):
                    assert [n.value for n in find_numbers(text, setting)] == [58], text


def test_a_distractor_speaks_of_a_person_of_the_problem_in_the_same_unit() -> None:
    text = "Mona drives 60 miles to a lake . Omar rides 20 miles to a farm . How many miles is the lake further away ?"
    rows = make_variants([problem_of(text, "m = a - b", 1, 2)], 5, 0, kinds=["distractor"])
    assert len(rows) == 5
    for row in rows:
        added = row["variant"]["changes"][0]["after"]
        assert "Mona" in added or "Omar" in added
        assert re.search(r"\d+ miles", added)
        assert row["variant"]["role"] == "same"


@pytest.mark.parametrize(
    "text",
    [
        "Mona drives 60 miles . Then she walks 20 miles . How far is that ?",
        "A cab drives 60 miles . The return trip is 20 miles . How far is this ?",
        "How far are 60 miles and 20 miles ?",
        "A clerk sells 60 stamps . Some are worth 20 cents . How many are there ?",
        "A clerk sells 60 stamps . 20 % are blue . How many are blue ?",
        "A cab drives 60 miles . It stops after 20 miles . How far does it still go ?",
        "How far is it from 60 miles to 20 miles ? Please help me . Thanks .",
    ],
)
def test_no_distractor_comes_between_a_word_and_what_it_points_at(text: str) -> None:
    assert not list(TrapMaker(problem_of(text, "m = a + b", 1, 2), Random(0)).distractors())


def test_a_distractor_shares_no_word_with_the_problem() -> None:
    text = "Mona pays $ 60 to a dentist . An uncle won $ 20 in a raffle . How much do the two of them have ?"
    for trap in TrapMaker(problem_of(text, "m = a + b", 1, 2), Random(0)).distractors():
        assert not {"uncle", "won", "raffle", "dentist"} & set(trap.edit.after.lower().split())
