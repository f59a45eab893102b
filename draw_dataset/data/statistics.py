"""Statistics of a set of problems: counts, the table next to the paper's figures, and a plot.

The templates that Table 2 calls "before" come from the equations: a literal that equals an aligned value becomes a
slot. The paper does not name its normal form, so two bounds are counted: as written, and up to equivalence.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.algebra.grammar import DIGITS, EVERY_NAME_UNKNOWN, Token, join_equations, scan, write
from draw_dataset.algebra.number import equals_stored
from draw_dataset.derivation.equivalence import canonical_key
from draw_dataset.derivation.problem import Problem
from draw_dataset.derivation.template import Template
from draw_dataset.errors import ReadError, RowError
from draw_dataset.io.markup import Table
from draw_dataset.io.plot import COLOURS, plot_file
from draw_dataset.text.question import is_ambiguous, is_ambiguous_in_context
from draw_dataset.text.tokens import tokenize

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_NUMERAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")


@dataclass(frozen=True, slots=True)
class Statistics:
    """The figures of a set of problems."""

    problems: int
    ids: int  # how many different ids they have
    ambiguous: int  # problems with an ambiguous alignment, the text read word by word
    ambiguous_in_context: int  # the same, over the numbers of the row
    vocabulary: int  # different lower-cased tokens that are no numerals
    equation_texts: int  # different templates that the equations have by themselves, as written
    templates_before: int  # classes of equivalent ones among them
    template_texts: int  # different gold templates as written
    templates: int  # classes of equivalent gold templates
    slots: dict[int, int]  # number of slots -> problems whose gold template has as many
    unknowns: dict[int, int]  # number of unknowns -> problems
    solutions: dict[int, int]  # number of gold solutions -> problems
    numbers: dict[int, int]  # count of numbers in the text -> problems
    template_frequency: tuple[int, ...]  # problems of each template class, the most frequent first
    findings: dict[str, int]  # code of a known defect -> problems that have it

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
    """Return a share in percent; of nothing, 0."""
    return 100 * part / whole if whole else 0.0


def measure(problems: Iterable[Problem]) -> Statistics:
    """Return the figures of problems."""
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
        slots=_count(len(template.slots) for template in templates),
        unknowns=_count(len(template.unknowns) for template in templates),
        solutions=_count(len(problem.solutions) for problem in listed),
        numbers=_count(len(problem.numbers) for problem in listed),
        template_frequency=tuple(sorted(frequency.values(), reverse=True)),
        findings=_count(code for problem in listed for code in set(problem.findings)),
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
        return Template.coerce(list(problem.template))
    except ReadError as error:
        raise RowError(f"problem {problem.id}: template: {error}") from error


def _count(keys: Iterable[Any]) -> dict[Any, int]:
    """Return how often each key occurs, in the order of the keys."""
    return dict(sorted(Counter(keys).items()))


def template_of_equations(problem: Problem) -> Template:
    """Return the template of the equations as annotated; slots are s1, s2 ... and unknowns x1, x2 ... ."""
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
            if any(equals_stored(a.value, value) for a in problem.alignment):
                yield 2 * slots.setdefault(value, len(slots))  # a name by its number, see `tokens`
                continue
        yield token


def _name(token: int) -> str:
    return f"{'x' if token & 1 else 's'}{(token >> 1) + 1}"


TITLES: Mapping[str, str] = {"draw1k": "Draw-1k", "alg514": "Alg-514", "dolphin_l": "Dolphin-L", "sample": "sample"}
"""The datasets as people write them."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the table."""

    name: str  # its name in JSON
    title: str  # its name in the table
    definition: str  # what is counted
    value: Callable[[Statistics], float]  # gives it
    percent: bool = False  # whether it is a share in percent
    paper: Mapping[str, str] = field(default_factory=dict)  # what the paper prints, by dataset

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


Columns = Mapping[str, Statistics]
"""The figures of several sets of problems, by name."""

_WIDTH = 100


def as_text(columns: Columns) -> str:
    """Return a table for a terminal: figures with the paper's next to them, definitions, distributions, findings."""
    lines = _table(columns).to_text(own_widths=True)
    lines[1:1] = ["-" * len(lines[0])]
    lines += ["", "What is counted:"]
    for figure in FIGURES:
        lines += _wrap(f"{figure.title}: {figure.definition}")
    for _, title, values in DISTRIBUTIONS:
        lines += ["", f"Problems by {title}:"]
        lines += _label_lines({name: _spread(values(s)) for name, s in columns.items()})
    lines += ["", "Problems of the most frequent template classes, and classes that occur once:"]
    lines += _label_lines({name: _frequency(s.template_frequency) for name, s in columns.items()})
    lines += ["", "Problems by code of a known defect:"]
    lines += _label_lines({name: _spread(s.findings) for name, s in columns.items()})
    return "\n".join(lines)


def as_markdown(columns: Columns) -> str:
    """Return the figures as a Markdown table with their definitions."""
    notes = [f"- **{figure.title}**: {figure.definition}." for figure in FIGURES]
    return "\n".join([*_table(columns).to_markdown(spaced=True), "", *notes])


def as_data(columns: Columns) -> dict[str, Any]:
    """Return everything as plain data, for JSON."""
    return {
        "datasets": {
            name: {
                **{figure.name: figure.value(s) for figure in FIGURES},
                **{key: {str(k): n for k, n in values(s).items()} for key, _, values in DISTRIBUTIONS},
                "template_frequency": list(s.template_frequency),
                "findings": dict(s.findings),
                "paper": {figure.name: figure.paper[name] for figure in FIGURES if name in figure.paper},
            }
            for name, s in columns.items()
        },
        "definitions": {figure.name: figure.definition for figure in FIGURES},
    }


def _table(columns: Columns) -> Table:
    """Return the table; a dataset of the paper has two columns, the paper's and ours."""
    head: list[str] = []
    for name in columns:
        head += [f"{_title(name)}: paper", "here"] if name in FIGURES[0].paper else [_title(name)]
    return Table(head, [(figure.title, _cells(figure, columns)) for figure in FIGURES])


def _cells(figure: Figure, columns: Columns) -> list[str]:
    cells = []
    for name, statistics in columns.items():
        if name in FIGURES[0].paper:
            cells.append(figure.paper.get(name, "–"))
        cells.append(figure.show(statistics))
    return cells


def _title(name: str) -> str:
    return TITLES.get(name, name)


def _spread(values: Mapping[Any, int]) -> str:
    return "  ".join(f"{key}: {count}" for key, count in values.items()) or "none"


def _frequency(frequency: Sequence[int]) -> str:
    first = " ".join(map(str, frequency[:8]))
    return f"{first}{' …' if len(frequency) > 8 else ''}  (once: {sum(n == 1 for n in frequency)})" if first else "none"


def _label_lines(texts: Mapping[str, str]) -> list[str]:
    width = max((len(_title(name)) for name in texts), default=0)
    return [f"  {_title(name).ljust(width)}  {text}" for name, text in texts.items()]


def _wrap(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="    ")


_STYLES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), "-.", (0, (8, 2, 1, 2, 1, 2)), ":")
"""The lines of the template panel differ in style as well as in colour."""


def save_plot(columns: Columns, path: Path) -> None:
    """Draw the figures of several sets of problems and save them in the format of the file's suffix."""
    with plot_file(path, (10, 7.4)) as figure:
        (slots, unknowns), (templates, ambiguity) = figure.subplots(2, 2)
        _bars(slots, columns, lambda s: s.slots, "Slots of the gold template", "slots")
        _bars(unknowns, columns, lambda s: s.unknowns, "Unknowns of the gold template", "unknowns")
        _rank_and_frequency(templates, columns)
        _ambiguity(ambiguity, columns)
        handles, labels = slots.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=min(len(labels), 4), frameon=False)


def _bars(
    axes: Axes, columns: Columns, values: Callable[[Statistics], Mapping[int, int]], title: str, unit: str
) -> None:
    """Draw a group of bars for each count: shares, since the datasets differ in size."""
    keys = sorted({key for s in columns.values() for key in values(s)})
    width = 0.8 / max(len(columns), 1)
    for i, (name, s) in enumerate(columns.items()):
        places = [k + (i - (len(columns) - 1) / 2) * width for k in range(len(keys))]
        shares = [percent(values(s).get(key, 0), s.problems) for key in keys]
        axes.bar(places, shares, width * 0.92, color=_colour(i), label=f"{_plot_title(name)} ({s.problems})")
        _label_bars(
            axes, places, shares, list(map(_round_percent, shares)), size=9 if len(keys) * len(columns) <= 12 else 7
        )
    axes.set_xticks(range(len(keys)), list(map(str, keys)))
    _style_axes(axes, title, unit, "problems, %")


def _rank_and_frequency(axes: Axes, columns: Columns) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    for i, (name, s) in enumerate(columns.items()):
        axes.plot(
            range(1, len(s.template_frequency) + 1),
            s.template_frequency,
            color=_colour(i),
            linestyle=_STYLES[i % len(_STYLES)],
            linewidth=2,
            label=f"{_plot_title(name)}: {s.templates} classes",
        )
    if any(s.template_frequency for s in columns.values()):  # zero has no logarithm
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter(NullFormatter())
    axes.legend(loc="upper right", frameon=False, handlelength=3)
    _style_axes(axes, "Template classes by frequency", "rank of the class", "problems of the class")


def _ambiguity(axes: Axes, columns: Columns) -> None:
    names = list(columns)
    shares = [columns[name].ambiguity for name in names]
    axes.bar(range(len(names)), shares, 0.55, color=[_colour(i) for i in range(len(names))])
    _label_bars(axes, list(range(len(names))), shares, [f"{share:.1f} %" for share in shares])
    axes.set_xticks(range(len(names)), [_plot_title(name) for name in names])
    axes.set_xlim(-0.75, len(names) - 0.25)  # otherwise a single bar would fill the panel
    _style_axes(axes, "Problems with an ambiguous alignment", "", "problems, %")


def _label_bars(
    axes: Axes, places: Sequence[float], heights: Sequence[float], texts: Sequence[str], size: float = 9
) -> None:
    for place, height, text in zip(places, heights, texts, strict=True):
        axes.annotate(
            text, (place, height), xytext=(0, 2), textcoords="offset points", ha="center", va="bottom", fontsize=size
        )
    axes.margins(y=0.12)  # room for the texts above the tallest bar


def _round_percent(share: float) -> str:
    """Return a share as whole percent; one that would round to nothing shows that it is there."""
    return "" if share == 0 else "<1" if share < 0.5 else f"{share:.0f}"


def _style_axes(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#E5E5E5", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", length=0)


def _colour(i: int) -> str:
    return COLOURS[i % len(COLOURS)]


def _plot_title(name: str) -> str:
    return TITLES.get(name, Path(name).name)
