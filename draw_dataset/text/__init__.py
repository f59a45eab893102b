"""Sentences, tokens and numbers of a text, with their places. Standard library only."""
