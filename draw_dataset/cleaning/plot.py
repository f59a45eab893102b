"""The funnel as a figure: one bar a step, with what the paper says of the same step beside it.

Drawn with matplotlib's objects, never with pyplot: no window and no global state. The same counts give the same file.
"""

from __future__ import annotations

from pathlib import Path

from draw_dataset.cleaning.funnel import PAPER, Funnel
from draw_dataset.errors import ChoiceError, ExtraMissing, FolderError
from draw_dataset.files import whole_file

SUFFIXES = (".png", ".svg", ".pdf")


def check_plot(path: Path) -> None:
    """Say at once if a plot cannot be saved to a file.

    Raises:
        ChoiceError: the suffix is none of those offered.
        FolderError: the folder does not exist.
        ExtraMissing: matplotlib is not installed.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise ChoiceError(f"--plot: expected a file ending in {', '.join(SUFFIXES)}, but got {path.name!r}")
    if not path.parent.is_dir():
        raise FolderError(f"--plot: expected a file in an existing folder, but got {path}")
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ExtraMissing("a plot needs matplotlib: pip install 'draw-dataset[report]'") from error


def save_funnel(funnel: Funnel, path: Path) -> None:
    """Draw a funnel and save it in the format of the file's suffix, whole or not at all."""
    check_plot(path)
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    steps = funnel.steps
    names, counts = list(steps), list(steps.values())
    widest = max(*counts, 1)
    with rc_context({"font.size": 10, "svg.fonttype": "none", "svg.hashsalt": "draw"}):
        figure = Figure(figsize=(9, 0.5 * len(names) + 1.2), dpi=150, facecolor="white", layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        axes.barh(range(len(names)), counts, 0.68, color="#0072B2")
        for place, (name, count) in enumerate(steps.items()):
            share = f" ({100 * count / funnel.crawled:.1f} %)" if funnel.crawled else ""
            paper = f"   paper: {PAPER[name]}" if name in PAPER else ""
            axes.annotate(
                f"{count:,}{share}{paper}", (count, place), xytext=(4, 0), textcoords="offset points", va="center"
            )
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlim(0, widest * 1.45)  # room for the texts behind the bars
        axes.set_xlabel("problems")
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(length=0)
        _save(figure, path)


def _save(figure: object, path: Path) -> None:
    # The date of the drawing would make every file another one.
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower())
    with whole_file(path, binary=True) as file:
        figure.savefig(file, format=path.suffix.lower()[1:], metadata=metadata)  # type: ignore[attr-defined]
