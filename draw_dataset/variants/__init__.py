"""Variants of word problems: new numbers, traps and questions, and verdicts on derivations from final answers alone.

From a problem come its fields (`fields`, written by `writing`, larger or finer by `sizes`), candidates (`sampling`)
that fit the text (`consistency`), a set that rules out `rivals`, and rows (`rebuilding`, `making`, `traps`,
`questions`). From answers come the
derivations that fit them (`explaining`), a verdict for each problem (`probing`) and a `report`.
"""
