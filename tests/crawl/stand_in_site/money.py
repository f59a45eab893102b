"""Problems about money: coins, prices, tickets, interest."""

from __future__ import annotations

from crawl.stand_in_site.drawing import PEOPLE, Draws, money
from crawl.stand_in_site.problems import Draft


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
