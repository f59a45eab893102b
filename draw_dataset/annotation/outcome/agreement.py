"""How much annotators agree, field by field, and where they do not.

**Raw agreement**, as in the paper, is the share of pairs that agree: of all pairs of annotators who have both submitted
a problem. What agreeing means for each field is in `comparison`.

**Alpha** is Krippendorff's alpha for nominal data, computed exactly. It corrects for agreement by chance. Only units
that at least two annotators have judged count. The observed disagreement is the share of unequal pairs within units,
where each unit weighs as much as it has values. The expected disagreement is the share of unequal pairs among all
values, regardless of units. Alpha is one minus their quotient: 1 if all agree, 0 at the level of chance. There may be
any number of annotators, and values may be missing. If all values are the same, nothing could have disagreed, and alpha
is not defined. (Klaus Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, section C.)

Its judgements must have values that mean the same from one problem to the next. These are

* for the alignment, every literal that was a question: the value is which of its candidates was chosen, the first, the
  second and so on, so that an annotator who always takes the first one is at the level of chance;
* for EquivTNum, every pair of numbers of equal value: the value is whether they mean the same;
* for the template, every problem: the value is the template's class.

Whole derivations have no values of that kind, and no alpha. Candidates that all annotators of the problem call
equivalent are one, and so are works whose derivations are equivalent.

Problems that need no person are not counted, unless at least two annotators have submitted them nevertheless.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, groupby
from statistics import median
from typing import Any

from draw_dataset.annotation.outcome.comparison import (
    FIELDS,
    Comparison,
    PlacedWork,
    Span,
    common_classes,
    compare,
    placed_work,
)
from draw_dataset.annotation.store.work import Work
from draw_dataset.core.alignment import NumberClasses, Place
from draw_dataset.core.equivalence import canonical_key, derivations_equivalent
from draw_dataset.core.problem import ProblemId


@dataclass(frozen=True, slots=True)
class FieldAgreement:
    """How much annotators agree in one field.

    Attributes:
        agreeing: pairs of works that agree.
        compared: pairs of works.
        alpha: Krippendorff's alpha; None where it is not defined.
        units: how many judgements alpha rests on; None for a field that has none.
    """

    agreeing: int
    compared: int
    alpha: Fraction | None = None
    units: int | None = None

    @property
    def percent(self) -> float | None:
        """The raw percentage; None if nothing was compared."""
        return 100 * self.agreeing / self.compared if self.compared else None


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two works on a problem that differ.

    Attributes:
        problem_id: the problem.
        annotators: whose works.
        comparison: where they differ.
    """

    problem_id: ProblemId
    annotators: tuple[str, str]
    comparison: Comparison


@dataclass(frozen=True, slots=True)
class Agreement:
    """How much annotators agree.

    Attributes:
        problems: how many problems at least two annotators have submitted.
        fields: the figures of each of `comparison.FIELDS`.
        disagreements: every pair of works that differ, in the order of the problems.
        median_seconds: the median time that an annotator spent on a submitted problem; None without any.
        seconds_by_annotator: the same for each annotator.
    """

    problems: int
    fields: Mapping[str, FieldAgreement]
    disagreements: tuple[Disagreement, ...]
    median_seconds: float | None
    seconds_by_annotator: Mapping[str, float]

    def as_data(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "problems": self.problems,
            "fields": {
                name: {
                    "agreeing": field.agreeing,
                    "compared": field.compared,
                    "percent": field.percent,
                    "alpha": None if field.alpha is None else float(field.alpha),
                    "units": field.units,
                }
                for name, field in self.fields.items()
            },
            "median_seconds": self.median_seconds,
            "seconds_by_annotator": dict(self.seconds_by_annotator),
            "disagreements": [
                {
                    "id": d.problem_id,
                    "annotators": list(d.annotators),
                    "fields": list(d.comparison.differing),
                    "details": list(d.comparison.details),
                }
                for d in self.disagreements
            ],
        }


def measure_agreement(works: Iterable[Work]) -> Agreement:
    """Return how much annotators agree, from all their works; those that are not submitted are left out.

    Args:
        works: as `Store.works` gives them: those of one problem together.
    """
    submitted = [work for work in works if work.submitted]
    by_problem = [list(group) for _, group in groupby(submitted, key=lambda work: work.problem_id)]
    overlapping = [group for group in by_problem if len(group) > 1]
    agreeing = dict.fromkeys(FIELDS, 0)
    compared = 0
    disagreements: list[Disagreement] = []
    units: dict[str, list[Sequence[Hashable]]] = {"alignment": [], "equiv_tnum": [], "template": []}
    for group in overlapping:
        for one, other in combinations(group, 2):
            comparison = compare(one, other)
            compared += 1
            for field in FIELDS:
                agreeing[field] += comparison.agrees[field]
            if comparison.differing:
                disagreements.append(Disagreement(one.problem_id, (one.annotator, other.annotator), comparison))
        placed = [placed_work(work, group[0]) for work in group]
        units["alignment"] += _alignment_units(placed)
        units["equiv_tnum"] += _group_units(placed)
        units["template"].append([canonical_key(work.derivation.template) for work in placed])
    times: dict[str, list[float]] = {}
    for work in submitted:
        times.setdefault(work.annotator, []).append(work.seconds)
    return Agreement(
        problems=len(overlapping),
        fields={
            field: FieldAgreement(
                agreeing[field],
                compared,
                nominal_alpha(units[field]) if field in units else None,
                len(units[field]) if field in units else None,
            )
            for field in FIELDS
        },
        disagreements=tuple(disagreements),
        median_seconds=median(work.seconds for work in submitted) if submitted else None,
        seconds_by_annotator={name: median(seconds) for name, seconds in times.items()},
    )


def _alignment_units(placed: Sequence[PlacedWork]) -> Iterator[list[Hashable]]:
    """Yield, for each literal that was a question, which of its candidates each annotator chose."""
    classes = common_classes(placed)
    # If derivations are equivalent, their literals count as aligned like those of the first of them.
    alike = [
        next(first for first in placed if derivations_equivalent(work.derivation, first.derivation, classes))
        for work in placed
    ]
    for span in sorted({span for work in placed for span in work.origins}):
        candidates = _candidates(placed[0], span, classes)
        values = [_which(work, span, candidates, classes) for work in alike]
        # A literal that was not a question counts only if someone has changed it.
        if len(candidates) > 1 or len(set(values)) > 1:
            yield values


def _candidates(work: PlacedWork, span: Span, classes: NumberClasses) -> list[Place | None]:
    """Return where a literal may come from, in the text used for comparing, each class once."""
    proposal = work.work.proposal
    for literal in () if proposal is None else proposal.literals:
        if (literal.start, literal.end) == span:
            places = [None if o.number is None else classes.of_place(o.number.place) for o in literal.origins]
            return list(dict.fromkeys(places))
    return []


def _which(work: PlacedWork, span: Span, candidates: Sequence[Place | None], classes: NumberClasses) -> Hashable:
    if span not in work.origins:
        return "no literal"
    place = work.origins[span]
    place = None if place is None else classes.of_place(place)
    return candidates.index(place) if place in candidates else ("other", place)


def _group_units(placed: Sequence[PlacedWork]) -> Iterator[list[Hashable]]:
    """Yield, for each pair of numbers of equal value, who calls them equivalent."""
    values = {number.place: number.value for number in placed[0].work.numbers}
    pairs = {frozenset(pair) for pair in combinations(values, 2) if values[pair[0]] == values[pair[1]]}
    pairs |= {frozenset(pair) for r in placed for group in r.groups for pair in combinations(group, 2)}
    for pair in pairs:
        yield [any(pair <= group for group in work.groups) for work in placed]


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
