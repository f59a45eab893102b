"""Scoring: a verdict for each prediction, a score for a set of them, a table for several systems.

A prediction is read (`prediction`), compared with the gold of its problem (`gold`) and judged (`grading`, `verdict`):
a derivation by `derivations`, a model answer by `answers`, an answer to one of our prompts by `prompted`.

Verdicts are counted (`score`) under `options`, which the signature names; rows are recognised by their content
(`origin`). Predictions come from lists, from files (`files`, with `gold_rows`) or through `evaluate`
(`evaluate_metric`). `table` shows scores side by side, with intervals and tests (`significance`).

Nothing is imported here: intervals and tests need numpy, and grading should not wait for it.
"""
