"""Variants of word problems: new numbers and traps, and verdicts on derivations from final answers alone.

A row says which number fills which slot, so other numbers can be put in and gold computed again. With other numbers,
another derivation gives other answers, so the answers to a few variants show how they were found.

From a problem come its fields (`fields`, written by `writing`), candidates (`sampling`), a set that rules out `rivals`,
and rows (`rebuilding`, `making`, `traps`). From answers come the derivations that fit them (`explaining`), a verdict
for each problem (`probing`) and a `report`.
"""
