"""Variants of word problems: new numbers and traps, and the derivation read off from final answers alone.

Which number fills which slot is data here, so every problem is a template: other numbers go in, gold is computed again.
With the numbers changed, another derivation gives other answers; so answers to a few variants say how they were found.

Data flows one way: a problem -> its movable numbers (`fields`, written by `writing`, bounded by `bounds`) -> candidates
(`sampling`) -> a set that rules out rivals (`choosing`, `rivals`) -> rows (`rebuilding`, `making`; with `traps`).
Answers to the rows -> what fits them (`given`, `explaining`) -> a verdict for each problem (`probing`) -> a report.
"""
