"""Showing derivations and scores: a derivation as a drawing or as text, and a page about systems and their errors."""
