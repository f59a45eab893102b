"""How time and memory grow: many templates, many slots, many comparisons."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from rewriting import renamed, rewrite

from benchmarks.measures import forget_everything, memory_now, timed
from benchmarks.rows import Row, prediction
from draw_dataset import Derivation, NumberClasses, derivations_equivalent, find_slot_map, reconcile
from draw_dataset.errors import LimitError


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
    """Memory over a million comparisons of ever new texts, and over ever new predictions that are refused."""
    rng = random.Random(5)
    count = 100_000 if quick else 1_000_000
    refused = 300 if quick else 3_000
    golds = [(Derivation(r.template, r.alignment), NumberClasses(r.equiv)) for r in rows]
    result: dict[str, Any] = {"comparisons": count, "refused predictions": refused, "aim": "flat"}
    for i, prediction_ in enumerate(hostile_predictions(refused), 1):
        try:
            derivations_equivalent(prediction_, HOSTILE_GOLD)
            raise RuntimeError("a prediction that should be refused is not")
        except LimitError:
            pass
        if i in (refused // 10, refused // 2, refused):
            result[f"megabytes after {i} refused"] = round(memory_now(), 1)

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


HOSTILE_GOLD = Derivation("a*m + b*n = c; m + n = d", {slot: (0, i) for i, slot in enumerate("abcd")})


def hostile_predictions(count: int) -> Iterator[dict[str, Any]]:
    """Yield predictions that can be read, take much memory, and are too large to be compared."""
    alignment = [{"slot": slot, "sentence": 0, "token": i} for i, slot in enumerate("abcd")]
    for i in range(1, count + 1):
        first = f"m = (a + 2*b + {i}*c + d)^12 + 1/(m + 7) - 1/(m + 7)"
        second = f"(a + 3*b + c + {i}*d)^12*m + n = 5"
        yield {"template": [first, second], "alignment": alignment}
