"""Derivations for other datasets: rows of our schema from equations, formulas and worked solutions.

`records` names the fields of a dataset's records, `files` and `columns` read them, `formulas` and `equations` derive
from what people wrote as formulas and equations, `solutions` from worked solutions (with `choosing` and `evidence`,
which find where each number comes from), `recipe` makes a row of one record, and `run` of all of them. `transfer` runs
derivations on the numbers of sibling problems.
"""
