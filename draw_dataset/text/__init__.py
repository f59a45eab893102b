"""Sentences, tokens and numbers of a text, with their places. Standard library only."""

from draw_dataset.text.sentences import sentences
from draw_dataset.text.tokens import Token, detect_rule, tokenize

__all__ = ["Token", "detect_rule", "sentences", "tokenize"]
