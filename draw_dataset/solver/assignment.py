"""The best way to give each row of a table a column of its own, none twice.

The Hungarian method, with shortest augmenting paths: rows are added one by one, and each addition moves earlier rows to
other columns where that costs least. It takes rows² x columns steps, so no number of candidates is too large.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def best_assignment(gain: npt.NDArray[np.float64]) -> list[int]:
    """Return a column for each row, none twice, with the greatest sum of gains.

    >>> best_assignment(np.array([[5.0, 4.0, 0.0], [5.0, 1.0, 0.0]]))
    [1, 0]

    Args:
        gain: what each row gains from each column; at least as many columns as rows.
    """
    rows, columns = gain.shape
    row_price, column_price = np.zeros(rows + 1), np.zeros(columns + 1)
    held = np.zeros(columns + 1, dtype=np.int64)  # the row that holds each column; column 0 is the one being placed
    for row in range(1, rows + 1):
        held[0] = row
        at = 0
        slack = np.full(columns + 1, np.inf)
        came_from = np.zeros(columns + 1, dtype=np.int64)
        done = np.zeros(columns + 1, dtype=bool)
        while held[at]:
            done[at] = True
            current = held[at]
            cost = -gain[current - 1] - row_price[current] - column_price[1:]
            nearer = ~done[1:] & (cost < slack[1:])
            slack[1:][nearer] = cost[nearer]
            came_from[1:][nearer] = at
            following = int(np.where(done, np.inf, slack)[1:].argmin()) + 1
            step = slack[following]
            row_price[held[done]] += step
            column_price[done] -= step
            slack[~done] -= step
            at = following
        while at:
            held[at] = held[came_from[at]]
            at = int(came_from[at])
    found = [0] * rows
    for column in range(1, columns + 1):
        if held[column]:
            found[held[column] - 1] = column - 1
    return found
