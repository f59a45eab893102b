"""Problems about ages and about numbers."""

from __future__ import annotations

from crawl.stand_in_site.drawing import Draws, times, two_people
from crawl.stand_in_site.problems import Draft


def age_sum(rng: Draws) -> Draft:
    p, q = two_people(rng)
    young, gap = rng.randint(4, 40), rng.randint(2, 19)
    a, b = f"{{a:{gap}}}", f"{{b:{2 * young + gap}}}"
    text = rng.choice(
        (
            f"{p} is {a} years older than {q}. The sum of their ages is {b}. How old are they?",
            f"{q} is {a} years younger than {p}. Together they are {b} years old. Find the age of each.",
            f"The ages of {p} and {q} add up to {b}. {p} was born {a} years before {q}. How old is each of them?",
        )
    )
    return Draft(
        text,
        ("x + y = b", "x = y + a"),
        {"x": f"{p}'s age", "y": f"{q}'s age"},
        "years",
        ("x + x - a = b",),
        f"{p}'s age + {q}'s age = {2 * young + gap}",
    )


def age_future(rng: Draws) -> Draft:
    p, q = two_people(rng)
    while True:
        then, now = sorted(rng.sample((2, 3, 4, 5), 2))
        young = rng.randint(3, 20)
        # now*y + t = then*(y + t)
        years, rest = divmod((now - then) * young, then - 1) if then > 1 else (0, 1)
        if rest == 0 and years > 0 and years not in (then, now):
            break
    k1, k2 = times(rng, "a", now), times(rng, "c", then)
    text = rng.choice(
        (
            f"{p} is {k1} as old as {q}. In {{b:{years}}} years {p} will be {k2} as old as {q}. How old are both now?",
            f"Today {p} is {k1} as old as {q}. {{b:{years}}} years from now {p} will be only {k2} as old as {q}. "
            "What are their present ages?",
        )
    )
    return Draft(text, ("x = a*y", "x + b = c*(y + b)"), {"x": f"{p}'s age now", "y": f"{q}'s age now"}, "years")


def age_past(rng: Draws) -> Draft:
    p, q = two_people(rng)
    ago, factor, young = rng.randint(6, 15), rng.choice((2, 3, 4, 5)), rng.randint(2, 12)
    y, x = young + ago, factor * young + ago
    k = times(rng, "c", factor)
    text = rng.choice(
        (
            f"The sum of the ages of {p} and {q} is {{a:{x + y}}}. {{b:{ago}}} years ago {p} was {k} as old as {q}. "
            "Find their ages.",
            f"{p} and {q} are {{a:{x + y}}} years old together. If {p} was {k} as old as {q} {{b:{ago}}} years "
            "ago, how old "
            "is each now?",
        )
    )
    return Draft(
        text,
        ("x + y = a", "x - b = c*(y - b)"),
        {"x": f"age of {p}", "y": f"age of {q}"},
        "years",
        ("x - b = c*(a - x - b)",),
    )


def two_numbers(rng: Draws) -> Draft:
    small, factor, more = rng.randint(3, 40), rng.choice((2, 3, 4, 5)), rng.randint(6, 30)
    large = factor * small + more
    k, pair = times(rng, "b", factor), rng.choice(("two", "a pair of"))
    text = rng.choice(
        (
            f"A number is {{a:{more}}} more than {k} another number. Their sum is {{c:{large + small}}}. Find the "
            "numbers.",
            f"The sum of {pair} numbers is {{c:{large + small}}}. The larger is {{a:{more}}} more than {k} the "
            "smaller. "
            "What are the numbers?",
        )
    )
    return Draft(text, ("x = b*y + a", "x + y = c"), {"x": "the larger number", "y": "the smaller number"})


def consecutive(rng: Draws) -> Draft:
    first = rng.randint(5, 120)
    text = rng.choice(
        (
            f"The sum of three consecutive integers is {{a:{3 * first + 3}}}. What are they?",
            f"Find 3 consecutive integers that add up to {{a:{3 * first + 3}}}.",
        )
    )
    return Draft(text, ("x + (x + 1) + (x + 2) = a",), {"x": "the first integer"})


def mystery_number(rng: Draws) -> Draft:
    x, factor, less = rng.randint(14, 60), rng.choice((2, 3, 4, 5)), rng.randint(6, 25)
    k = times(rng, "a", factor)
    text = rng.choice(
        (
            f"If {{b:{less}}} is subtracted from {k} a number, the result is {{c:{factor * x - less}}}. What is "
            "the number?",
            f"When {k} a number is decreased by {{b:{less}}}, you get {{c:{factor * x - less}}}. Find the number.",
        )
    )
    return Draft(text, ("a*x - b = c",), {"x": "the number"})
