"""How fast predictions are scored, and in how much memory a long file of them."""

from __future__ import annotations

import json
import random
from typing import Any

from benchmarks.measuring import forget_everything, timed
from benchmarks.rows import DATASETS, Row, prediction, release_folder
from draw_dataset import Problem, score
from draw_dataset.release.loading import load_problems
from draw_dataset.sample import load_sample
from draw_dataset.scoring.reference import Reference


def problems() -> list[Problem]:
    """Return the problems of the release, or of the sample where the release is not at hand."""
    folder = release_folder()
    if folder is None:
        return [p for listed in load_sample().values() for p in listed]
    return [p for name in DATASETS for listed in load_problems(name, folder).values() for p in listed]


def predicted(problem: Problem, kind: int, rng: random.Random) -> dict[str, Any]:
    """Return gold renamed (0), reordered (1), rescaled (2), numbers swapped (3), or another of the text's (4)."""
    row = Row(
        list(problem.template),
        {a.slot: (a.sentence, a.token) for a in problem.alignment},
        [],
        list(problem.equations),
    )
    equations, alignment = prediction(row, kind if kind < 4 else 0, rng)
    if kind == 4 and alignment:
        taken = set(alignment.values())
        spare = [(n.sentence, n.token) for n in problem.numbers if n.sentence is not None and n.place not in taken]
        if spare:
            alignment[rng.choice(sorted(alignment))] = rng.choice(spare)
    entries = [{"slot": slot, "sentence": place[0], "token": place[1]} for slot, place in alignment.items()]
    return {"template": equations, "alignment": entries}


def section_s(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Score 100,000 predictions, against decoding them."""
    del rows
    rng = random.Random(6)
    count = 20_000 if quick else 100_000
    listed = problems()
    chosen = [rng.choice(listed) for _ in range(count)]
    known = {id(problem): Reference(problem) for problem in listed}
    golds = [known[id(problem)] for problem in chosen]
    lines = [json.dumps(predicted(problem, i % 5, rng)) for i, problem in enumerate(chosen)]
    floor = min(timed(lambda: [json.loads(line) for line in lines]) for _ in range(3))
    decoded = [json.loads(line) for line in lines]
    score([None] * len(listed), list(known.values()))  # gold is prepared once, however many predictions come
    times = []
    found = None
    for _ in range(2):
        forget_everything()

        def work() -> None:
            nonlocal found
            found = score(decoded, golds)

        times.append(timed(work))
    again = timed(lambda: score(decoded, golds))
    assert found is not None
    return {
        "predictions": count,
        "different lines": len(set(lines)),
        "counts": found.counts,
        "microseconds json.loads": round(floor / count * 1e6, 2),
        "microseconds to score": round(min(times) / count * 1e6, 2),
        "ratio": round(min(times) / floor, 2),
        "ratio with warm caches": round(again / floor, 2),
        "aim": "ratio at most 6",
    }


def section_f(rows: list[Row], quick: bool) -> dict[str, Any]:
    """TODO."""
    return {}
