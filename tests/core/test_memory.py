"""Caches are bounded by weight, whatever the input."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from threading import Barrier, Thread

import pytest

import draw_dataset
from draw_dataset import Derivation, Template, canonical_key, derivations_equivalent
from draw_dataset.algebra.limits import MEGABYTE, CachedFunction, weighted_cache
from draw_dataset.algebra.system import System
from draw_dataset.errors import LimitError

pytestmark = pytest.mark.slow


def counted(limit: int, weight: int = 100) -> tuple[CachedFunction[[int], int], list[int]]:
    computed: list[int] = []

    @weighted_cache(limit, lambda _result, _number: weight)
    def double(number: int) -> int:
        computed.append(number)
        return 2 * number

    return double, computed


def test_a_result_is_computed_once() -> None:
    double, computed = counted(1_000)
    assert [double(1), double(2), double(1)] == [2, 4, 2]
    assert computed == [1, 2]
    double.cache_clear()
    assert double(1) == 2
    assert computed == [1, 2, 1]
    assert double.cache_weight() == 100


def test_the_weight_never_passes_the_limit() -> None:
    double, _ = counted(1_000)
    for number in range(1_000):
        assert double(number % 70) == 2 * (number % 70)
        assert double.cache_weight() <= 1_000


def test_what_is_asked_for_again_stays() -> None:
    double, computed = counted(1_000)
    for number in range(1, 100):
        double(0)
        double(number)
    assert computed.count(0) == 1


def test_what_is_too_heavy_is_not_kept() -> None:
    double, computed = counted(1_000, weight=126)
    double(1)
    double(1)
    assert computed == [1, 1]
    assert double.cache_weight() == 0


def test_errors_are_not_kept() -> None:
    calls = 0

    @weighted_cache(1_000, lambda _result, _number: 1)
    def fail(_number: int) -> int:
        nonlocal calls
        calls += 1
        raise LimitError("expected less")

    for _ in range(2):
        with pytest.raises(LimitError):
            fail(1)
    assert calls == 2


def test_arguments_are_not_kept_where_a_key_stands_for_them() -> None:
    class Large:
        number = 7

    @weighted_cache(1_000, lambda _result, _large: 1, key=lambda large: large.number)
    def double(large: Large) -> int:
        return 2 * large.number

    assert double(Large()) == double(Large()) == 14
    gc.collect()
    assert not [thing for thing in gc.get_objects() if isinstance(thing, Large)]


def test_threads_get_one_result() -> None:
    @weighted_cache(MEGABYTE, lambda _result, _number: 100)
    def make(number: int) -> list[int]:
        return [number]

    start = Barrier(8)
    found: list[list[list[int]]] = []

    def ask() -> None:
        start.wait()
        found.append([make(number) for number in range(500)])

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for results in zip(*found, strict=True):
        assert all(result is results[0] for result in results)


def refused(count: int) -> Iterator[dict[str, object]]:
    """Predictions that can be read, take half a megabyte, and are too large to be compared."""
    alignment = [{"slot": slot, "sentence": 0, "token": i} for i, slot in enumerate("abcd")]
    for i in range(1, count + 1):
        first = f"m = (a + 2*b + {i}*c + d)^12 + 1/(m + 7) - 1/(m + 7)"
        second = f"(a + 3*b + c + {i}*d)^12*m + n = 5"
        yield {"template": [first, second], "alignment": alignment}


def caches() -> list[CachedFunction[..., object]]:
    """Every cache of the core, each once."""
    modules = [
        module
        for name, module in sys.modules.items()
        if name.startswith(("draw_dataset.algebra", "draw_dataset.derivation"))
    ]
    values = [value for module in modules for value in vars(module).values() if not isinstance(value, type)]
    return list({id(value): value for value in values if hasattr(value, "cache_weight")}.values())


def test_ever_new_refused_predictions_leave_memory_flat() -> None:
    for cache in caches():
        cache.cache_clear()
    gc.collect()
    before = sum(isinstance(thing, System) and thing.size > 1_000 for thing in gc.get_objects())
    gold = Derivation("a*m + b*n = c; m + n = d", {slot: (0, i) for i, slot in enumerate("abcd")})
    kept = []
    for i, prediction in enumerate(refused(150), 1):
        with pytest.raises(LimitError):
            derivations_equivalent(prediction, gold)
        if i % 50 == 0:
            gc.collect()
            kept.append(sum(isinstance(thing, System) and thing.size > 1_000 for thing in gc.get_objects()))
    assert max(kept) - before < 60
    assert sum(cache.cache_weight() for cache in caches()) < 100 * MEGABYTE


REMEMBERED = {
    "products": [
        f"m = (a + b + c + d)^{n}*(a + {i}*b) + {i}*n; n = (a - {i}*c)^{n}" for n in range(1, 8) for i in range(9)
    ],
    "small": [f"a*m + {i}*n = b; m - c*n = {i + 1}*d" for i in range(300)],
    "long": [f"m = {i}*n" + " + a + 2*b - c" * 300 + f"; n = {i}*a" for i in range(8)],
    "large numbers": [f"m = {10**90 + i}^12*a + {10**90 - i}^13*b + n; n = {10**80 + i}^14*c" for i in range(60)],
    "many large numbers": [f"m = ({10**60 + i}*a + {10**50 + i}*b + {10**50 - i}*c + d)^7" for i in range(20)],
    "divisors": [f"m = a/(b + {i}) + c/(d + {10**20 + i}^12*a) + 1/(m + {10**20 + i}^12)*(m - m)" for i in range(60)],
}


@pytest.mark.parametrize("texts", REMEMBERED.values(), ids=REMEMBERED)
def test_weights_are_not_less_than_what_is_kept(texts: list[str]) -> None:
    for text in texts:
        canonical_key(text)  # fills what is counted and not weighed, so that no earlier test changes the result
    for cache in caches():
        cache.cache_clear()
    gc.collect()
    tracemalloc.start()
    try:
        for text in texts:
            canonical_key(text)
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    weight = sum(cache.cache_weight() for cache in caches())
    # A row is kept by three caches: of equations, of systems and of templates. Any of them may drop it first, so each
    # must weigh it, and the sum is up to three times what is kept. Weights are estimated too high rather than too low;
    # together that makes 3.4 at most.
    assert kept < weight < 4 * kept


def test_a_spawned_process_remembers_for_itself() -> None:
    code = (
        "import multiprocessing as m\n"
        "from draw_dataset import canonical_key\n"
        "if __name__ == '__main__':\n"
        "    with m.get_context('spawn').Pool(2) as pool:\n"
        "        print(len(set(pool.map(canonical_key, ['m = a + b', 'n = b + a'] * 8))))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"


def test_a_template_is_read_once() -> None:
    assert Template.coerce("m = a + 17*b") is Template.coerce(["m = a + 17*b"])


FEW = 1 << 10
"""Entries that need not be weighed where they are gold's: the largest texts have some ten thousand characters."""

COUNTED = {
    "algebra/number.py": "literals and floats, none longer than 100 digits",
    "reading/tokens.py": "literals, none longer than MAX_DIGITS",
    "text/numerals.py": "short tokens",
    "annotate/page/render.py": "texts of less than 40 characters",
}
"""Where more entries are counted and not weighed, and why these are small whatever somebody writes."""


def test_a_cache_of_many_is_bounded_by_weight() -> None:
    package = Path(draw_dataset.__file__).parent
    found = set()
    for path in package.rglob("*.py"):
        for number, shift in re.findall(r"lru_cache\(maxsize=(\w+)(?: << (\w+))?\)", path.read_text(encoding="utf-8")):
            if number == "None" or int(number) << int(shift or 0) > FEW:
                found.add(path.relative_to(package).as_posix())
    assert found <= COUNTED.keys()
