"""How good predictions are: a verdict for each prediction, a score for a set of them, a table for several systems.

A prediction is read (`prediction`), compared with gold (`reference`, `prepared_gold`) and judged (`grading`,
`verdict`), by Algorithm 1 or by its quantities (`quantities`). If it cannot be read, `hints` says what was probably
meant. Answers of language models are judged as well (`answers`, `answer_solution`), and so are answers to our own
prompts (`styles`, `blocks`, `styled`).

Verdicts are counted (`score`) under options that the signature names (`signature`), with the kinds of the predictions
and the data (`conditions`), which is known by its content (`origin`). Predictions come from lists, from files (`files`,
`references`) or through `evaluate` (`exchange`). `table` shows scores side by side, with intervals and tests
(`comparison`). If predictions are graded in many places, `shards` counts each part and `tallies` adds them up to one
score (`tallied`).

Nothing is imported here: intervals and tests need numpy, and grading should not wait for it.
"""

__all__ = [
    "answer_solution",
    "answers",
    "blocks",
    "comparison",
    "conditions",
    "exchange",
    "figures",
    "files",
    "grading",
    "hints",
    "origin",
    "prediction",
    "prepared_gold",
    "quantities",
    "reference",
    "references",
    "score",
    "shards",
    "signature",
    "styled",
    "styles",
    "table",
    "tallied",
    "tallies",
    "verdict",
]
