"""Derivations for other datasets: rows of our schema from equations, formulas and worked solutions.

A record of a dataset -> a `SourceProblem` by the names of its fields (`fields`, `presets`) -> equations, a formula made
equations (`formulas`), or the function that a worked solution comes to (`solutions`) -> the derivations that they leave
open (`equations`) -> a row, decided, ambiguous or refused (`record`, `deriving`). Many records at a time: `recipes`,
`bulk`, `columns`, `files`, `output`, `tally`.

A worked solution is tidied (`tidying`) and taken apart by the reader of answers. The sources that each of its numbers
may have are listed (`choosing`, `repeats`) with points (`evidence`, by `lines`, `words`, `roles` and `constants`), the
most natural choice of all together is looked for (`weighing`, `searching`), and the result is written in the numbers of
the text (`building`, `reaching`).
"""
