"""Plot files in one style, reproducible to the byte.

They use matplotlib's objects and never pyplot: there is no window and no global state, and threads may draw. The
colours are those of Okabe and Ito, which colour-blind readers can tell apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.errors import ChoiceError, ExtraMissing
from draw_dataset.io.atomic import atomic_file, check_writable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
INK = "#333333"

_SETTINGS: dict[Any, Any] = {
    "font.size": 10,
    "axes.edgecolor": "#999999",
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    # Text stays text, and the same figures give the same file.
    "svg.fonttype": "none",
    "svg.hashsalt": "draw",
}


def check_plot(path: Path, option: str = "--plot") -> None:
    """Raise an error if a plot cannot be saved: another suffix, a file that cannot be written, no matplotlib."""
    if path.suffix.lower() not in SUFFIXES:
        raise ChoiceError(f"{option}: expected a file ending in {', '.join(SUFFIXES)}, but got {path.name!r}")
    check_writable(path)
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ExtraMissing("a plot needs matplotlib: pip install 'draw-dataset[report]'") from error


@contextmanager
def plot_file(path: Path, size: tuple[float, float], settings: dict[Any, Any] | None = None) -> Iterator[Figure]:
    """Yield an empty figure, and save it in the format of the file's suffix when the block ends without an error."""
    check_plot(path)
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    with rc_context({**_SETTINGS, **(settings or {})}):
        layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1)
        figure = Figure(figsize=size, dpi=150, facecolor="white", layout=layout)
        FigureCanvasAgg(figure)
        yield figure
        suffix = path.suffix.lower()
        # With the date of the drawing, no two files would be the same.
        metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix)
        with atomic_file(path, binary=True) as file:
            figure.savefig(file, format=suffix[1:], metadata=metadata)
