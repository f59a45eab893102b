"""The question: which problems of the pool are annotated? A draw that a seed repeats, spread over topics if asked.

The pool is put in the order of its ids first, so that the draw does not depend on the order of the file. Over topics,
each gets its share by the method of largest remainders; what a topic cannot give goes to the others.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from draw_dataset.cleaning.pool.edits import doubtful_sentences
from draw_dataset.cleaning.pool.record import Record


def draw_sample(pool: Sequence[Record], count: int, seed: int = 0, by_topic: bool = False) -> list[Record]:
    """Return a random sample of the pool, in the order of ids; the whole pool if it is not larger.

    >>> pool = [Record(i, "", "age" if i < 8 else "coins", f"text {i}") for i in range(10)]
    >>> [record.id for record in draw_sample(pool, 5, by_topic=True)]
    [0, 4, 5, 6, 9]
    """
    ordered = sorted(pool, key=lambda record: record.id)
    if count >= len(ordered):
        return ordered
    rng = random.Random(f"sample {seed}")
    if not by_topic:
        return sorted(rng.sample(ordered, count), key=lambda record: record.id)
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in ordered:
        groups[record.topic].append(record)
    drawn = []
    for topic, share in shares({topic: len(group) for topic, group in sorted(groups.items())}, count).items():
        drawn += rng.sample(groups[topic], share)
    return sorted(drawn, key=lambda record: record.id)


def shares(sizes: dict[str, int], count: int) -> dict[str, int]:
    """Return how many of `count` fall to each group, in proportion to its size.

    >>> shares({"age": 6, "coins": 3, "work": 1}, 4)
    {'age': 3, 'coins': 1, 'work': 0}
    """
    total = sum(sizes.values())
    exact = {name: Fraction(count * size, total) for name, size in sizes.items()}
    result = {name: int(share) for name, share in exact.items()}
    by_rest = sorted(sizes, key=lambda name: (result[name] - exact[name], name))
    for name in by_rest[: count - sum(result.values())]:
        result[name] += 1
    return result


def annotation_row(record: Record) -> dict[str, Any]:
    """Return a problem as ``draw annotate import`` takes it: id, question, equations, and where all that comes from.

    What a person should look at, whether or not the equations leave a question, is in ``look_at``.
    """
    return {
        "id": record.id,
        "question": record.question,
        "equations": list(record.equations),
        "solutions": [float(Fraction(value)) for _, value in record.solutions],
        "look_at": [f"{sentence!r} may not belong to the problem" for sentence in doubtful_sentences(record.question)],
        "source": {
            "url": record.url,
            "topic": record.topic,
            "posted": record.posted,
            "changes": [change.to_json() for change in record.changes],
            "solution": dict(record.solutions),
            "missing": list(record.missing),
            "confirmed": record.confirmed,
            "other_equations": [dict(other) for other in record.others],
        },
    }
