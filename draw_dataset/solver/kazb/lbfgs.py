"""Finds the least value of a smooth function of many numbers: limited-memory BFGS.

The direction of each step is the slope, corrected by what the last steps have shown of the curvature (the two-loop
recursion). Its length is 1 unless that does not lower the value enough (Armijo's condition); then it is cut. The beam
makes the function jump a little, so a step that lowers nothing within some cuts ends the search.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]

MEMORY = 6
"""Steps that are remembered."""

MAX_CUTS = 6
"""Times that one step is cut."""

ENOUGH = 1e-4
"""Share of the promised descent that a step must bring."""

SETTLED = 1e-3
"""Relative descent of a step below which the search ends, as in the released configuration of the paper's system."""


def minimise(
    function: Callable[[Vector], tuple[float, Vector]],
    start: Vector,
    iterations: int,
    watch: Callable[[int, float], None] = lambda *_: None,
) -> Vector:
    """Return where a function is least, as near as so many iterations come.

    >>> hill = lambda at: (float(((at - 3) ** 2 * [1, 9]).sum()), np.float32(2 * (at - 3) * [1, 9]))
    >>> minimise(hill, np.zeros(2, dtype=np.float32), 30).round(3).tolist()
    [3.0, 3.0]

    Args:
        function: gives value and slope.
        start: where the search starts.
        iterations: how many steps at most.
        watch: is told after each step which it was, from 1, and the value.
    """
    at = start
    value, slope = function(at)
    steps: deque[tuple[Vector, Vector, float]] = deque(maxlen=MEMORY)
    for iteration in range(1, iterations + 1):
        direction = _direction(slope, steps)
        promised = float(np.dot(slope, direction))
        if promised >= 0:  # the memory misleads: start anew
            steps.clear()
            direction, promised = -slope, -float(np.dot(slope, slope))
        if promised == 0:
            break
        length = 1.0 if steps else min(1.0, 1.0 / float(np.sqrt(-promised)))
        for _ in range(MAX_CUTS):
            there = np.asarray(at + np.float32(length) * direction)
            new_value, new_slope = function(there)
            if new_value <= value + ENOUGH * length * promised:
                break
            # The least of the parabola through both values, but neither too near nor too far.
            length *= float(np.clip(-promised * length / (2 * (new_value - value - promised * length)), 0.1, 0.5))
        else:
            break
        move, change = there - at, new_slope - slope
        curvature = float(np.dot(move, change))
        if curvature > 1e-10:
            steps.append((move, change, curvature))
        descent = value - new_value
        at, value, slope = there, new_value, new_slope
        watch(iteration, value)
        if descent < SETTLED * abs(value):
            break
    return at


def _direction(slope: Vector, steps: deque[tuple[Vector, Vector, float]]) -> Vector:
    """Return the direction of descent."""
    direction = -slope
    shares = []
    for move, change, curvature in reversed(steps):
        share = float(np.dot(move, direction)) / curvature
        shares.append(share)
        direction -= np.float32(share) * change
    if steps:
        _, change, curvature = steps[-1]
        direction *= np.float32(curvature / float(np.dot(change, change)))
    for (move, change, curvature), share in zip(steps, reversed(shares), strict=True):
        direction += np.float32(share - float(np.dot(change, direction)) / curvature) * move
    return np.asarray(direction)
