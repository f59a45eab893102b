"""The system of Kushman, Artzi, Zettlemoyer and Barzilay (2014): a log-linear model over derivations with nouns.

A derivation is a template, a number for each number slot, and a noun for each occurrence of an unknown. In the order of
the work: `readings`, `encoding`, `beam`, `training`, `model`. docs/systems.md lists the departures from the paper.
"""
