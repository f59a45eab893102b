"""The kinds of linear word problems by name, each with the topic it belongs to."""

from __future__ import annotations

from collections.abc import Callable

from crawl.site import ages_and_numbers as an
from crawl.site import measures, money
from crawl.site.drawing import Draws
from crawl.site.problems import Draft

Kind = Callable[[Draws], Draft]

BY_TOPIC: dict[str, tuple[Kind, ...]] = {
    "word/age/Age_Word_Problems": (an.age_sum, an.age_future, an.age_past),
    "word/numbers/Numbers_Word_Problems": (an.two_numbers, an.consecutive, an.mystery_number),
    "word/coins/Word_Problems_With_Coins": (money.coins_total, money.coins_more),
    "word/mixtures/Mixture_Word_Problems": (measures.mixture, measures.watering_down, money.blend),
    "word/travel/Travel_Word_Problems": (measures.apart, measures.catching_up, measures.current),
    "word/misc/Miscellaneous_Word_Problems": (money.tickets, money.two_plans),
    "word/geometry/Geometry_Word_Problems": (measures.perimeter, measures.rope),
    "word/finance/Money_Word_Problems": (money.invest, money.discount),
    "Rate-of-work-word-problems/Rate-of-work-word-problems": (measures.work,),
}

LINEAR: dict[str, tuple[Kind, str]] = {
    kind.__name__: (kind, topic) for topic, kinds in BY_TOPIC.items() for kind in kinds
}
