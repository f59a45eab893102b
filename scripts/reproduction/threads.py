"""Keeps linear algebra to one thread: on vectors as short as the solvers' its threads mostly wait for each other."""

from __future__ import annotations

import os


def one_thread() -> None:
    """Ask for one thread a process, unless the environment says otherwise; call it before numpy is imported."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
