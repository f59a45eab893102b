"""Finds the least value of a smooth function of many numbers: limited-memory BFGS.

The direction of each step is the slope, corrected by what the last steps have shown of the curvature (the two-loop
recursion). Its length is 1 unless that does not lower the value enough (Armijo's condition); then it is cut.

The beam makes the function jump. It jumps most at the start: with weights of zero all derivations are scored alike, the
beam keeps any of them, and the value there can be compared with no other. So the first step goes down the slope without
asking what it brings. Later, where no cut of a step lowers the value, the search goes on straight down the slope, with
nothing remembered. It ends where that lowers nothing either, or after a few small steps in a row.
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
"""Relative descent of a step that is small, as in the released configuration of the paper's system."""

PATIENCE = 3
"""Small steps in a row that end the search; a single one may be the beam's jump and not the end."""

Function = Callable[[Vector], tuple[float, Vector]]
"""Gives the value and the slope at a point."""


def minimise(
    function: Function,
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
    _, slope = function(start)
    at = _first_step(start, slope)
    value, slope = function(at)
    watch(1, value)
    steps: deque[tuple[Vector, Vector, float]] = deque(maxlen=MEMORY)
    small = 0
    for iteration in range(2, iterations + 1):
        found = _searched(function, at, value, slope, _direction(slope, steps), first=not steps)
        if found is None and steps:
            steps.clear()
            found = _searched(function, at, value, slope, -slope, first=True)
        if found is None:
            break
        there, new_value, new_slope = found
        move, change = there - at, new_slope - slope
        curvature = float(np.dot(move, change))
        if curvature > 1e-10:
            steps.append((move, change, curvature))
        descent = value - new_value
        at, value, slope = there, new_value, new_slope
        watch(iteration, value)
        small = small + 1 if descent < SETTLED * abs(value) else 0
        if small == PATIENCE:
            break
    return at


def _first_step(start: Vector, slope: Vector) -> Vector:
    """Return where a step of length 1 at most leads, straight down the slope."""
    steep = float(np.linalg.norm(slope))
    return start if steep == 0 else np.asarray(start - np.float32(min(1.0, 1.0 / steep)) * slope)


def _searched(
    function: Function, at: Vector, value: float, slope: Vector, direction: Vector, first: bool
) -> tuple[Vector, float, Vector] | None:
    """Return where a step in a direction leads, with value and slope there; None if it does not lower the value.

    Args:
        function: gives value and slope.
        at: where the step starts.
        value: the value there.
        slope: the slope there.
        direction: the direction.
        first: whether nothing is known of the curvature; then the step is at most 1 long at first.
    """
    promised = float(np.dot(slope, direction))
    if promised >= 0:  # the memory misleads, or this is the least value
        return None
    length = min(1.0, 1.0 / float(np.sqrt(-promised))) if first else 1.0
    for _ in range(MAX_CUTS):
        there = np.asarray(at + np.float32(length) * direction)
        new_value, new_slope = function(there)
        if new_value <= value + ENOUGH * length * promised:
            return there, new_value, new_slope
        # The least of the parabola through both values, but neither too near nor too far.
        length *= float(np.clip(-promised * length / (2 * (new_value - value - promised * length)), 0.1, 0.5))
    return None


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
