"""Krippendorff's alpha for nominal data, exactly: how much annotators agree beyond what chance would give.

From the values of each unit that at least two annotators have judged (others say nothing about agreement) the observed
disagreement is the share of unequal pairs within units, each unit weighing as much as it has values; the expected one
is the share of unequal pairs among all values regardless of units. Alpha is one minus their quotient: 1 if all agree,
0 at the level of chance. Any number of annotators, missing values allowed. With one value everywhere nothing could
have disagreed, and alpha is not defined.

Klaus Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction


def nominal_alpha(units: Iterable[Sequence[Hashable]]) -> Fraction | None:
    """Return alpha of the values that units were given, each unit by any number of annotators.

    >>> alpha = nominal_alpha(["ab", "aa", "bb", "bb", "db", "cc", "cc", "cc", "ee", "dd", "dd", "ad"])
    >>> alpha, f"{float(alpha):.3f}"
    (Fraction(155, 224), '0.692')

    Args:
        units: for each unit the values given to it; values that are missing are left out.

    Returns:
        Alpha, or None if nothing could have disagreed.
    """
    total: Counter[Hashable] = Counter()
    unequal_within = Fraction(0)
    for values in units:
        size = len(values)
        if size < 2:
            continue
        counts = Counter(values)
        total.update(counts)
        unequal_within += Fraction(_unequal_pairs(counts), size - 1)
    unequal = _unequal_pairs(total)
    if not unequal:
        return None
    return 1 - (total.total() - 1) * unequal_within / unequal


def _unequal_pairs(counts: Counter[Hashable]) -> int:
    """Return how many ordered pairs of the counted values are unequal."""
    return counts.total() ** 2 - sum(count * count for count in counts.values())
