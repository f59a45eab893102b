"""Problems about mixtures, travel, lengths and work."""

from __future__ import annotations

from crawl.stand_in_site.drawing import PEOPLE, Draws, times, two_people
from crawl.stand_in_site.problems import Draft


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
