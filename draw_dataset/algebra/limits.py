"""Limits on the size and the work of one input, so that untrusted text cannot take much time or memory.

The worst input within the limits takes well under a second; the public data has at most 6 slots, 3 unknowns and 100
characters in an equation. Work is counted, not timed, and reading, solving, comparing and ordering each have their own
budget, so a verdict depends neither on the machine nor on cached results. One unit of work is about a product of two
terms with small coefficients. A product of integers of a and b bits adds a*b / 2^16 units, a division four times that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial, wraps
from threading import Lock
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from draw_dataset.errors import LimitError

MAX_CHARACTERS = 8_000  #: characters of one system of equations
MAX_DEPTH = 40  #: levels of nested parentheses
MAX_NAMES = 40  #: different unknowns, and different slots, in one system
MAX_EQUATIONS = 40  #: equations of one system
MAX_DIGITS = 100  #: digits of one literal number, with its exponent written out
MAX_EXPONENT = 64  #: exponent of a power
MAX_BITS = 4_096  #: bits of a coefficient, while reading and while comparing
MAX_SOLUTION_BITS = 12_000  #: bits of a number in a solution; Python does not print much longer integers
MAX_DEGREE = 64  #: names in one term, counted with their exponents
MAX_SIZE = 4_000  #: terms of one system after its brackets are multiplied out, and of its solution
READING_WORK = 100_000  #: work while reading one system
COMPARING_WORK = 200_000  #: work of one computation while solving or comparing systems
SEARCH_WORK = 400_000  #: work while ordering interchangeable slots, or until slot maps are found
MAP_WORK = 1_000  #: work that each slot map adds to the budget, so that many cheap maps can be asked for
MAX_FREE_UNKNOWNS = 5  #: unknowns of a system without a unique solution; all their orders are tried


class Meter:
    """Counts work down from a budget and raises `LimitError` when the budget is spent."""

    __slots__ = ("_budget", "_doing", "left")

    def __init__(self, budget: int, doing: str) -> None:
        self.left = budget
        self._budget = budget
        self._doing = doing

    def spend(self, steps: int, bits: int = 0) -> None:
        """Take steps from the budget, and more for large integers: `bits` adds up the products of their lengths."""
        self.left -= steps + (bits >> 16)
        if self.left < 0:
            raise LimitError(
                f"{self._doing} took more than {self._budget} steps, the bound for one input; "
                "expected a system with fewer terms, smaller numbers and exponents, or fewer unknowns"
            )


def check_bits(numbers: Iterable[int], most: int = MAX_BITS) -> None:
    """Raise `LimitError` if a number has more bits than allowed."""
    if max(map(int.bit_length, numbers), default=0) > most:
        raise LimitError(f"expected numbers of at most {most} bits, but got a larger one")


def is_long(value: Fraction | int) -> bool:
    """Decide whether the numerator or the denominator of a number has more than `MAX_BITS` bits."""
    if type(value) is int:
        return value.bit_length() > MAX_BITS
    return value.numerator.bit_length() > MAX_BITS or value.denominator.bit_length() > MAX_BITS


def comparison_budget() -> Meter:
    """Return a fresh budget for one symbolic computation."""
    return Meter(COMPARING_WORK, "comparing the systems")


# Function cache with a byte budget: a cache that counts entries can fill the memory with a few thousand hostile texts.
# There are two generations. When the young one holds half of the limit, it becomes the old one, and the old one is
# dropped. An old result that is asked for again becomes young, so frequent results stay, and a lookup takes no lock.
# Errors are not cached, because an error keeps its stack frames alive.

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

MEGABYTE = 1 << 20

_NOTHING = object()


class CachedFunction(Protocol[P, T_co]):
    """A function with a cache; its arguments are given by position."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T_co:
        """Return the result of the function."""

    def cache_clear(self) -> None:
        """Forget everything."""

    def cache_weight(self) -> int:
        """Return the weight of the results that are kept."""


def weighted_cache(
    limit: int, weigh: Callable[..., int], key: Callable[..., object] | None = None
) -> Callable[[Callable[P, T]], CachedFunction[P, T]]:
    """Cache the results of a function up to a total weight in bytes; safe in threads.

    `weigh` estimates the bytes of a result and its arguments. A result above an eighth of the limit is not cached.
    Results are kept by `key` of the arguments, so that large arguments are not kept, or by the arguments themselves.

    >>> squares = weighted_cache(1000, lambda result, number: 100)(lambda number: number * number)
    >>> [squares(number) for number in (2, 3, 2)], squares.cache_weight()
    ([4, 9, 4], 200)
    """
    half, heaviest = limit // 2, limit // 8

    def decorate(function: Callable[P, T]) -> CachedFunction[P, T]:
        young: dict[object, Any] = {}
        old: dict[object, Any] = {}
        young_weight = old_weight = 0
        lock = Lock()
        # `partial`, because `datasets` hashes functions with dill, which follows functions into functions for minutes.
        compute: Callable[..., Any] = partial(function)
        key_of: Any = key

        @wraps(function)
        def call(*arguments: Any) -> Any:
            value = young.get(arguments, _NOTHING)
            return miss(arguments, arguments) if value is _NOTHING else value

        @wraps(function)
        def call_by_key(*arguments: Any) -> Any:
            at = key_of(*arguments)
            value = young.get(at, _NOTHING)
            return miss(at, arguments) if value is _NOTHING else value

        def miss(at: object, arguments: tuple[Any, ...]) -> Any:
            nonlocal young, old, young_weight, old_weight
            value = old.get(at, _NOTHING)
            if value is _NOTHING:
                value = compute(*arguments)
            weight = weigh(value, *arguments)
            if weight > heaviest:
                return value
            with lock:
                if at in young:  # another thread was faster: all threads get its result
                    return young[at]
                if young_weight + weight > half:
                    old, old_weight = young, young_weight
                    young, young_weight = {}, 0
                young[at] = value
                young_weight += weight
            return value

        def clear() -> None:
            nonlocal young, old, young_weight, old_weight
            with lock:
                young, old = {}, {}
                young_weight = old_weight = 0

        made: Any = call if key is None else call_by_key
        made.cache_clear = clear
        made.cache_weight = lambda: young_weight + old_weight
        return cast("CachedFunction[P, T]", made)

    return decorate
