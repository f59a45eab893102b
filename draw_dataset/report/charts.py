"""Small drawings inside tables: a share with its interval, and a count as a bar."""

from __future__ import annotations

from collections.abc import Sequence

from draw_dataset.scoring.comparison import Interval, bootstrap_interval


def accuracy_cell(values: Sequence[float]) -> str:
    """Return the mean of the answers with its 95 % interval, as text and as a bar from 0 to 100 %."""
    mean = sum(values) / len(values)
    interval = bootstrap_interval(values)
    text = f"{100 * interval.low:.1f} to {100 * interval.high:.1f}"
    return f'<b>{100 * mean:.1f} %</b> <span class="interval">{text}</span>{_interval_chart(mean, interval)}'


def _interval_chart(mean: float, interval: Interval) -> str:
    low, high = 100 * interval.low, 100 * interval.high
    whiskers = f"M{low:.1f} 3V11M{high:.1f} 3V11M{low:.1f} 7H{high:.1f}"
    # Drawn in a box of 100 by 14 that is stretched to the cell; the strokes are not.
    return (
        '<svg class="chart" viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="track" y="4" width="100" height="6"/>'
        f'<rect class="share" y="4" width="{100 * mean:.1f}" height="6"/>'
        f'<path class="whiskers" vector-effect="non-scaling-stroke" d="{whiskers}"/></svg>'
    )


def count_cell(count: int, most: int) -> str:
    """Return a count as text and as a bar whose length compares it with the largest one."""
    width = 100 * count / most if most else 0
    return (
        f"{count}"
        '<svg class="chart bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="share" width="{width:.1f}" height="8"/></svg>'
    )
