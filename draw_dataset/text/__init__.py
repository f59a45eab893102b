"""Sentences, tokens and numbers of a text, with their places. Standard library only."""

from draw_dataset.text.numbers import FoundNumber, find_numbers
from draw_dataset.text.sentences import sentences
from draw_dataset.text.tokens import Token, detect_rule, tokenize

__all__ = ["FoundNumber", "Token", "detect_rule", "find_numbers", "sentences", "tokenize"]
