"""Statements of a text about its unknowns ("the sum of two numbers is 137"), and the solutions that agree with them.

In the order of the work: `forms` (linear forms and the vocabulary), `phrases`, `statements`, `use`.
"""
