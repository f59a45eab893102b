"""The question: how do our accuracies stand to the paper's; a row of panels a solver, a panel a dataset.

Bars are ours, with the standard deviation over the seeds where there are several; a diamond is the paper's figure.
Drawn with matplotlib's objects, never with pyplot. The colours are those of Okabe and Ito.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from draw_dataset.errors import ExtraMissing, FolderError
from reproduction.jobs import TITLES, Plan
from reproduction.paper import ACCURACIES, METRICS
from reproduction.store import Records
from reproduction.summary import Variant, pooled
from reproduction.tables import variant_title

_COLOURS = {"TE": "#E69F00", "TE*": "#CC79A7", "TD": "#0072B2"}
_INK = "#333333"
_SETTINGS: dict[Any, Any] = {
    "font.size": 9,
    "axes.edgecolor": "#999999",
    "axes.labelcolor": _INK,
    "axes.titlecolor": _INK,
    "axes.titlesize": 9,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "text.color": _INK,
    # Text stays text, and the same figures give the same file.
    "svg.fonttype": "none",
    "svg.hashsalt": "draw",
}


def check_plot() -> None:
    """Say at once if plots cannot be drawn.

    Raises:
        ExtraMissing: matplotlib is not installed.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ExtraMissing(
            "the plot needs matplotlib: pip install 'draw-dataset[report]', or leave it out with --no-plot"
        ) from error


def save_plot(records: Records, plan: Plan, path: Path) -> None:
    """Draw the accuracies and save them as SVG.

    Raises:
        ExtraMissing: matplotlib is not installed.
        FolderError: the file cannot be written.
    """
    check_plot()
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    trained = plan.trained()
    columns = list(dict.fromkeys(data for data, _ in trained))
    settings = [setting for setting in _COLOURS if any(setting == s for _, s in trained)]
    with rc_context(_SETTINGS):
        size = (2.6 * len(columns) + 0.6, 2.5 * len(plan.variants) + 0.6)
        figure = Figure(figsize=size, facecolor="white", layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(len(plan.variants), len(columns), sharey=True, squeeze=False)
        for row, variant in zip(panels, plan.variants, strict=True):
            for axes, data in zip(row, columns, strict=True):
                _panel(axes, records, plan, variant, data)
            row[0].set_ylabel(f"{variant_title(variant)}\naccuracy, %")
        handles: list[Any] = [Patch(color=_COLOURS[setting], label=setting) for setting in settings]
        handles.append(Line2D([], [], marker="D", color="none", markeredgecolor=_INK, label="paper", markersize=5))
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False)
        try:
            figure.savefig(path, format="svg", metadata={"Date": None})
        except OSError as error:
            raise FolderError(f"cannot write {path}: {error}") from error


def _panel(axes: Any, records: Records, plan: Plan, variant: Variant, data: str) -> None:
    """Draw one dataset: a group of bars a metric, a bar a setting."""
    settings = [setting for d, setting in plan.trained() if d == data]
    width = 0.8 / len(settings)
    for i, setting in enumerate(settings):
        found = pooled(records, plan, variant, data, setting)
        paper = ACCURACIES.get((data, setting))
        for j, metric in enumerate(METRICS):
            place = j + (i - (len(settings) - 1) / 2) * width
            spread = found.accuracy(metric)
            if spread.values:
                deviation = spread.deviation
                axes.bar(place, spread.mean, width * 0.92, color=_COLOURS[setting], yerr=deviation, ecolor=_INK)
            if paper is not None:
                axes.plot(place, paper[j], marker="D", color="white", markeredgecolor=_INK, markersize=5)
    axes.set_xticks(range(len(METRICS)), METRICS)
    axes.set_ylim(0, 100)
    axes.set_title(TITLES[data].replace(", trained on ", ",\n"), loc="left")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
