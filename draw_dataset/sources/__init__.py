"""Derivations for other datasets: rows of our schema from equations, formulas and worked solutions.

A record of a dataset -> a `SourceProblem` by the names of its fields (`fields`, `presets`) -> equations, a formula made
equations (`formulas`), or the function that a worked solution comes to (`solutions`, `choosing`, `evidence`) -> the
derivations that they leave open (`equations`) -> a row, decided, ambiguous or refused (`record`, `deriving`). Many
records at a time: `recipes`, `bulk`, `columns`, `files`, `output`, `tally`.
"""
