"""Defects of annotated problems, each kind a small function, each finding with a stable code."""

from draw_dataset.checks.finding import CODES, Finding
from draw_dataset.checks.running import check_datasets, check_problem, check_problems

__all__ = ["CODES", "Finding", "check_datasets", "check_problem", "check_problems"]
