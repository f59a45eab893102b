"""Hypothesis strategies: random templates, and rewritings that do not change what they mean.

A template is built as equations of terms and only then written as text, so that a rewriting can be done on the
terms: scaling an equation, adding one to another, reordering, renaming.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies as st

SLOTS = "abcdef"
UNKNOWNS = "mno"


@dataclass(frozen=True)
class Term:
    number: Fraction
    slots: tuple[str, ...]
    unknown: str  # "" for a term without one


Equation = tuple[Term, ...]  # the sum of the terms is zero


def write_number(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{number.numerator} / {number.denominator}"


def write_term(term: Term) -> str:
    factors = [*term.slots, *([term.unknown] if term.unknown else [])]
    number = abs(term.number)
    if number != 1 or not factors:
        factors.insert(0, write_number(number))
    return " * ".join(factors)


def write_side(terms: Sequence[Term], sign: int) -> str:
    written = ""
    for term in terms:
        positive = term.number * sign > 0
        written += (
            (" + " if positive else " - ") + write_term(term)
            if written
            else ("" if positive else "-") + write_term(term)
        )
    return written or "0"


def write_equation(equation: Equation, split: int) -> str:
    """Write the first `split` terms on the left and the negated rest on the right."""
    return f"{write_side(equation[:split], 1)} = {write_side(equation[split:], -1)}"


def write_template(equations: Sequence[Equation], splits: Sequence[int] | None = None) -> list[str]:
    splits = splits or [max(1, len(e) // 2) for e in equations]
    return [write_equation(e, s) for e, s in zip(equations, splits, strict=True)]


numbers = st.sampled_from([Fraction(n) for n in (1, -1, 2, -2, 3, 10)] + [Fraction(1, 100), Fraction(1, 2)])


@st.composite
def equations(draw: st.DrawFn, slots: str, unknowns: str) -> Equation:
    count = draw(st.integers(1, 4))
    found: dict[tuple[tuple[str, ...], str], Fraction] = {}
    for _ in range(count):
        chosen = tuple(sorted(draw(st.lists(st.sampled_from(slots), max_size=2)))) if slots else ()
        unknown = draw(st.sampled_from(["", *unknowns]))
        found[chosen, unknown] = draw(numbers)
    return tuple(Term(number, chosen, unknown) for (chosen, unknown), number in found.items())


@st.composite
def term_templates(draw: st.DrawFn, most_slots: int = 4, most_unknowns: int = 3) -> list[Equation]:
    """Return equations that use their first slots and unknowns, so that counts often agree between two of them."""
    slots = SLOTS[: draw(st.integers(0, most_slots))]
    unknowns = UNKNOWNS[: draw(st.integers(1, most_unknowns))]
    count = draw(st.sampled_from([len(unknowns)] * 4 + [max(1, len(unknowns) - 1), len(unknowns) + 1]))
    found = [draw(equations(slots, unknowns)) for _ in range(count)]
    # A first equation that names everything keeps the counts comparable.
    everything = tuple(Term(Fraction(1), (s,), u) for s, u in zip(slots, [*unknowns, *[""] * 6], strict=False))
    missing = unknowns[len(slots) :]
    head = everything + tuple(Term(Fraction(1), (), u) for u in missing)
    # A template has at least one unknown.
    return [head, *found[1:]] if draw(st.booleans()) or not names(found)[1] else found


@st.composite
def templates(draw: st.DrawFn, most_slots: int = 4, most_unknowns: int = 3) -> list[str]:
    return write_template(draw(term_templates(most_slots, most_unknowns)))


def scaled(equation: Equation, factor: Fraction) -> Equation:
    return tuple(Term(t.number * factor, t.slots, t.unknown) for t in equation)


def added(equation: Equation, other: Equation, factor: Fraction) -> Equation:
    total: dict[tuple[tuple[str, ...], str], Fraction] = {}
    for term in (*equation, *scaled(other, factor)):
        key = (term.slots, term.unknown)
        total[key] = total.get(key, Fraction(0)) + term.number
    # A term that cancels is kept as a difference, so that its slots and unknowns still stand in the text.
    kept: list[Term] = []
    for (slots, unknown), number in total.items():
        if number:
            kept.append(Term(number, slots, unknown))
        else:
            kept += [Term(Fraction(1), slots, unknown), Term(Fraction(-1), slots, unknown)]
    return tuple(kept)


def renamed(equation: Equation, slot_map: dict[str, str], unknown_map: dict[str, str]) -> Equation:
    return tuple(Term(t.number, tuple(slot_map[s] for s in t.slots), unknown_map.get(t.unknown, "")) for t in equation)


def names(template: Sequence[Equation]) -> tuple[list[str], list[str]]:
    """Return the slots and the unknowns of a template."""
    slots = sorted({s for e in template for t in e for s in t.slots})
    unknowns = sorted({t.unknown for e in template for t in e if t.unknown})
    return slots, unknowns


def rewritten(template: Sequence[Equation], rng: random.Random) -> tuple[list[Equation], dict[str, str]]:
    """Return an equivalent template, and the slot map to it."""
    slots, unknowns = names(template)
    slot_map = dict(zip(slots, rng.sample(SLOTS + "ghijkl", len(slots)), strict=True))
    unknown_map = dict(zip(unknowns, rng.sample(UNKNOWNS, len(unknowns)), strict=True))
    result = [renamed(e, slot_map, unknown_map) for e in template]
    for _ in range(rng.randrange(4)):
        i = rng.randrange(len(result))
        result[i] = scaled(result[i], Fraction(rng.choice([-3, -1, 2, 5]), rng.choice([1, 2, 7])))
        j = rng.randrange(len(result))
        if i != j:
            result[j] = added(result[j], result[i], Fraction(rng.choice([-1, 1, 2])))
    result = [tuple(rng.sample(e, len(e))) for e in result]
    rng.shuffle(result)
    return result, slot_map


seeds = st.integers(0, 2**32).map(random.Random)
