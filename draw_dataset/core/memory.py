"""How much is kept of what was computed: results of functions, remembered while their weight allows.

A cache that counts its entries lets large ones fill the memory: a few thousand hostile texts, each as large as the
bounds allow, are gigabytes. Here every result is weighed when it is made, in bytes, roughly and rather too high, and
results are dropped when together they weigh more than a limit.

There are two generations. New results go to the young one; when that holds half of the limit it becomes the old one,
and what was old is dropped. A result of the old generation that is asked for again is young again. So what is asked for
often stays, nothing is moved or counted when a result is found, and a lookup takes no lock. Errors are not remembered:
they hold the frames that they passed through.
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
    """A function whose results are remembered; its arguments are given by position."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T_co:
        """Return what the function returns."""

    def cache_clear(self) -> None:
        """Forget everything."""

    def cache_weight(self) -> int:
        """Return what the results weigh that are kept."""


def remembered(
    limit: int, weigh: Callable[..., int], key: Callable[..., object] | None = None
) -> Callable[[Callable[P, T]], Remembered[P, T]]:
    """Remember the results of a function up to a total weight; usable in threads.

    >>> squares = remembered(1000, lambda result, number: 100)(lambda number: number * number)
    >>> [squares(number) for number in (2, 3, 2)], squares.cache_weight()
    ([4, 9, 4], 200)

    Args:
        limit: how many bytes all results may weigh; one that weighs more than an eighth of it is not kept.
        weigh: gives the weight of a result, called with the result and the arguments it was made of.
        key: what of the arguments a result is kept by, so that arguments which are large are not kept with it; by
            default all of them.
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
                if at in young:  # another thread was faster: one result for all
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
