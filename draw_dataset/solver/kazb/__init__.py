"""The system of Kushman, Artzi, Zettlemoyer and Barzilay (2014): a log-linear model over derivations with nouns.

A derivation is a template, a number for each number slot, and a noun for each occurrence of an unknown. The modules in
the order of the work: `signatures` (the slots of a template and their names), `columns` (templates as arrays);
`readings`, `near` and `parsed` (the nouns and numbers of a text), `encoding` (texts as arrays); `derivations` and
`beam` (which derivations are best); `likelihood`, `lbfgs` and `training` (where the weights come from); `model` and
`model_file` (what is answered, how it is stored). What departs from the paper is listed in docs/systems.md.
"""

from draw_dataset.solver.kazb.model import KazbModel
from draw_dataset.solver.kazb.training import train_kazb

__all__ = ["KazbModel", "train_kazb"]
