"""The public names, each with its home: the one table of them.

Type checkers read it as any stub. `draw_dataset/__init__.py` reads it when a name is first used: each line below must
be ``from HOME import NAME as NAME``.
"""

from draw_dataset.algebra.solution import Solution as Solution
from draw_dataset.algebra.solution import SolutionKind as SolutionKind
from draw_dataset.algebra.solution import solve as solve
from draw_dataset.data.loading import load as load
from draw_dataset.derivation.derivation import Alignment as Alignment
from draw_dataset.derivation.derivation import Derivation as Derivation
from draw_dataset.derivation.derivation import NumberClasses as NumberClasses
from draw_dataset.derivation.derivation import TextNumber as TextNumber
from draw_dataset.derivation.equivalence import all_slot_maps as all_slot_maps
from draw_dataset.derivation.equivalence import canonical_key as canonical_key
from draw_dataset.derivation.equivalence import derivations_equivalent as derivations_equivalent
from draw_dataset.derivation.equivalence import find_derivation_slot_map as find_derivation_slot_map
from draw_dataset.derivation.equivalence import find_difference as find_difference
from draw_dataset.derivation.equivalence import find_slot_map as find_slot_map
from draw_dataset.derivation.equivalence import reconcile as reconcile
from draw_dataset.derivation.equivalence import templates_equivalent as templates_equivalent
from draw_dataset.derivation.problem import Problem as Problem
from draw_dataset.derivation.template import Template as Template
from draw_dataset.deriving.grading import grade as grade
from draw_dataset.deriving.own_problems import score as score
from draw_dataset.deriving.own_problems import score_file as score_file
from draw_dataset.deriving.run import derive as derive
from draw_dataset.errors import DrawError as DrawError
from draw_dataset.prompting import prompt_for as prompt_for
from draw_dataset.reading.answer import Reading as Reading
from draw_dataset.reading.answer import read_answer as read_answer
from draw_dataset.report.terminal import show as show
from draw_dataset.scoring.grading import grade_many as grade_many
from draw_dataset.scoring.score import Score as Score
from draw_dataset.scoring.table import ScoreTable as ScoreTable
from draw_dataset.scoring.table import compare_scores as compare_scores
from draw_dataset.scoring.verdict import Verdict as Verdict
from draw_dataset.text.numbers import find_numbers as find_numbers
from draw_dataset.variants.making import make_variants as make_variants
from draw_dataset.variants.probing import probe as probe
from draw_dataset.version import __version__ as __version__
