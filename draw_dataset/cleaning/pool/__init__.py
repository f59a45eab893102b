"""From parsed pages to a pool of problems and a draw from it, with every step counted and every drop explained."""

from __future__ import annotations

from draw_dataset.cleaning.pool.duplicates import Duplicates, KnownProblems
from draw_dataset.cleaning.pool.edits import propose_changes
from draw_dataset.cleaning.pool.funnel import Funnel
from draw_dataset.cleaning.pool.judging import judge_alone, record_of
from draw_dataset.cleaning.pool.pipeline import Cleaning
from draw_dataset.cleaning.pool.record import Record
from draw_dataset.cleaning.pool.sample import draw_sample

__all__ = [
    "Cleaning",
    "Duplicates",
    "Funnel",
    "KnownProblems",
    "Record",
    "draw_sample",
    "judge_alone",
    "propose_changes",
    "record_of",
]
