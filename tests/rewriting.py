"""Templates and derivations written differently, as texts: what they mean stays the same."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence

Place = tuple[int, int]


def split_terms(side: str) -> list[tuple[str, str]]:
    """Return the terms of a side with their signs."""
    terms: list[tuple[str, str]] = []
    sign = "+"
    current: list[str] = []
    for word in re.findall(r"[\w.]+|\S", side):
        if word in "+-" and current and current[-1] not in "*/":
            terms.append((sign, " ".join(current)))
            sign, current = word, []
        elif word in "+-" and not current:
            sign = "-" if (sign == "-") != (word == "-") else "+"
        else:
            current.append(word)
    return [*terms, (sign, " ".join(current))]


def write_terms(terms: Sequence[tuple[str, str]], factor: str) -> str:
    """Write a side, every term with a factor in front."""
    head, *rest = [(sign, factor + term) for sign, term in terms]
    return ("-" if head[0] == "-" else "") + head[1] + "".join(f" {sign} {term}" for sign, term in rest)


def rewrite(equations: Sequence[str], rng: random.Random, *, scale: bool, reorder: bool) -> list[str]:
    """Return the same equations, each multiplied by a number, or terms, sides and equations shuffled."""
    result = []
    for equation in equations:
        factor = f"{rng.randrange(2, 10)} * " if scale else ""
        sides = [split_terms(side) for side in equation.split("=")]
        if reorder:
            sides = [rng.sample(terms, len(terms)) for terms in sides]
            rng.shuffle(sides)
        result.append(" = ".join(write_terms(terms, factor) for terms in sides))
    if reorder:
        rng.shuffle(result)
    return result


def renamed(
    equations: Sequence[str], alignment: Mapping[str, Place], rng: random.Random
) -> tuple[list[str], dict[str, Place]]:
    """Return a template and its alignment with other letters for the slots."""
    slots = sorted(alignment)
    names = dict(zip(slots, rng.sample("abcdefghijkl", len(slots)), strict=True))
    table = str.maketrans(names)
    return [e.translate(table) for e in equations], {names[s]: place for s, place in alignment.items()}


def with_other_unknowns(equations: Sequence[str], rng: random.Random) -> list[str]:
    """Return a template with its unknowns exchanged."""
    table = str.maketrans("mno", "".join(rng.sample("mno", 3)))
    return [equation.translate(table) for equation in equations]
