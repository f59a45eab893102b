"""Problems and predictions that the tests of figures and pages share."""

from __future__ import annotations

from typing import Any

from draw_dataset import score
from draw_dataset.derivation.problem import AlignedNumber, Problem
from draw_dataset.report.entries import Entries
from draw_dataset.scoring.files import Judged
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.table import ScoreTable, compare_scores
from draw_dataset.scoring.verdict import Verdict
from draw_dataset.text.numbers import locate_numbers

EVIL = "<script>alert('x')</script>"
QUOTES = "\"'><img src=x onerror=alert(1)>"


def problem(
    question: str,
    equations: list[str],
    template: list[str],
    places: dict[str, tuple[int, int, float]],
    equiv: tuple[tuple[int, ...], ...] = (),
    solutions: tuple[float, ...] = (),
    id_: int = 7,
) -> Problem:
    """A problem whose slots hold the numbers at (sentence, token, value), and whose groups are given by rank."""
    numbers, _ = locate_numbers(question, {})
    alignment = tuple(AlignedNumber(slot, *place) for slot, place in places.items())
    groups = tuple(tuple(numbers[rank - 1] for rank in group) for group in equiv)
    return Problem(id_, question, numbers, tuple(equations), solutions, tuple(template), alignment, groups)


# After the paper's Table 1, in words of our own.
MIXTURE = problem(
    "A painter mixes a paste of 30 % chalk with one of 10 % chalk . "
    "How many grams of the 30 % and the 10 % paste give 40 grams of a 15 % paste in 2 pots ?",
    ["30*m + 10*n = 15*40", "m + n = 40"],
    ["a*m + b*n = c*d", "m + n = d"],
    {"a": (0, 6, 30.0), "b": (0, 12, 10.0), "c": (1, 17, 15.0), "d": (1, 13, 40.0)},
    equiv=((1, 3), (2, 4)),
    solutions=(10.0, 30.0),
)


_HOSTILE = f"Tom has 5 {EVIL} pears & 3 {QUOTES} \x1b[31m plums ]]> . How many is that ?"


def hostile(id_: int = 13) -> Problem:
    """A problem whose text is markup."""
    three = next(n for n in locate_numbers(_HOSTILE, {})[0] if n.value == 3)
    places = {"a": (0, 2, 5.0), "b": (three.sentence or 0, three.token, 3.0)}
    return problem(_HOSTILE, ["m = 5 + 3"], ["m = a + b"], places, solutions=(8.0,), id_=id_)


def scored(rows: list[Problem], systems: dict[str, list[Any]]) -> tuple[ScoreTable, Entries]:
    """The arguments of a page."""
    verdicts: dict[str, list[Verdict]] = {name: [] for name in systems}
    references = [PreparedProblem.of(row.to_row()) for row in rows]
    scores = {name: score(listed, references, verdicts=verdicts[name]) for name, listed in systems.items()}
    entries = Entries()
    for name, listed in systems.items():
        for judged in zip(references, listed, verdicts[name], strict=True):
            entries.add(name, Judged(*judged))
    return compare_scores(scores), entries
