"""Reader of model answers and explanations: from prose to equations.

`plain` makes plain text with offsets into the original, `tokens` and `names` cut it, `expressions` parses sides of
equations, and `relations` finds the statements. For answers, `setup` and `links` build the set-up, `provenance` lists
the origins of numbers, `result` finds the final numbers, and `compare` decides agreement with gold. For explanations,
`segments` removes labels, `statements` classifies each equation, and `extraction` chooses the equations of a question.
"""
