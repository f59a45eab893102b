"""Problems, annotators and every decision ever made, in one SQLite file."""

from __future__ import annotations

from draw_dataset.annotation.store.agenda import Progress
from draw_dataset.annotation.store.decision import Decision, normal_name
from draw_dataset.annotation.store.intake import Intake
from draw_dataset.annotation.store.store import Store
from draw_dataset.annotation.store.work import StoredProblem, Work, fresh_work

__all__ = ["Decision", "Intake", "Progress", "Store", "StoredProblem", "Work", "fresh_work", "normal_name"]
