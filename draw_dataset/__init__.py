"""Derivations of algebra word problems: how a system of equations was read from a text.

The public names are imported when they are first used, so that importing the package costs next to nothing. Importing
it also makes the names ``draw1k``, ``alg514``, ``dolphin_l`` and ``draw_sample`` work in `datasets.load_dataset`, and
``derivation_accuracy`` in `evaluate.load`.
"""

from __future__ import annotations

from importlib import import_module

from draw_dataset.hooks import install as _install_bare_names

# Not from typing, which takes longer to import than all of this; type checkers know the name.
TYPE_CHECKING = False

__version__ = "0.1.0"

# Name -> module. One table serves the lazy import, `dir` and `from draw_dataset import *`.
_HOME = {
    "Alignment": "draw_dataset.core.alignment",
    "Derivation": "draw_dataset.core.derivation",
    "NumberClasses": "draw_dataset.core.alignment",
    "TextNumber": "draw_dataset.core.alignment",
    "Template": "draw_dataset.core.template",
    "Solution": "draw_dataset.core.equations",
    "SolutionKind": "draw_dataset.core.equations",
    "solve": "draw_dataset.core.equations",
    "templates_equivalent": "draw_dataset.core.equivalence",
    "find_slot_map": "draw_dataset.core.equivalence",
    "all_slot_maps": "draw_dataset.core.equivalence",
    "canonical_key": "draw_dataset.core.equivalence",
    "derivations_equivalent": "draw_dataset.core.equivalence",
    "find_derivation_slot_map": "draw_dataset.core.equivalence",
    "find_difference": "draw_dataset.core.equivalence",
    "find_numbers": "draw_dataset.text.numbers",
    "Problem": "draw_dataset.core.problem",
    "Verdict": "draw_dataset.scoring.verdict",
    "Score": "draw_dataset.scoring.score",
    "grade": "draw_dataset.scoring.grading",
    "score": "draw_dataset.scoring.score",
    "show": "draw_dataset.report.showing",
    "score_file": "draw_dataset.scoring.files",
    "compare_scores": "draw_dataset.scoring.table",
    "ScoreTable": "draw_dataset.scoring.table",
    "reconcile": "draw_dataset.core.equivalence",
    "DrawError": "draw_dataset.errors",
}

if TYPE_CHECKING:
    from typing import Any

    from draw_dataset.core.alignment import Alignment, NumberClasses, TextNumber
    from draw_dataset.core.derivation import Derivation
    from draw_dataset.core.equations import Solution, SolutionKind, solve
    from draw_dataset.core.equivalence import (
        all_slot_maps,
        canonical_key,
        derivations_equivalent,
        find_derivation_slot_map,
        find_difference,
        find_slot_map,
        reconcile,
        templates_equivalent,
    )
    from draw_dataset.core.problem import Problem
    from draw_dataset.core.template import Template
    from draw_dataset.errors import DrawError
    from draw_dataset.report.showing import show
    from draw_dataset.scoring.files import score_file
    from draw_dataset.scoring.grading import grade
    from draw_dataset.scoring.score import Score, score
    from draw_dataset.scoring.table import ScoreTable, compare_scores
    from draw_dataset.scoring.verdict import Verdict
    from draw_dataset.text.numbers import find_numbers

__all__ = [
    "Alignment",
    "Derivation",
    "DrawError",
    "NumberClasses",
    "Problem",
    "Score",
    "ScoreTable",
    "Solution",
    "SolutionKind",
    "Template",
    "TextNumber",
    "Verdict",
    "all_slot_maps",
    "canonical_key",
    "compare_scores",
    "derivations_equivalent",
    "find_derivation_slot_map",
    "find_difference",
    "find_numbers",
    "find_slot_map",
    "grade",
    "reconcile",
    "score",
    "score_file",
    "show",
    "solve",
    "templates_equivalent",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


_install_bare_names()
