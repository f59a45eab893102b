"""Annotation: from a question and its equations to a derivation, asking people only what the text leaves open."""
