"""The template-first solver: trained on problems, it answers a text with a derivation.

The modules in the order of the work: `tagged_text` (the words and numbers of a text); `template_structure` and
`inventory` (the templates and their parts); `features`, `paper_features` and `extended_features` (what is learnt);
`arrangements`, `solutions` and `layout` (texts and templates as arrays); `search` and `ranking` (which candidate is
best); `model` (what is answered); `learner` and `training` (where the weights come from); `array_archive` and
`model_file` (how a model is stored).
"""

from draw_dataset.solver.model import Abstention, Model, SolverAnswer, evaluate
from draw_dataset.solver.model_file import load_model, save_model
from draw_dataset.solver.training import train

__all__ = ["Abstention", "Model", "SolverAnswer", "evaluate", "load_model", "save_model", "train"]
