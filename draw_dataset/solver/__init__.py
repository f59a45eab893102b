"""Systems that answer a text with a derivation, trained on problems: the template-first solver, and three older ones.

`answerer` says what a system is and `systems` which there are. The modules of the template-first solver in the order of
the work: `tagged_text` (the words and numbers of a text); `template_structure` and `inventory` (the templates and their
parts); `features`, `paper_features` and `extended_features` (what is learnt); `arrangements`, `solutions` and `layout`
(texts and templates as arrays); `search` and `ranking` (which candidate is best); `model` (what is answered); `learner`
and `training` (where the weights come from); `signs`, `confidence` and `calibrating` (how sure it may be).
`array_archive`, `saved_parts` and `model_file` store what was learnt.
"""

from draw_dataset.solver.answerer import Abstention, Answerer, SolverAnswer, evaluate
from draw_dataset.solver.model import Model
from draw_dataset.solver.systems import load_model, save_model, train

__all__ = ["Abstention", "Answerer", "Model", "SolverAnswer", "evaluate", "load_model", "save_model", "train"]
