"""Twenty kinds of linear word problems, each in several wordings, with numbers that come out well."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from crawl.site.problems import Draft


class Draws:
    """Two sources of chance, one for words and one for numbers: the same words can be told with other numbers."""

    def __init__(self, words: int, numbers: int) -> None:
        self._words = random.Random(f"words {words}")
        self._numbers = random.Random(f"numbers {numbers}")

    def _source(self, options: Sequence[Any]) -> random.Random:
        first = options[0]
        while isinstance(first, tuple):
            first = first[0]
        return self._words if isinstance(first, str) else self._numbers

    def choice(self, options: Sequence[Any]) -> Any:
        return self._source(options).choice(options)

    def sample(self, options: Sequence[Any], count: int) -> list[Any]:
        return self._source(options).sample(options, count)

    def randint(self, low: int, high: int) -> int:
        return self._numbers.randint(low, high)


Kind = Callable[[Draws], Draft]

PEOPLE = (
    "Alma",
    "Bruno",
    "Carla",
    "Dieter",
    "Elif",
    "Farid",
    "Greta",
    "Hamid",
    "Ines",
    "Jonas",
    "Kira",
    "Luca",
    "Mona",
    "Nils",
    "Olga",
    "Pavel",
    "Rosa",
    "Samir",
    "Tara",
    "Uwe",
    "Vera",
    "Walid",
    "Yara",
    "Zeno",
)
TIMES = {
    2: ("twice", "two times"),
    3: ("three times", "3 times"),
    4: ("four times", "4 times"),
    5: ("five times", "5 times"),
}


def two_people(rng: Draws) -> tuple[str, str]:
    first, second = rng.sample(PEOPLE, 2)
    return first, second


def times(rng: Draws, slot: str, value: int) -> str:
    """Write a factor, marked: ``{b:three} times``."""
    written = rng.choice(TIMES[value])
    number, _, rest = written.partition(" ")
    return f"{{{slot}:{number}}}{' ' + rest if rest else ''}"


def money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}" if cents % 100 else str(cents // 100)


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


def coins_total(rng: Draws) -> Draft:
    p = rng.choice(PEOPLE)
    (one, cents1), (two, cents2) = rng.choice(
        (
            (("nickels", 5), ("dimes", 10)),
            (("dimes", 10), ("quarters", 25)),
            (("quarters", 25), ("nickels", 5)),
        )
    )
    x, y = rng.randint(4, 30), rng.randint(4, 30)
    total = money(cents1 * x + cents2 * y)
    text = rng.choice(
        (
            f"{p} has {{d:{x + y}}} coins in {{a:{one}}} and {{b:{two}}}. They are worth ${{c:{total}}}. "
            f"How many of each coin does {p} have?",
            f"A jar holds {{a:{one}}} and {{b:{two}}}, {{d:{x + y}}} coins in all. The total value is "
            f"${{c:{total}}}. How many "
            "coins of each kind are there?",
        )
    )
    return Draft(
        text,
        ("x + y = d", "a*x + b*y = c"),
        {"x": f"# of {one}", "y": f"# of {two}"},
        "",
        ("a*x + b*(d - x) = c",),
        f"value of {one} + value of {two} = ${total}",
    )


def coins_more(rng: Draws) -> Draft:
    p = rng.choice(PEOPLE)
    y, more = rng.randint(4, 30), rng.randint(2, 12)
    total = money(10 * (y + more) + 25 * y)
    text = rng.choice(
        (
            f"{p} has {{d:{more}}} more {{a:dimes}} than {{b:quarters}}. The coins are worth ${{c:{total}}}. "
            "How many dimes are there?",
            f"There are {{d:{more}}} more {{a:dimes}} than {{b:quarters}} in a purse with ${{c:{total}}}. How "
            "many of each?",
        )
    ).replace("many dimes", "many {a:dimes}")
    return Draft(
        text,
        ("a*x + b*y = c", "x = y + d"),
        {"x": "number of dimes", "y": "number of quarters"},
        "coins",
        ("a*x + b*(x - d) = c",),
    )


def mixture(rng: Draws) -> Draft:
    low, high = sorted(rng.sample(range(10, 90, 5), 2))
    x, y = rng.randint(2, 30) * 2, rng.randint(2, 30) * 2
    while (low * x + high * y) % (x + y) or len({low, high, x + y, (low * x + high * y) // (x + y)}) < 4:
        low, high = sorted(rng.sample(range(10, 90, 5), 2))
        x, y = rng.randint(2, 30) * 2, rng.randint(2, 30) * 2
    middle = (low * x + high * y) // (x + y)
    what, unit = rng.choice((("acid", "liters"), ("salt", "ml"), ("alcohol", "gallons"), ("antifreeze", "quarts")))
    d = f"{{d:{x + y}}}"
    text = rng.choice(
        (
            f"How many {unit} of a {{a:{low}}}% {what} solution and of a {{b:{high}}}% {what} solution must be "
            "mixed to get "
            f"{d} {unit} of a {{c:{middle}}}% solution?",
            f"A chemist has a {{a:{low}}}% solution of {what} and a {{b:{high}}}% solution. How much of each is "
            "needed for "
            f"{d} {unit} that are {{c:{middle}}}% {what}?",
            f"A {{a:{low}}}% {what} solution is mixed with a {{b:{high}}}% {what} solution to make {d} {unit} of "
            f"{{c:{middle}}}% {what}. How many {unit} of the {{a:{low}}}% and of the {{b:{high}}}% solution are used?",
        )
    )
    return Draft(
        text,
        ("x + y = d", "0.01*a*x + 0.01*b*y = 0.01*c*d"),
        {"x": f"amt at {low}%", "y": f"amt at {high}%"},
        unit,
        ("0.01*a*x + 0.01*b*(d - x) = 0.01*c*d",),
        f"{what} in first + {what} in second = {what} in mix",
    )


def watering_down(rng: Draws) -> Draft:
    while True:
        low, high = sorted(rng.sample(range(5, 80, 5), 2))
        amount = rng.randint(4, 60)
        if amount * (high - low) % low == 0 and amount not in (low, high):
            break
    what = rng.choice(("brine", "acid", "alcohol", "syrup"))
    text = rng.choice(
        (
            f"How many liters of water must be added to {{b:{amount}}} liters of a {{a:{high}}}% {what} solution "
            "to get a "
            f"{{c:{low}}}% solution?",
            f"{rng.choice(PEOPLE)} has {{b:{amount}}} liters of {{a:{high}}}% {what}. How much water has to be "
            "added to make it "
            f"{{c:{low}}}%?",
        )
    )
    return Draft(text, ("0.01*a*b = 0.01*c*(b + x)",), {"x": "liters of water"}, "L")


def blend(rng: Draws) -> Draft:
    while True:
        low, high = sorted(rng.sample(range(2, 15), 2))
        x, y = rng.randint(3, 30), rng.randint(3, 30)
        price, rest = divmod(low * x + high * y, x + y)
        if rest == 0 and len({low, high, price, x + y}) == 4:
            break
    cheap, dear = rng.choice((("peanuts", "cashews"), ("house tea", "green tea"), ("rye seed", "clover seed")))
    text = rng.choice(
        (
            f"A grocer mixes {cheap} that cost ${{a:{low}}} per pound with {dear} that cost ${{b:{high}}} per "
            "pound. How many "
            f"pounds of each does he need for {{d:{x + y}}} pounds worth ${{c:{price}}} per pound?",
            f"{cheap.capitalize()} sell for ${{a:{low}}} a pound and {dear} for ${{b:{high}}} a pound. A shop wants "
            f"{{d:{x + y}}} pounds of a mix to sell at ${{c:{price}}} a pound. How much of each goes in?",
        )
    )
    return Draft(
        text,
        ("x + y = d", "a*x + b*y = c*d"),
        {"x": f"pounds of {cheap}", "y": f"pounds of {dear}"},
        "lb",
        ("a*x + b*(d - x) = c*d",),
        f"cost of {cheap} + cost of {dear} = cost of the mix",
    )


def apart(rng: Draws) -> Draft:
    v, w = rng.sample(range(30, 80), 2)
    hours = rng.randint(2, 9)
    one, two = rng.choice((("cars", "towns"), ("trains", "stations"), ("buses", "depots")))
    pair = rng.choice(("Two", "A pair of"))
    p = f"{{c:{(v + w) * hours}}}"
    text = rng.choice(
        (
            f"{pair} {one} leave the same place in opposite directions. The first goes {{a:{v}}} mph and the other "
            f"{{b:{w}}} mph. In how many hours will they be {p} miles apart?",
            f"The distance between some {two} is {p} miles. {pair} {one} start there at the same time toward each "
            "other, at "
            f"{{a:{v}}} mph and {{b:{w}}} mph. After how many hours do they meet?",
        )
    )
    return Draft(
        text, ("a*x + b*x = c",), {"x": "time in hours"}, "hrs", in_words="distance + distance = total distance"
    )


def catching_up(rng: Draws) -> Draft:
    while True:
        slow, fast = sorted(rng.sample(range(20, 90), 2))
        start = rng.randint(2, 6)
        if slow * start % (fast - slow) == 0:
            break
    p, q = two_people(rng)
    text = rng.choice(
        (
            f"{p} leaves home at {{a:{slow}}} mph. {q} follows {{b:{start}}} hours later at {{c:{fast}}} mph. How "
            "long does it "
            f"take {q} to catch up?",
            f"A freight train leaves at {{a:{slow}}} mph, and {{b:{start}}} hours later an express leaves on a "
            "parallel track "
            f"at {{c:{fast}}} mph. When will the express catch the freight train?",
        )
    )
    return Draft(text, ("a*(x + b) = c*x",), {"x": "time of the faster one"}, "hrs")


def current(rng: Draws) -> Draft:
    still, stream = rng.randint(8, 30), rng.randint(1, 6)
    down, up = still + stream, still - stream
    k = rng.choice((1, 2))
    distance = down * up * k if down * up < 400 else down * up
    t1, t2 = distance // down, distance // up
    text = (
        f"A boat goes {{a:{distance}}} miles downstream in {{b:{t1}}} hours. The trip back against the current takes "
        f"{{c:{t2}}} hours. Find the speed of the boat in still water and the speed of the current."
    )
    return Draft(
        text, ("b*(x + y) = a", "c*(x - y) = a"), {"x": "speed of the boat", "y": "speed of the current"}, "mph"
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


def tickets(rng: Draws) -> Draft:
    low, high = sorted(rng.sample(range(2, 25), 2))
    x, y = rng.randint(20, 200), rng.randint(20, 200)
    where = rng.choice(("school play", "concert", "puppet theater", "swim meet"))
    text = rng.choice(
        (
            f"Tickets for the {where} cost ${{a:{high}}} for adults and ${{b:{low}}} for children. {{d:{x + y}}} "
            "tickets were "
            f"sold for ${{c:{high * x + low * y}}}. How many adult tickets and how many child tickets were sold?",
            f"{{d:{x + y}}} people paid ${{c:{high * x + low * y}}} to see a {where}. Adults paid ${{a:{high}}} "
            "and children "
            f"paid ${{b:{low}}}. How many of each came?",
        )
    )
    return Draft(
        text,
        ("x + y = d", "a*x + b*y = c"),
        {"x": "adult tickets", "y": "child tickets"},
        "tickets",
        ("a*x + b*(d - x) = c",),
        "money from adults + money from children = total money",
    )


def perimeter(rng: Draws) -> Draft:
    width, factor, more = rng.randint(3, 30), rng.choice((2, 3, 4)), rng.randint(5, 12)
    length = factor * width + more
    k = times(rng, "b", factor)
    what = rng.choice(("rectangle", "garden", "playing field", "picture frame"))
    text = rng.choice(
        (
            f"The length of a {what} is {{a:{more}}} feet more than {k} its width. The perimeter is "
            f"{{c:{2 * (length + width)}}} feet. Find the length and the width.",
            f"A rectangular {what} has a perimeter of {{c:{2 * (length + width)}}} meters. It is {{a:{more}}} "
            "meters longer "
            f"than {k} its width. What are its dimensions?",
        )
    )
    return Draft(text, ("x = b*y + a", "2*x + 2*y = c"), {"x": "length", "y": "width"}, "ft")


def work(rng: Draws) -> Draft:
    p, q = two_people(rng)
    slow, fast = rng.choice(
        ((6, 3), (12, 4), (10, 15), (20, 5), (30, 6), (24, 8), (20, 30), (9, 18), (12, 6), (14, 35), (4, 5), (6, 8))
    )
    job = rng.choice(("paint a fence", "fill a pool", "mow the lawn", "type a report"))
    text = rng.choice(
        (
            f"{p} can {job} in {{a:{slow}}} hours. {q} can do it in {{b:{fast}}} hours. How long does it take "
            "them together?",
            f"It takes {p} {{a:{slow}}} hours to {job} and {q} {{b:{fast}}} hours. Working together, how many "
            "hours do they "
            "need?",
        )
    )
    return Draft(text, ("x/a + x/b = 1",), {"x": "time together"}, "hours", in_words="work of both = 1 job")


def invest(rng: Draws) -> Draft:
    low, high = sorted(rng.sample(range(3, 15), 2))
    x, y = rng.randint(5, 60) * 100, rng.randint(5, 60) * 100
    interest = (low * x + high * y) // 100
    text = rng.choice(
        (
            f"{rng.choice(PEOPLE)} invested ${{d:{x + y}}}, part at {{a:{low}}}% and the rest at {{b:{high}}}%. "
            "The interest "
            f"for the year was ${{c:{interest}}}. How much was invested at each rate?",
            f"A sum of ${{d:{x + y}}} is split between an account paying {{a:{low}}}% and another paying "
            f"{{b:{high}}}%. After "
            f"a year the interest is ${{c:{interest}}}. Find the amounts.",
        )
    )
    return Draft(
        text,
        ("x + y = d", "0.01*a*x + 0.01*b*y = c"),
        {"x": f"amt at {low}%", "y": f"amt at {high}%"},
        "dollars",
        ("0.01*a*x + 0.01*b*(d - x) = c",),
    )


def discount(rng: Draws) -> Draft:
    percent, price = rng.choice((10, 15, 20, 25, 30, 35, 40, 60)), rng.randint(2, 30) * 20
    sold = price * (100 - percent) // 100
    what = rng.choice(("coat", "lamp", "bicycle", "radio"))
    text = rng.choice(
        (
            f"A {what} is on sale for ${{b:{sold}}}. That is {{a:{percent}}}% off the original price. What was "
            "the original "
            "price?",
            f"After a discount of {{a:{percent}}}% a {what} costs ${{b:{sold}}}. How much did it cost before?",
        )
    )
    return Draft(text, ("x - 0.01*a*x = b",), {"x": "original price"}, "dollars")


def two_plans(rng: Draws) -> Draft:
    while True:
        flat1, flat2 = sorted(rng.sample(range(10, 60, 5), 2), reverse=True)
        rate1, rate2 = sorted(rng.sample(range(2, 30), 2))
        if (flat1 - flat2) * 100 % (rate2 - rate1) == 0:
            break
    text = (
        f"A phone plan costs ${{a:{flat1}}} a month plus ${{b:0.{rate1:02}}} a minute. Another costs "
        f"${{c:{flat2}}} a month "
        f"plus ${{d:0.{rate2:02}}} a minute. For how many minutes do the plans cost the same?"
    )
    return Draft(text, ("a + b*x = c + d*x",), {"x": "minutes"}, "minutes")


def rope(rng: Draws) -> Draft:
    short, more = rng.randint(4, 50), rng.randint(2, 20)
    pair = rng.choice(("two", "a pair of"))
    what, unit = rng.choice((("rope", "feet"), ("board", "inches"), ("wire", "meters")))
    text = rng.choice(
        (
            f"A {what} {{a:{2 * short + more}}} {unit} long is cut in {pair} pieces. The longer piece is "
            f"{{b:{more}}} {unit} "
            "longer than the shorter. How long is each piece?",
            f"A {{a:{2 * short + more}}} {unit} {what} is cut so that the longer part is {{b:{more}}} {unit} "
            "longer than the "
            "other. Find the length of both parts.",
        )
    )
    return Draft(
        text, ("x + y = a", "x = y + b"), {"x": "longer piece", "y": "shorter piece"}, unit, ("x + (x - b) = a",)
    )


LINEAR: dict[str, tuple[Kind, str]] = {
    kind.__name__: (kind, topic)
    for kind, topic in (
        (age_sum, "word/age/Age_Word_Problems"), (age_future, "word/age/Age_Word_Problems"),
        (age_past, "word/age/Age_Word_Problems"), (coins_total, "word/coins/Word_Problems_With_Coins"),
        (coins_more, "word/coins/Word_Problems_With_Coins"), (mixture, "word/mixtures/Mixture_Word_Problems"),
        (watering_down, "word/mixtures/Mixture_Word_Problems"), (blend, "word/mixtures/Mixture_Word_Problems"),
        (apart, "word/travel/Travel_Word_Problems"), (catching_up, "word/travel/Travel_Word_Problems"),
        (current, "word/travel/Travel_Word_Problems"), (two_numbers, "word/numbers/Numbers_Word_Problems"),
        (consecutive, "word/numbers/Numbers_Word_Problems"), (mystery_number, "word/numbers/Numbers_Word_Problems"),
        (tickets, "word/misc/Miscellaneous_Word_Problems"), (perimeter, "word/geometry/Geometry_Word_Problems"),
        (work, "Rate-of-work-word-problems/Rate-of-work-word-problems"),
        (invest, "word/finance/Money_Word_Problems"), (discount, "word/finance/Money_Word_Problems"),
        (two_plans, "word/misc/Miscellaneous_Word_Problems"), (rope, "word/geometry/Geometry_Word_Problems"),
    )
}  # fmt: skip
"""Each kind by name, with the topic it belongs to."""
