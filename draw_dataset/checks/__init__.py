"""Defects of annotated problems, each kind a small function, each finding with a stable code."""

from draw_dataset.checks.findings import CODES, Finding, check_datasets, check_problem, check_problems, codes_by_id

__all__ = ["CODES", "Finding", "check_datasets", "check_problem", "check_problems", "codes_by_id"]
