"""Caches that are bounded by weight: they keep results of functions up to a number of bytes.

A cache that counts its entries can fill the memory: a few thousand hostile texts, each as large as the bounds allow,
take gigabytes. Here every result is weighed when it is made, in bytes. The weight is an estimate, too high rather than
too low. Results are dropped when all of them together weigh more than a limit.

There are two generations. New results go to the young one. When that holds half of the limit, it becomes the old one,
and the old one is dropped. A result of the old generation that is asked for again moves to the young one. So results
that are often asked for stay, a lookup moves and counts nothing, and it takes no lock. Errors are not remembered,
because an error keeps the frames alive that it passed through.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, ParamSpec, Protocol, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

MEGABYTE = 1 << 20

_NOTHING = object()


class Remembered(Protocol[P, T_co]):
    """A function with a cache; its arguments are given by position."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T_co:
        """Return what the function returns."""

    def cache_clear(self) -> None:
        """Forget everything."""

    def cache_weight(self) -> int:
        """Return the weight of the results that are kept."""


def remembered(
    limit: int, weigh: Callable[..., int], key: Callable[..., object] | None = None
) -> Callable[[Callable[P, T]], Remembered[P, T]]:
    """Cache the results of a function up to a total weight; usable in threads.

    >>> squares = remembered(1000, lambda result, number: 100)(lambda number: number * number)
    >>> [squares(number) for number in (2, 3, 2)], squares.cache_weight()
    ([4, 9, 4], 200)

    Args:
        limit: how many bytes all results may weigh; a result that weighs more than an eighth of it is not kept.
        weigh: returns the weight of a result; called with the result and the arguments.
        key: returns the key under which a result is kept, so that large arguments are not kept with it; by default the
            arguments are the key.
    """
    half, heaviest = limit // 2, limit // 8

    def decorate(function: Callable[P, T]) -> Remembered[P, T]:
        young: dict[object, Any] = {}
        old: dict[object, Any] = {}
        young_weight = old_weight = 0
        lock = Lock()
        compute: Callable[..., Any] = function
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
        return cast("Remembered[P, T]", made)

    return decorate
