"""Any text gets an answer or one of our errors, within a second of work."""

from __future__ import annotations

import gc
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice

import hostile
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draw_dataset import (
    Derivation,
    Template,
    all_slot_maps,
    canonical_key,
    derivations_equivalent,
    find_difference,
    find_slot_map,
    grade,
    solve,
    templates_equivalent,
)
from draw_dataset.algebra.grammar import write
from draw_dataset.derivation.normal_form import normal_form
from draw_dataset.errors import DrawError
from draw_dataset.scoring.options import Options

pytestmark = pytest.mark.slow

GOLD = "a * m + b * n = c * d; m + n = d"
TEMPLATES = [GOLD, "12/(15+m) = a/(15-m)", "m = (a+b)(c+d)^3", "m = 1/a + 1/b; n = [m - 2]/c"]
PIECES = [
    *"abcdefmno=+-*/^()[];,. \n0123456789",
    "**", " = ", "m", "n", "q1", "q2", "x", ".01", "1e9", "1,000", "9**9", "^64", "((", "))", "/(m-n)", "1/0",
    "×", "÷", "−", "²", "\0", "🙂", "é", "ⅷ", "__", "lambda", "max", "\r", "\t", "\u2028", "٣", "e5", "==",
]  # fmt: skip

anything = st.text(max_size=60)
pieces = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A template with pieces inserted, removed or doubled."""
    text = draw(st.sampled_from(TEMPLATES))
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, len(text)))
        until = min(len(text), at + draw(st.integers(0, 6)))
        text = text[:at] + draw(st.sampled_from([*PIECES, text[at:until] * 2])) + text[until:]
    return text


@pytest.fixture(autouse=True, scope="module")
def only_what_is_made_here_is_collected() -> Iterator[None]:
    """Keep the garbage collector from walking what other tests have left: that is no work of a text."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def try_everything(text: str) -> None:
    started = time.thread_time()
    try:
        template = Template(text)
    except DrawError:
        pass
    else:
        again = Template(str(template))
        assert str(again) == str(template)
        template.to_latex()
        with suppress(DrawError):
            canonical_key(template)
            find_slot_map(template, GOLD)
    for attempt in (solve, Derivation.read, lambda t: derivations_equivalent(t, "m + n = q2; q1*m = q3")):
        with suppress(DrawError):
            attempt(text)
    assert time.thread_time() - started < 1


@given(anything | pieces)
@settings(max_examples=1_000)
def test_any_text_is_answered_or_refused(text: str) -> None:
    try_everything(text)


@given(mutated())
@settings(max_examples=1_000)
def test_any_mutation_of_a_template_is_answered_or_refused(text: str) -> None:
    try_everything(text)


def some(rng: random.Random) -> str:
    """A text of any characters, or of pieces of equations."""
    if rng.random() < 0.3:
        widest = rng.choice([0x7F, 0x2FFF, sys.maxunicode])
        return "".join([chr(rng.randint(0, widest)) for _ in range(rng.randint(0, 60))])
    return "".join(rng.choices(PIECES, k=rng.randint(0, 40)))


def mutation(rng: random.Random) -> str:
    """A template with pieces inserted, removed or doubled; a few as often as many."""
    text = rng.choice(TEMPLATES)
    for _ in range(rng.randint(1, 5)):
        at = rng.randint(0, len(text))
        until = min(len(text), at + rng.randint(0, 6))
        text = text[:at] + rng.choice([*PIECES, text[at:until] * 2]) + text[until:]
    return text


@pytest.mark.parametrize("make", [some, mutation])
def test_ten_thousand_more_are_answered_or_refused(make: Callable[[random.Random], str]) -> None:
    # Drawing an example takes Hypothesis longer than reading it takes us: these are not made smaller when they fail.
    rng = random.Random(0) if os.environ.get("CI") else random.Random()
    for _ in range(10_000):
        try_everything(make(rng))


def within_a_second(work: Callable[[], object]) -> object:
    """Return what some work gives, or None where it is refused: in a second of processor time."""
    started = time.thread_time()
    result = None
    with suppress(DrawError):
        result = work()
    assert time.thread_time() - started < 1
    return result


def compare_everything(text: str) -> None:
    """Read, name and compare a text with itself, with its slots in another order, and with a gold like it."""
    within_a_second(lambda: solve(text))
    template = within_a_second(lambda: Template(text, unknowns=hostile.UNKNOWNS))
    if not isinstance(template, Template):
        return
    slots, unknowns = template.slots, template.unknowns
    turned = dict(zip(slots, reversed(slots), strict=True))
    again = write(template.source, lambda token: turned.get(template.source.name(token), template.source.name(token)))
    other = within_a_second(lambda: Template(again, unknowns=unknowns))
    other = other if isinstance(other, Template) else template  # written out, it may be too long
    within_a_second(lambda: canonical_key(template))
    within_a_second(lambda: normal_form(template))
    within_a_second(lambda: templates_equivalent(template, other))
    within_a_second(lambda: list(islice(all_slot_maps(template, other), 200)))
    within_a_second(lambda: find_difference(template, other))
    gold = Template(hostile.problem(len(slots), len(unknowns))["template"], unknowns=hostile.UNKNOWNS)
    within_a_second(lambda: find_difference(template, gold))
    derivation = Derivation(template, {slot: (0, i) for i, slot in enumerate(slots)})
    turned_derivation = Derivation(other, {slot: (0, i) for i, slot in enumerate(other.slots)})
    one_class = [[(0, i) for i in range(len(slots))]] if slots else []
    within_a_second(lambda: derivations_equivalent(derivation, turned_derivation))
    within_a_second(lambda: derivations_equivalent(derivation, turned_derivation, one_class))


def grade_everywhere(text: str) -> None:
    """Grade a text as prediction of a problem that has as many slots and unknowns, and read what is said of it."""
    try:
        template = Template(text)
    except DrawError:
        verdict = grade({"template": text, "alignment": []}, hostile.problem(2, 1))
        assert not verdict.derivation
        return
    alignment = [{"slot": slot, "sentence": 0, "token": i} for i, slot in enumerate(template.slots)]
    row = hostile.problem(len(template.slots), len(template.unknowns))
    for options in (Options(), Options(merge_equiv=True), Options(equation="expected")):
        grade({"template": row["template"], "alignment": row["alignment"]}, row, options)  # gold is prepared
        started = time.thread_time()
        assert grade({"template": text, "alignment": alignment}, row, options).message
        assert time.thread_time() - started < 1


@pytest.mark.parametrize("text", hostile.NAMED.values(), ids=hostile.NAMED)
def test_what_once_took_seconds_takes_none(text: str) -> None:
    compare_everything(text)
    grade_everywhere(text)


@pytest.mark.parametrize("seed", range(40))
def test_products_of_powers_take_no_second(seed: int) -> None:
    compare_everything(hostile.product(seed))
    grade_everywhere(hostile.product(seed))


@pytest.mark.parametrize("seed", range(4 * hostile.KINDS))
def test_large_and_symmetric_systems_take_no_second(seed: int) -> None:
    compare_everything(hostile.structure(seed))
    grade_everywhere(hostile.structure(seed))
