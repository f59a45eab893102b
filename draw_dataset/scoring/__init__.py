"""How good predictions are: one verdict a prediction, one score a set of them, one table for systems side by side.

A prediction is read (`prediction`; `hints` says what was probably meant where it cannot be read), compared with gold
(`reference`, `standard`) and judged (`grading`, `verdict`) by Algorithm 1 or by its quantities (`quantities`). So are
answers of language models (`answers`, `answer_solution`), and those to prompts of ours (`styles`, `blocks`, `styled`).
Verdicts are counted (`score`) under options that the
signature names (`signature`): from lists, from files (`files`, `references`) or through `evaluate` (`exchange`).
`table` puts scores side by side, with intervals and tests (`comparison`). Where predictions are graded in many places,
`shards` counts each part and `tallies` adds them up to one score (`tallied`).

Nothing is imported here: intervals and tests need numpy, which whoever grades or draws does not wait for.
"""

__all__ = [
    "answer_solution",
    "answers",
    "blocks",
    "comparison",
    "exchange",
    "files",
    "grading",
    "hints",
    "prediction",
    "quantities",
    "reference",
    "references",
    "score",
    "shards",
    "signature",
    "standard",
    "styled",
    "styles",
    "table",
    "tallied",
    "tallies",
    "verdict",
]
