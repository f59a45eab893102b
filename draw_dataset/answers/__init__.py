"""Answers of language models: read, and compared with a derivation."""
