"""The parts of reproduce_tables.py: the jobs and what the paper prints, their store, figures, tables and workers."""

from __future__ import annotations

import os


def one_thread() -> None:
    """Keep linear algebra to one thread, unless the environment says otherwise; call it before numpy is imported.

    On vectors as short as the solvers' its threads mostly wait for each other.
    """
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
