"""Costs of a run by prices a million tokens, and a budget that stops it.

Amounts are exact and have no currency: it is that of the prices. Servers count the tokens of thoughts as completion
tokens, and we count as they do.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from draw_dataset.errors import ChoiceError

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a million tokens."""

    prompt: Fraction
    completion: Fraction

    def cost(self, usage: Mapping[str, int]) -> Fraction | None:
        """Return the cost of a request; None if the server did not count its tokens.

        >>> str(Prices(Fraction(2), Fraction(8)).cost({"prompt_tokens": 500, "completion_tokens": 250}))
        '3/1000'
        """
        asked, answered = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if asked is None or answered is None:
            return None
        return (asked * self.prompt + answered * self.completion) / _MILLION


class Budget:
    """What a run may cost, for all threads together.

    A request starts only if the dearest one so far still fits in beside those in flight. The first one starts alone,
    because nothing is known of its cost.
    """

    def __init__(self, prices: Prices, limit: Fraction, costs: Iterable[Fraction]) -> None:
        earlier = list(costs)
        self.prices, self.limit = prices, limit
        self.spent = sum(earlier, Fraction(0))
        self._dearest = max(earlier, default=None)
        self._in_flight = 0
        self._changed = threading.Condition()

    def start(self, stopped: threading.Event) -> bool:
        """Wait until a request may start; False if the budget is used up."""
        with self._changed:
            while not stopped.is_set():
                next_one = self._dearest or Fraction(0)
                fits = self.spent + (self._in_flight + 1) * next_one <= self.limit and self.spent < self.limit
                if fits and (self._dearest is not None or not self._in_flight):
                    break
                if not self._in_flight:
                    return False
                self._changed.wait(0.2)
            self._in_flight += 1
            return True

    def cost(self, usage: Mapping[str, int]) -> Fraction | None:
        """Return the cost of a request; without token counts nothing more may start."""
        cost = self.prices.cost(usage)
        if cost is None:
            with self._changed:
                self.limit = Fraction(0)
        return cost

    def settle(self, cost: Fraction | None) -> None:
        """Count the cost of a request that has ended; one that failed has none."""
        with self._changed:
            self._in_flight -= 1
            if cost is not None:
                self.spent += cost
                self._dearest = max(self._dearest or cost, cost)
            self._changed.notify_all()


def costs_of(prices: Prices, usages: Iterable[Mapping[str, int]]) -> list[Fraction]:
    """Return the costs of stored responses; raises `ChoiceError` if one has no token counts."""
    costs = [prices.cost(usage) for usage in usages]
    if None in costs:
        raise ChoiceError(
            f"--budget: expected token counts of every stored response, but {costs.count(None)} have none, because the "
            "server does not count; ask without --budget"
        )
    return [cost for cost in costs if cost is not None]
