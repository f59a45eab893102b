"""The kinds of linear word problems by name, each with the topic it belongs to."""

from __future__ import annotations

from collections.abc import Callable

from crawl.stand_in_site import ages_and_numbers as an
from crawl.stand_in_site import measures, money
from crawl.stand_in_site.drawing import Draws
from crawl.stand_in_site.problems import Draft

Kind = Callable[[Draws], Draft]

AGE = "word/age/Age_Word_Problems"
COINS = "word/coins/Word_Problems_With_Coins"
FINANCE = "word/finance/Money_Word_Problems"
GEOMETRY = "word/geometry/Geometry_Word_Problems"
MISC = "word/misc/Miscellaneous_Word_Problems"
MIXTURES = "word/mixtures/Mixture_Word_Problems"
NUMBERS = "word/numbers/Numbers_Word_Problems"
TRAVEL = "word/travel/Travel_Word_Problems"
WORK = "Rate-of-work-word-problems/Rate-of-work-word-problems"

_KINDS: tuple[tuple[str, Kind], ...] = (
    (AGE, an.age_sum), (AGE, an.age_future), (AGE, an.age_past), (COINS, money.coins_total), (COINS, money.coins_more),
    (MIXTURES, measures.mixture), (MIXTURES, measures.watering_down), (MIXTURES, money.blend), (TRAVEL, measures.apart),
    (TRAVEL, measures.catching_up), (TRAVEL, measures.current), (NUMBERS, an.two_numbers), (NUMBERS, an.consecutive),
    (NUMBERS, an.mystery_number), (MISC, money.tickets), (GEOMETRY, measures.perimeter), (WORK, measures.work),
    (FINANCE, money.invest), (FINANCE, money.discount), (MISC, money.two_plans), (GEOMETRY, measures.rope),
)  # fmt: skip

LINEAR: dict[str, tuple[Kind, str]] = {kind.__name__: (kind, topic) for topic, kind in _KINDS}
