"""Gold that independent answers contradict: the answers as voices, their groups, and the suspects in order."""

from draw_dataset.suspects.files import find_suspects, read_answers
from draw_dataset.suspects.ranking import CUT, Suspect
from draw_dataset.suspects.solver import solver_answers

__all__ = ["CUT", "Suspect", "find_suspects", "read_answers", "solver_answers"]
