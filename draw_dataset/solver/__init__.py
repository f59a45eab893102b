"""The template-first solver: trained on problems, it answers a text with a derivation.

The public names are `train`, `evaluate`, `Model`, `Prediction` and `Reason`.
"""

from draw_dataset.solver.model import Model, evaluate
from draw_dataset.solver.prediction import Prediction, Reason
from draw_dataset.solver.training import train

__all__ = ["Model", "Prediction", "Reason", "evaluate", "train"]
