"""Measures: the figures of a set of problems.

`measure` goes over the problems once and counts. What each count means is said in `figures`, next to the paper's own.

The gold templates are published reconciled. So what Table 2 calls "before" has to come from the equations: a literal
that equals an aligned value becomes a slot, one slot for each value; other literals stay; names are unknowns. The paper
does not say in which normal form it compared such templates, so two bounds are counted: as written (equal up to names),
and up to equivalence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from draw_dataset.core.equations import DIGITS, EVERY_NAME_UNKNOWN, Token, join_equations, scan, write
from draw_dataset.core.equivalence import canonical_key
from draw_dataset.core.exact import is_stored
from draw_dataset.core.problem import Problem
from draw_dataset.core.template import Template
from draw_dataset.errors import ReadError, RowError
from draw_dataset.text.ambiguity import is_ambiguous, is_ambiguous_in_context
from draw_dataset.text.tokens import tokenize

_NUMERAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")


@dataclass(frozen=True, slots=True)
class Statistics:
    """The figures of a set of problems.

    Attributes:
        problems: how many problems.
        ids: how many different ids they have.
        ambiguous: problems with an ambiguous alignment, the text read word by word.
        ambiguous_in_context: the same, over the numbers of the row.
        vocabulary: different lower-cased tokens that are no numerals.
        equation_texts: different templates that the equations have by themselves, as written.
        templates_before: classes of equivalent ones among them.
        template_texts: different gold templates as written.
        templates: classes of equivalent gold templates.
        slots: number of slots -> problems whose gold template has as many.
        unknowns: number of unknowns -> problems.
        solutions: number of gold solutions -> problems.
        numbers: count of numbers in the text -> problems.
        template_frequency: problems of each template class, the most frequent first.
        findings: code of a known defect -> problems that have it.
    """

    problems: int
    ids: int
    ambiguous: int
    ambiguous_in_context: int
    vocabulary: int
    equation_texts: int
    templates_before: int
    template_texts: int
    templates: int
    slots: dict[int, int]
    unknowns: dict[int, int]
    solutions: dict[int, int]
    numbers: dict[int, int]
    template_frequency: tuple[int, ...]
    findings: dict[str, int]

    @property
    def ambiguity(self) -> float:
        """Percent of the problems with an ambiguous alignment, the text read word by word."""
        return percent(self.ambiguous, self.problems)

    @property
    def ambiguity_in_context(self) -> float:
        """Percent of the problems with an ambiguous alignment, over the numbers of the row."""
        return percent(self.ambiguous_in_context, self.problems)

    @property
    def reduction(self) -> float:
        """Percent of the templates before that are gone after reconciliation."""
        return percent(self.templates_before - self.templates, self.templates_before)


def percent(part: int, whole: int) -> float:
    """Return a share in percent; of nothing, 0.

    >>> percent(210, 1000), percent(0, 0)
    (21.0, 0.0)
    """
    return 100 * part / whole if whole else 0.0


def measure(problems: Iterable[Problem]) -> Statistics:
    """Return the figures of problems.

    Raises:
        RowError: a gold template or the equations of a problem cannot be read; names the problem.

    >>> from draw_dataset.sample import load_sample
    >>> figures = measure(load_sample()["test"])
    >>> figures.problems, sum(figures.template_frequency) == figures.problems
    (30, True)
    """
    listed = list(problems)
    templates = [_read(problem) for problem in listed]
    before = [template_of_equations(problem) for problem in listed]
    frequency = Counter(canonical_key(template) for template in templates)
    return Statistics(
        problems=len(listed),
        ids=len({problem.id for problem in listed}),
        ambiguous=sum(map(is_ambiguous, listed)),
        ambiguous_in_context=sum(map(is_ambiguous_in_context, listed)),
        vocabulary=len(vocabulary(problem.question for problem in listed)),
        equation_texts=len(set(map(str, before))),
        templates_before=len(set(map(canonical_key, before))),
        template_texts=len({problem.template for problem in listed}),
        templates=len(frequency),
        slots=_counted(len(template.slots) for template in templates),
        unknowns=_counted(len(template.unknowns) for template in templates),
        solutions=_counted(len(problem.solutions) for problem in listed),
        numbers=_counted(len(problem.numbers) for problem in listed),
        template_frequency=tuple(sorted(frequency.values(), reverse=True)),
        findings=_counted(code for problem in listed for code in set(problem.findings)),
    )


def vocabulary(texts: Iterable[str]) -> set[str]:
    """Return the lower-cased tokens of texts that are no numerals.

    >>> sorted(vocabulary(["Ann has $ 1,200 .", "ann has twenty-five , or +3 ."]))
    ['$', ',', '.', 'ann', 'has', 'or', 'twenty-five']
    """
    words = {token.text.lower() for text in texts for token in tokenize(text)}
    # Without its commas, since tokenisers leave pieces like ",000" of a large number.
    return {word for word in words if _NUMERAL.fullmatch(word.replace(",", "")) is None}


def _read(problem: Problem) -> Template:
    try:
        return Template.of(list(problem.template))
    except ReadError as error:
        raise RowError(f"problem {problem.id}: template: {error}") from error


def _counted(keys: Iterable[Any]) -> dict[Any, int]:
    """Return how often each key occurs, in the order of the keys."""
    return dict(sorted(Counter(keys).items()))


def template_of_equations(problem: Problem) -> Template:
    """Return the template of the equations as annotated; slots are s1, s2 ... and unknowns x1, x2 ... .

    >>> from draw_dataset.core.problem import AlignedNumber
    >>> aligned = (AlignedNumber("a", 0, 0, 5.0), AlignedNumber("b", 0, 2, 41.0))
    >>> print(template_of_equations(Problem(1, "", (), ("ann = ben + 5", "ann + ben = 41"), (), (), aligned)))
    x1 = x2 + s1; x1 + x2 = s2

    Raises:
        RowError: the equations cannot be read; names the problem.
    """
    try:
        source = scan(join_equations(problem.equations), EVERY_NAME_UNKNOWN)
        text = write(source._replace(tokens=tuple(_with_slots(source.tokens, problem))), _name)
        return Template(text, unknowns=[_name(2 * i + 1) for i in range(len(source.unknowns))])
    except ReadError as error:
        raise RowError(f"problem {problem.id}: equations: {error}") from error


def _with_slots(tokens: Iterable[Token], problem: Problem) -> Iterator[Token]:
    slots: dict[Fraction, int] = {}
    for token in tokens:
        if isinstance(token, str) and token[0] in DIGITS:
            value = Fraction(token.replace(",", ""))
            if any(is_stored(a.value, value) for a in problem.alignment):
                yield 2 * slots.setdefault(value, len(slots))  # a name by its number, see `tokens`
                continue
        yield token


def _name(token: int) -> str:
    return f"{'x' if token & 1 else 's'}{(token >> 1) + 1}"
