"""Answers of language models: read, and held against a derivation."""
