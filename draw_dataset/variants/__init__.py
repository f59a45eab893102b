"""Variants of word problems: new numbers and traps, and verdicts on derivations from final answers alone.

A row says which number fills which slot, so every problem is a template: put in other numbers and compute gold again.
With other numbers, another derivation gives other answers. So the answers to a few variants show how they were found.

Data flows one way. From a problem come its movable numbers (`fields`, written by `writing`, bounded by `bounds`), then
candidates (`sampling`), then a set that rules out rivals (`choosing`, `rivals`), then rows (`rebuilding`, `making`;
with `traps`). From answers to the rows come the derivations that fit them (`given`, `explaining`), then a verdict for
each problem (`probing`), then a report.
"""
