"""How good predictions are: one verdict a prediction, one score a set of them, one table for systems side by side.

A prediction is read (`prediction`, `hints` where it cannot be), held against gold (`reference`, `standard`) and judged
(`grading`, `verdict`) by Algorithm 1 or by its quantities (`quantities`); so are answers of language models (`answers`,
`answer_solution`), and those to prompts of ours (`styles`, `blocks`, `styled`).
Verdicts are counted (`score`) under conditions that are written down (`signature`), from lists, from files (`files`,
`golds`) or through `evaluate` (`exchange`). Scores stand side by side (`table`) with how sure they are (`comparison`).

Nothing is imported here: intervals and tests need numpy, which whoever grades or draws does not wait for.
"""

__all__ = [
    "answer_solution",
    "answers",
    "blocks",
    "comparison",
    "exchange",
    "files",
    "golds",
    "grading",
    "hints",
    "prediction",
    "quantities",
    "reference",
    "score",
    "signature",
    "standard",
    "styled",
    "styles",
    "table",
    "verdict",
]
