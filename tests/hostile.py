"""Texts made to take long: what a person who wants to stop a run of the metric might send.

`NAMED` are kinds that once took seconds; `product` and `structure` draw others, the same for the same seed.
"""

from __future__ import annotations

import random
from itertools import pairwise
from string import ascii_lowercase
from typing import Any

SLOTS = [name for name in ascii_lowercase if name not in "mnoqxyz"] + [f"s{i}" for i in range(1, 22)]
UNKNOWNS = ["m", "n", "o", *(f"x{i}" for i in range(37))]

NAMED = {
    "fourth powers and a denominator that cancels": (
        "(c+d)^4*m+(c+d)^4*(2c+9a+62)^4*n=(c+d)^4*(a+9d+28)^4+1/(m+7)-1/(m+7);"
        "(c)^4*m+(7c+76)^4*(5a+c)^4*n=(c+d)^4*(d+a+1)^4"
    ),
    "fourth powers with a common factor": (
        "(a+25)^4*(a+8)^4*m+(a+25)^4*(a+25)^4*n=(9b+a+85)^4*(a+25)^4+1/(m+7)-1/(m+7);(2b+c+64)^4*m+(6d+b)^4*n=(a+25)^4"
    ),
    "coefficients of thousands of bits": (
        "(9a+372430)^4*m+(9a+372430)^30*n=32a;(7a+55)^2*(9a+372430)^2*m+(374449346173296329749682920711-310780a)^2"
        "*(9a+372430)^30*(522520250469977651573848099483a)^5*n=(9a+372430)^4;(606619498329890317701456784143a)^4"
        "*(1319143a)^50*m=(9a+372430)^5*a^4;(9a+372430)^64*n=(115328a)^64"
    ),
    "forty interchangeable slots": "m = " + " + ".join(SLOTS),
    "twenty interchangeable products": "m = " + " + ".join(f"{SLOTS[i]}*{SLOTS[i + 1]}" for i in range(0, 40, 2)),
    "five free unknowns": (
        "(a+b+c)*m+(b+c+d)*n+(c+d+e)*o+(d+e+f)*x0+(e+f+g)*x1=h;(a-b)*m+(b-c)*n+(c-d)*o+(d-e)*x0+(e-f)*x1=g"
    ),
    "five free unknowns and forty slots": "m + n + o + x0 + x1 = " + " + ".join(SLOTS),
    "a common factor of degree 30": "(3a+5b+7)^30*(a+5)*m = (3a+5b+7)^30*(c+9d)",
    "a common factor of degree 60": "(12345a+54321)^60*(a+3)^2*m = (12345a+54321)^60*(7a+9)^3*b",
    "a product of high degree": "m = (" + "*".join(SLOTS[:30]) + ")^64*(a+b+c)^30",
    "a long sum behind a power": "m = (a+b+c+d+e+f)^6" + "+a" * 3500,
    "forty equations": ";".join(f"(a+b+c+d+{i}e)^5*m=(a+b+c+d+{i}f)^5" for i in range(40)),
    "many denominators": "m = " + "+".join(f"1/(m+{i})-1/(m+{i})" for i in range(60)) + "+a",
    "large numbers in many unknowns": ";".join(
        "+".join(f"{9 * 10**30 + i * j * j + 3}*x{j}" for j in range(10)) + f"={i}" for i in range(10)
    ),
}


def product(seed: int) -> str:
    """Return equations with products of powers of sums, with and without denominators."""
    rng = random.Random(seed)
    names = SLOTS[: rng.choice([1, 2, 2, 3, 4, 6, 10, 20])]
    unknowns = "mno"[: rng.randint(1, 3)]

    def number() -> str:
        return str(rng.choice([1, 2, 7, rng.randint(2, 99), rng.randint(100, 10**6), rng.randint(10**9, 10**30)]))

    def total() -> str:
        terms = [number() + (rng.choice(names) if rng.random() < 0.85 else "") for _ in range(rng.randint(1, 4))]
        return f"({rng.choice('++-').join(terms)})"

    shared = total()

    def powers() -> str:
        bases = [shared if rng.random() < 0.4 else total() for _ in range(rng.randint(1, 3))]
        return "*".join(f"{base}^{rng.choice([1, 2, 3, 4, 4, 4, 5, 8, 16, 30, 64])}" for base in bases)

    def condition() -> str:
        unknown = rng.choice(unknowns)
        return rng.choice(
            [
                "",
                "",
                f"+1/({unknown}+7)-1/({unknown}+7)",
                f"+{total()}/({unknown}+{names[0]})*({unknown}+{names[0]})",
                f"+1/{shared}",
                f"+{powers()}/({unknown}-{rng.choice(unknowns)}+1)*({unknown}-{unknown})",
            ]
        )

    equations = []
    for _ in range(rng.choice([1, 2, 2, 3, 4])):
        left = "+".join(f"{powers()}*{unknown}" for unknown in unknowns if rng.random() < 0.8)
        equations.append(f"{left or unknowns[0]}={powers()}{condition()}")
    return ";".join(equations)


KINDS = 10
"""How many kinds of structures there are."""


def structure(seed: int) -> str:
    """Return equations with many slots, unknowns, conditions or symmetries; seeds take the kinds in turn."""
    rng = random.Random(seed)
    kind = seed % KINDS
    count = rng.randint(3, 40)
    names = SLOTS[:count]
    unknowns = UNKNOWNS[: rng.randint(2, 20)]

    def total(most: int = 5) -> str:
        return f"({'+'.join(rng.sample(names, min(count, rng.randint(1, most))))})"

    if kind == 0:  # a random hypergraph of slots
        size = rng.randint(1, 3)
        return "m = " + "+".join("*".join(rng.sample(names, size)) for _ in range(rng.randint(2, 150)))
    if kind == 1:  # a circulant graph of slots
        steps = rng.sample(range(1, count), rng.randint(1, 2))
        return "m = " + "+".join(f"{names[i]}*{names[(i + step) % count]}" for i in range(count) for step in steps)
    if kind == 2:  # dense systems of numbers
        high = 10 ** rng.choice([1, 3, 10, 15])
        return ";".join(
            "+".join(f"{rng.randint(1, high)}*{u}" for u in unknowns) + f"={rng.randint(1, high)}"
            for _ in range(len(unknowns) - rng.randint(0, 1))
        )[:7900].rpartition(";")[0]
    if kind == 3:  # powers of numbers
        few = unknowns[:8]
        return ";".join(
            "+".join(f"{rng.randint(2, 9)}^64*{rng.randint(2, 99)}^{rng.choice([1, 30, 64])}*{u}" for u in few)
            + f"={rng.randint(2, 9)}^64"
            for _ in few
        )
    if kind == 4:  # sparse cycles
        return ";".join(
            f"{rng.choice(names)}*{u}={rng.choice(names)}*{v}+{rng.choice(names)}"
            for u, v in zip(unknowns, [*unknowns[1:], unknowns[0]], strict=True)
        )
    if kind == 5:  # dense systems of slots
        few = unknowns[:6]
        return ";".join("+".join(f"{rng.choice(names)}*{u}" for u in few) + f"={rng.choice(names)}" for _ in few)
    if kind == 6:  # free unknowns
        few = unknowns[:5]
        return ";".join(
            "+".join(f"{total()}^{rng.randint(1, 3)}*{u}" for u in few)
            + f"={total()}{rng.choice(['', f'+1/(m-{total()})-1/(m-{total()})'])}"
            for _ in range(rng.randint(1, len(few) - 1))
        )
    if kind == 7:  # powers of powers
        text = rng.choice(names)
        for _ in range(rng.randint(1, 6)):
            text = f"({text}+{rng.choice([*names[:4], '3', '99'])})^{rng.randint(1, 5)}"
        return f"m = {text}"
    if kind == 8:  # fractions of fractions
        text = "m+a"
        for _ in range(rng.randint(1, 30)):
            text = f"{rng.choice(['1', 'a', 'b', '(a+b)'])}/({text}+{rng.choice(['1', 'a', 'b', 'c^2'])})"
        return f"{text} = {rng.choice(['1', 'a', 'b'])}"
    most = rng.randint(2, 40)  # one unknown, many equations
    return ";".join(f"{total(3)}^{rng.randint(1, 4)}*m={total(3)}^{rng.randint(1, 4)}" for _ in range(most))


def problem(slots: int, unknowns: int) -> dict[str, Any]:
    """Return a row whose gold has so many slots and unknowns; the number of slot i is token i of its text."""
    values = list(range(2, 42))
    names, others = SLOTS[:slots], UNKNOWNS[:unknowns]
    chain = [f"{v} = {u} + 1" for u, v in pairwise(others)]
    written = " + ".join(map(str, values[:slots])) or "1"
    first = sum(values[:slots]) or 1
    return {
        "id": 1,
        "question": " ".join(map(str, values)) + " .",
        "equations": [f"m = {written}", *chain],
        "solutions": [float(first + i) for i in range(unknowns)],
        "template": [f"m = {' + '.join(names) or '1'}", *chain],
        "alignment": [{"slot": name, "sentence": 0, "token": i, "value": values[i]} for i, name in enumerate(names)],
        "equiv_tnum": [[{"sentence": 0, "token": i, "value": values[i]} for i in (0, 1)]],
    }
