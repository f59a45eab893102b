"""Figures that describe a set of problems: the paper's Table 2, and how slots, unknowns and templates are spread."""

from draw_dataset.statistics.figures import FIGURES, TITLES
from draw_dataset.statistics.measures import Statistics, measure

__all__ = ["FIGURES", "TITLES", "Statistics", "measure"]
