"""The public release of the paper's data: its files, how they come to this machine, and the problems in them."""

from draw_dataset.release.fetch import locate
from draw_dataset.release.problems import DATASETS, load_problems
from draw_dataset.release.splits import FOLDS, SPLITS, Split

__all__ = ["DATASETS", "FOLDS", "SPLITS", "Split", "load_problems", "locate"]
