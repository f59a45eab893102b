"""Figures that describe a set of problems: the paper's Table 2, and how slots, unknowns and templates are spread."""

from draw_dataset.statistics.measuring import Statistics, measure

__all__ = ["Statistics", "measure"]
