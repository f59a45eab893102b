"""How time and memory grow: many templates, many slots, many comparisons."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from rewriting import renamed, rewrite

from benchmarks.measuring import forget_everything, memory_now, timed
from benchmarks.rows import Row, prediction
from draw_dataset import Derivation, NumberClasses, derivations_equivalent, find_slot_map, reconcile


def section_d(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Reconcile growing numbers of templates."""
    rng = random.Random(4)
    sizes = (300, 3_000, 30_000) if quick else (1_000, 10_000, 100_000)
    result: dict[str, Any] = {"aim": "ten times as many take at most 12 times as long"}
    before = None
    for size in sizes:
        texts = []
        for _ in range(size):
            row = rng.choice(rows)
            equations, _ = renamed(row.template, row.alignment, rng)
            texts.append(rewrite(equations, rng, scale=True, reorder=True))
        forget_everything()
        groups = 0

        def work() -> None:
            nonlocal groups
            groups = len(reconcile(texts).groups)

        spent = timed(work)
        entry = {"groups": groups, "microseconds a template": round(spent / size * 1e6, 1)}
        if before is not None:
            entry["growth for ten times as many"] = round(spent / before, 2)
        before = spent
        result[f"{size} templates"] = entry
    return result


def section_e(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Twelve slots, where trying every renaming means 479,001,600 of them."""
    del rows, quick
    letters = "abcdefghijkl"
    dense2 = "(a+b)*m + (c-d)*n = e*f; g*h*m + (i+2*j)*n = k - l"
    dense3 = "a*m + b*n + c*o = d; e*m + f*n + g*o = h; i*m + j*n + k*o = l"
    total = "m = " + " + ".join(letters)
    cases = {
        "12 interchangeable slots": (total, total[::-1].replace("= m", "").strip() + " = m"),
        "12 nearly interchangeable slots": (total, total.replace("+ l", "- l")),
        "2 x 2": (dense2, dense2.translate(str.maketrans(letters, letters[::-1]))),
        "2 x 2, nearly": (dense2, dense2.replace("2*j", "3*j")),
        "3 x 3": (dense3, dense3.translate(str.maketrans(letters, letters[::-1]))),
        "3 x 3, nearly": (dense3, dense3.replace("= l", "= 2*l")),
    }
    result: dict[str, Any] = {"aim": "each under a second"}
    for name, (first, second) in cases.items():
        forget_everything()
        found: list[bool] = []
        spent = timed(lambda: found.append(find_slot_map(first, second) is not None))
        result[name] = {"milliseconds": round(spent * 1e3, 1), "equivalent": found[0]}
    return result


def section_m(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Memory over a million comparisons of ever new texts."""
    rng = random.Random(5)
    count = 100_000 if quick else 1_000_000
    golds = [(Derivation(r.template, r.alignment), NumberClasses(r.equiv)) for r in rows]
    result: dict[str, Any] = {"comparisons": count, "aim": "flat"}

    def stream() -> Iterator[tuple[int, dict[str, Any]]]:
        for i in range(count):
            number = rng.randrange(len(rows))
            equations, alignment = prediction(rows[number], i % 5, rng)
            yield number, {"template": [f"{e} + {i} - {i}" for e in equations], "alignment": alignment}

    for i, (number, p) in enumerate(stream(), 1):
        derivations_equivalent(p, *golds[number])
        if i in (count // 10, count // 2, count):
            result[f"megabytes after {i}"] = round(memory_now(), 1)
    return result
