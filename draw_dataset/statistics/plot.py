"""A plot of the statistics: slots, unknowns, templates and ambiguity, in four panels.

The lines of the template panel differ in style as well as in colour.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.files.plot import COLOURS, plot_file
from draw_dataset.statistics.figures import TITLES
from draw_dataset.statistics.measures import Statistics, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), "-.", (0, (8, 2, 1, 2, 1, 2)), ":")


def save_plot(columns: Mapping[str, Statistics], path: Path) -> None:
    """Draw the figures of several sets of problems and save them in the format of the file's suffix.

    Raises:
        ChoiceError, FolderError, ExtraMissing: as `draw_dataset.files.plot.check_plot`.
    """
    with plot_file(path, (10, 7.4)) as figure:
        (slots, unknowns), (templates, ambiguity) = figure.subplots(2, 2)
        _bars(slots, columns, lambda s: s.slots, "Slots of the gold template", "slots")
        _bars(unknowns, columns, lambda s: s.unknowns, "Unknowns of the gold template", "unknowns")
        _rank_and_frequency(templates, columns)
        _ambiguity(ambiguity, columns)
        handles, labels = slots.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=min(len(labels), 4), frameon=False)


def _bars(
    axes: Axes,
    columns: Mapping[str, Statistics],
    values: Callable[[Statistics], Mapping[int, int]],
    title: str,
    unit: str,
) -> None:
    """Draw a group of bars for each count: shares, since the datasets differ in size."""
    keys = sorted({key for s in columns.values() for key in values(s)})
    width = 0.8 / max(len(columns), 1)
    for i, (name, s) in enumerate(columns.items()):
        places = [k + (i - (len(columns) - 1) / 2) * width for k in range(len(keys))]
        shares = [percent(values(s).get(key, 0), s.problems) for key in keys]
        axes.bar(places, shares, width * 0.92, color=_colour(i), label=f"{_title(name)} ({s.problems})")
        _label(axes, places, shares, list(map(_rounded, shares)), size=9 if len(keys) * len(columns) <= 12 else 7)
    axes.set_xticks(range(len(keys)), list(map(str, keys)))
    _dress(axes, title, unit, "problems, %")


def _rank_and_frequency(axes: Axes, columns: Mapping[str, Statistics]) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    for i, (name, s) in enumerate(columns.items()):
        axes.plot(
            range(1, len(s.template_frequency) + 1),
            s.template_frequency,
            color=_colour(i),
            linestyle=_STYLES[i % len(_STYLES)],
            linewidth=2,
            label=f"{_title(name)}: {s.templates} classes",
        )
    if any(s.template_frequency for s in columns.values()):  # zero has no logarithm
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter(NullFormatter())
    axes.legend(loc="upper right", frameon=False, handlelength=3)
    _dress(axes, "Template classes by frequency", "rank of the class", "problems of the class")


def _ambiguity(axes: Axes, columns: Mapping[str, Statistics]) -> None:
    names = list(columns)
    shares = [columns[name].ambiguity for name in names]
    axes.bar(range(len(names)), shares, 0.55, color=[_colour(i) for i in range(len(names))])
    _label(axes, list(range(len(names))), shares, [f"{share:.1f} %" for share in shares])
    axes.set_xticks(range(len(names)), [_title(name) for name in names])
    axes.set_xlim(-0.75, len(names) - 0.25)  # otherwise a single bar would fill the panel
    _dress(axes, "Problems with an ambiguous alignment", "", "problems, %")


def _label(
    axes: Axes, places: Sequence[float], heights: Sequence[float], texts: Sequence[str], size: float = 9
) -> None:
    for place, height, text in zip(places, heights, texts, strict=True):
        axes.annotate(
            text, (place, height), xytext=(0, 2), textcoords="offset points", ha="center", va="bottom", fontsize=size
        )
    axes.margins(y=0.12)  # room for the texts above the tallest bar


def _rounded(share: float) -> str:
    """Return a share as whole percent; one that would round to nothing shows that it is there."""
    return "" if share == 0 else "<1" if share < 0.5 else f"{share:.0f}"


def _dress(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#E5E5E5", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", length=0)


def _colour(i: int) -> str:
    return COLOURS[i % len(COLOURS)]


def _title(name: str) -> str:
    return TITLES.get(name, Path(name).name)
