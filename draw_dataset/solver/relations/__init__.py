"""What a text states of its unknowns ("the sum of two numbers is 137"), and which solutions agree with it.

`forms` holds what is said, `words` the words that say it, `sentences` the text, `referents` and `sides` the phrases,
`statements` the sentences as a whole. `agreement` compares solutions with what was read.
"""
