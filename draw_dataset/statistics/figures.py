"""The figures of the table: what each means, and what the paper reports for it.

`FIGURES` is the one list of the figures: the table, the JSON and the dataset card are made from it. The paper's own are
those of its Table 2, as printed there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from draw_dataset.statistics.measures import Statistics

TITLES: Mapping[str, str] = {"draw1k": "Draw-1k", "alg514": "Alg-514", "dolphin_l": "Dolphin-L", "sample": "sample"}
"""The datasets as people write them."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the table.

    Attributes:
        name: its name in JSON.
        title: its name in the table.
        definition: what is counted.
        value: gives it.
        percent: whether it is a share in percent.
        paper: what the paper prints, by dataset.
    """

    name: str
    title: str
    definition: str
    value: Callable[[Statistics], float]
    percent: bool = False
    paper: Mapping[str, str] = field(default_factory=dict)

    def show(self, statistics: Statistics) -> str:
        """Return the figure as text."""
        value = self.value(statistics)
        return f"{value:.1f} %" if self.percent else f"{value:.0f}"


def _paper(draw1k: str, alg514: str, dolphin_l: str) -> dict[str, str]:
    return {"draw1k": draw1k, "alg514": alg514, "dolphin_l": dolphin_l}


FIGURES = (
    Figure(
        "problems",
        "problems",
        "records of the dataset (Draw-1k holds one twice, id 153934; the release of Dolphin-L has one fewer than the "
        "paper counts)",
        lambda s: s.problems,
        paper=_paper("1000", "514", "832"),
    ),
    Figure(
        "ambiguity",
        "w/ ambiguity",
        "problems in which the value of an aligned number occurs at two or more tokens. Words are read one by one: "
        "coins, twice, odd, even, the pronoun one and the two of two-digit count as numbers, articles do not (the "
        "paper does not say what it counted; of the definitions that we tried, this one comes nearest)",
        lambda s: s.ambiguity,
        percent=True,
        paper=_paper("21 %", "23 %", "35 %"),
    ),
    Figure(
        "ambiguity_in_context",
        "w/ ambiguity, in context",
        "problems in which an aligned number has the same value as another number of the row (the pronoun one is not "
        "counted as a number)",
        lambda s: s.ambiguity_in_context,
        percent=True,
    ),
    Figure(
        "vocabulary",
        "vocabulary",
        "different lower-cased tokens other than numerals (digits with sign, point and commas); number words count",
        lambda s: s.vocabulary,
        paper=_paper("2.21k", "1.83k", "0.33k"),
    ),
    Figure(
        "equation_texts",
        "templates of the equations, as written",
        "different systems of equations with a slot for each literal that equals an aligned value (one slot per value) "
        "and the unknowns numbered by first appearance",
        lambda s: s.equation_texts,
    ),
    Figure(
        "templates_before",
        "templates before",
        "classes of exactly equivalent templates of the equations; the paper does not say in which form "
        "it compared its templates before reconciling them, and no reading we tried gives all three of its figures",
        lambda s: s.templates_before,
        paper=_paper("329", "30", "273"),
    ),
    Figure(
        "template_texts",
        "gold templates, as written",
        "different gold templates as the release writes them",
        lambda s: s.template_texts,
    ),
    Figure(
        "templates",
        "templates after",
        "classes of exactly equivalent gold templates (the paper's test of equivalence is approximate, ours is exact)",
        lambda s: s.templates,
        paper=_paper("224", "24", "203"),
    ),
    Figure(
        "reduction",
        "reduction",
        "the share of the templates before that reconciling removes",
        lambda s: s.reduction,
        percent=True,
        paper=_paper("32 %", "20 %", "25 %"),
    ),
)

DISTRIBUTIONS: tuple[tuple[str, str, Callable[[Statistics], Mapping[int, int]]], ...] = (
    ("slots", "slots of the gold template", lambda s: s.slots),
    ("unknowns", "unknowns of the gold template", lambda s: s.unknowns),
    ("solutions", "gold solutions", lambda s: s.solutions),
    ("numbers", "numbers in the text", lambda s: s.numbers),
)
"""Name, title and values of each distribution: count -> problems."""
